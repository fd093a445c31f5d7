"""`cypherd query` against servers and stores: answers, scripts, failures, exit codes."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.client import Server, ask, free_port, request, running, wait_for
from cypherd.cli.failures import QueryFailed
from cypherd.cli.query import FORMATS
from cypherd.cli.store_target import StoreTarget
from cypherd.cli.target import Question
from cypherd.errors import StoreError
from cypherd.settings import MIB, Settings
from tests.cli.conftest import COMMAND, PERSONS, cypherd, started

COUNT = "MATCH (p:Person) RETURN count(p) AS people"
LONG = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(a + b)"
LATE = "UNWIND range(1, 300000) AS x RETURN 1 / (300000 - x)"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with three nodes."""
    path = tmp_path / "store"
    done = cypherd("query", "--store", path, "UNWIND [1, 2, 3] AS x CREATE (:N {x: x})")
    assert done.returncode == 0, done.stderr
    return path


# --- answers ----------------------------------------------------------------------------


def test_a_server_is_asked(url: str) -> None:
    done = cypherd("query", "--url", url, COUNT)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"columns": ["people"], "data": [[PERSONS]]}


def test_an_address_needs_no_scheme(url: str) -> None:
    assert cypherd("query", "--url", url.removeprefix("http://"), COUNT).returncode == 0


def test_a_store_is_asked(store: Path) -> None:
    done = cypherd("query", "--store", store, "MATCH (n:N) RETURN n.x AS x ORDER BY x")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["data"] == [[1], [2], [3]]


@pytest.mark.parametrize("target", ["server", "store"])
def test_parameters(url: str, store: Path, tmp_path: Path, target: str) -> None:
    where = ["--url", url] if target == "server" else ["--store", str(store)]
    file = tmp_path / "params.json"
    file.write_text('{"a": 1, "b": "from the file"}', encoding="utf-8")
    done = cypherd(
        "query", *where, "--params", file, "-p", "b=two words", "-p", 'c=["x", null]',
        "-p", "d=9007199254740993", "RETURN $a, $b, $c, $d",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["data"] == [[1, "two words", ["x", None], 9007199254740993]]
    inline = cypherd("query", *where, "--params", '{"a": {"k": 1.5}}', "RETURN $a.k AS k")
    assert json.loads(inline.stdout)["data"] == [[1.5]]


def test_rows_and_format(url: str, store: Path) -> None:
    for where in (["--url", url], ["--store", str(store)]):
        done = cypherd("query", *where, "--rows", "objects", "--format", "ndjson", "RETURN 1 AS x")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert lines == [{"columns": ["x"]}, {"x": 1}, {"end": {"rows": 1}}]


@pytest.mark.parametrize("arguments", [(), ("-",), ("--file", "-")])
def test_standard_input(url: str, arguments: tuple[str, ...]) -> None:
    done = cypherd("query", "--url", url, *arguments, stdin="RETURN 'ä' AS x;\n")
    assert json.loads(done.stdout)["data"] == [["ä"]]


# --- scripts ----------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["server", "store"])
def test_movies_runs_unchanged(shared: Path, tmp_path: Path, writable: Server, target: str) -> None:
    script = shared / "data" / "movies" / "movies.cypher"
    served = f"http://127.0.0.1:{writable.port}"
    where = ("--url", served) if target == "server" else ("--store", str(tmp_path / "movies"))
    done = cypherd("query", *where, "--file", script)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(answer["stats"].get("nodes_created", 0) for answer in answers) == 171
    found = cypherd("query", *where, "MATCH (m:Movie) RETURN count(m)")
    assert json.loads(found.stdout)["data"] == [[38]]
    relationships = cypherd("query", *where, "MATCH ()-[r]->() RETURN count(r)")
    assert json.loads(relationships.stdout)["data"] == [[253]]


SCRIPT = """CREATE (:A);
// the second
CREATE (:A);

  CREATE (:A {x: 1 / 0});
CREATE (:B);
"""


@pytest.mark.parametrize("target", ["server", "store"])
def test_a_script_stops_at_its_first_failure(
    store: Path, writable: Server, target: str, tmp_path: Path
) -> None:
    served = f"http://127.0.0.1:{writable.port}"
    where = ("--url", served) if target == "server" else ("--store", str(store))
    file = tmp_path / "script.cypher"
    file.write_text(SCRIPT, encoding="utf-8")
    done = cypherd("query", *where, "--file", file)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "cypherd: ArithmeticError: / by zero",
        "  line 5, column 20",
        "      CREATE (:A {x: 1 / 0});",
        "                       ^",
        "cypherd: the script stopped at statement 3 of 4, line 5; "
        "the 2 before it were run and stay done",
    ]
    assert len(done.stdout.splitlines()) == 2
    left = cypherd("query", *where, "MATCH (n) WHERE n:A OR n:B RETURN labels(n)[0]")
    assert json.loads(left.stdout)["data"] == [["A"], ["A"]]


