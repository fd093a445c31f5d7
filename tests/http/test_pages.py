"""The pages: plain, safe against what is in a query, and right under a path."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks.client import Background, ask, cancel, request, running, wait_for

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
LONG = "UNWIND range(1, 1000000000) AS x RETURN count(x)"


@pytest.mark.parametrize("path", ["/", "/cypher", "/queries", "/nowhere"])
def test_pages_have_no_scripts_and_say_so(port: int, path: str) -> None:
    page = request(port, "GET", path, headers=HTML)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    text = page.body.decode()
    assert "<script" not in text
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
        links = re.findall(r'(?:href|action)="([^"]*)"', text)
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
