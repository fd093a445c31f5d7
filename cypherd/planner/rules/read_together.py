"""Properties of one variable that operators read one after the other come from one look at each
record: the first that reads takes along what those behind it will want.

    Project(p.name) <- Filter(p.age > 30 AND p.age < 40)
    filter: age, with name taken along; age again, remembered; project: name, remembered

Looks ahead as far as batches stream: what an aggregation or a sort reads is still seen from below
it, what comes behind is not. Plans that write stay as they are: there a record may change between
two reads. Where a filter asks for a label of the node first, the same look answers that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cypherd.binder.expressions import BoundExpression, HasLabels, Property, Variable
from cypherd.binder.traversal import transform, variables, walk
from cypherd.planner.context import PlanContext
from cypherd.planner.effects import subtree_effects
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.expressions import expressions, map_expressions
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import children, sources, with_children
from cypherd.values.types import CypherType as T

_STREAMING = (
    ops.LogicalFilter,
    ops.LogicalProject,
    ops.LogicalExtend,
    ops.LogicalUnion,
    ops.LogicalExpand,
    ops.LogicalExpandInto,
    ops.LogicalProduceResults,
)
"""Through these a batch goes at once, less or more of it, in the order of its rows."""


@dataclass(slots=True)
class _Stream:
    """How often each variable's properties are read by the operators of one stream."""

    reads: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an operator stands: its stream, and the keys by variable that are read behind it."""

    stream: _Stream
    later: dict[str, tuple[str, ...]]


def read_together(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """Marks the reads of every variable that is read more than once in a stream."""
    if subtree_effects(plan, context.types).changes:
        return plan
    places: list[_Place] = []
    _look(plan, _Place(_Stream(), {}), places)
    return _mark(plan, iter(places))


def _look(operator: LogicalOperator, above: _Place, places: list[_Place]) -> None:
    """The places of the operator and all below it, in pre-order."""
    here = above if isinstance(operator, _STREAMING) else _Place(_Stream(), {})
    places.append(here)
    own = _reads(operator)
    for name, keys in own.items():
        # What stands in several items of one operator is read in one question.
        times = len(keys) if isinstance(operator, ops.LogicalFilter) else 1
        here.stream.reads[name] = here.stream.reads.get(name, 0) + times
    below = _Place(here.stream, _merged(own, here.later))
    feeding = sources(operator)
    for child in children(operator):
        _look(child, below if child in feeding else _Place(_Stream(), {}), places)


def _mark(operator: LogicalOperator, places: Iterator[_Place]) -> LogicalOperator:
    here = next(places)
    own = {name for name in _reads(operator) if here.stream.reads[name] > 1}
    marked = _marked(operator, own, here.later) if own else operator
    return with_children(marked, tuple(_mark(child, places) for child in children(operator)))


def _marked(
    operator: LogicalOperator, names: set[str], later: dict[str, tuple[str, ...]]
) -> LogicalOperator:
    along = {
        name: tuple(dict.fromkeys((*keys, *later.get(name, ()))))
        for name, keys in _reads(operator).items()
        if name in names
    }
    labels_first = _labels_first(operator) if isinstance(operator, ops.LogicalFilter) else set()

    def change(part: BoundExpression) -> BoundExpression:
        match part:
            case Property(Variable(name)) if name in along and _is_entity(part.source):
                return replace(part, together=along[name])
            case HasLabels(Variable(name), (_,)) if name in along and name in labels_first:
                return replace(part, together=along[name])
        return part

    return map_expressions(operator, lambda expression: transform(expression, change))


def _labels_first(operator: ops.LogicalFilter) -> set[str]:
    """Variables whose labels are asked for before any property of theirs."""
    met: set[str] = set()
    first: set[str] = set()
    for part in walk(operator.predicate):
        match part:
            case HasLabels(Variable(name)) if name not in met:
                first.add(name)
            case Property(Variable(name)):
                met.add(name)
    return first


def _reads(operator: LogicalOperator) -> dict[str, tuple[str, ...]]:
    """Keys that the operator's expressions read, by variable, a key as often as it stands there."""
    found: dict[str, tuple[str, ...]] = {}
    for expression in expressions(operator):
        columns = variables(expression)
        for part in walk(expression):
            match part:
                case Property(Variable(name), key) if name in columns and _is_entity(part.source):
                    found[name] = (*found.get(name, ()), key)
    return found


def _is_entity(source: BoundExpression) -> bool:
    return source.type in (T.NODE, T.RELATIONSHIP)


def _merged(
    one: dict[str, tuple[str, ...]], other: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys((*one, *other))
    return {
        name: tuple(dict.fromkeys((*one.get(name, ()), *other.get(name, ())))) for name in names
    }
