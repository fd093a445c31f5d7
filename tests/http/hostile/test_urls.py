"""Paths and query strings: what leads out of a folder, odd ids, escapes, and names twice."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.http.hostile.wire import HEALTH, Case, Wire, ask, check, get, post, request

OK = (200,)
BAD = (400,)
GONE = (404,)
_HTML = "Accept: text/html"


def _get(target: str | bytes, statuses: tuple[int, ...], says: bytes = b"") -> Case:
    name = target if isinstance(target, str) else repr(target)
    return Case(f"GET {name}", get(target), statuses, says)


_PATHS = [
    *(_get(path, GONE) for path in (
        "//", "//cypher", "//cypher?query=RETURN+1", "/cypher/", "/cypher//", "/./cypher",
        "/queries/../cypher", "/%2fcypher", "/cypher%2f", "/cypher%00", "/cypher%0d%0aX:%201",
        "/CYPHER", "/cypher;x=1", "/health/", "/%", "/%zz", "/%ff%fe", "/%ed%a0%80", "/%u0041",
        "//evil.example/queries", "/\\evil.example", "/queries/", "/queries//", "/schema/x",
        "/openapi.json/", "/" + "a/" * 10_000, "/" + "%25" * 5_000)),
    _get("/%63ypher?query=RETURN+1", OK),
    _get("/health?" + "&".join(f"a{i}=1" for i in range(5_000)), OK),
    _get("/health?\xff".encode("latin-1"), (200, 400)),
    _get("/health#fragment", (200, 400)),
    *(_get(f"/static/{path}", GONE) for path in (
        "", "..", "../base.html", "../../pyproject.toml", "%2e%2e/base.html", "..%2fbase.html",
        "%2e%2e%2f%2e%2e%2fpyproject.toml", "..%5cbase.html", "....//base.html", "/etc/passwd",
        "%2fetc%2fpasswd", "style.css%00.png", "%00", "style.css/../../base.html",
        "x" * 5_000, "%ed%a0%80", "CON", "C:%5cboot.ini", ".")),
    *(_get(f"/static/style.css{more}", (200, 404)) for more in ("/", "/.", "/x/..", "?x=%00")),
    Case("static is no page", get("/static", _HTML), GONE),
]  # fmt: skip

_IDS = [
    *(Case(f"{method} /queries/{shown}{more}"[:60], request(method, f"/queries/{shown}{more}"),
         GONE)
      for shown in ("%00", "%2e%2e", "..", "%2fx", "a%2fb", "%ff", "%F0%9F%98%80",
      "'%22%3e%3cscript%3e",
                    "{id}", "x" * 10_000, "%0d%0aSet-Cookie:%20a=b", "*", "-", "%20")
      for method, more in (("GET", ""), ("DELETE", ""), ("POST", "/cancel"))),
    Case("POST to a query", request("POST", "/queries/x"), (405,)),
    Case("GET of a button", get("/queries/x/cancel"), (405,)),
    Case("DELETE of all", request("DELETE", "/queries"), (405,)),
    Case("DELETE of the events", request("DELETE", "/queries/events"), (404, 405)),
    Case("a query named events", ask("RETURN 1", id="events"), OK),
    Case("an id is a path", ask("RETURN 1", id="../../x"), BAD, b"letters, digits"),
    Case("an id has a line end", ask("RETURN 1", id="a\r\nX: 1"), BAD, b"letters, digits"),
    Case("an id ends in a newline", ask("RETURN 1", id="a\n"), BAD, b"letters, digits"),
    Case("an id of 65 letters", ask("RETURN 1", id="x" * 65), BAD, b"letters, digits"),
    Case("an id of other digits", ask("RETURN 1", id="٣"), BAD, b"letters, digits"),
    Case("an empty id", ask("RETURN 1", id=""), BAD, b"letters, digits"),
    Case("an id is a number", ask("RETURN 1", id=7), BAD, b"not a string"),
    Case("two ids", ask("RETURN 1", "Cypher-Query-Id: a", id="b"), BAD, b"in the header"),
    Case("the id header twice", ask("RETURN 1", "Cypher-Query-Id: a", "Cypher-Query-Id: b"), BAD),
    Case("the id header is Latin-1", ask("RETURN 1", b"Cypher-Query-Id: \xe9"), BAD),
    Case("a message of markup", get("/queries?message=<script>alert(1)</script>", _HTML), OK,
         b"&lt;script&gt;"),
    Case("a message of 50,000 characters", get("/queries?message=" + "x" * 50_000, _HTML), OK),
    Case("a path of markup", get("/<script>alert(1)</script>", _HTML), GONE, b"&lt;script&gt;"),
    Case("query page of markup", get("/?query=%3Cscript%3E", _HTML), OK),
]  # fmt: skip

_QUERIES = [
    _get("/cypher?query", BAD, b"there is no query"),
    _get("/cypher?query=", BAD, b"there is no query"),
    _get("/cypher?", BAD, b"there is no query"),
    _get("/cypher?query=RETURN+1&query=RETURN+2", BAD, b"twice"),
    _get("/cypher?query=RETURN+1&format=json&format=csv", BAD, b"twice"),
    _get("/cypher?query=RETURN+$x&x=1&x=2", BAD, b"twice"),
    _get("/cypher?query=RETURN+$x+AS+x&params={%22x%22:1}&x=2", BAD, b"twice"),
    _get("/cypher?query=RETURN+1&params=[]", BAD, b"not a map"),
    _get("/cypher?query=RETURN+1&params=%7B", BAD, b"not JSON"),
    _get("/cypher?query=RETURN+%FF", BAD, b"cannot be read"),
    _get("/cypher?query=RETURN+'%ED%A0%80'", BAD, b"cannot be read"),
    _get("/cypher?query=RETURN+%00", BAD),
    _get("/cypher?query=%", BAD),
    _get("/cypher?=RETURN+1", BAD),
    _get("/cypher?query=RETURN+1&=x", OK),
    _get("/cypher?query=RETURN+1&&&&", OK),
    _get("/cypher?query=RETURN+1;DROP", BAD),
    _get("/cypher?query=RETURN+1&" + "&".join(f"p{i}=1" for i in range(1_001)), BAD,
         b"cannot be read"),
    _get("/cypher?query=" + quote("RETURN " + "1+" * 5_000 + "1"), (200, 400)),
    _get("/cypher?query=CREATE+(:Evil)", (405,)),
    _get("/cypher?query=MATCH+(n:Kept)+DETACH+DELETE+n", (405,)),
    _get("/cypher?query=EXPLAIN+CREATE+(:Evil)", OK),
    _get("/cypher?query=PROFILE+CREATE+(:Evil)", (405,)),
    _get(b"/cypher?query=RETURN+'\xc3\xa9'", (200, 400)),
    _get(b"/cypher?query=RETURN+'\xff'", BAD),
    Case("unknown names in the URL are nothing to a body",
         post(b'{"query": "RETURN 1"}', target="/cypher?unknown=1"), OK),
    Case("a control in the URL and in the body",
         post(b'{"query": "RETURN 1", "format": "json"}', target="/cypher?format=csv"), BAD,
         b"in the URL and in the body"),
    Case("broken escapes beside a body", post(b'{"query": "RETURN 1"}',
         target="/cypher?format=%ff"), BAD),
]  # fmt: skip

CASES = [*_PATHS, *_IDS, *_QUERIES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name[:60])
def test_url(hostile_port: int, case: Case) -> None:
    check(hostile_port, case)


@pytest.mark.parametrize("path", ["/cypher/", "//evil.example/..", "/queries/", "/static"])
def test_no_redirect_names_a_host(hostile_port: int, path: str) -> None:
    with Wire(hostile_port) as wire:
        wire.send(get(path) + HEALTH)
        assert "location" not in wire.read().headers
        assert wire.read().status == 200
