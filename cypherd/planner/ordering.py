"""In which order a pattern is solved: the cheapest start, then always the cheapest next step.

A Search holds what is solved and the steps that led there; steps are operators whose source is
still open, or predicates. Cost is the sum of the rows of all steps. Every start of a connected
part is tried with greedy steps after it, and the cheapest outcome taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeAlias

from cypherd.binder.expressions import (
    BoundExpression,
    Call,
    Constant,
    DistinctRelationships,
    HasLabels,
    IsNull,
    ListOf,
    Variable,
)
from cypherd.binder.query import PatternGraph, PatternRelationship, ShortestPattern, Subquery
from cypherd.binder.scopes import Names
from cypherd.binder.traversal import variables, walk
from cypherd.planner.cardinality import Cardinality
from cypherd.planner.leaves import NO_SOURCE, Leaf, node_leaves, relationship_leaves
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.shortest import shortest_step
from cypherd.planner.steps import Steps
from cypherd.planner.uniqueness import Uniqueness, merged_uniqueness
from cypherd.values.types import CypherType as T

Step: TypeAlias = LogicalOperator | BoundExpression
SCANS = (
    ops.LogicalAllNodesScan,
    ops.LogicalNodeByLabelScan,
    ops.LogicalUnionNodeByLabelsScan,
    ops.LogicalRelationshipScan,
)
SCAN_COST = 10.0
"""A scan costs a little even over nothing: plans outlive the counts they were made with, and
what is empty when an index is made will not stay so."""
JOIN_GAIN = 2.0
"""How many times less a join must ask for than a walk, which comes in order and may stop early."""
MANY_NODES = 12
"""Patterns with more nodes try only their cheapest starts."""

MANY_RELATIONSHIPS, FEW_EXPANSIONS = 50, 8
"""With more relationships to do only a few of those in reach are compared at each step: all of
them would take time in proportion to the cube of their number."""


@dataclass(frozen=True, slots=True)
class Search:
    """`bound`: columns that are there. `labels`: those that nodes of the pattern must have."""

    bound: frozenset[str]
    labels: dict[str, frozenset[str]]
    nodes: frozenset[str]
    relationships: tuple[PatternRelationship, ...]
    predicates: tuple[BoundExpression, ...]
    steps: tuple[Step, ...]
    rows: float
    cost: float
    work: float = 0.0
    """What the store is asked for by the steps and the filters behind them; see `_work`."""


@dataclass(frozen=True, slots=True)
class JoinedWalk:
    """`part`, begun anew, is to be joined on the nodes `ends`, for each of the `imports`."""

    part: Search
    ends: tuple[str, ...]
    imports: tuple[str, ...]


def _work(search: Search) -> float:
    return search.work


@dataclass(frozen=True, slots=True)
class Ordering:
    """The moves of a search."""

    cardinality: Cardinality
    names: Names
    steps: Steps
    known: dict[int, tuple[BoundExpression, frozenset[str]]] = field(default_factory=dict)
    """What predicates read, by identity: it is asked for at every move."""
    unique: Uniqueness = field(default_factory=Uniqueness)
    """Which relationships may not be the same; filled by `begin`."""

    def _reads(self, predicate: BoundExpression) -> frozenset[str]:
        found = self.known.get(id(predicate))
        if found is None:
            found = self.known[id(predicate)] = (predicate, variables(predicate))
        return found[1]

    def begin(
        self,
        graph: PatternGraph,
        bound: frozenset[str],
        labels: dict[str, frozenset[str]],
        rows: float,
    ) -> Search:
        """Nothing of the graph solved but what is bound already."""
        wanted = dict(labels)
        checks: list[BoundExpression] = []
        for node in graph.nodes:
            known = wanted.get(node.variable, frozenset())
            checks += [
                HasLabels(_node(node.variable), (label,), type=T.BOOLEAN)
                for label in node.labels
                if label not in known
            ]
            wanted[node.variable] = known | frozenset(node.labels)
        checks += _present(graph, bound)
        predicates = (*checks, *graph.predicates)
        self.unique.add(graph.relationships)
        nodes = frozenset(node.variable for node in graph.nodes) - bound
        search = Search(bound, wanted, nodes, graph.relationships, predicates, (), rows, 0.0)
        return self.filtered(search, self.unique.between(bound, bound))

    # --- single moves -------------------------------------------------------------------

    def filtered(self, search: Search, distinct: Sequence[DistinctRelationships] = ()) -> Search:
        """Every predicate whose variables are bound and the `distinct` ones, the cheap first."""
        ready = [p for p in search.predicates if self._reads(p) <= search.bound]
        if not ready and not distinct:
            return search
        taken = {id(p) for p in ready}
        left = tuple(p for p in search.predicates if id(p) not in taken)
        ready = [*distinct, *ready]
        rows, work = search.rows, search.work
        for predicate in sorted(ready, key=_price):
            if not isinstance(predicate, DistinctRelationships):
                work += rows
            rows *= self._share(search, predicate)
        ready = merged_uniqueness(sorted(ready, key=_price))
        steps = (*search.steps, *ready)
        return replace(search, predicates=left, steps=steps, rows=rows, work=work)

    def _share(self, search: Search, predicate: BoundExpression) -> float:
        last = search.steps[-1] if search.steps else None
        if isinstance(last, LogicalOperator):
            share = self.cardinality.arrived_share(last, predicate)
            if share is not None:
                return share
        match predicate:
            case HasLabels(_, (label,)):
                return self.cardinality.label_share(label)
        return self.cardinality.selectivity(predicate, search.labels)

    def stepped(self, search: Search, operator: LogicalOperator, *binds: str) -> Search:
        """An operator, then what can be filtered."""
        rows = self.cardinality.rows(operator, search.rows, search.labels)
        bound = search.bound | set(binds)
        return self.filtered(
            replace(
                search,
                bound=bound,
                nodes=search.nodes - bound,
                steps=(*search.steps, operator),
                rows=rows,
                cost=search.cost + rows,
                # Each row is asked for, whether anything is found for it or not.
                work=search.work + search.rows + rows,
            ),
            self.unique.between(binds, bound),
        )

    def joined(self, search: Search, left: frozenset[str], right: frozenset[str]) -> Search:
        """What can be filtered where the columns `left` and `right` were joined."""
        return self.filtered(search, self.unique.between(right - left, left - right))

    def started(self, search: Search, leaf: Leaf) -> Search:
        """A leaf, which solves its predicates and binds its variables."""
        left = tuple(p for p in search.predicates if p not in leaf.solved)
        relationships = tuple(
            r for r in search.relationships if r.bound or r.variable not in leaf.binds
        )
        cost = search.cost + (SCAN_COST if isinstance(leaf.operator, SCANS) else 0.0)
        search = replace(search, predicates=left, relationships=relationships, cost=cost)
        return self.stepped(search, leaf.operator, *leaf.binds)

    def expansions(self, search: Search) -> Iterator[Search]:
        """Every relationship that can be walked from what is bound."""
        for relationship in search.relationships:
            ends = {relationship.start, relationship.end}
            reached = relationship.bound and relationship.length is None
            if not (reached or ends & search.bound):
                continue
            if not _properties_ready(relationship, search.bound):
                continue
            rest = replace(
                search,
                relationships=tuple(r for r in search.relationships if r is not relationship),
            )
            if relationship.bound and relationship.length is None:
                yield self._joined(rest, relationship)
                continue
            for start, end, backwards in (
                (relationship.start, relationship.end, False),
                (relationship.end, relationship.start, True),
            ):
                if start not in search.bound:
                    continue
                step = self.steps.expansion(relationship, start, end, backwards, search.bound)
                walked = self.stepped(rest, step, end, *relationship.columns())
                sought = self._sought(rest, relationship, end)
                yield walked if sought is None or _work(walked) <= _work(sought) else sought

    def _sought(self, search: Search, relationship: PatternRelationship, end: str) -> Search | None:
        """The other end found by a seek first, and the relationship between the two after it:
        from a hub that costs less than to walk all it has. None where there is no seek."""
        several = relationship.length is not None and relationship.selection is None
        if end in search.bound or several:
            return None
        found = None
        for leaf in node_leaves(end, search.predicates, search.bound, self.cardinality.context):
            if isinstance(leaf.operator, SCANS):
                continue
            there = self.started(search, leaf)
            step = self.steps.expansion(
                relationship, relationship.start, relationship.end, False, there.bound
            )
            closed = self.stepped(there, step, *relationship.columns())
            if found is None or _work(closed) < _work(found):
                found = closed
        return found

    def _joined(self, search: Search, relationship: PatternRelationship) -> Search:
        """A relationship that has a value already: its ends are read from it."""
        found = self.names.anonymous("relationship", T.RELATIONSHIP).name
        value = Variable(relationship.variable, type=T.RELATIONSHIP)
        checks: list[BoundExpression] = []
        ends = []
        for end in (relationship.start, relationship.end):
            if end in search.bound or end in ends:
                fresh = self.names.anonymous("node", T.NODE).name
                checks.append(_equal(_node(fresh), _node(end)))
                ends.append(fresh)
            else:
                ends.append(end)
        if relationship.types:
            types = tuple(Constant(name, type=T.STRING) for name in relationship.types)
            type_ = Call("type", (value,), type=T.STRING)
            checks.append(Call("in", (type_, ListOf(types, type=T.LIST)), type=T.BOOLEAN))
        seek = ops.LogicalRelationshipByIdSeek(
            source=NO_SOURCE,
            relationship=found,
            start=ends[0],
            end=ends[1],
            ids=Call("id", (value,), type=T.INTEGER),
            directed=relationship.direction != "both",
        )
        search = replace(search, predicates=(*checks, *search.predicates))
        return self.stepped(search, seek, found, *ends)

    # --- whole parts --------------------------------------------------------------------

    def connected(self, search: Search) -> Search:
        """Greedily walks everything that hangs on what is bound."""
        while True:
            found = list(self._some_expansions(search))
            if not found:
                return search
            search = min(found, key=lambda s: s.rows)

    def _some_expansions(self, search: Search) -> Iterator[Search]:
        many = len(search.relationships) > MANY_RELATIONSHIPS
        return islice(self.expansions(search), FEW_EXPANSIONS if many else None)

    def best_walk(self, search: Search) -> Search:
        """Everything that hangs on what is bound: walked from there, or from a seek of another
        of its nodes if that asks less of the store."""
        walked = self.connected(search)
        if not walked.steps or len(search.nodes) > MANY_NODES:
            return walked
        reached = search.nodes - walked.nodes
        tried = [walked]
        for node in sorted(reached):
            for leaf in node_leaves(
                node, search.predicates, search.bound, self.cardinality.context
            ):
                if isinstance(leaf.operator, SCANS):
                    continue
                tried.append(self.connected(self.started(search, leaf)))
        return min(tried, key=lambda s: s.work)

    def joined_walk(
        self, search: Search, walked: Search, combinations: Callable[[frozenset[str]], float]
    ) -> JoinedWalk | None:
        """What `walked` walked from the bound nodes, walked from another of its nodes and joined
        on the bound ones, if that asks much less of the store. `combinations` tells how many
        different values bound columns have, for which the other way is gone."""
        ends = _walked_ends(search, walked)
        reached = search.nodes - walked.nodes
        if not ends or not reached or len(reached) > MANY_NODES:
            return None
        relationships = tuple(r for r in search.relationships if r not in walked.relationships)
        found: JoinedWalk | None = None
        for node in sorted(reached):
            for leaf in node_leaves(
                node, search.predicates, search.bound, self.cardinality.context
            ):
                if leaf.reads & ends:
                    continue
                begun = replace(
                    search,
                    bound=leaf.reads,
                    nodes=reached | ends,
                    relationships=relationships,
                    steps=(),
                    rows=combinations(leaf.reads),
                    cost=0.0,
                    work=0.0,
                )
                part = self.connected(self.started(begun, leaf))
                whole = not part.relationships and ends <= part.bound
                if whole and (found is None or part.work < found.part.work):
                    found = JoinedWalk(part, tuple(sorted(ends)), tuple(sorted(leaf.reads)))
        if found is None:
            return None
        # Both sides go through the table.
        work = found.part.work + found.part.rows + search.rows
        return found if work * JOIN_GAIN < walked.work - search.work else None

    def best_start(self, search: Search) -> tuple[Leaf, Search] | None:
        """The cheapest way to solve one further connected part; None if all is solved."""
        leaves = list(self._leaves(search))
        if not leaves:
            return None
        if len(search.nodes) > MANY_NODES:
            leaves.sort(key=lambda leaf: self._rough_cost(search, leaf))
            del leaves[3:]
        outcomes = [(leaf, self.connected(self.started(search, leaf))) for leaf in leaves]
        # A part that costs little but leaves others to do must not win by leaving more undone.
        return min(
            outcomes,
            key=lambda found: (
                (found[1].cost - search.cost) / max(len(search.nodes) - len(found[1].nodes), 1),
                found[1].rows,
            ),
        )

    def _rough_cost(self, search: Search, leaf: Leaf) -> float:
        """That of the leaf alone, without what follows from it."""
        rows = self.cardinality.rows(leaf.operator, search.rows, search.labels)
        return rows + (SCAN_COST if isinstance(leaf.operator, SCANS) else 0.0)

    def _leaves(self, search: Search) -> Iterator[Leaf]:
        context = self.cardinality.context
        for node in sorted(search.nodes):
            yield from node_leaves(node, search.predicates, search.bound, context)
        for relationship in search.relationships:
            yield from relationship_leaves(relationship, search.predicates, search.bound, context)

    def shortest(self, search: Search, pattern: ShortestPattern) -> Search:
        """A shortest path between two nodes that are bound by now."""
        step = shortest_step(pattern, search.predicates, search.bound)
        left = tuple(p for p in search.predicates if p not in step.predicates)
        binds = (step.relationships, *(() if step.path is None else (step.path,)))
        return self.stepped(replace(search, predicates=left), step, *binds)


def _walked_ends(search: Search, walked: Search) -> frozenset[str]:
    """The bound nodes that a walk began at; none if it cannot be begun anew elsewhere."""
    done = [r for r in search.relationships if r not in walked.relationships]
    if any(r.bound or r.properties or r.each or r.outer() for r in done):
        return frozenset()
    return frozenset(end for r in done for end in (r.start, r.end)) & search.bound


def _node(name: str) -> Variable:
    return Variable(name, type=T.NODE)


def _present(graph: PatternGraph, bound: frozenset[str]) -> Iterator[BoundExpression]:
    """A node from before that stands alone may be null, which matches nothing; whatever is
    walked from drops its null by itself."""
    ends = {end for r in graph.relationships for end in (r.start, r.end)}
    ends |= {end for s in graph.shortest for end in (s.relationship.start, s.relationship.end)}
    for name in dict.fromkeys(node.variable for node in graph.nodes):
        if name in bound and name not in ends:
            yield IsNull(_node(name), True, type=T.BOOLEAN)


def _equal(left: BoundExpression, right: BoundExpression) -> Call:
    return Call("=", (left, right), type=T.BOOLEAN)


def _properties_ready(relationship: PatternRelationship, bound: frozenset[str]) -> bool:
    known = all(variables(value) <= bound for _, value in relationship.properties)
    known = known and relationship.outer() <= bound
    return known and all(
        variables(predicate) <= bound | {variable} for variable, predicate in relationship.each
    )


def _price(predicate: BoundExpression) -> int:
    """Rough order of evaluation: relationship ids, labels, values, subqueries."""
    if isinstance(predicate, DistinctRelationships):
        return 0
    if isinstance(predicate, HasLabels):
        return 1
    return 3 if any(isinstance(part, Subquery) for part in walk(predicate)) else 2
