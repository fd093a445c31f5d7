"""A served sample graph and real Chromium, wide and narrow, with and without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.client import Server
from cypherd.generator import generate_social_network
from cypherd.settings import GIB

WIDTHS = {"desktop": (1440, 900), "phone": (390, 844)}
# Chromium as root in a container has no sandbox; the network is not asked for anything.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Playwright's loop runs as long as this: not for the session, or no later test could have
    one of its own."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    store = tmp_path_factory.mktemp("browser") / "sample"
    generate_social_network(store, persons=300, map_size=GIB)
    with Server(store, settings={"map_size": "1GiB", "workers": 2}) as running:
        yield running


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Open]:
    """Opens a page: `visit("/queries", width="phone", scripts=False, scheme="dark")`.

    Whatever the page's scripts raise, or ask of another host, fails the test."""
    contexts = []
    faults: list[str] = []

    def open_page(
        path: str, *, width: str = "desktop", scripts: bool = True, scheme: str = "light"
    ) -> Page:
        wide, high = WIDTHS[width]
        context = browser.new_context(
            viewport={"width": wide, "height": high},
            java_script_enabled=scripts,
            color_scheme=scheme,  # type: ignore[arg-type]
            accept_downloads=True,
        )
        contexts.append(context)
        page = context.new_page()
        base = f"http://127.0.0.1:{server.port}"
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith((base, "data:", "blob:"))
            else faults.append(f"asked {asked.url}"),
        )  # fmt: skip
        page.goto(base + path)
        if path == "/":
            page.wait_for_selector(".cm-editor" if scripts else "#query")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []
