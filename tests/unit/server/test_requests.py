"""Every kind of body comes down to the same question; what is wrong is named."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import msgpack
import orjson
import pytest

from cypherd.errors import CypherdError, InvalidFormat, RequestError, UnsupportedMediaType
from cypherd.server.requests import Ask, read_get, read_post
from cypherd.settings import Settings
from cypherd.values.temporal.parsing import parse_date, parse_date_time
from cypherd.values.temporal.tagged import tagged

SETTINGS = Settings()

# {"query": "q", "params": {"x":
PACKED_BEFORE = b"\x82\xa5query\xa1q\xa6params\x81\xa1x"


def post(
    body: bytes, content_type: str | None, url: str = "", headers: dict[str, str] | None = None
) -> Ask:
    return read_post(content_type, body, url.encode(), headers or {}, SETTINGS)


def ask_json(**fields: Any) -> Ask:
    return post(orjson.dumps(fields), "application/json")


FULL: dict[str, Any] = {
    "query": "RETURN $x",
    "params": {"x": [1, 2.5, "é", None, True, {"k": -(2**63)}]},
    "timeout": "500ms",
    "id": "my-id_1.2",
    "format": "ndjson",
    "rows": "objects",
    "integers": "string",
    "notifications": "warning",
}


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        pytest.param(orjson.dumps(FULL), "application/json", id="json"),
        pytest.param(orjson.dumps(FULL), "application/json; charset=UTF-8", id="json-charset"),
        pytest.param(msgpack.packb(FULL), "application/msgpack", id="msgpack"),
        pytest.param(msgpack.packb(FULL), "application/x-msgpack", id="x-msgpack"),
        pytest.param(msgpack.packb(FULL), "Application/VND.MsgPack", id="vnd.msgpack"),
        pytest.param(
            urlencode({**FULL, "params": orjson.dumps(FULL["params"])}).encode(),
            "application/x-www-form-urlencoded",
            id="form",
        ),
    ],
)
def test_bodies_mean_the_same(body: bytes, content_type: str) -> None:
    ask = post(body, content_type)
    controls = ("ndjson", 0.5, "my-id_1.2", "objects", "string", "warning")
    assert ask == Ask("RETURN $x", FULL["params"], *controls)


@pytest.mark.parametrize("content_type", ["text/plain", "application/cypher"])
def test_text_has_its_parameters_in_the_url(content_type: str) -> None:
    params = urlencode({"params": '{"x":1}', "name": "007", "format": "json"})
    ask = post(b"RETURN $x", content_type, params)
    assert ask.text == "RETURN $x"
    assert ask.parameters == {"x": 1, "name": "007"}
    assert ask.format == "json"


def test_old_names_are_read() -> None:
    ask = ask_json(statement="RETURN 1", parameters={"a": 1})
    assert (ask.text, ask.parameters) == ("RETURN 1", {"a": 1})


def test_headers_bring_id_and_timeout() -> None:
    headers = {"cypher-query-id": "abc", "cypher-timeout": "2m"}
    ask = post(b"RETURN 1", "text/plain", headers=headers)
    assert (ask.id, ask.timeout) == ("abc", 120.0)


def test_a_bare_name_in_a_url_is_a_string() -> None:
    query = urlencode({"query": "RETURN $n", "n": "42"}).encode()
    assert read_get(query, {}, SETTINGS).parameters == {"n": "42"}


def test_integers_up_to_64_bits_are_exact() -> None:
    body = b'{"query": "q", "params": {"low": -9223372036854775808, "high": 9223372036854775807}}'
    assert post(body, "application/json").parameters == {"low": -(2**63), "high": 2**63 - 1}


def test_temporal_parameters_in_msgpack() -> None:
    day, moment = parse_date("2015-07-21"), parse_date_time("2015-07-21T10:00[Europe/Berlin]")
    packed = [msgpack.ExtType(*tagged(value)) for value in (day, moment)]
    body = msgpack.packb({"query": "q", "params": {"d": packed[0], "l": [{"m": packed[1]}]}})
    ask = post(body, "application/msgpack")
    assert ask.parameters == {"d": day, "l": [{"m": moment}]}


def test_a_large_float_stays_a_float() -> None:
    ask = post(b'{"query": "q", "params": {"x": 1e300}}', "application/json")
    assert ask.parameters == {"x": 1e300}


@pytest.mark.parametrize(
    ("body", "content_type", "kind", "words"),
    [
        pytest.param(b"{}", None, UnsupportedMediaType, "application/json", id="no-type"),
        pytest.param(b"x", "text/csv", UnsupportedMediaType, "text/csv", id="type"),
        pytest.param(b"x", "text/plain; charset=latin-1", UnsupportedMediaType, "latin-1",
                     id="charset"),
        pytest.param(b"{", "application/json", InvalidFormat, "not JSON", id="json"),
        pytest.param(b"[1]", "application/json", InvalidFormat, "map", id="no-map"),
        pytest.param(b"\xc1", "application/msgpack", InvalidFormat, "MessagePack", id="msgpack"),
        pytest.param(PACKED_BEFORE + b"\xd6\x0312-1", "application/msgpack", InvalidFormat,
                     "extension type 3", id="no-date"),
        pytest.param(PACKED_BEFORE + b"\xd6\x3312-1", "application/msgpack", InvalidFormat,
                     "no extension type 51", id="unknown-extension"),
        pytest.param(PACKED_BEFORE + b"\xd6\xff\x00\x00\x00\x00", "application/msgpack",
                     RequestError, "Timestamp", id="timestamp"),
        pytest.param(b"\xff", "text/plain", InvalidFormat, "byte 0", id="utf-8"),
        pytest.param(b'{"query": "q", "parms": {}}', "application/json", RequestError, "'parms'",
                     id="unknown-key"),
        pytest.param(b'{"query": "q", "statement": "r"}', "application/json", RequestError,
                     "twice", id="alias-twice"),
        pytest.param(b'{"query": 1}', "application/json", RequestError, "query", id="query-type"),
        pytest.param(b'{"query": "q", "params": [1]}', "application/json", RequestError, "params",
                     id="params-type"),
        pytest.param(b'{"query": "q", "params": {"n": {"a": [9223372036854775808]}}}',
                     "application/json", RequestError, "'n'", id="integer-above"),
        pytest.param(b'{"query": "q", "params": {"n": 99999999999999999999999}}',
                     "application/json", RequestError, "'n'", id="integer-far-above"),
        pytest.param(b'{"query": "q", "params": {"n": NaN}}', "application/json", InvalidFormat,
                     "JSON", id="nan"),
        pytest.param(b'{"query": "q", "timeout": "5"}', "application/json", RequestError, "30s",
                     id="timeout-unit"),
        pytest.param(b'{"query": "q", "timeout": 5}', "application/json", RequestError, "timeout",
                     id="timeout-number"),
        pytest.param(b'{"query": "q", "timeout": "0s"}', "application/json", RequestError,
                     "above zero", id="timeout-zero"),
        pytest.param(b'{"query": "q", "timeout": "20h"}', "application/json", RequestError,
                     "max_timeout", id="timeout-maximum"),
        pytest.param(b'{"query": "q", "id": "a b"}', "application/json", RequestError, "id",
                     id="id-characters"),
        pytest.param(orjson.dumps({"query": "q", "id": "a" * 65}), "application/json",
                     RequestError, "64", id="id-length"),
        pytest.param(b'{"query": "q", "rows": "lists"}', "application/json", RequestError,
                     "arrays", id="rows"),
        pytest.param(b"query=a&query=b", "application/x-www-form-urlencoded", RequestError,
                     "twice", id="form-twice"),
        pytest.param(b"query=a&params={", "application/x-www-form-urlencoded", InvalidFormat,
                     "params", id="form-params"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(
    body: bytes, content_type: str | None, kind: type[CypherdError], words: str
) -> None:
    with pytest.raises(kind) as caught:
        post(body, content_type)
    assert words in caught.value.message


def test_fields_that_a_form_leaves_empty_are_not_given() -> None:
    fields = {"query": "q", **dict.fromkeys(("params", "format", "timeout", "id", "rows"), "")}
    ask = post(urlencode({**fields, "x": ""}).encode(), "application/x-www-form-urlencoded")
    assert ask == post(b"query=q&x=", "application/x-www-form-urlencoded")
    assert ask.parameters == {"x": ""}


def test_a_control_in_url_and_body_is_refused() -> None:
    with pytest.raises(RequestError, match="'format'"):
        post(b'{"query": "q", "format": "json"}', "application/json", "format=ndjson")


@pytest.mark.parametrize("fields", ["query=a&params={}", "query=a", "query=a&params=%7B%7D"])
def test_no_parameters(fields: str) -> None:
    form = post(fields.encode(), "application/x-www-form-urlencoded")
    assert read_get(fields.encode(), {}, SETTINGS).parameters == form.parameters == {}
