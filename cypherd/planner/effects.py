"""What operators read of the graph and what they change, as sets of small facts.

A fact is (kind, name); name None is "any". Reads: nodes of a label, relationships of a type,
properties under a key, labels of nodes. Changes: nodes made or deleted, relationships, property
keys, labels. `disturbs` says whether a change can alter what a read gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cypherd.binder.expressions import (
    BoundExpression,
    Call,
    HasDynamicLabels,
    HasLabels,
    MapOf,
    MapProjection,
    Property,
)
from cypherd.binder.traversal import walk
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.expressions import expressions
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import inner_plan, sources
from cypherd.values.types import CypherType as T

Fact = tuple[str, str | None]
Facts = frozenset[Fact]
NOTHING: Facts = frozenset()

ENTITIES = frozenset({T.NODE, T.RELATIONSHIP, T.PATH, T.LIST, T.MAP, T.ANY})


@dataclass(frozen=True, slots=True)
class Effects:
    reads: Facts = NOTHING
    changes: Facts = NOTHING

    def __or__(self, other: Effects) -> Effects:
        return Effects(self.reads | other.reads, self.changes | other.changes)


def effects(operator: LogicalOperator, types: Mapping[str, T]) -> Effects:
    """Those of the operator and of its inner plan, without its sources."""
    reads = set(_graph_reads(operator))
    for expression in expressions(operator):
        reads.update(_expression_reads(expression))
    if isinstance(operator, ops.LogicalProduceResults) and any(
        types.get(variable, T.ANY) in ENTITIES for _, variable in operator.columns
    ):
        reads.update({("property", None), ("labels", None)})
    own = Effects(frozenset(reads), frozenset(_changes(operator)))
    inner = inner_plan(operator)
    return own if inner is None else own | subtree_effects(inner, types)


def finds_in_graph(operator: LogicalOperator) -> bool:
    """Does the operator itself look for nodes or relationships, or read what the graph has?"""
    return any(True for _ in _graph_reads(operator))


def subtree_effects(operator: LogicalOperator, types: Mapping[str, T]) -> Effects:
    """Those of the operator, its sources and their inner plans."""
    total = effects(operator, types)
    for source in sources(operator):
        total |= subtree_effects(source, types)
    return total


# --- reads ------------------------------------------------------------------------------


def _graph_reads(operator: LogicalOperator) -> Iterator[Fact]:
    match operator:
        case ops.LogicalAllNodesScan() | ops.LogicalNodeByIdSeek() | ops.LogicalNodeCount():
            yield ("node", None)
        case ops.LogicalProcedureCall(reads=True) | ops.LogicalTransactionApply():
            yield from _EVERYTHING
        case ops.LogicalNodeByLabelScan(label=label):
            yield ("node", label)
        case ops.LogicalUnionNodeByLabelsScan(labels=labels):
            yield from (("node", label) for label in labels)
        case ops.LogicalNodeIndexSeek(label=label, properties=keys):
            yield ("node", label)
            yield from (("property", key) for key in keys)
        case (
            ops.LogicalNodeIndexRangeSeek(label=label, property=key)
            | ops.LogicalNodeIndexPrefixSeek(label=label, property=key)
        ):
            yield ("node", label)
            yield ("property", key)
        case ops.LogicalRelationshipByIdSeek():
            yield ("relationship", None)
        case ops.LogicalRelationshipIndexSeek(type=type_, properties=keys):
            yield ("relationship", type_)
            yield from (("property", key) for key in keys)
        case (
            ops.LogicalExpand(types=types)
            | ops.LogicalExpandInto(types=types)
            | ops.LogicalRelationshipScan(types=types)
            | ops.LogicalRelationshipCount(types=types)
        ):
            yield from _types(types)
        case (
            ops.LogicalVarLengthExpand(types=types, properties=items)
            | ops.LogicalShortestPath(types=types, properties=items)
        ):
            yield from _types(types)
            yield from (("property", key) for key, _ in items)


_EVERYTHING: tuple[Fact, ...] = tuple(
    (kind, None) for kind in ("node", "relationship", "property", "labels")
)


def _types(types: tuple[str, ...]) -> Iterator[Fact]:
    if not types:
        yield ("relationship", None)
    yield from (("relationship", type_) for type_ in types)


_OF_ENTITIES = frozenset({"properties", "keys", "subscript"})


def _expression_reads(expression: BoundExpression) -> Iterator[Fact]:
    for part in walk(expression):
        match part:
            case Property(source, key) if not (isinstance(source, MapOf) or source.type is T.MAP):
                yield ("property", key)
            case HasLabels(_, labels) if labels:
                yield from (("labels", label) for label in labels)
            case HasLabels() | HasDynamicLabels():
                yield ("labels", None)
            case MapProjection():
                yield ("property", None)
            case Call("labels"):
                yield ("labels", None)
            case Call(name) if name in _OF_ENTITIES:
                yield ("property", None)


# --- changes ----------------------------------------------------------------------------


def _changes(operator: LogicalOperator) -> Iterator[Fact]:
    match operator:
        case ops.LogicalCreate(nodes=nodes, relationships=relationships):
            yield from _made(nodes, relationships)
        case ops.LogicalMerge(nodes=nodes, relationships=relationships):
            yield from _made(nodes, relationships)
            yield from _set((*operator.on_create, *operator.on_match))
        case ops.LogicalSet(items=items):
            yield from _set(items)
        case ops.LogicalDelete() | ops.LogicalTransactionApply():
            # A read of the graph that is half done does not outlive a commit: whatever may be
            # in the middle of one, below or above, is kept apart.
            yield ("deleted", None)


def _made(
    nodes: tuple[ops.CreateNode, ...], relationships: tuple[ops.CreateRelationship, ...]
) -> Iterator[Fact]:
    for node in nodes:
        # A node without labels is seen by scans of all nodes only.
        yield ("new node", "")
        yield from (("new node", label) for label in node.labels)
        if node.names:
            yield ("new node", None)
    yield from (("new relationship", made.type) for made in relationships)


def _set(items: tuple[ops.SetItem, ...]) -> Iterator[Fact]:
    for item in items:
        if isinstance(item, ops.SetPropertyItem):
            yield ("set property", item.key)
        elif isinstance(item, ops.SetPropertiesItem):
            yield ("set property", None)
        else:
            yield from (("set label", label) for label in item.labels)
            if item.names:
                yield ("set label", None)


_AFFECTED = {
    "new node": ("node",),
    "new relationship": ("relationship",),
    "set property": ("property",),
    "set label": ("labels", "node"),
}


def disturbs(changes: Facts, reads: Facts) -> bool:
    """Can any of the changes alter what any of the reads gives?"""
    return any(_disturbs(change, read) for change in changes for read in reads)


def _disturbs(change: Fact, read: Fact) -> bool:
    kind, name = change
    if kind == "deleted":
        return True
    if read[0] not in _AFFECTED[kind]:
        return False
    if kind == "set label" and read == ("node", None):
        return False
    return name is None or read[1] is None or name == read[1]
