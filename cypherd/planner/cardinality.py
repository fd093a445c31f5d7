"""How many rows an operator gives, by the store's exact counts and, past them, by rules of thumb.

Labels of a node are taken for independent of each other; of several the rarest counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt

from cypherd.binder.expressions import (
    And,
    BoundExpression,
    Call,
    Constant,
    DistinctRelationships,
    HasLabels,
    IsNull,
    ListOf,
    Not,
    Or,
    Property,
    Variable,
)
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.columns import columns
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import children, inner_plan, sources, with_children

EQUALITY = 0.1
RANGE = 0.3
PREFIX = 0.1
NULL = 0.1
OTHER = 0.75
LIST_LENGTH = 10.0
CSV_ROWS = 1000.0
_TURNED = {"out": "in", "in": "out", "both": "both"}
OPEN_LENGTH = 6
"""Relationships at most that an open variable length is taken for."""

Labels = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Cardinality:
    """`rows(operator, source_rows, labels)`; `labels` are those known of each node variable."""

    context: PlanContext

    # --- parts --------------------------------------------------------------------------

    def label_share(self, label: str) -> float:
        """The share of all nodes that have the label."""
        return self.context.nodes(label) / max(self.context.nodes(), 1)

    def seek_rows(self, label: str, keys: tuple[str, ...]) -> float:
        """Nodes found by one value of an index."""
        for index in self.context.node_indexes(label):
            if self.context.keys(index) == keys:
                return self._entries_each(index.id, index.unique)
        return self.context.nodes(label) * EQUALITY

    def relationship_seek_rows(self, type_: str, keys: tuple[str, ...]) -> float:
        """Relationships found by one value of an index."""
        for index in self.context.relationship_indexes(type_):
            if self.context.keys(index) == keys:
                return self._entries_each(index.id, index.unique)
        return self.context.relationships((type_,)) * EQUALITY

    def _entries_each(self, index_id: int, unique: bool) -> float:
        if unique:
            return 1.0
        counts = self.context.counts
        return max(counts.index_entries(index_id) / max(counts.index_distinct(index_id), 1), 1.0)

    def _rarest(self, labels: frozenset[str]) -> str | None:
        return min(labels, key=lambda name: (self.context.nodes(name), name), default=None)

    def degree(self, direction: str, types: tuple[str, ...], labels: frozenset[str]) -> float:
        """Relationships of a node with these labels, on average."""
        label = self._rarest(labels)
        nodes = max(self.context.nodes(label), 1)
        out = 0 if direction == "in" else self.context.relationships(types, start=label)
        incoming = 0 if direction == "out" else self.context.relationships(types, end=label)
        return (out + incoming) / nodes

    def walked(
        self, rows: float, direction: str, types: tuple[str, ...], labels: frozenset[str]
    ) -> float:
        """Rows after a step from each of `rows` nodes. Nodes of no known label are taken to be of
        the one that most of these relationships are at: who asks for a step expects that there is
        one. There are no more steps than relationships, though, unless nodes come again."""
        if labels:
            return rows * self.degree(direction, types, labels)
        every = self.context.relationships(types) * (2 if direction == "both" else 1)
        most = every * max(rows / max(self.context.nodes(), 1), 1.0)
        return min(rows * self._step(direction, types, _TURNED[direction]), most)

    def end_share(self, direction: str, types: tuple[str, ...], label: str) -> float:
        """The share of relationships, walked in this direction, that lead to the label."""
        every = max(self.context.relationships(types), 1)
        into = self.context.relationships(types, end=label)
        out_of = self.context.relationships(types, start=label)
        if direction == "both":
            return min((into + out_of) / (2 * every), 1.0)
        return (into if direction == "out" else out_of) / every

    def arrived_share(self, last: LogicalOperator, predicate: BoundExpression) -> float | None:
        """The share of nodes with a label, of those that `last` has just arrived at; None where
        how they were found says nothing about it."""
        match last, predicate:
            case (
                ops.LogicalExpand() | ops.LogicalVarLengthExpand(),
                HasLabels(Variable(name), (label,)),
            ) if name == last.end:
                return self.end_share(last.direction, last.types, label)
            case ops.LogicalNodeByIdSeek(variable=found), HasLabels(Variable(name), _) if (
                name == found
            ):
                # Who asks for a node by its id knows what it is.
                return OTHER
        return None

    # --- predicates ---------------------------------------------------------------------

    def selectivity(self, predicate: BoundExpression, labels: Labels) -> float:
        """The share of rows that a predicate lets through."""
        match predicate:
            case And(operands):
                share = 1.0
                for operand in operands:
                    share *= self.selectivity(operand, labels)
                return share
            case Or(operands):
                missed = 1.0
                for operand in operands:
                    missed *= 1.0 - self.selectivity(operand, labels)
                return 1.0 - missed
            case Not(operand):
                return 1.0 - self.selectivity(operand, labels)
            case IsNull(_, negated):
                return 1.0 - NULL if negated else NULL
            case HasLabels(Variable(name), wanted):
                new = [label for label in wanted if label not in labels.get(name, ())]
                return self.label_share(new[0]) if new else OTHER
            case DistinctRelationships():
                return 0.95
            case Constant(value):
                return 1.0 if value is True else 0.0
            case Call():
                return self._call_selectivity(predicate, labels)
        return OTHER

    def _call_selectivity(self, call: Call, labels: Labels) -> float:
        if call.function == "=":
            return min(self._equal_share(side, labels) for side in call.arguments)
        if call.function == "<>":
            return 1.0 - EQUALITY
        if call.function == "in":
            length = list_length(call.arguments[1])
            return min(self._equal_share(call.arguments[0], labels) * length, 0.5)
        if call.function in ("<", "<=", ">", ">="):
            return RANGE
        if call.function in ("starts with", "ends with", "contains", "=~"):
            return PREFIX
        return OTHER

    def _equal_share(self, side: BoundExpression, labels: Labels) -> float:
        if isinstance(side, Call) and side.function == "id":
            return 1.0 / max(self.context.nodes(), 1)
        if not (isinstance(side, Property) and isinstance(side.source, Variable)):
            return EQUALITY
        for label in labels.get(side.source.name, ()):
            for index in self.context.node_indexes(label):
                if self.context.keys(index) == (side.key,):
                    each = self._entries_each(index.id, index.unique)
                    return min(each / max(self.context.nodes(label), 1), 1.0)
        return EQUALITY

    # --- operators ----------------------------------------------------------------------

    def rows(self, operator: LogicalOperator, source: float, labels: Labels) -> float:
        """Rows of an operator whose source gives `source` rows."""
        match operator:
            case ops.LogicalAllNodesScan():
                return source * self.context.nodes()
            case ops.LogicalNodeByLabelScan(label=label):
                return source * self.context.nodes(label)
            case ops.LogicalUnionNodeByLabelsScan(labels=wanted):
                every = self.context.nodes()
                return source * min(sum(map(self.context.nodes, wanted)), every)
            case ops.LogicalNodeByIdSeek(ids=ids) | ops.LogicalRelationshipByIdSeek(ids=ids):
                return source * list_length(ids)
            case ops.LogicalNodeIndexSeek(label=label, properties=keys, values=values, many=many):
                times = list_length(values[0]) if many else 1.0
                return source * self.seek_rows(label, keys) * times
            case ops.LogicalNodeIndexRangeSeek(label=label):
                return source * self.context.nodes(label) * RANGE
            case ops.LogicalNodeIndexPrefixSeek(label=label):
                return source * self.context.nodes(label) * PREFIX
            case ops.LogicalRelationshipScan(types=types, directed=directed):
                return source * self.context.relationships(types) * (1 if directed else 2)
            case ops.LogicalRelationshipIndexSeek(type=type_, properties=keys, many=many):
                times = list_length(operator.values[0]) if many else 1.0
                return source * self.relationship_seek_rows(type_, keys) * times
            case ops.LogicalExpand(start=start, direction=direction, types=types):
                return self.walked(source, direction, types, labels.get(start, frozenset()))
            case ops.LogicalExpandInto(start=start, end=end, direction=direction, types=types):
                each = self.degree(direction, types, labels.get(start, frozenset()))
                ends = self.context.nodes(self._rarest(labels.get(end, frozenset())))
                return source * each / max(ends, 1)
            case ops.LogicalVarLengthExpand():
                return source * self._var_length(operator, labels)
            case ops.LogicalRepeat():
                return source * self._repeated(operator, labels)
            case ops.LogicalSelectPaths():
                ends = self.context.nodes(self._rarest(labels.get(operator.end, frozenset())))
                return source * number(operator.count, 1.0) * (1 if operator.into else ends)
            case ops.LogicalFilter(predicate=predicate):
                return source * self.selectivity(predicate, labels)
            case ops.LogicalLoadCsv():
                return source * CSV_ROWS
            case ops.LogicalUnwind(expression=expression):
                return source * list_length(expression)
            case ops.LogicalSemiApply():
                return source * OTHER
            case ops.LogicalProcedureCall(results=results):
                return source * LIST_LENGTH if results else source
            case ops.LogicalShow():
                return LIST_LENGTH
            case ops.LogicalNodeCount() | ops.LogicalRelationshipCount():
                return 1.0
            case ops.LogicalMerge():
                return max(source, 1.0)
            case ops.LogicalEmptyResult():
                return 0.0
        return source

    def _var_length(self, operator: ops.LogicalVarLengthExpand, labels: Labels) -> float:
        start = labels.get(operator.start, frozenset())
        first = self.degree(operator.direction, operator.types, start)
        # One goes on from where one has been led: from nodes of other labels never.
        each = self._step(operator.direction, operator.types, operator.direction)
        last = operator.maximum if operator.maximum is not None else OPEN_LENGTH
        total = 1.0 if operator.minimum == 0 else 0.0
        for length in range(max(operator.minimum, 1), min(last, 12) + 1):
            total += first * each ** (length - 1)
        if not operator.into:
            return total
        ends = self.context.nodes(self._rarest(labels.get(operator.end, frozenset())))
        return total / max(ends, 1)

    def _repeated(self, operator: ops.LogicalRepeat, labels: Labels) -> float:
        each = estimate(operator.inner, self.context).estimated_rows
        last = operator.maximum if operator.maximum is not None else OPEN_LENGTH
        total = sum(each**times for times in range(operator.minimum, min(last, 12) + 1))
        if not operator.into:
            return total
        ends = self.context.nodes(self._rarest(labels.get(operator.end, frozenset())))
        return total / max(ends, 1)

    def _step(self, direction: str, types: tuple[str, ...], side: str) -> float:
        """Relationships of a node of the label that most have at their `side`: at their end for
        "out", at their start for "in"."""
        found = self.degree(direction, types, frozenset())
        for label in self.context.schema.label_names():
            share = self.end_share(side, types, label)
            if share > 0.0:
                found = max(found, share * self.degree(direction, types, frozenset({label})))
        return found


def list_length(expression: BoundExpression) -> float:
    """About how many values an expression for one or many gives."""
    if isinstance(expression, ListOf):
        return float(len(expression.items))
    if isinstance(expression, Constant):
        return float(len(expression.value)) if isinstance(expression.value, list | tuple) else 1.0
    if expression.type.value in ("Any", "List"):
        return LIST_LENGTH
    return 1.0


def number(expression: BoundExpression, otherwise: float) -> float:
    """The value of a literal number, or a guess."""
    if isinstance(expression, Constant) and isinstance(expression.value, int):
        return float(expression.value)
    return otherwise


# --- a whole plan -----------------------------------------------------------------------


def estimate(root: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """The plan with `estimated_rows` filled in everywhere."""
    return _estimate(root, 1.0, {}, Cardinality(context))[0]


def _estimate(
    operator: LogicalOperator, argument: float, outer: Labels, cardinality: Cardinality
) -> tuple[LogicalOperator, dict[str, frozenset[str]]]:
    """The operator with estimates, and the labels known after it."""
    labels: dict[str, frozenset[str]] = dict(outer)
    done: list[LogicalOperator] = []
    for source in sources(operator):
        if done and isinstance(operator, ops.LogicalNodeHashJoin) and operator.imports:
            argument = fewest_rows(done[0], frozenset(operator.imports))
        new, found = _estimate(source, argument, outer, cardinality)
        done.append(new)
        labels.update(found)
    flowing = done[0].estimated_rows if done else argument
    inner = inner_plan(operator)
    if inner is not None:
        done.append(_estimate(inner, flowing, labels, cardinality)[0])
    rows = _rows_of(operator, done, flowing, argument, labels, cardinality)
    _learn(operator, labels)
    return replace(with_children(operator, tuple(done)), estimated_rows=round(rows, 3)), labels


def fewest_rows(plan: LogicalOperator, names: frozenset[str]) -> float:
    """How many combinations of values these columns have at most: as many as there were rows at
    any place of the (estimated) plan where all of them were there."""
    fewest = plan.estimated_rows
    while len(below := sources(plan)) == 1 and names <= columns(below[0]):
        plan = below[0]
        fewest = min(fewest, plan.estimated_rows)
    return max(fewest, 1.0)


def _rows_of(
    operator: LogicalOperator,
    done: list[LogicalOperator],
    flowing: float,
    argument: float,
    labels: Labels,
    cardinality: Cardinality,
) -> float:
    match operator:
        case ops.LogicalCartesianProduct():
            return flowing * done[1].estimated_rows
        case ops.LogicalUnion():
            return flowing + done[1].estimated_rows
        case ops.LogicalValueHashJoin():
            return flowing * done[1].estimated_rows * EQUALITY
        case ops.LogicalNodeHashJoin(variables=names):
            rows = flowing * done[1].estimated_rows
            for name in names:
                wanted = labels.get(name, frozenset())
                counts = [cardinality.context.nodes(label) for label in wanted]
                rows /= max(min(counts, default=cardinality.context.nodes()), 1)
            return rows
        case ops.LogicalApply(variables=names) | ops.LogicalTransactionApply(variables=names):
            return done[1].estimated_rows if names else flowing
        case ops.LogicalOptional():
            return max(flowing, done[1].estimated_rows)
        # Of an inner plan for each of the rows that it is run for:
        case ops.LogicalLimit(count=count) | ops.LogicalTop(limit=count):
            return min(flowing, number(count, LIST_LENGTH) * argument)
        case ops.LogicalSkip(count=count):
            return max(flowing - number(count, 0.0) * argument, 0.0)
        case ops.LogicalEagerAggregation(keys=()):
            return argument
        case ops.LogicalEagerAggregation():
            return max(sqrt(flowing * argument), min(flowing, 1.0))
    if isinstance(operator, ops.LogicalFilter) and len(children(operator)) == 1:
        return _filtered(operator, flowing, labels, cardinality)
    return cardinality.rows(operator, flowing, labels)


def _filtered(
    operator: ops.LogicalFilter, flowing: float, labels: Labels, cardinality: Cardinality
) -> float:
    """A label right behind the expansion that reached the node has an exact count."""
    source, predicate = operator.source, operator.predicate
    for part in predicate.operands if isinstance(predicate, And) else (predicate,):
        share = cardinality.arrived_share(source, part)
        flowing *= cardinality.selectivity(part, labels) if share is None else share
    return flowing


def _learn(operator: LogicalOperator, labels: dict[str, frozenset[str]]) -> None:
    """Adds what an operator makes certain about labels."""
    match operator:
        case (
            ops.LogicalNodeByLabelScan(variable=name, label=label)
            | ops.LogicalNodeIndexSeek(variable=name, label=label)
            | ops.LogicalNodeIndexRangeSeek(variable=name, label=label)
            | ops.LogicalNodeIndexPrefixSeek(variable=name, label=label)
        ):
            labels[name] = labels.get(name, frozenset()) | {label}
        case ops.LogicalFilter(predicate=predicate):
            for part in predicate.operands if isinstance(predicate, And) else (predicate,):
                match part:
                    case HasLabels(Variable(name), wanted):
                        labels[name] = labels.get(name, frozenset()) | frozenset(wanted)
        case ops.LogicalProject(items=items):
            renamed = {
                name: labels[value.name]
                for name, value in items
                if isinstance(value, Variable) and value.name in labels
            }
            labels.clear()
            labels.update(renamed)
