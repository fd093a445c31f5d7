"""From a pattern graph to operators on top of a plan.

Parts that hang together are solved by expanding; parts that do not are joined by a product, a
hash join on an equality between them, or, where a seek uses columns from before or there is but
one row, by a leaf on top of the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cypherd.binder.expressions import BoundExpression, Call
from cypherd.binder.query import (
    PatternGraph,
    PatternGroup,
    PatternRelationship,
    holds_subquery,
)
from cypherd.binder.scopes import Names
from cypherd.binder.traversal import variables
from cypherd.errors import InternalError
from cypherd.planner.alternatives import with_alternatives
from cypherd.planner.cardinality import Cardinality, estimate, fewest_rows
from cypherd.planner.context import PlanContext
from cypherd.planner.lifting import Lifter
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.columns import introduced
from cypherd.planner.logical.operators import LogicalArgument, LogicalOperator
from cypherd.planner.ordering import JoinedWalk, Ordering, Search
from cypherd.planner.state import State
from cypherd.planner.steps import Steps


@dataclass(frozen=True, slots=True)
class PatternPlanner:
    context: PlanContext
    names: Names
    lifter: Lifter

    def plan(self, state: State, graph: PatternGraph) -> State:
        """The graph's rows for every row of the plan."""
        return with_alternatives(state, graph, self._plan, self.names, self.context)

    def _plan(self, state: State, graph: PatternGraph) -> State:
        ordering = Ordering(Cardinality(self.context), self.names, Steps(self._part))
        search = ordering.begin(graph, state.columns, state.labels, state.rows)
        while True:
            state, search = self._walked(state, search, ordering)
            found = ordering.best_start(search)
            if found is None:
                break
            leaf, outcome = found
            alone = not leaf.reads and not state.inner and not state.writes
            if alone and search.rows > 1.0:
                state, search = self._joined(state, search, ordering)
            else:
                state, search = self._built(state, outcome)
        for pattern in graph.shortest:
            search = ordering.shortest(search, pattern)
        state, search = self._built(state, search)
        return self._finished(state, search, graph, ordering)

    def _part(self, part: PatternGroup, backwards: bool) -> LogicalOperator:
        """The plan that goes once through a part that is repeated."""
        columns = part.reads() | {part.end if backwards else part.start}
        argument = LogicalArgument(variables=tuple(sorted(columns)))
        return self.plan(State(argument, columns, {}, 1.0, inner=True), part.graph).plan

    def _walked(self, state: State, search: Search, ordering: Ordering) -> tuple[State, Search]:
        """Everything that hangs on what is bound: expanded from there, or joined to it."""
        walked = ordering.best_walk(search)
        if state.inner or state.writes or not walked.steps:
            return self._built(state, walked)
        rest = replace(walked, steps=walked.steps[len(search.steps) :])
        state, search = self._built(state, search)
        joined = ordering.joined_walk(search, walked, self._combinations(state))
        if joined is None:
            return self._built(state, rest)
        return self._joined_walk(state, search, walked, joined, ordering)

    def _combinations(self, state: State) -> Callable[[frozenset[str]], float]:
        def count(names: frozenset[str]) -> float:
            return fewest_rows(estimate(state.plan, self.context), names) if names else 1.0

        return count

    def _joined_walk(
        self, state: State, search: Search, walked: Search, joined: JoinedWalk, ordering: Ordering
    ) -> tuple[State, Search]:
        argument = LogicalArgument(variables=joined.imports)
        right, part = self._built(State(argument, frozenset(joined.imports), {}, 1.0), joined.part)
        join = ops.LogicalNodeHashJoin(
            left=state.plan, right=right.plan, variables=joined.ends, imports=joined.imports
        )
        sides = (search.bound, part.bound)
        bound = search.bound | part.bound
        state = replace(state, plan=join, columns=state.columns | part.bound)
        left_over = {id(predicate) for predicate in part.predicates}
        search = replace(
            search,
            bound=bound,
            nodes=search.nodes - bound,
            relationships=walked.relationships,
            predicates=tuple(p for p in search.predicates if id(p) in left_over),
            labels=part.labels,
            rows=walked.rows,
        )
        return state, ordering.joined(search, *sides)

    def _finished(
        self, state: State, search: Search, graph: PatternGraph, ordering: Ordering
    ) -> State:
        if graph.paths:
            extended = ops.LogicalExtend(source=state.plan, items=graph.paths)
            names = [name for name, _ in graph.paths]
            state = state.onto(extended, *names)
            search = ordering.filtered(replace(search, bound=search.bound | set(names)))
            state, search = self._built(state, search)
        if search.predicates or search.relationships:
            raise InternalError("a part of a pattern could not be planned")
        return state

    def _built(self, state: State, search: Search) -> tuple[State, Search]:
        """The search's steps as operators; the search goes on without them."""
        for step in search.steps:
            if isinstance(step, LogicalOperator):
                plan = replace(step, source=state.plan)  # type: ignore[call-arg]
                state = state.onto(plan, *introduced(plan))
            else:
                state = self.lifter.filter(state, step)
        state = replace(
            state,
            columns=state.columns | search.bound,
            labels=search.labels,
            rows=search.rows,
        )
        return state, replace(search, steps=())

    def _joined(self, state: State, search: Search, ordering: Ordering) -> tuple[State, Search]:
        """A part planned by itself and joined with the plan so far."""
        fresh = replace(search, bound=frozenset(), rows=1.0, steps=(), cost=0.0)
        found = ordering.best_start(replace(fresh, relationships=self._loose(search)))
        assert found is not None
        part = found[1]
        start = State(LogicalArgument(), frozenset(), {}, 1.0)
        right, part = self._built(start, part)
        left_over = {id(p) for p in part.predicates}
        predicates = tuple(p for p in search.predicates if id(p) in left_over)
        done = {r.variable for r in search.relationships if r.variable in part.bound}
        relationships = tuple(r for r in search.relationships if r.variable not in done)
        join, predicates, rows = self._join(state, right, search, part, predicates)
        sides = (search.bound, part.bound)
        bound = search.bound | part.bound
        state = replace(state, plan=join, columns=state.columns | part.bound)
        search = replace(
            search,
            bound=bound,
            nodes=search.nodes - bound,
            relationships=relationships,
            predicates=predicates,
            rows=rows,
        )
        return state, ordering.joined(search, *sides)

    def _loose(self, search: Search) -> tuple[PatternRelationship, ...]:
        """Relationships with no end among what is bound."""
        return tuple(
            r for r in search.relationships if not ({r.start, r.end} & search.bound) and not r.bound
        )

    def _join(
        self,
        state: State,
        right: State,
        search: Search,
        part: Search,
        predicates: tuple[BoundExpression, ...],
    ) -> tuple[LogicalOperator, tuple[BoundExpression, ...], float]:
        """A hash join where an equality allows it, else a product; the predicates left; rows."""
        rows = search.rows * part.rows
        for predicate in predicates:
            keys = _join_keys(predicate, search.bound, part.bound)
            if keys is None:
                continue
            rest = tuple(p for p in predicates if p is not predicate)
            join = ops.LogicalValueHashJoin(
                left=state.plan, right=right.plan, left_key=keys[0], right_key=keys[1]
            )
            return join, rest, rows * 0.1
        product = ops.LogicalCartesianProduct(left=state.plan, right=right.plan)
        return product, predicates, rows


def _join_keys(
    predicate: BoundExpression, left: frozenset[str], right: frozenset[str]
) -> tuple[BoundExpression, BoundExpression] | None:
    """The sides of `left = right`, if each reads only, and something of, its own side."""
    if not isinstance(predicate, Call) or predicate.function != "=":
        return None
    # What has to be planned first is no key of a join.
    if holds_subquery(predicate):
        return None
    for one, other in (predicate.arguments, predicate.arguments[::-1]):
        reads_one, reads_other = variables(one), variables(other)
        if reads_one and reads_other and reads_one <= left and reads_other <= right:
            return one, other
    return None
