"""Subqueries out of expressions: each becomes an operator below, which adds its value as a column.

WHERE (a)-->(b)                  SemiApply
WHERE x OR (a)-->(b)             LetSemiApply, then a filter on its column
[(a)-->(b) | b.name]             RollUpApply
[x IN list WHERE (x)-->() | x]   RollUpApply over an Unwind, since the pattern needs x
reduce(n = 0, x IN list | ...)   Fold, whose plan is run for one element after the other
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression, Constant, Variable
from cypherd.binder.query import BoundQuery, Items, Subquery, holds_subquery
from cypherd.binder.scopes import Names
from cypherd.binder.traversal import map_children
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalArgument
from cypherd.planner.state import State
from cypherd.values.types import CypherType as T

PlanInner = Callable[[BoundQuery, State], State]
"""Plans a query over the rows that a state's Argument gives."""


@dataclass(slots=True)
class Lifter:
    names: Names
    plan_inner: PlanInner

    def lift(self, state: State, expression: BoundExpression) -> tuple[State, BoundExpression]:
        """The expression without subqueries, and the plan that computes what it now reads."""
        if not holds_subquery(expression):
            return state, expression
        match expression:
            case Subquery():
                return self._subquery(state, expression)
            case bound.ListComprehension() if _needs_own_plan(expression):
                return self._comprehension(state, expression)
            case bound.Quantifier() if holds_subquery(expression.where):
                return self._quantifier(state, expression)
            case bound.Reduce() if holds_subquery(expression.expression):
                return self._fold(state, expression)
        holder = [state]

        def change(part: BoundExpression) -> BoundExpression:
            holder[0], new = self.lift(holder[0], part)
            return new

        lifted = map_children(expression, change)
        return holder[0], lifted

    def lift_items(self, state: State, items: Items) -> tuple[State, Items]:
        """`lift` for each of several named expressions."""
        lifted = []
        for name, value in items:
            state, new = self.lift(state, value)
            lifted.append((name, new))
        return state, tuple(lifted)

    def filter(self, state: State, predicate: BoundExpression) -> State:
        """The rows for which a predicate holds."""
        for part in predicate.operands if isinstance(predicate, bound.And) else (predicate,):
            state = self._filter(state, part)
        return state

    def _filter(self, state: State, predicate: BoundExpression) -> State:
        negated = isinstance(predicate, bound.Not)
        inside = predicate.operand if isinstance(predicate, bound.Not) else predicate
        if isinstance(inside, Subquery) and inside.kind == "exists":
            state, inner = self._inner(state, inside)
            semi = ops.LogicalSemiApply(source=state.plan, inner=inner.plan, negated=negated)
            return replace(state, plan=semi)
        state, lifted = self.lift(state, predicate)
        return replace(state, plan=ops.LogicalFilter(source=state.plan, predicate=lifted))

    # --- subqueries ---------------------------------------------------------------------

    def argument(self, state: State, *more: str) -> State:
        """Where an inner plan starts: all columns of the row, and `more`."""
        columns = state.columns | set(more)
        plan = LogicalArgument(variables=tuple(sorted(columns)))
        return State(plan, columns, dict(state.labels), max(state.rows, 1.0), inner=True)

    def _inner(self, state: State, subquery: Subquery) -> tuple[State, State]:
        """The state with the arguments computed, and the planned body."""
        state, arguments = self.lift_items(state, subquery.arguments)
        renamed = tuple(
            (name, value)
            for name, value in arguments
            if not (isinstance(value, Variable) and value.name == name)
        )
        if renamed:
            extended = ops.LogicalExtend(source=state.plan, items=renamed)
            state = state.onto(extended, *(name for name, _ in renamed))
        return state, self.plan_inner(subquery.query, self.argument(state))

    def _subquery(self, state: State, subquery: Subquery) -> tuple[State, BoundExpression]:
        state, inner = self._inner(state, subquery)
        if subquery.kind == "exists":
            name = self.names.anonymous("exists", T.BOOLEAN).name
            let = ops.LogicalLetSemiApply(source=state.plan, inner=inner.plan, variable=name)
            return state.onto(let, name), Variable(name, type=T.BOOLEAN, at=subquery.at)
        value = subquery.value
        if value is None:
            value = self.names.anonymous("value", T.BOOLEAN).name
            one: Items = ((value, Constant(True, type=T.BOOLEAN)),)
            inner = replace(inner, plan=ops.LogicalProject(source=inner.plan, items=one))
        state, column = self._roll_up(state, inner, value, subquery.at)
        if subquery.kind == "count":
            return state, bound.Call("size", (column,), type=T.INTEGER, at=subquery.at)
        return state, column

    def _roll_up(
        self, state: State, inner: State, value: str, at: int
    ) -> tuple[State, BoundExpression]:
        name = self.names.anonymous("list", T.LIST).name
        rolled = ops.LogicalRollUpApply(
            source=state.plan, inner=inner.plan, value=value, variable=name
        )
        return state.onto(rolled, name), Variable(name, type=T.LIST, at=at)

    # --- comprehensions whose parts need a plan -----------------------------------------

    def _comprehension(
        self, state: State, node: bound.ListComprehension
    ) -> tuple[State, BoundExpression]:
        state, source = self.lift(state, node.source)
        inner = self.argument(state)
        unwind = ops.LogicalUnwind(source=inner.plan, expression=source, variable=node.variable)
        inner = inner.onto(unwind, node.variable)
        if node.where is not None:
            inner = self.filter(inner, node.where)
        projection = node.projection or Variable(node.variable, at=node.at)
        inner, projection = self.lift(inner, projection)
        value = self.names.anonymous("value", projection.type).name
        project = ops.LogicalProject(source=inner.plan, items=((value, projection),))
        state, column = self._roll_up(state, replace(inner, plan=project), value, node.at)
        # An unwound null is no row, but a comprehension over null is null.
        absent = bound.IsNull(source, False, type=T.BOOLEAN, at=node.at)
        null = Constant(None, type=T.NULL, at=node.at)
        case = bound.Case(None, (absent,), (null,), column, type=T.LIST, at=node.at)
        return state, case

    def _quantifier(self, state: State, node: bound.Quantifier) -> tuple[State, BoundExpression]:
        """The answers for all elements first, then the quantifier over the answers."""
        answers = bound.ListComprehension(
            node.variable, node.source, None, node.where, type=T.LIST, at=node.at
        )
        state, listed = self.lift(state, answers)
        element = self.names.declare("answer", T.BOOLEAN).name
        where = Variable(element, type=T.BOOLEAN, at=node.at)
        return state, bound.Quantifier(
            node.kind, element, listed, where, type=T.BOOLEAN, at=node.at
        )

    def _fold(self, state: State, node: bound.Reduce) -> tuple[State, BoundExpression]:
        state, source = self.lift(state, node.source)
        state, initial = self.lift(state, node.initial)
        inner = self.argument(state, node.accumulator, node.variable)
        inner, expression = self.lift(inner, node.expression)
        value = self.names.anonymous("value", expression.type).name
        project = ops.LogicalProject(source=inner.plan, items=((value, expression),))
        name = self.names.anonymous("total", node.type).name
        fold = ops.LogicalFold(
            source=state.plan,
            inner=project,
            accumulator=node.accumulator,
            initial=initial,
            element=node.variable,
            expression=source,
            value=value,
            variable=name,
        )
        return state.onto(fold, name), Variable(name, type=node.type, at=node.at)


def _needs_own_plan(node: bound.ListComprehension) -> bool:
    return holds_subquery(node.where) or holds_subquery(node.projection)
