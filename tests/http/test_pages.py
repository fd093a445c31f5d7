"""The pages: plain, safe against what is in a query, and right under a path."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.client import Background, ask, cancel, request, running, wait_for

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
LONG = "UNWIND range(1, 1000000000) AS x RETURN count(x)"


@pytest.mark.parametrize("path", ["/", "/cypher", "/queries", "/schema", "/nowhere"])
def test_pages_run_own_scripts_only_and_say_so(port: int, path: str) -> None:
    page = request(port, "GET", path, headers=HTML)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    text = page.body.decode()
    assert re.findall(r"<script(?![^>]* src=\"/static/)", text) == []
    assert "unsafe" not in page.headers["content-security-policy"]
    assert " style=" not in text
    assert 'name="viewport"' in text


def test_texts_are_escaped(port: int) -> None:
    ask(port, "RETURN '<img src=x onerror=alert(1)>' AS x", query_id="markup")
    page = request(port, "GET", "/queries?message=%3Cb%3Ehello", headers=HTML).body.decode()
    assert "<img" not in page
    assert "&lt;img src=x" in page
    assert "<b>" not in page


def test_a_finished_error_is_shown(port: int) -> None:
    ask(port, "RETURN 1 / 0", query_id="zero")
    assert b"/ by zero" in request(port, "GET", "/queries", headers=HTML).body


def test_the_style_is_there(port: int) -> None:
    style = request(port, "GET", "/static/style.css")
    assert style.headers["content-type"].startswith("text/css")
    assert b"prefers-color-scheme: dark" in style.body


def test_the_old_address_leads_here(port: int) -> None:
    answer = request(port, "GET", "/runningQueries")
    assert (answer.status, answer.headers["location"]) == (308, "/queries")


@pytest.mark.parametrize("prefix", ["", "/graph"], ids=["cut off", "passed on"])
def test_under_a_path(serve: Any, prefix: str) -> None:
    """Proxies do either with the path they serve under."""
    port = serve(root_path="/graph").port
    for page in ("/", "/queries", "/nowhere"):
        text = request(port, "GET", prefix + page, headers=HTML).body.decode()
        links = re.findall(r'(?:href|action|src)="([^"#]+)"', text)
        assert links
        assert [link for link in links if not link.startswith(("/graph/", "data:"))] == []
    old = request(port, "GET", f"{prefix}/runningQueries")
    assert old.headers["location"] == "/graph/queries"
    assert request(port, "GET", f"{prefix}/static/style.css").status == 200
    headers = {"Content-Type": "text/plain"}
    asked = request(port, "POST", f"{prefix}/cypher", body=b"RETURN 1", headers=headers)
    assert asked.rows() == [[1]]
    query = Background(port, LONG, "below") if not prefix else None
    if query is not None:
        assert wait_for(lambda: "below" in running(port), 10) is not None
        pressed = request(port, "POST", "/queries/below/cancel", headers=HTML)
        assert pressed.headers["location"].startswith("/graph/queries?message=")
        cancel(port, "below")
        query.answer()


def test_what_is_served_from_static_is_asked_for_again_by_etag(port: int) -> None:
    first = request(port, "GET", "/static/query.js")
    assert first.headers["content-type"].startswith("text/javascript")
    assert first.headers["cache-control"] == "no-cache"
    again = request(
        port, "GET", "/static/query.js", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status, again.body) == (304, b"")
    assert request(port, "GET", "/static/../base.html").status == 404
    assert request(port, "GET", "/static/%2e%2e/base.html").status == 404


def test_schema_as_json(port: int) -> None:
    told = request(port, "GET", "/schema").json()
    counts = {label["name"]: label["count"] for label in told["labels"]}
    assert counts["Person"] == 300
    knows = next(type_ for type_ in told["relationshipTypes"] if type_["name"] == "KNOWS")
    assert knows["ends"] == [["Person", "Person"]]
    assert knows["properties"] == ["creationDate"]
    assert "toUpper".lower() in map(str.lower, told["functions"])
    assert {rule["owner"] for rule in told["rules"]} == {"Person"}


def _events(port: int, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Reads events until one is as wanted."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as watching:
        watching.request("GET", "/queries/events", headers={"Accept": "text/event-stream"})
        answer = watching.getresponse()
        assert answer.getheader("content-type", "").startswith("text/event-stream")
        for line in answer:
            if line.startswith(b"data: "):
                told: dict[str, Any] = json.loads(line[6:])
                if wanted(told):
                    return told
    raise AssertionError("the stream ended")


def test_events_tell_what_runs(serve: Any) -> None:
    port = serve(slow_query="100ms").port
    asked = Background(port, LONG, "told")
    told = _events(port, lambda told: any(entry["slow"] for entry in told["running"]))
    assert [entry["id"] for entry in told["running"]] == ["told"]
    cancel(port, "told")
    told = _events(port, lambda told: not told["running"])
    asked.answer()
    assert told["finished"][0]["state"] == "cancelled"


def test_watchers_are_limited(serve: Any) -> None:
    port = serve(max_watchers=1).port
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as first:
        first.request("GET", "/queries/events")
        assert first.getresponse().status == 200
        second = request(port, "GET", "/queries/events")
        assert second.status == 503
        assert "max_watchers" in second.error()["message"]
    assert wait_for(lambda: _watches(port), 20) is not None


def _watches(port: int) -> bool:
    """Whether a place is free again: the first one's went with its connection."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as again:
        again.request("GET", "/queries/events")
        return again.getresponse().status == 200