def test_what_is_no_statement(url: str) -> None:
    for script in ("", "// nothing\n;;"):
        done = cypherd("query", "--url", url, script)
        assert done.returncode == 2
        assert "no statement" in done.stderr


# --- failures ---------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["server", "store"])
def test_a_failure_shows_its_place(url: str, store: Path, target: str) -> None:
    where = ("--url", url) if target == "server" else ("--store", str(store))
    done = cypherd("query", *where, "MATCH (n)\nRETRUN n")
    assert (done.returncode, done.stdout) == (1, "")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("cypherd: SyntaxError: ")
    assert lines[1:4] == ["  line 2, column 1", "    RETRUN n", "    ^"]
    assert lines[4] == "  hint: did you mean RETURN?"


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreTarget]:
    """A store that is asked in this process."""
    settings = Settings(store=tmp_path_factory.mktemp("target") / "store", map_size=64 * MIB)
    opened = StoreTarget(settings, first="CREATE (n)")
    yield opened
    opened.close()


@pytest.mark.parametrize("format_", FORMATS)
def test_a_failure_counts_wherever_it_comes(url: str, target: StoreTarget, format_: str) -> None:
    late = cypherd("query", "--url", url, "--format", format_, LATE, text=False)
    assert late.returncode == 1
    assert b"ArithmeticError: / by zero" in late.stderr
    if format_ in ("json", "ndjson"):
        assert b"errors" in late.stdout[-300:]
    early = cypherd("query", "--url", url, "--format", format_, "RETURN 1 / 0")
    assert (early.returncode, early.stdout) == (1, "")
    assert "ArithmeticError: / by zero" in early.stderr
    for text in (LATE, "RETURN 1 / 0"):
        with pytest.raises(QueryFailed, match="/ by zero"):
            list(target.ask(Question(text, format=format_)))


@pytest.mark.parametrize("format_", FORMATS)
def test_a_server_and_a_store_answer_alike(url: str, target: StoreTarget, format_: str) -> None:
    text = "UNWIND [1, null, 'x', [1.5, {a: true}]] AS v RETURN v, 'ä' AS s"
    served = cypherd("query", "--url", url, "--format", format_, text, text=False).stdout
    own = b"".join(target.ask(Question(text, format=format_)))
    # The page tells how long the query took; the command ends lines.
    first, second = (re.sub(rb"[\d.]+ ms", b"", answer).rstrip(b"\n") for answer in (served, own))
    assert first == second
    assert "ä".encode() in first


@pytest.mark.parametrize("format_", ["json", "ndjson"])
@pytest.mark.parametrize("rows", ["arrays", "objects"])
def test_values_that_look_like_errors_are_none(url: str, format_: str, rows: str) -> None:
    query = (
        'RETURN {a: [1], errors: [{message: "x"}]} AS a, [[1], "errors", [{message: "y"}]] AS b, '
        '\'],"errors":[{"message":"z"}]}\' AS errors'
    )
    done = cypherd("query", "--url", url, "--format", format_, "--rows", rows, query)
    assert (done.returncode, done.stderr) == (0, "")


