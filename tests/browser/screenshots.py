"""Makes the pictures of docs/images from a served sample graph:

python -m tests.browser.screenshots
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.client import Server, ask, cancel
from cypherd.generator import generate_social_network
from cypherd.settings import GIB
from tests.browser.conftest import FLAGS, WIDTHS
from tests.browser.test_query_page import finished, run
from tests.conftest import ROOT

IMAGES = ROOT / "docs" / "images"
LONG = "MATCH (a:Person)-[:KNOWS*1..6]-(b:Person)\nRETURN count(DISTINCT b) AS people"
SHOWN = {
    "table": "MATCH (p:Person)-[:WORKS_AT]->(c:Company)\n"
    "RETURN p.firstName AS name, c.name AS company, p.birthday AS born, c\nORDER BY name LIMIT 200",
    "graph": "MATCH path = (p:Person {id: 12})-[:KNOWS]-(:Person)-[:IS_LOCATED_IN]->(:City)\n"
    "RETURN path LIMIT 40",
    "plan": "PROFILE MATCH (p:Person)-[:KNOWS]-(friend)-[:STUDY_AT]->(u:University)\n"
    "WHERE p.firstName = 'Wei'\nRETURN u.name, count(*) AS friends ORDER BY friends DESC LIMIT 5",
}


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "Chromium is not there"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "sample"
        generate_social_network(store, persons=1000, map_size=GIB)
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        with Server(store, settings={"map_size": "1GiB", "workers": 2}) as server:
            for width, (wide, high) in WIDTHS.items():
                context = browser.new_context(viewport={"width": wide, "height": high})
                page = context.new_page()
                _query_page(page, server.port, width)
                _others(page, server.port, width)
                context.close()
        browser.close()


def _query_page(page: Page, port: int, width: str) -> None:
    for name, text in SHOWN.items():
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector(".cm-editor")
        run(page, text)
        finished(page)
        page.click(f"#tab-{name}")
        page.wait_for_timeout(1500)
        page.screenshot(path=IMAGES / f"{name}-{width}.png")
    run(page, "MATCH (p:Person)\nWHERE p.firstName = friend.firstName\nRETURN p")
    finished(page)
    page.screenshot(path=IMAGES / f"error-{width}.png")


def _others(page: Page, port: int, width: str) -> None:
    page.goto(f"http://127.0.0.1:{port}/schema")
    page.screenshot(path=IMAGES / f"schema-{width}.png")
    asked = threading.Thread(target=ask, args=(port, LONG), kwargs={"query_id": f"long-{width}"})
    asked.start()
    page.goto(f"http://127.0.0.1:{port}/queries")
    expect(page.locator("#running-list .badge").first).to_be_visible(timeout=15_000)
    page.screenshot(path=IMAGES / f"queries-{width}.png")
    cancel(port, f"long-{width}")
    asked.join(20)


if __name__ == "__main__":
    main()
