"""Small graphs for Hypothesis, and the engines that have to agree on them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.planner.rules import RULES
from cypherd.settings import Settings
from cypherd.storage.protocols import ReadTransaction

GRAPH_NODES = st.lists(
    st.tuples(st.sampled_from(["A", "B", "C"]), st.integers(0, 5)), min_size=1, max_size=8
)
GRAPH_STEPS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from(["S", "T"])), max_size=12
)


ENGINES = (Engine(Settings(), rules=RULES), Engine(Settings(), rules=()))
"""With the rewrite rules and without."""


def make_graph(
    transaction: Any, nodes: list[tuple[str, int]], steps: list[tuple[int, int, str]]
) -> None:
    """Nodes have a label and `i`; steps are start, end and type, relationships have `w`. Steps
    from or to a node that is not there are left out."""
    key, weight = transaction.property_token("i"), transaction.property_token("w")
    labels = [(transaction.label_token(label),) for label, _ in nodes]
    ids = transaction.create_nodes(labels, [{key: i} for _, i in nodes])
    within = [(a, b, kind) for a, b, kind in steps if a < len(nodes) and b < len(nodes)]
    if within:
        transaction.create_relationships(
            [transaction.type_token(kind) for _, _, kind in within],
            ids[[a for a, _, _ in within]],
            ids[[b for _, b, _ in within]],
            [{weight: w} for w in range(len(within))],
        )


def rows_of(engine: Engine, query: str, transaction: ReadTransaction, size: int) -> list[str]:
    """The rows as JSON texts, sorted: a bag."""
    plan = engine.plan(query, transaction)
    result = engine.run(plan, {}, transaction, Unguarded(), batch_size=size)
    rows: list[str] = []
    for batch in result.batches:
        lists = [batch.columns[name].to_list() for name in result.columns]
        rows.extend(json.dumps(row) for row in zip(*lists, strict=True))
    return sorted(rows)
