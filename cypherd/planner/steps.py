"""The operators that walk a relationship, a part of a path, or a whole path, either way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cypherd.binder.query import PathSelection, PatternGroup, PatternRelationship
from cypherd.planner.leaves import NO_SOURCE
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator

_OPPOSITE: dict[str, ops.Direction] = {"out": "in", "in": "out", "both": "both"}

PlanPart = Callable[[PatternGroup, bool], LogicalOperator]
"""Plans the graph of a part from its start, or (True) from its end."""


@dataclass(frozen=True, slots=True)
class Steps:
    """`parts`: what has been planned, by the identity of the part; a search asks many times."""

    plan_part: PlanPart
    parts: dict[tuple[int, bool], tuple[PatternGroup, LogicalOperator]] = field(
        default_factory=dict
    )

    def expansion(
        self,
        relationship: PatternRelationship,
        start: str,
        end: str,
        backwards: bool,
        bound: frozenset[str],
    ) -> LogicalOperator:
        """The operator that walks from `start` to `end`; its source is open."""
        into = end in bound
        if relationship.selection is not None:
            return self._selection(
                relationship, relationship.selection, start, end, backwards, into
            )
        if relationship.group is not None:
            return self._repeat(relationship, relationship.group, start, end, backwards, into)
        direction = _OPPOSITE[relationship.direction] if backwards else relationship.direction
        if relationship.length is not None:
            minimum, maximum = relationship.length
            return ops.LogicalVarLengthExpand(
                source=NO_SOURCE,
                start=start,
                relationships=relationship.variable,
                end=end,
                direction=direction,
                types=relationship.types,
                minimum=minimum,
                maximum=maximum,
                into=into,
                reverse=backwards,
                properties=relationship.properties,
                bound=relationship.bound,
                each=relationship.each,
            )
        kind = ops.LogicalExpandInto if into else ops.LogicalExpand
        return kind(
            source=NO_SOURCE,
            start=start,
            relationship=relationship.variable,
            end=end,
            direction=direction,
            types=relationship.types,
        )

    def _part(self, part: PatternGroup, backwards: bool) -> LogicalOperator:
        key = (id(part), backwards)
        found = self.parts.get(key)
        if found is None:
            found = self.parts[key] = (part, self.plan_part(part, backwards))
        return found[1]

    def _repeat(
        self,
        relationship: PatternRelationship,
        group: PatternGroup,
        start: str,
        end: str,
        backwards: bool,
        into: bool,
    ) -> LogicalOperator:
        inner_start, inner_end = _ends(group, backwards)
        return ops.LogicalRepeat(
            source=NO_SOURCE,
            inner=self._part(group, backwards),
            start=start,
            end=end,
            inner_start=inner_start,
            inner_end=inner_end,
            relationships=group.relationships,
            columns=group.columns,
            walked=relationship.variable,
            minimum=group.minimum,
            maximum=group.maximum,
            into=into,
            reverse=backwards,
        )

    def _selection(
        self,
        relationship: PatternRelationship,
        selection: PathSelection,
        start: str,
        end: str,
        backwards: bool,
        into: bool,
    ) -> LogicalOperator:
        names = relationship.columns()
        return ops.LogicalSelectPaths(
            source=NO_SOURCE,
            inner=self._chain(selection, backwards),
            start=start,
            end=end,
            walked=relationship.variable,
            columns=names if into else (*names, end),
            count=selection.count,
            groups=selection.groups,
            predicates=selection.predicates,
            into=into,
            reverse=backwards,
        )

    def _chain(self, selection: PathSelection, backwards: bool) -> LogicalOperator:
        """The steps one behind the other, the first of the walk at the bottom."""
        steps = list(selection.steps)
        reached = [step.reached for step in steps if step.relationships]
        if backwards:
            # The node behind a step is then the one in front of it.
            steps.reverse()
            reached = [*reached[-2::-1], None]
        behind = iter(reached)
        chain: LogicalOperator = NO_SOURCE
        for step in steps:
            inner_start, inner_end = _ends(step, backwards)
            chain = ops.LogicalPathStep(
                source=chain,
                inner=self._part(step, backwards),
                inner_start=inner_start,
                inner_end=inner_end,
                relationships=step.relationships,
                columns=step.columns,
                minimum=step.minimum,
                maximum=step.maximum,
                single=step.single,
                reached=next(behind) if step.relationships else None,
            )
        return chain


def _ends(part: PatternGroup, backwards: bool) -> tuple[str, str]:
    return (part.end, part.start) if backwards else (part.start, part.end)