def test_timeouts(url: str, store: Path) -> None:
    for where in (("--url", url), ("--store", str(store))):
        done = cypherd("query", *where, "--timeout", "200ms", LONG)
        assert done.returncode == 1
        assert "TransactionTimedOut" in done.stderr


def test_read_only(writable: Server, store: Path) -> None:
    served = f"http://127.0.0.1:{writable.port}"
    for where in (("--url", served), ("--store", str(store))):
        done = cypherd("query", *where, "--read-only", "CREATE (:Never)")
        assert done.returncode == 1
        assert "a query that writes is refused with --read-only" in done.stderr
        read = cypherd("query", *where, "--read-only", "-p", "x=1", "MATCH (n:Never) RETURN n, $x")
        assert read.returncode == 0, read.stderr
        assert json.loads(read.stdout)["data"] == []


def test_nobody_answers() -> None:
    done = cypherd("query", "--url", f"http://127.0.0.1:{free_port()}", "RETURN 1")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("cypherd: cannot reach http://127.0.0.1:")


def test_the_server_dies_meanwhile(tmp_path: Path) -> None:
    server = Server(tmp_path / "store", settings={"map_size": "256MiB"}).start()
    asking = started("query", "--url", f"http://127.0.0.1:{server.port}", LONG)
    assert wait_for(lambda: bool(running(server.port)), 30) is not None
    server.kill()
    _, told = asking.communicate(timeout=30)
    assert asking.returncode == 3
    assert "whether the statement was done is not known" in told


