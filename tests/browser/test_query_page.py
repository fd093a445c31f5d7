"""The query page in Chromium: run, error, cancel, views of the result, history, downloads."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from benchmarks.client import Server, request
from cypherd.parser.script import statements_of
from tests.browser.conftest import Open

LONG = "UNWIND range(1, 1000000000) AS x RETURN count(x) AS c"


def write(page: Page, text: str) -> None:
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def run(page: Page, text: str) -> None:
    write(page, text)
    page.keyboard.press("Control+Enter")


def finished(page: Page) -> str:
    # A click disables Cancel while the query still ends; Run comes back when it has.
    expect(page.locator("#run")).to_be_enabled(timeout=20_000)
    expect(page.locator("#status")).not_to_be_empty()
    # Rows are drawn with the next frame.
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    return page.inner_text("#status")


def cells(page: Page) -> list[list[str]]:
    rows = page.locator("#view-table tbody tr:not([aria-hidden])")
    return [row.locator("td").all_inner_texts()[1:] for row in rows.all()]


def test_run_shows_the_rows(visit: Open) -> None:
    page = visit("/")
    run(page, "UNWIND [1, 'two', null, [3, {four: 4}], 9007199254740993] AS x RETURN x, 1.5 AS y")
    assert finished(page).startswith("5 rows in ")
    assert cells(page) == [
        ["1", "1.5"], ["two", "1.5"], ["null", "1.5"], ["[3, {four: 4}]", "1.5"],
        ["9007199254740993", "1.5"],
    ]  # fmt: skip


def test_parameters(visit: Open) -> None:
    page = visit("/")
    page.click("#parameters summary")
    page.fill("#params", '{"name": "Zoë"}')
    run(page, "RETURN $name AS name")
    finished(page)
    assert cells(page) == [["Zoë"]]
    page.fill("#params", "{name}")
    page.click("#run")
    expect(page.locator("#errors")).to_contain_text("The parameters are not JSON")


def test_markup_in_values_is_text(visit: Open) -> None:
    page = visit("/")
    run(page, "RETURN '<img src=x onerror=alert(1)>' AS `<b>x</b>`")
    finished(page)
    assert cells(page) == [["<img src=x onerror=alert(1)>"]]
    assert page.locator("#result img, #result b").count() == 0


def test_ten_thousand_rows_stay_quick(visit: Open) -> None:
    page = visit("/")
    run(page, "UNWIND range(1, 10000) AS x RETURN x, 'row ' + x AS text")
    assert finished(page).startswith("10,000 rows in ")
    lines = page.locator("#view-table tbody tr")
    assert lines.count() < 200
    page.evaluate("document.querySelector('.tall').scrollTop = 1e9")
    expect(page.locator("#view-table tbody")).to_contain_text("row 10000")
    assert lines.count() < 200


def test_an_error_is_marked_at_its_place(visit: Open) -> None:
    page = visit("/")
    run(page, "MATCH (p:Person)\nWHERE p.firstName = other.firstName\nRETURN p")
    assert finished(page).startswith("Failed after ")
    box = page.locator("#errors .box")
    expect(box).to_contain_text("`other` is not defined")
    expect(box).to_contain_text("line 2, column 21")
    expect(page.locator(".cm-lintRange-error")).to_have_text("other")
    run(page, "RETURN 1 AS one")
    finished(page)
    assert page.locator(".cm-lintRange-error").count() == 0


def test_cancel_is_seen(visit: Open) -> None:
    page = visit("/")
    run(page, LONG)
    expect(page.locator("#status")).to_contain_text("Running")
    page.click("#cancel")
    assert finished(page).startswith("Cancelled after ")


def test_a_long_query_is_cancelled_from_the_other_page(visit: Open) -> None:
    page = visit("/")
    run(page, LONG)
    other = visit("/queries")
    card = other.locator("#running-list li", has_text="1000000000").first
    expect(card).to_be_visible()
    card.locator("button").click()
    assert finished(page).startswith("Cancelled")
    expect(page.locator("#errors")).to_contain_text("cancelled by a request")
    done = other.locator("#finished-list li", has_text="1000000000").first
    expect(done).to_contain_text("cancelled after")


def test_graph_view_expands_a_node(visit: Open) -> None:
    page = visit("/")
    run(page, "MATCH (p:Person {id: 0}) RETURN p")
    finished(page)
    page.click("#tab-graph")
    expect(page.locator(".info")).to_contain_text("1 node, 0 relationships")
    canvas = page.locator(".canvas").bounding_box()
    assert canvas is not None
    page.wait_for_timeout(600)  # The nodes move to their places.
    middle = (canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2)
    page.mouse.click(*middle)
    expect(page.locator(".info")).to_contain_text("firstName")
    page.click(".info button")
    expect(page.locator(".info")).to_contain_text("101 nodes, 100 relationships")
    expect(page.locator(".legend")).to_contain_text("Person")


def test_a_graph_of_many_nodes_is_cut_and_says_so(visit: Open) -> None:
    page = visit("/")
    run(page, "MATCH (n) RETURN n")
    finished(page)
    page.click("#tab-graph")
    expect(page.locator(".info")).to_contain_text("the first 300 are drawn", timeout=20_000)


def test_plans(visit: Open) -> None:
    page = visit("/")
    run(page, "EXPLAIN MATCH (p:Person {id: 1}) RETURN p.firstName")
    finished(page)
    expect(page.locator("#view-plan")).to_contain_text("NodeIndexSeek")
    expect(page.locator("#view-plan")).to_contain_text("Not run")
    run(page, "PROFILE MATCH (p:Person {id: 1}) RETURN p.firstName")
    finished(page)
    page.click("#tab-plan")
    expect(page.locator("#view-plan")).to_contain_text("actual")
    expect(page.locator("#view-plan")).to_contain_text("store hits")


def test_a_write_says_what_it_changed_and_is_not_run_again(visit: Open) -> None:
    page = visit("/")
    run(page, "CREATE (n:Made {by: 'page'}) RETURN n.by")
    assert "1 nodes created" in finished(page)
    expect(page.locator("#downloads")).to_contain_text("not run again")
    assert page.locator("#downloads a").count() == 0
    run(page, "MATCH (n:Made) DELETE n")
    assert "nodes deleted" in finished(page)


def test_history_survives_a_reload(visit: Open) -> None:
    page = visit("/")
    run(page, "RETURN 'first' AS x")
    finished(page)
    run(page, "RETURN 'second' AS x")
    finished(page)
    page.reload()
    page.wait_for_selector(".cm-editor")
    page.click("#show-history")
    entries = page.locator("#history li")
    expect(entries).to_have_count(2)
    entries.nth(1).locator("button").click()
    expect(page.locator(".cm-content")).to_contain_text("'first'")
    page.click(".cm-content")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator(".cm-content")).to_contain_text("'second'")


@pytest.mark.parametrize("format", ["json", "ndjson", "csv"])
def test_downloads(visit: Open, format: str) -> None:
    page = visit("/")
    run(page, "UNWIND [1, 2] AS x RETURN x, 'a,b' AS y")
    finished(page)
    with page.expect_download() as waiting:
        page.click(f"#downloads a:text-is('{format}')")
    saved = waiting.value.path().read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == f"result.{format}"
    if format == "csv":
        assert list(csv.reader(io.StringIO(saved))) == [["x", "y"], ["1", "a,b"], ["2", "a,b"]]
    else:
        assert '[2,"a,b"]' in saved


def test_completion_offers_what_the_graph_has(visit: Open) -> None:
    page = visit("/")
    write(page, "")
    page.keyboard.type("MATCH (p:Per")
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("Person")
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_contain_text("(p:Person")
    page.keyboard.type(" WHERE p.firstN")
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("firstName")


def test_a_lost_server_is_told(visit: Open) -> None:
    page = visit("/")
    page.route("**/cypher", lambda route: route.abort())
    run(page, "RETURN 1")
    assert finished(page).startswith("Failed")
    expect(page.locator("#errors .box")).to_be_visible()


def test_without_scripts_the_form_answers(visit: Open, server: Server) -> None:
    page = visit("/", scripts=False)
    page.fill("#query", "MATCH (p:Person {id: 1}) RETURN p.id AS id, '<b>' AS text")
    page.click("#run")
    expect(page.locator("table")).to_contain_text("<b>")
    expect(page.locator("table th").first).to_have_text("id")
    assert request(server.port, "GET", "/health").status == 200


SCRIPT = """CREATE (:Note {text: 'a; b'}); // one; two
/* three; */ CREATE (:Note {text: "c\\";"}) ;
MATCH (n:Note) RETURN n.text AS text ORDER BY text;"""


def test_script(visit: Open) -> None:
    page = visit("/")
    run(page, SCRIPT)
    assert finished(page).startswith("3 statements in ")
    assert "2 nodes created" in page.inner_text("#status")
    assert cells(page) == [["a; b"], ['c";']]
    run(page, "MATCH (n:Note) DELETE n; RETURN 1 AS one;\nRETURN 1;  RETURN nothing; RETURN 2")
    assert finished(page).startswith("Statement 4 of 5: failed after ")
    expect(page.locator("#errors")).to_contain_text("line 2, column 19")
    caret = page.inner_text("#errors pre").splitlines()
    assert caret[0][caret[1].index("^") :].startswith("nothing")
    run(page, "MATCH (n:Note) RETURN count(n) AS left")
    finished(page)
    assert cells(page) == [["0"]]


def test_a_cancelled_script_ends(visit: Open) -> None:
    page = visit("/")
    run(page, f"RETURN 1; {LONG}; CREATE (:Never)")
    expect(page.locator("#status")).to_contain_text("Running 2 of 3")
    page.click("#cancel")
    assert finished(page).startswith("Statement 2 of 3: cancelled after ")
    run(page, "MATCH (n:Never) RETURN count(n) AS made")
    finished(page)
    assert cells(page) == [["0"]]


def test_scripts_are_parted_as_by_the_command_line(visit: Open, shared: Path) -> None:
    texts = [
        *[path.read_text() for path in sorted((shared / "data").rglob("*.cypher"))],
        SCRIPT, "", ";", " ; ;", "// only; a comment", "RETURN 1 /* ; ", "RETURN 'a;",
        "RETURN 1 / 2; RETURN `;`",
        "RETURN 1 AS `a``;b`;\n\n  RETURN 'é😀' AS x; RETURN nothing", "RETURN '\\\\'; RETURN 2",
    ]  # fmt: skip
    page = visit("/")
    parted = page.evaluate(
        """async (texts) => {
            const { statementsOf } = await import("/static/script.js");
            return texts.map((text) => statementsOf(text));
        }""",
        texts,
    )
    for text, found in zip(texts, parted, strict=True):
        assert [(one["text"], one["line"], one["column"]) for one in found] == [
            (one.text, one.line, one.column) for one in statements_of(text)
        ], text


def test_movies_runs_unchanged(visit: Open, shared: Path) -> None:
    """movies.cypher as one would paste it, and its well-known counts."""
    page = visit("/")
    run(page, (shared / "data" / "movies" / "movies.cypher").read_text())
    assert "statements in" in finished(page)
    assert "171 nodes created, 253 relationships created" in page.inner_text("#status")
    for query, count in {
        "MATCH (m:Movie) RETURN count(m) AS movies": "38",
        "MATCH (:Person {name: 'Tom Hanks'})-[:ACTED_IN]->(m:Movie) RETURN count(m) AS c": "12",
    }.items():
        run(page, query)
        assert finished(page).startswith("1 row in ")
        assert cells(page) == [[count]]
