"""Quantified parts of paths, and SHORTEST and ANY, against what is written out or enumerated."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.storage.protocols import GraphStore, ReadTransaction
from tests.property.graphs import ENGINES, GRAPH_NODES, GRAPH_STEPS, make_graph, rows_of

SAME = {
    "one relationship": (
        "MATCH (a:A) ((x)-[r]->(y)){1,3} (b) "
        "RETURN a.i, b.i, [n IN x | n.i], [n IN y | n.i], [q IN r | q.w]",
        "MATCH p = (a:A)-[r*1..3]->(b) RETURN a.i, b.i, [n IN nodes(p)[..-1] | n.i], "
        "[n IN tail(nodes(p)) | n.i], [q IN r | q.w]",
    ),
    "none at all": (
        "MATCH (a) ((x)-[r:T]-(y)){0,2} (b:B) RETURN a.i, b.i, [q IN r | q.w], size(x)",
        "MATCH (a)-[r:T*0..2]-(b:B) RETURN a.i, b.i, [q IN r | q.w], size(r)",
    ),
    "both ends bound": (
        "MATCH (a:A), (b:B) MATCH (a) ((x)-[r]-(y))+ (b) RETURN a.i, b.i, [q IN r | q.w]",
        "MATCH (a:A), (b:B) MATCH (a)-[r*]-(b) RETURN a.i, b.i, [q IN r | q.w]",
    ),
    "a condition each time": (
        "MATCH (a:A) ((x)-[r]->(y) WHERE x.i <= y.i){1,3} (b) RETURN a.i, b.i, [q IN r | q.w]",
        "MATCH p = (a:A)-[r*1..3]->(b) WHERE all(k IN range(0, size(r) - 1) "
        "WHERE nodes(p)[k].i <= nodes(p)[k + 1].i) RETURN a.i, b.i, [q IN r | q.w]",
    ),
    "two relationships each time": (
        "MATCH p = (a:A) ((x)-[r]->(m)<-[q]-(y)){1,2} (b) "
        "RETURN a.i, b.i, [n IN m | n.i], [k IN r | k.w], [k IN q | k.w], "
        "[k IN relationships(p) | k.w]",
        "MATCH p = (a:A)-[r]->(m)<-[q]-(b) RETURN a.i, b.i, [m.i] AS m, [r.w] AS r, [q.w] AS q, "
        "[k IN relationships(p) | k.w] AS p UNION ALL "
        "MATCH p = (a:A)-[r]->(m)<-[q]-(x)-[s]->(n)<-[t]-(b) RETURN a.i, b.i, [m.i, n.i] AS m, "
        "[r.w, s.w] AS r, [q.w, t.w] AS q, [k IN relationships(p) | k.w] AS p",
    ),
    "two parts, one behind the other": (
        "MATCH ((a:A)-[r:S]->(x)){1,2} ((y)-[q:T]->(b)){1,2} (e) "
        "RETURN [k IN r | k.w], [k IN q | k.w], e.i",
        "MATCH (a:A)-[r:S*1..2]->(m)-[q:T*1..2]->(e) "
        "WHERE size(r) = 1 OR endNode(r[0]):A RETURN [k IN r | k.w], [k IN q | k.w], e.i",
    ),
    "with other relationships": (
        "MATCH (a:A)-[s]->(m) ((x)-[r]-(y)){1,2} (b) RETURN s.w, [k IN r | k.w], b.i",
        "MATCH (a:A)-[s]->(m)-[r*1..2]-(b) RETURN s.w, [k IN r | k.w], b.i",
    ),
    "a subquery in the condition": (
        "MATCH (a:A)-[r* WHERE EXISTS { (a)-[o]->() WHERE o.w < r.w }]->(b) "
        "RETURN a.i, [k IN r | k.w]",
        "MATCH (a:A)-[r*]->(b) WHERE all(k IN r WHERE EXISTS { (a)-[o]->() WHERE o.w < k.w }) "
        "RETURN a.i, [k IN r | k.w]",
    ),
    "from the other end": (
        "MATCH (b:B) WITH b MATCH (a) ((x)-[r]->(y)-[q]->(z)){1,2} (b) "
        "RETURN a.i, [n IN x | n.i], [k IN r | k.w], [k IN q | k.w]",
        "MATCH (b:B) WITH b MATCH (a) ((x)-[r]->(y)-[q]->(z)){1,2} (c) WHERE c = b "
        "RETURN a.i, [n IN x | n.i], [k IN r | k.w], [k IN q | k.w]",
    ),
}


@pytest.mark.parametrize("name", SAME)
@settings(max_examples=12, deadline=None)
@given(nodes=GRAPH_NODES, steps=GRAPH_STEPS)
def test_groups(
    empty_store: GraphStore,
    name: str,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
) -> None:
    group, written_out = SAME[name]
    with empty_store.write() as transaction:
        make_graph(transaction, nodes, steps[:8])
        wanted = rows_of(ENGINES[1], written_out, transaction, 1024)
        for engine in ENGINES:
            for size in (1, 3, 1024):
                assert rows_of(engine, group, transaction, size) == wanted
        transaction.abort()


PATTERNS = {
    "one relationship": "(a:A)-[r]->+(b)",
    "either way": "(a:A)-[:S]-+(b:B)",
    "none at all": "(a:A)-[r]->*(b)",
    "at most two": "(a:A)-[r]-{1,2}(b)",
    "at least two": "(a:A)-[r]-{2,4}(b)",
    "a single one": "(a:A)-[r]-(b)",
    "a part of two": "(a:A) ((x)-[q]->(y)<-[s]-(z))+ (b)",
    "in steps": "(a:A)-[q]->(m:B)-[s]-+(b)",
    "a condition each time": "(a:A) ((x)-[r]->(y) WHERE x.i <= y.i)+ (b)",
    "a condition of the whole": "((a:A)-[r]-{1,4}(b) WHERE size([k IN r WHERE k.w > 3]) > 0)",
    "a node twice": "(a:A)-[q]-(m)-[s]-(m2)-[t]-(m)-[u]-{0,1}(b)",
    "to the start": "(a:A)-[r]-{1,4}(a)",
}
SELECTORS = (
    "ANY",
    "ANY 2",
    "SHORTEST 2",
    "ALL SHORTEST",
    "SHORTEST 2 GROUPS",
    "SHORTEST $k GROUPS",
)


def _selected(lengths: list[int], selector: str) -> list[int]:
    """Of the lengths of all paths between two nodes those of the ones that are selected."""
    ordered = sorted(lengths)
    if selector == "ALL SHORTEST":
        return [n for n in ordered if n == ordered[0]]
    if selector.endswith("GROUPS"):
        allowed = sorted(set(ordered))[:2]
        return [n for n in ordered if n in allowed]
    return ordered[: 2 if "2" in selector else 1]


def _paths(
    pattern: str, selector: str, first: str, transaction: ReadTransaction, engine: Engine
) -> list[tuple[int, int, tuple[int, ...], int]]:
    """(start, end, relationships, length) of every path."""
    end = "a" if pattern.endswith("(a)") else "b"
    query = (
        f"{first} MATCH p = {selector} {pattern} "
        f"RETURN id(a) AS a, id({end}) AS b, [k IN relationships(p) | id(k)] AS p, length(p) AS l"
    )
    plan = engine.plan(query, transaction)
    parameters = {"k": 2} if "$k" in query else {}
    result = engine.run(plan, parameters, transaction, Unguarded(), batch_size=3)
    return [
        (row[0], row[1], tuple(row[2]), row[3])
        for batch in result.batches
        for row in zip(*(batch.columns[name].to_list() for name in result.columns), strict=True)
    ]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("bound", [False, True])
@settings(max_examples=8, deadline=None)
@given(nodes=GRAPH_NODES, steps=GRAPH_STEPS)
def test_selected_paths(
    empty_store: GraphStore,
    pattern: str,
    bound: bool,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
) -> None:
    text = PATTERNS[pattern]
    with empty_store.write() as transaction:
        make_graph(transaction, nodes, steps[:7])
        first = "" if not bound else f"MATCH (a){'' if text.endswith('(a)') else ', (b)'}"
        for engine in ENGINES:
            every: dict[Any, list[Any]] = {}
            for row in _paths(text, "", "", transaction, engine):
                every.setdefault(row[:2], []).append(row)
            for selector in SELECTORS:
                selected = _paths(text, selector, first, transaction, engine)
                assert len(set(selected)) == len(selected), selector
                found: dict[Any, list[Any]] = {}
                for row in selected:
                    assert row in every[row[:2]], selector
                    found.setdefault(row[:2], []).append(row)
                assert found.keys() == every.keys(), selector
                for ends, rows in found.items():
                    wanted = _selected([row[3] for row in every[ends]], selector)
                    assert Counter(row[3] for row in rows) == Counter(wanted), selector
        transaction.abort()