USAGE = {
    "both targets": ("--url", "http://127.0.0.1:1", "--store", "s", "RETURN 1"),
    "text and file": ("--file", "x.cypher", "RETURN 1"),
    "no such file": ("--file", "no-such-file.cypher"),
    "a foreign address": ("--url", "ftp://example.org", "RETURN 1"),
    "a parameter without a value": ("-p", "x", "RETURN 1"),
    "parameters that are no object": ("--params", "{1}", "RETURN 1"),
    "parameters in no file": ("--params", "no-such-file.json", "RETURN 1"),
    "a timeout without a unit": ("--timeout", "5", "RETURN 1"),
    "no such rows": ("--rows", "columns", "RETURN 1"),
    "no such option": ("--nonsense", "RETURN 1"),
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE.keys())
def test_mistakes_of_usage(arguments: tuple[str, ...]) -> None:
    done = cypherd("query", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_no_such_format(url: str, store: Path) -> None:
    for where in (("--url", url), ("--store", str(store))):
        done = cypherd("query", *where, "--format", "nonsense", "CREATE (:Never)")
        assert done.returncode == 2
        assert "nonsense" in done.stderr


# --- stores -----------------------------------------------------------------------------


def test_reading_makes_no_store(tmp_path: Path) -> None:
    path = tmp_path / "none"
    settings = Settings(store=path, map_size=64 * MIB)
    for text in ("MATCH (n) RETURN n", "EXPLAIN CREATE (n)", "SHOW INDEXES", None):
        with pytest.raises(StoreError, match=str(path)):
            StoreTarget(settings, first=text)
    done = cypherd("query", "--store", path, "--read-only", "CREATE (n)")
    assert done.returncode == 1
    assert str(path) in done.stderr
    assert "SyntaxError" in cypherd("query", "--store", path, "CREATE (n").stderr
    assert not path.exists()


def test_a_served_store_is_asked_through_its_server(server: Server) -> None:
    done = cypherd("query", "--store", server.store, COUNT)
    assert done.returncode == 0
    assert json.loads(done.stdout)["data"] == [[PERSONS]]
    assert f"http://127.0.0.1:{server.port}, which is asked instead" in done.stderr


def test_a_write_that_fails_prints_and_changes_nothing(store: Path) -> None:
    text = "UNWIND range(1, 100000) AS x CREATE (n:M {x: 1 / (100000 - x)}) RETURN n"
    done = cypherd("query", "--store", store, text)
    assert (done.returncode, done.stdout) == (1, "")
    left = cypherd("query", "--store", store, "MATCH (n:M) RETURN count(n)")
    assert json.loads(left.stdout)["data"] == [[0]]


# --- interrupts -------------------------------------------------------------------------


def test_what_was_committed_in_its_midst_stays(tmp_path: Path) -> None:
    """Also that a CALL { } that writes makes a store."""
    store = ("query", "--store", tmp_path / "store")
    text = "UNWIND [1, 2, 0] AS i CALL (i) { CREATE (:Part {i: 1 / i}) } IN TRANSACTIONS OF 1 ROWS"
    done = cypherd(*store, text)
    assert done.returncode == 1
    assert "(2 transactions of the statement were committed before and will stay)" in done.stderr
    assert cypherd(*store, "--format", "csv", "MATCH (n:Part) RETURN count(n)").stdout.split() == [
        "count(n)",
        "2",
    ]


def ids_of(server: Server, text: str) -> list[str]:
    """Of the running queries with that text."""
    return [i for i, entry in running(server.port).items() if entry["query"] == text]


def cancelled_queries(port: int) -> list[str]:
    found = request(port, "GET", "/queries", headers={"Accept": "application/json"}).json()
    return [entry["query"] for entry in found["finished"] if entry["state"] == "cancelled"]


def test_an_interrupt_cancels_the_query_of_a_server(server: Server, url: str) -> None:
    text = f"{LONG} AS interrupted"
    asking = started("query", "--url", url, text)
    assert wait_for(lambda: bool(ids_of(server, text)), 30) is not None
    asking.send_signal(signal.SIGINT)
    shown, told = asking.communicate(timeout=30)
    assert (asking.returncode, shown) == (130, "")
    assert told == "cypherd: the query was cancelled\n"
    assert text in cancelled_queries(server.port)


def test_an_interrupt_stops_a_script_on_a_store(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "script.cypher"
    file.write_text(f"CREATE (:Done);\nRETURN 'now';\n{LONG};\nCREATE (:Never);", encoding="utf-8")
    asking = started("query", "--store", store, "--file", file)
    assert asking.stdout is not None
    while "now" not in asking.stdout.readline():
        assert asking.poll() is None
    asking.send_signal(signal.SIGINT)
    _, told = asking.communicate(timeout=30)
    assert asking.returncode == 130
    # The second may be at its end when the signal comes.
    assert re.search("stopped at statement [23] of 4", told)
    left = cypherd("query", "--store", store, "MATCH (n) WHERE NOT n:N RETURN labels(n)[0]")
    assert json.loads(left.stdout)["data"] == [["Done"]]


def test_a_reader_that_closes_ends_it(server: Server, url: str) -> None:
    asking = started("query", "--url", url, "UNWIND range(1, 9000000) AS x RETURN x")
    assert asking.stdout is not None
    asking.stdout.read(100)
    asking.stdout.close()
    assert asking.wait(timeout=30) == 141
    assert asking.stderr is not None
    assert asking.stderr.read() == ""


def test_a_large_answer_is_not_held_in_memory(url: str) -> None:
    """The answer has 90 MB, the command may take 60 MB of data."""
    text = f"UNWIND range(1, 900000) AS x RETURN '{'-' * 90}' AS text, x"
    command = [*COMMAND, "query", "--url", url, text]
    done = subprocess.run(
        ["bash", "-c", 'ulimit -d 60000; exec "$@" | tail -c 11', "bash", *command],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout == ",900000]]}\n", done.stderr


def test_a_cancelled_query_tells_the_one_who_asked(server: Server, url: str) -> None:
    text = f"{LONG} AS stopped"
    asking = started("query", "--url", url, text)
    assert wait_for(lambda: bool(ids_of(server, text)), 30) is not None
    done = cypherd("queries", "cancel", "--url", url, *ids_of(server, text))
    assert done.returncode == 0, done.stderr
    assert "cancelled after" in done.stdout
    _, told = asking.communicate(timeout=30)
    assert asking.returncode == 1
    assert "cancelled by a request" in told
    assert ask(server.port, "RETURN 1").status == 200
