"""POST /bulk: streams of records into the store, and their exact account."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.client import RawConnection, Server, ask, cancel, registry, request, wait_for
from benchmarks.processes import writers
from cypherd.queries.loading import Splitter
from tests.http.conftest import Serve

NDJSON = {"Content-Type": "application/x-ndjson"}
COUNT = "MATCH (n) RETURN count(n)"
STEPS = "MATCH ()-[r]->() RETURN count(r)"


def node(id: Any, *labels: str, **properties: Any) -> dict[str, Any]:
    return {"labels": list(labels or ("P",)), "properties": {"id": id, **properties}}


def step(start: Any, end: Any, type: str = "T", **properties: Any) -> dict[str, Any]:
    return {"type": type, "start": ["P", start], "end": ["P", end], "properties": properties}


def lines(records: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def load(port: int, body: bytes, media: str = NDJSON["Content-Type"], **params: Any) -> Any:
    url = f"/bulk?{urlencode(params, doseq=True)}"
    return request(port, "POST", url, body=body, headers={"Content-Type": media})


def one(port: int, query: str) -> Any:
    return ask(port, query).rows()[0][0]


@pytest.fixture
def port(serve: Serve) -> int:
    return serve().port


RECORDS = [
    node(1, name="a"),
    step(1, 2, w=1.5),
    node(2, "P", "Q", name="b"),
    {"labels": ["R"], "properties": {"x": [1, 2], "y": None}},
    step(2, 3),
    node("2", name="text"),
    {"labels": []},
    step(2, 2, "LOOP"),
]


@pytest.mark.parametrize("media", ["application/x-ndjson", "application/msgpack"])
def test_nodes_and_relationships(port: int, media: str) -> None:
    packed = media.endswith("msgpack")
    body = b"".join(map(msgpack.packb, RECORDS)) if packed else lines(RECORDS)
    answer = load(port, body, media, id="mine")
    told = answer.json()
    assert answer.status == 200
    assert answer.headers["cypher-query-id"] == told["id"] == "mine"
    assert told.pop("elapsed_ms") > 0
    expected = {
        "id": "mine", "records": 8, "nodes_created": 6, "nodes_updated": 0, "nodes_skipped": 0,
        "relationships_created": 3, "indexes_added": 1, "bad_records": 0, "finished": True,
    }  # fmt: skip
    assert told == {**expected, "bad": []}
    assert request(port, "GET", "/bulk/mine").json() == expected
    found = ask(port, "MATCH (n) RETURN labels(n), properties(n) ORDER BY id(n)").rows()
    assert sorted(map(json.dumps, found)) == sorted(
        map(
            json.dumps,
            [
                [["P"], {"id": 1, "name": "a"}],
                [["P", "Q"], {"id": 2, "name": "b"}],
                [["R"], {"x": [1, 2]}],
                [["P"], {"id": "2", "name": "text"}],
                [[], {}],
                [["P"], {"id": 3}],
            ],
        )
    )
    steps = "MATCH (a)-[r]->(b) RETURN a.id, type(r), properties(r), b.id ORDER BY a.id, b.id"
    assert ask(port, steps).rows() == [
        [1, "T", {"w": 1.5}, 2], [2, "LOOP", {}, 2], [2, "T", {}, 3],
    ]  # fmt: skip
    state = registry(port)["finished"]
    assert [entry["rows"] for entry in state if entry["id"] == "mine"] == [8]


def test_what_is_there_is_updated_and_ends_are_found(port: int) -> None:
    load(port, lines([node(1, name="a", age=3), node(2)]))
    told = load(port, lines([node(1, "P", "New", name="b"), step(1, 2), step(1, 7)])).json()
    assert (told["nodes_updated"], told["nodes_created"], told["indexes_added"]) == (1, 1, 0)
    assert ask(port, "MATCH (p:New) RETURN p.id, p.name, p.age").rows() == [[1, "b", 3]]
    assert one(port, COUNT) == 3


def test_keys_are_named_by_label(port: int) -> None:
    records = [
        {"labels": ["City"], "properties": {"name": "Bonn"}},
        {"labels": ["P"], "properties": {"nr": 1}},
        {"type": "IN", "start": ["P", 1], "end": ["City", "Bonn"]},
        {"type": "IN", "start": ["P", 2], "end": ["City", "Köln"]},
    ]
    told = load(port, lines(records), key=["nr", "City.name"]).json()
    assert (told["nodes_created"], told["relationships_created"]) == (4, 2)
    rows = ask(port, "MATCH (p)-[:IN]->(c) RETURN p.nr, c.name ORDER BY p.nr").rows()
    assert rows == [[1, "Bonn"], [2, "Köln"]]
    indexes = {tuple(row) for row in ask(
        port, "SHOW INDEXES YIELD labelsOrTypes, properties RETURN labelsOrTypes[0], properties[0]"
    ).rows()}  # fmt: skip
    assert indexes >= {("P", "nr"), ("City", "name")}


def test_integers_as_keys_of_several_labels(port: int) -> None:
    """Found, made, and of several that have one key the oldest."""
    ask(port, "UNWIND ['old', 'new'] AS name CREATE (:P {id: 4, name: name})")
    ask(port, "CREATE (:Q {id: 4, name: 'q'})")
    ends = [("P", 4, "Q", 4), ("Q", 4, "P", -7), ("Q", 2**63 - 1, "P", 4), ("P", -7, "P", -7)]
    records = [
        {"type": "T", "start": [start, a], "end": [end, b], "properties": {"n": n}}
        for n, (start, a, end, b) in enumerate(ends)
    ]
    told = load(port, lines(records)).json()
    assert (told["nodes_created"], told["relationships_created"]) == (2, 4)
    found = ask(
        port,
        "MATCH (a)-[r:T]->(b) RETURN labels(a)[0], a.id, a.name, labels(b)[0], b.id, b.name"
        " ORDER BY r.n",
    ).rows()
    assert found == [
        ["P", 4, "old", "Q", 4, "q"],
        ["Q", 4, "q", "P", -7, None],
        ["Q", 2**63 - 1, None, "P", 4, "old"],
        ["P", -7, None, "P", -7, None],
    ]
    told = load(port, lines([*records[:2], step(4, 5), *records[2:]]), missing="error").json()
    assert (told["bad_records"], told["relationships_created"]) == (1, 4)
    assert one(port, COUNT) == 5


def test_missing_and_existing(port: int) -> None:
    load(port, lines([node(1)]))
    records = [node(1, name="x"), step(1, 5), node(2), node(2)]
    told = load(port, lines(records), missing="error", existing="error").json()
    assert [(bad["record"], bad["message"]) for bad in told["bad"]] == [
        (1, "there is a node P with the key 1 already"),
        (2, "there is no node P with the key 5"),
        (4, "there is a node P with the key 2 already"),
    ]
    told = load(port, lines([node(1, name="y")]), existing="skip").json()
    assert (told["nodes_skipped"], told["bad_records"]) == (1, 0)
    assert ask(port, "MATCH (p:P) RETURN p.id, p.name ORDER BY p.id").rows() == [
        [1, None], [2, None],
    ]  # fmt: skip


BAD = [
    (b'{"labels": ["P"]', "not JSON"),
    (b"[1]", "a record is a map"),
    (b"{}", "a record has labels (a node) or a type (a relationship)"),
    (b'{"labels": "P"}', "labels is a list of names"),
    (b'{"labels": ["P", ""]}', "labels is a list of names"),
    (b'{"labels": ["P"], "x": 1}', "unknown field 'x'; there are labels, properties"),
    (b'{"labels": ["P"], "properties": [1]}', "properties is a map"),
    (b'{"labels": ["P"], "properties": {"": 1}}', "the name of a property"),
    (b'{"labels": ["P"], "properties": {"x": {}}}', "Property values can only be of primitive"),
    (b'{"labels": ["P"], "properties": {"x": [1, "a"]}}', "Lists stored as properties must hold"),
    (b'{"labels": ["P"], "properties": {"id": 1.5}}', "a key is an integer or a string"),
    (b'{"labels": ["P"], "properties": {"id": 9223372036854775808}}', "does not fit an INTEGER"),
    (b'{"labels": ["P"], "properties": {"x": 123456789012345678901}}', "does not fit an INTEGER"),
    (b'{"type": "T", "start": ["P", 1]}', "end is a label and a key"),
    (b'{"type": "", "start": ["P", 1], "end": ["P", 1]}', "type is a name"),
    (b'{"type": "T", "start": ["P", true], "end": ["P", 1]}', "a key is an integer or a string"),
    (b'{"type": "T", "start": ["P", 1], "end": ["P"]}', "end is a label and a key"),
]


def test_each_bad_record_is_told_and_the_others_are_stored(port: int) -> None:
    body = b"".join(line + b"\n" + lines([node(n)]) for n, (line, _) in enumerate(BAD))
    told = load(port, body).json()
    assert told["bad_records"] == len(told["bad"]) == len(BAD)
    for number, (bad, (_, message)) in enumerate(zip(told["bad"], BAD, strict=True)):
        assert bad["record"] == 2 * number + 1
        assert bad["message"].startswith(message) or message in bad["message"]
    assert one(port, COUNT) == told["nodes_created"] == len(BAD)
    assert told["records"] == 2 * len(BAD)


def test_lines_are_records_also_where_several_would_make_one(port: int) -> None:
    """Put together with commas these would be three values in three lines."""
    body = b'{"labels": ["P"]}, {"labels": ["P"]}\n{"labels": ["P"], "properties": {"x": [1\n2]}}\n'
    told = load(port, body).json()
    assert ([bad["record"] for bad in told["bad"]], one(port, COUNT)) == ([1, 2, 3], 0)


def test_each_bad_record_of_messagepack_is_told(port: int) -> None:
    good = msgpack.packb(node(1))
    bad = [
        (b"\x82\xa6labels\x91\xa1P\xaaproperties\x81\xa1x\xa2\xff\xfe", "can't decode byte"),
        (b"\x81\x91\x01\x02", "unhashable"),
        (msgpack.packb({"labels": ["P"], "properties": {"x": msgpack.ExtType(99, b"z")}}), "99"),
        (msgpack.packb({"labels": ["P"], "properties": {"x": msgpack.ExtType(7, b"z")}}), ""),
        (msgpack.packb({"labels": ["P"], "properties": {"x": b"bytes"}}), "primitive types"),
        (msgpack.packb({"labels": ["P"], "properties": {"x": 2**64 - 1}}), "does not fit"),
        (msgpack.packb({1: 2}), "a record has labels"),
    ]
    told = load(port, b"".join(data + good for data, _ in bad), "application/msgpack").json()
    assert [found["record"] for found in told["bad"]] == list(range(1, 2 * len(bad), 2))
    for found, (_, message) in zip(told["bad"], bad, strict=True):
        assert message in found["message"]
    assert (told["records"], one(port, COUNT)) == (2 * len(bad), 1)
    for rubbish in (b"\xc1", b"\x91" * 2000):
        answer = load(port, rubbish, "application/msgpack")
        assert (answer.status, "MessagePack" in answer.body.decode()) == (400, True)


def test_a_constraint_refuses_single_records(port: int) -> None:
    ask(port, "CREATE CONSTRAINT FOR (p:P) REQUIRE p.mail IS UNIQUE")
    ask(port, "CREATE CONSTRAINT FOR (p:P) REQUIRE p.name IS NOT NULL")
    records = [node(n, name="n", mail=f"m{n}") for n in range(300)]
    records[120] = node(120, name="n", mail="m7")
    records[121] = node(121, mail="none")
    told = load(port, lines([*records, step(1, 999)])).json()
    assert [bad["record"] for bad in told["bad"]] == [121, 122, 301]
    assert "already exists with" in told["bad"][0]["message"]
    assert "must have the property" in told["bad"][1]["message"]
    assert one(port, COUNT) == told["nodes_created"] == 298
    assert told["relationships_created"] == 0


def test_too_many_bad_records_end_it(port: int) -> None:
    body = lines([node(1), 1, 2, node(2), 3])
    answer = load(port, body, max_bad=2, id="bad")
    told = answer.json()
    assert answer.status == 422
    assert "max_bad" in told["errors"][0]["message"]
    assert [bad["record"] for bad in told["bad"]] == [2, 3]
    assert (told["nodes_created"], one(port, COUNT)) == (2, 2)
    assert load(port, lines([1]), max_bad=0).status == 422
    assert load(port, lines([node(9)]), max_bad=0).status == 200


@pytest.mark.parametrize(
    ("params", "media", "status", "says"),
    [
        ({"key": "a.b.c."}, NDJSON["Content-Type"], 400, "key"),
        ({"key": ["a", "b"]}, NDJSON["Content-Type"], 400, "two"),
        ({"missing": "drop"}, NDJSON["Content-Type"], 400, "create or error"),
        ({"existing": "drop"}, NDJSON["Content-Type"], 400, "update or skip or error"),
        ({"max_bad": "x"}, NDJSON["Content-Type"], 400, "max_bad"),
        ({"id": "a b"}, NDJSON["Content-Type"], 400, "id"),
        ({"colour": "x"}, NDJSON["Content-Type"], 400, "unknown parameter 'colour'"),
        ({}, "text/csv", 415, "application/x-ndjson"),
    ],
)
def test_what_cannot_be_asked(
    port: int, params: dict[str, Any], media: str, status: int, says: str
) -> None:
    answer = load(port, lines([node(1)]), media, **params)
    assert (answer.status, says in answer.body.decode()) == (status, True)
    assert one(port, COUNT) == 0


def test_ends_and_pieces(port: int) -> None:
    """An empty stream, blank lines, no end of the last line; half a record of MessagePack."""
    assert load(port, b"").json()["records"] == 0
    told = load(port, b"\n\n" + lines([node(1)]) + b"  \n" + lines([node(2)])[:-1]).json()
    assert (told["records"], told["nodes_created"]) == (5, 2)
    packed = msgpack.packb(node(3))
    answer = load(port, packed + packed[:-2], "application/msgpack", id="half")
    assert (answer.status, answer.json()["nodes_created"]) == (400, 0)
    assert "in the middle of a record" in answer.json()["errors"][0]["message"]
    assert one(port, COUNT) == 2
    assert request(port, "GET", "/bulk/never").status == 404
    load(port, lines([node(1)]), id="once")
    assert load(port, lines([node(1)]), id="once").status == 409


# --- streams ----------------------------------------------------------------------------


def stream(count: int, seed: int) -> bytes:
    """Nodes with their keys in disorder, some twice, and relationships among them."""
    chance = random.Random(seed)
    records = [node(chance.randrange(count), name=f"n{n}") for n in range(count)]
    records += [step(chance.randrange(count), chance.randrange(count)) for _ in range(count)]
    return lines(records)


def totals(port: int) -> tuple[int, int]:
    return one(port, COUNT), one(port, STEPS)


def chunks_of(data: bytes, size: int, pause: float = 0.0) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]
        time.sleep(pause)


def send_part(port: int, data: bytes, id: str) -> None:
    """The beginning of a stream; then the connection is lost."""
    raw = RawConnection(port)
    head = (
        f"POST /bulk?id={id} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Content-Type: application/x-ndjson\r\nContent-Length: {2 * len(data)}\r\n\r\n"
    )
    raw.socket.sendall(head.encode() + data)
    time.sleep(0.3)
    raw.reset()


def test_after_a_lost_connection_the_same_stream_goes_on(serve: Serve) -> None:
    port = serve(load_batch="16KiB").port
    data = stream(4000, 1)
    for share in (0.3, 0.2, 0.7):
        send_part(port, data[: int(len(data) * share)], "again")
        assert wait_for(lambda: not registry(port)["running"], 20.0) is not None
    state = request(port, "GET", "/bulk/again").json()
    assert state["finished"] is False
    assert state["records"] == data[: int(len(data) * 0.7)].count(b"\n")
    assert totals(port) == (state["nodes_created"], state["relationships_created"])
    told = load(port, data, id="again").json()
    assert (told["records"], told["finished"]) == (8000, True)
    assert told["relationships_created"] == 4000
    assert totals(port) == (told["nodes_created"], 4000)


def test_killed_writers_lose_and_double_nothing(serve: Serve) -> None:
    server = serve(load_batch="8KiB")
    port, data = server.port, stream(6000, 2)
    answers: list[Any] = []

    def run() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, 60)
        connection.request(
            "POST", "/bulk?id=k", chunks_of(data, 5000, 0.002), NDJSON, encode_chunked=True
        )
        answers.append(json.loads(connection.getresponse().read()))

    thread = threading.Thread(target=run)
    thread.start()
    killed = 0
    while thread.is_alive():
        time.sleep(0.15)
        for pid in writers(server.pid):
            os.kill(pid, signal.SIGKILL)
            killed += 1
        if killed >= 4:
            thread.join()
    told = answers[0]
    assert killed >= 2
    assert (told["records"], told["relationships_created"]) == (12000, 6000)
    assert totals(port) == (told["nodes_created"], 6000)


def test_a_killed_server_knows_how_far_it_was(tmp_path: Path) -> None:
    data = stream(8000, 3)
    settings = {"map_size": "256MiB", "load_batch": "16KiB"}
    with Server(tmp_path / "s", settings=settings) as server:
        thread = threading.Thread(
            target=send_part, args=(server.port, data[: len(data) // 2], "far"), daemon=True
        )
        thread.start()
        time.sleep(0.2)
        server.kill()
    with Server(tmp_path / "s", settings=settings) as server:
        port = server.port
        answer = request(port, "GET", "/bulk/far")
        stored = answer.json() if answer.status == 200 else {"records": 0}
        if stored["records"]:
            assert totals(port) == (stored["nodes_created"], stored["relationships_created"])
        told = load(port, data, id="far").json()
        assert (told["records"], told["relationships_created"]) == (16000, 8000)
        assert totals(port) == (told["nodes_created"], 8000)


@pytest.mark.parametrize("pause", [0.0, 0.05])
def test_a_cancelled_load_tells_what_is_stored(serve: Serve, pause: float) -> None:
    port = serve(load_batch="16KiB").port
    data = stream(200_000 if not pause else 2000, 4)
    answers: list[tuple[int, Any]] = []

    def run() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, 60)
        with contextlib.suppress(OSError):
            connection.request(
                "POST", "/bulk?id=c", chunks_of(data, 5000, pause), NDJSON, encode_chunked=True
            )
        response = connection.getresponse()
        answers.append((response.status, json.loads(response.read())))

    thread = threading.Thread(target=run)
    thread.start()
    assert wait_for(lambda: "c" in str(registry(port)["running"]), 10.0) is not None
    time.sleep(0.4)
    cancel(port, "c")
    assert wait_for(lambda: not registry(port)["running"], 5.0) is not None
    thread.join()
    state = request(port, "GET", "/bulk/c").json()
    assert totals(port) == (state["nodes_created"], state["relationships_created"])
    if answers:
        status, told = answers[0]
        assert status >= 400
        assert told["records"] == state["records"]


def test_other_writes_take_their_turn(serve: Serve) -> None:
    port = serve().port
    data = stream(60_000, 5)
    thread = threading.Thread(target=load, args=(port, data), kwargs={"id": "long"})
    thread.start()
    taken = []
    while thread.is_alive():
        began = time.monotonic()
        assert ask(port, "CREATE (:Other)").status == 200
        taken.append(time.monotonic() - began)
    thread.join()
    assert len(taken) >= 5
    assert one(port, "MATCH (o:Other) RETURN count(o)") == len(taken)
    assert request(port, "GET", "/bulk/long").json()["finished"]


# --- splitting --------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.binary(max_size=12).filter(lambda data: b"\n" not in data), max_size=12),
    st.lists(st.integers(1, 20), min_size=1, max_size=40),
    st.booleans(),
)
def test_lines_come_whole_however_they_are_cut(
    given_lines: list[bytes], sizes: list[int], ends: bool
) -> None:
    data = b"\n".join(given_lines) + (b"\n" if ends and given_lines else b"")
    splitter = Splitter("ndjson", 1000)
    taken, count, start = b"", 0, 0
    for size in sizes:
        splitter.feed(data[start : start + size])
        start += size
        piece, number = splitter.take()
        assert piece == b"" or piece.endswith(b"\n")
        taken, count = taken + piece, count + number
    splitter.feed(data[start:])
    piece, number = splitter.take(at_end=True)
    assert taken + piece == data
    assert count + number == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.integers(0, 9), max_size=3), max_size=10),
    st.integers(1, 17),
)
def test_values_come_whole_however_they_are_cut(values: list[Any], size: int) -> None:
    data = b"".join(map(msgpack.packb, values))
    splitter = Splitter("msgpack", 1000)
    found: list[Any] = []
    for start in range(0, len(data), size):
        splitter.feed(data[start : start + size])
        piece, count = splitter.take()
        unpacker = msgpack.Unpacker(strict_map_key=False)
        unpacker.feed(piece)
        whole = list(unpacker)
        assert len(whole) == count
        found += whole
    assert splitter.take(at_end=True) == (b"", 0)
    assert found == values
