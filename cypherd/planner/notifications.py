"""What a plan tells its client beside the result: names that the store does not have, forms of
old, and steps that may take long. Codes, titles and severities are Neo4j's.

A plan holds for one version of the schema only, so a warning goes when the name comes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from cypherd.binder.expressions import (
    And,
    BoundExpression,
    Call,
    HasLabels,
    MapOf,
    Property,
    Variable,
)
from cypherd.binder.query import (
    BoundMatch,
    BoundMerge,
    BoundQuery,
    LabelsChange,
    NewNode,
    NewRelationship,
    PatternNode,
    PatternRelationship,
    PropertiesChange,
    PropertyChange,
)
from cypherd.parser import ast
from cypherd.planner.context import PlanContext
from cypherd.planner.deprecations import deprecated
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import sources, walk
from cypherd.values.names import suggestion
from cypherd.values.types import CypherType as T

BIG_LABEL = 10_000
"""Nodes from which on looking through all of a label is worth a word."""

_COMPARISONS = frozenset(("=", "in", "<", "<=", ">", ">=", "starts with"))
_LONGEST = 1000
"""Of names that are looked for in the text: patterns are compiled from them."""

_CODE = "Neo.ClientNotification.Statement."


@dataclass(frozen=True, slots=True)
class _Names:
    """`read`: (label, type or key; name; offset) in the order of the query, an offset of -1 where
    the tree does not keep it. `made`: what the query itself brings in."""

    read: list[tuple[str, str, int]] = field(default_factory=list)
    made: set[tuple[str, str]] = field(default_factory=set)


def notifications_of_command(text: str, command: ast.Statement) -> tuple[dict[str, Any], ...]:
    """Of a statement that changes the schema."""
    return tuple(_deprecated(text, command))


def notifications(
    text: str,
    statement: ast.Statement,
    query: BoundQuery,
    root: LogicalOperator,
    context: PlanContext,
) -> tuple[dict[str, Any], ...]:
    """Each with code, title, severity, category, description and, where it has one, position."""
    names = _Names()
    _collect(query, names)
    found = [*_unknown(text, names, context), *_deprecated(text, statement)]
    if _is_disconnected(query) and any(map(_is_product, walk(root))):
        found.append(_PRODUCT)
    found += _slow(root, context)
    return tuple(_once(found))


def _once(found: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for one in found:
        if one["description"] not in seen:
            seen.add(one["description"])
            yield one


# --- names ------------------------------------------------------------------------------


def _collect(value: Any, names: _Names) -> None:
    match value:
        case PatternNode(labels=labels):
            names.read.extend(("label", label, -1) for label in labels)
        case PatternRelationship(types=types):
            names.read.extend(("type", type_, -1) for type_ in types)
        case HasLabels(Variable(type=T.NODE), labels):
            names.read.extend(("label", label, value.at) for label in labels)
        case Property(Variable(type=T.NODE | T.RELATIONSHIP), key):
            names.read.append(("key", key, value.at))
        case NewNode(labels=labels, properties=properties, names=given):
            names.made.update(("label", label) for label in labels)
            if given:
                names.made.add(("label", "*"))
            _made_by(properties, names)
        case NewRelationship(type=type_, properties=properties):
            names.made.add(("type", type_ or "*"))
            _made_by(properties, names)
        case LabelsChange(labels=labels, names=given):
            names.made.update(("label", label) for label in labels)
            if given:
                names.made.add(("label", "*"))
        case PropertyChange(key=key):
            names.made.add(("key", key))
        case PropertiesChange(value=properties):
            _made_by(properties, names)
    for part in _parts(value):
        _collect(part, names)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        yield from value
    elif is_dataclass(value) and not isinstance(value, type):
        for member in fields(value):
            # What a MERGE looks for it makes, if it is not there.
            if not (isinstance(value, BoundMerge) and member.name == "graph"):
                yield getattr(value, member.name)


def _made_by(properties: BoundExpression | None, names: _Names) -> None:
    if isinstance(properties, MapOf):
        names.made.update(("key", key) for key in properties.keys)
    elif properties is not None:
        names.made.add(("key", "*"))


def _unknown(text: str, names: _Names, context: PlanContext) -> Iterator[dict[str, Any]]:
    schema = context.schema
    kinds: dict[str, tuple[Callable[[str], int | None], Callable[[], Iterable[str]], str, str]] = {
        "label": (schema.label_id, schema.label_names, "UnknownLabelWarning", "label"),
        "type": (
            schema.type_id, schema.type_names, "UnknownRelationshipTypeWarning",
            "relationship type",
        ),
        "key": (
            schema.property_id, schema.property_names, "UnknownPropertyKeyWarning", "property key",
        ),
    }  # fmt: skip
    for kind, name, at in names.read:
        find, known, code, called = kinds[kind]
        if find(name) is not None or not names.made.isdisjoint({(kind, name), (kind, "*")}):
            continue
        near = suggestion(name, known())
        yield _notification(
            code,
            f"The provided {called} is not in the database.",
            f"nothing in the store has the {called} `{name}`" + (f"; {near}" if near else ""),
            "WARNING",
            "UNRECOGNIZED",
            _position(text, _place_of(text, name, at, kind)),
        )


def _place_of(text: str, name: str, at: int, kind: str) -> int:
    """Where the name itself stands: behind the dot or colon, or at its first use as such."""
    if len(name) > _LONGEST:
        return at
    word = rf"`?{re.escape(name)}`?(?!\w)"
    found = re.compile(word).search(text, max(at, 0)) if at >= 0 else None
    if found is None:
        sign = r"[:|&!]\s*" if kind != "key" else r"[.{,]\s*"
        named = re.search(rf"{sign}({word})", text)
        return -1 if named is None else named.start(1)
    return found.start()


# --- steps ------------------------------------------------------------------------------


def _slow(root: LogicalOperator, context: PlanContext) -> Iterator[dict[str, Any]]:
    for operator in walk(root):
        match operator:
            case ops.LogicalVarLengthExpand(maximum=None, types=types):
                of = f" over {', '.join(types)}" if types else ""
                yield _notification(
                    "UnboundedVariableLengthPattern",
                    "The provided pattern is unbounded, consider adding an upper limit to the "
                    "number of node hops.",
                    f"a path of any length{of} is looked for; an upper limit (*..5) bounds it",
                    "INFORMATION",
                    "PERFORMANCE",
                )
            case ops.LogicalFilter(predicate=predicate):
                yield from _without_index(operator, predicate, context)


def _is_disconnected(value: Any) -> bool:
    """Is there a MATCH of parts that hang together by nothing?"""
    if isinstance(value, BoundMatch) and _count_parts(value) > 1:
        return True
    return any(map(_is_disconnected, _parts(value)))


def _count_parts(match: BoundMatch) -> int:
    """Parts of the pattern, without those that are bound from before."""
    graph = match.graph
    group = {node.variable: node.variable for node in graph.nodes}

    def root(name: str) -> str:
        while group.setdefault(name, name) != name:
            name = group[name]
        return name

    steps = [*graph.relationships, *(shortest.relationship for shortest in graph.shortest)]
    for step in steps:
        group[root(step.start)] = root(step.end)
    return len({root(node.variable) for node in graph.nodes if node.variable in match.introduced})


def _is_product(operator: LogicalOperator) -> bool:
    """Does it put every row of something together with every row of something else?"""
    match operator:
        case ops.LogicalCartesianProduct():
            return True
        case (
            ops.LogicalAllNodesScan()
            | ops.LogicalNodeByLabelScan()
            | ops.LogicalUnionNodeByLabelsScan()
            | ops.LogicalRelationshipScan()
        ):
            return any(source.estimated_rows > 1.0 for source in sources(operator))
    return False


def _without_index(
    operator: ops.LogicalFilter, predicate: BoundExpression, context: PlanContext
) -> Iterator[dict[str, Any]]:
    scan = operator.source
    if not isinstance(scan, ops.LogicalNodeByLabelScan) or context.nodes(scan.label) < BIG_LABEL:
        return
    for part in predicate.operands if isinstance(predicate, And) else (predicate,):
        match part:
            case Call(sign, (Property(Variable(name), key), _)) if sign in _COMPARISONS:
                pass
            case Call(sign, (_, Property(Variable(name), key))) if sign in _COMPARISONS:
                pass
            case _:
                continue
        if name == scan.variable:
            nodes = context.nodes(scan.label)
            yield _notification(
                "NoApplicableIndex",
                "Adding a schema index may speed up this query.",
                f"all {nodes:,} nodes with the label `{scan.label}` are looked through for `{key}`;"
                f" CREATE INDEX FOR (n:{scan.label}) ON (n.{key}) would find them",
                "INFORMATION",
                "PERFORMANCE",
            )


def _deprecated(text: str, statement: ast.Statement) -> Iterator[dict[str, Any]]:
    for description, at in deprecated(text, statement):
        yield _notification(
            "FeatureDeprecationWarning",
            "This feature is deprecated and will be removed in future versions.",
            description,
            "WARNING",
            "DEPRECATION",
            _position(text, at),
        )


# --- form -------------------------------------------------------------------------------


def _notification(
    code: str,
    title: str,
    description: str,
    severity: str,
    category: str,
    position: dict[str, int] | None = None,
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "code": _CODE + code,
        "title": title,
        "severity": severity,
        "category": category,
        "description": description,
    }
    return made if position is None else {**made, "position": position}


_PRODUCT = _notification(
    "CartesianProduct",
    "This query builds a cartesian product between disconnected patterns.",
    "parts of a MATCH have nothing to do with each other, so every row of the one is put together "
    "with every row of the other",
    "INFORMATION",
    "PERFORMANCE",
)


def _position(text: str, offset: int) -> dict[str, int] | None:
    if offset < 0:
        return None
    line = text.count("\n", 0, offset) + 1
    return {"offset": offset, "line": line, "column": offset - text.rfind("\n", 0, offset)}
