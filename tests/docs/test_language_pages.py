"""The pages of the language: every example runs and gives what is shown below it, and every rule,
keyword, sign, tree node and operator of the language is in an example."""

from __future__ import annotations

import dataclasses
import inspect
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lark import Lark

from cypherd.engine import Engine
from cypherd.errors import CypherdError, CypherSyntaxError
from cypherd.executor.context import Unguarded
from cypherd.parser import ast
from cypherd.parser.lexer import Lexer
from cypherd.parser.marking import mark_patterns
from cypherd.parser.parser import parse
from cypherd.parser.script import split_script
from cypherd.parser.tables import Place, Tables
from cypherd.planner.explain import PLAN_COLUMNS
from cypherd.render.plans import plan_as_rows
from cypherd.resources import resource_text
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import LmdbStore, open_store
from cypherd.storage.protocols import WriteTransaction
from tests.conftest import ROOT
from tests.docs.language import (
    Example,
    LanguagePage,
    language_pages,
    reference_rows,
    rows_of,
    table,
)

PAGES = language_pages()
EXAMPLES = [(page, example) for page in PAGES for example in page.examples]
REFERENCES = ("functions.md", "operators.md")
Rows = tuple[tuple[str, ...], list[list[Any]]]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, LmdbStore]]:
    """For each page a store with its graph."""
    opened: dict[str, LmdbStore] = {}
    for page in PAGES:
        folder = tmp_path_factory.mktemp("language") / page.name
        opened[page.name] = store = open_store(folder, map_size=64 * MIB, create=True)
        with store.write() as transaction:
            _run_all(page.graph, {}, transaction)
            transaction.commit()
    yield opened
    for store in opened.values():
        store.close()


def _run_all(script: str, parameters: Any, transaction: WriteTransaction) -> Rows:
    """The columns and rows of the last statement; of EXPLAIN and PROFILE those of the plan."""
    engine = Engine(Settings(import_folder=str(ROOT / "docs" / "examples")))
    found: Rows = ((), [])
    for text in split_script(script):
        plan = engine.plan(text, transaction)
        result = plan_as_rows(engine.run(plan, parameters, transaction, Unguarded()))
        rows: list[list[Any]] = []
        for batch in result.batches:
            lists = [batch.columns[name].to_list() for name in result.columns]
            rows.extend(map(list, zip(*lists, strict=True)))
        found = (result.columns, rows)
    return found


def _outcome(example: Example, store: LmdbStore) -> str:
    """What the page has to show below the example."""
    if "IN TRANSACTIONS" in example.text:
        with _copied(store) as copy:
            return _told(example, copy)
    return _told(example, store)


