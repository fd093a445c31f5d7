"""Every page in Chromium: no overflow, no serious fault of accessibility, live queries."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from benchmarks.client import Server, ask, cancel, request
from tests.browser.conftest import WIDTHS, Open
from tests.browser.test_query_page import finished, run

LONG = "UNWIND range(1, 1000000000) AS x RETURN count(x) AS slow"
PATHS = ("/", "/queries", "/schema", "/nowhere")


def faults(page: Any) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:120]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", PATHS)
def test_pages_fit_and_are_accessible(visit: Open, path: str, width: str, scheme: str) -> None:
    page = visit(path, width=width, scheme=scheme)
    wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner
    assert faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_results_fit_and_are_accessible(visit: Open, width: str, scheme: str) -> None:
    page = visit("/", width=width, scheme=scheme)
    for text, tab in (
        ("MATCH (p:Person) RETURN p, p.firstName, p.id LIMIT 50", "table"),
        ("MATCH p = (:Person {id: 1})-[:KNOWS]-() RETURN p LIMIT 20", "graph"),
        ("PROFILE MATCH (p:Person)-[:KNOWS]->(f) RETURN f.firstName, count(*)", "plan"),
    ):
        run(page, text)
        finished(page)
        page.click(f"#tab-{tab}")
        wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= inner, tab
        assert faults(page) == [], tab
    run(page, "RETURN nothing")
    finished(page)
    assert faults(page) == []


def _in_background(port: int, query_id: str) -> threading.Thread:
    thread = threading.Thread(target=ask, args=(port, LONG), kwargs={"query_id": query_id})
    thread.start()
    return thread


def test_running_queries_come_and_go_live(visit: Open, server: Server) -> None:
    page = visit("/queries")
    expect(page.locator("#live")).to_be_visible()
    thread = _in_background(server.port, "watched")
    card = page.locator('#running-list [data-id="watched"]')
    expect(card).to_contain_text("running")
    expect(card.locator('[data-field="slow"]')).to_be_visible(timeout=10_000)
    card.locator("button").click()
    thread.join(timeout=20)
    expect(page.locator("#message")).to_contain_text("watched")
    done = page.locator("#finished-list li", has_text="watched").first
    expect(done).to_contain_text("cancelled after")
    expect(card).to_have_count(0)


def test_without_events_the_page_falls_back_to_reload(visit: Open, server: Server) -> None:
    page = visit("/queries")
    page.route("**/queries/events", lambda route: route.fulfill(status=503, body="full"))
    page.reload()
    expect(page.locator("#reload")).to_be_visible()
    ask(server.port, "RETURN 'after the page' AS x", query_id="later")
    expect(page.locator("#finished-list")).to_contain_text("after the page", timeout=15_000)


def test_cancel_without_scripts(visit: Open, server: Server) -> None:
    thread = _in_background(server.port, "plain")
    try:
        page = visit("/queries", scripts=False)
        page.locator('#running-list [data-id="plain"] button').click()
        expect(page.locator("#message")).to_contain_text("plain")
        page.reload()
        expect(page.locator("#finished-list")).to_contain_text("cancelled")
    finally:
        cancel(server.port, "plain")
        thread.join(timeout=20)


def test_schema_shows_counts(visit: Open) -> None:
    page = visit("/schema")
    expect(page.locator("table").first).to_contain_text("Person")
    expect(page.locator("table").first).to_contain_text("300")
    expect(page.locator("svg")).to_contain_text("KNOWS")


def test_scripts_come_only_from_here(server: Server) -> None:
    page = request(server.port, "GET", "/", headers={"Accept": "text/html"})
    policy = page.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert b"<script>" not in page.body


def test_keyboard_reaches_everything(visit: Open) -> None:
    page = visit("/")
    seen = set()
    page.keyboard.press("Tab")
    for _ in range(12):
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
    assert {"skip", "brand", "run", "show-history"} <= seen