@contextmanager
def _copied(store: LmdbStore) -> Iterator[LmdbStore]:
    """For what commits, so that the other examples do not see it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store"
        shutil.copytree(store.path, path)
        with closing(open_store(path, map_size=64 * MIB)) as copy:
            yield copy


def _told(example: Example, store: LmdbStore) -> str:
    transaction = store.write()
    try:
        columns, rows = _run_all(example.text, example.parameters, transaction)
    except CypherdError as error:
        if not example.fails:
            raise
        return f"> {error.type}: {error.message}\n"
    finally:
        transaction.abort()
    assert not example.fails, f"no error, but {rows}"
    if columns == PLAN_COLUMNS:
        columns, rows = _without_figures(rows)
    return table(columns, rows) if columns else ""


def _without_figures(rows: list[list[Any]]) -> Rows:
    """Plans without times and estimates, which belong to a machine and a moment."""
    kept = ("operator", "details", "rows")
    numbers = [i for i, name in enumerate(PLAN_COLUMNS) if name in kept]
    return tuple(PLAN_COLUMNS[i] for i in numbers), [[row[i] for i in numbers] for row in rows]


@pytest.mark.parametrize(
    ("page", "example"), EXAMPLES, ids=[example.name for _, example in EXAMPLES]
)
def test_example_gives_what_is_shown(
    page: LanguagePage, example: Example, stores: dict[str, LmdbStore], request: Any
) -> None:
    outcome = _outcome(example, stores[page.name])
    if request.config.getoption("--update-docs"):
        _outcomes.setdefault(page.name, {})[example.name] = outcome
        return
    if not outcome.startswith("|"):
        assert example.shown == outcome
        return
    assert example.shown.startswith("|"), "no table shows its rows"
    (columns, *shown), (wanted_columns, *wanted) = rows_of(example.shown), rows_of(outcome)
    assert columns == wanted_columns
    ordered = "ORDER BY" in example.text
    assert (shown if ordered else sorted(shown)) == (wanted if ordered else sorted(wanted))


_outcomes: dict[str, dict[str, str]] = {}


def test_results_are_rewritten_on_demand(request: pytest.FixtureRequest) -> None:
    """With --update-docs: puts the results that the examples had into the pages."""
    for page in PAGES if request.config.getoption("--update-docs") else ():
        content = page.path.read_text(encoding="utf-8")
        for example in reversed(page.examples):
            outcome = _outcomes.get(page.name, {}).get(example.name, example.shown)
            below = f"\n{outcome}" if outcome else ""
            content = content[: example.start] + below + content[example.end :]
        page.path.write_text(content, encoding="utf-8")


def test_all_pages_have_one_graph() -> None:
    assert len({page.graph for page in PAGES}) == 1


# --- coverage -------------------------------------------------------------------------------


@cache
def _statements() -> tuple[str, ...]:
    """The statements of all examples that can be parsed; those in the tables too."""
    texts = [text for _, example in EXAMPLES for text in split_script(example.text)]
    texts += [example for page in REFERENCES for _, example, _ in reference_rows(page)]
    return tuple(text for text in texts if _parses(text))


def _parses(text: str) -> bool:
    try:
        parse(text)
    except CypherSyntaxError:
        return False
    return True


@cache
def _grammar() -> tuple[Lark, frozenset[str]]:
    """The grammar without its transformer, and the words that are names as well."""
    lark = Lark(
        resource_text("grammar/cypher.lark"), parser="lalr", lexer="basic", maybe_placeholders=True
    )
    symbols = [s for rule in lark.rules if rule.origin.name == "name" for s in rule.expansion]
    return lark, frozenset(symbol.name for symbol in symbols if symbol.is_term)


@cache
def _read() -> tuple[frozenset[str], frozenset[str]]:
    """The rules (by alias if they have one) and the terminals that the examples use."""
    lark, names = _grammar()
    lexer, tables = Lexer(lark.terminals, lark.ignore_tokens), Tables(lark)
    rules: set[str] = set()
    terminals: set[str] = set()
    for text in _statements():
        tokens = lexer.tokens(text)
        mark_patterns(tokens, names, 200)
        terminals.update(token.type for token in tokens)
        tree = tables.run(tokens, Place())
        rules.update(str(part.data) for part in tree.iter_subtrees())
    return frozenset(rules), frozenset(terminals)


def test_every_rule_of_the_grammar_is_in_an_example() -> None:
    lark, _ = _grammar()
    rules = {
        str(rule.alias or rule.origin.name)
        for rule in lark.rules
        if rule.alias or not (rule.options.expand1 or str(rule.origin.name).startswith("_"))
    }
    assert rules - _read()[0] - {"bad_number"} == set()


def test_every_keyword_and_sign_is_in_an_example() -> None:
    lark, _ = _grammar()
    terminals = {terminal.name for terminal in lark.terminals} - set(lark.ignore_tokens)
    # A parenthesis, dash or arrow of a pattern has a terminal of its own.
    assert terminals - _read()[1] - {"BAD_NUMBER", "SEMICOLON"} == set()


def test_every_kind_of_tree_is_in_an_example() -> None:
    kinds = {kind for _, kind in inspect.getmembers(ast, inspect.isclass) if _is_node(kind)}
    abstract = {ast.Node, ast.Expression, ast.LabelExpression, ast.Clause}
    found = {type(part) for text in _statements() for part in _parts(parse(text))}
    assert {kind.__name__ for kind in kinds - abstract - found} == set()


def _is_node(kind: type) -> bool:
    return issubclass(kind, ast.Node)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, ast.Node):
        yield value
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))


def test_every_clause_has_a_heading() -> None:
    text = "\n".join(page.path.read_text(encoding="utf-8") for page in PAGES)
    headings = {word for line in re.findall(r"^## (.*)$", text, re.M) for word in line.split(", ")}
    clauses = {kind.__name__.upper() for kind in ast.Clause.__subclasses__()}
    assert clauses - {"CALLPROCEDURE", "CALLSUBQUERY", "LOADCSV"} <= headings
    assert {"CALL", "CALL subqueries", "LOAD CSV"} <= headings


@pytest.mark.parametrize(
    ("kind", "field", "values"),
    [
        (ast.Quantifier, "kind", {"all", "any", "none", "single"}),
        (ast.SubqueryExpression, "kind", {"exists", "count", "collect"}),
        (ast.PathPattern, "shortest", {None, "shortestPath", "allShortestPaths"}),
        (ast.RelationshipPattern, "direction", {"in", "out", "both"}),
        (ast.CreateConstraint, "kind", {"uniqueness", "existence", "key"}),
        (ast.Query, "union_kinds", {(), ("all",), ("distinct",)}),
        (ast.Unary, "operator", {"not", "+", "-"}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_every_variant_is_in_an_example(kind: type, field: str, values: set[Any]) -> None:
    parts = (part for text in _statements() for part in _parts(parse(text)))
    assert values <= {getattr(part, field) for part in parts if isinstance(part, kind)}
