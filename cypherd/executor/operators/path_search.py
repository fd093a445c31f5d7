"""The walks from one node over the steps of a path, from the shortest on, and the paths among them.

The steps are an automaton that walks are read with. A walk stands at (step, times, node): how often
the current step has been taken, and where that led. Walks are counted in layers of equal length:

    layer L:   standing  ->  the moves that lead there from earlier layers

so that every walk of length L to a node is found by following moves backwards from it. Those that
take no relationship twice are paths, and the layers come in order of length. What a node leads to
by a step is asked once of the step's plan, for all nodes of a layer together.

Where only the shortest are wanted and the path is a single repeated relationship, the shortest
walks are paths, but for those that return to the start; then no place is visited at a greater
length than at first: breadth-first search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.memory import Holding
from cypherd.executor.operators.path_step import Move, PathStep

_MOVE_BYTES = 200
_STANDING_BYTES, _ARRIVAL_BYTES = 300, 80
_EACH_CHECK = 256


class Standing(NamedTuple):
    """`step`: of those there are, or their number at the end of a path."""

    step: int
    times: int
    node: int


Arrival: TypeAlias = tuple[Standing, Move | None] | None
"""From where, by which move (None: on to the next step); None: here walks begin."""
Path: TypeAlias = tuple[Move, ...]


class PathSearch:
    """The walks from one node. `reached`: nodes at the end of one. `complete`: no other will be.
    With `once` a standing is only met at the least length that it has."""

    def __init__(
        self,
        steps: Sequence[PathStep],
        context: ExecutionContext,
        row: Batch,
        held: Holding,
        start: int,
        once: bool,
    ) -> None:
        self.steps = steps
        self.context = context
        self.row = row
        self.held = held
        self.start = start
        self.once = once
        self.layers: dict[int, dict[Standing, list[Arrival]]] = {}
        self.met: dict[Standing, int] = {}
        self.leading: dict[tuple[int, int], list[Move]] = {}
        self.relationships: set[int] = set()
        self.reached: set[int] = set()
        self.complete = False
        self._newest = 0

    def lengths(self) -> Iterator[tuple[int, list[int]]]:
        """(length, nodes that walks of it lead to), from the shortest on."""
        self._arrive(0, Standing(0, 0, self.start), None)
        length = last = 0
        while length <= last:
            if self.layers.get(length):
                ended = self._settled(length)
                self._moved(length)
                self.reached.update(ended)
                last = max(self.layers)
                self.complete = self._newest <= length
                yield length, ended
            length += 1
            # A walk of more relationships than there are takes one of them twice.
            if self.complete and length > len(self.relationships):
                return

    def _arrive(self, length: int, standing: Standing, arrival: Arrival) -> bool:
        """Notes a way to get there; whether it is the first of this length."""
        first = self.met.get(standing)
        if first is None:
            self.met[standing] = length
            self._newest = max(self._newest, length)
        elif self.once and first < length:
            return False
        layer = self.layers.setdefault(length, {})
        arrivals = layer.get(standing)
        self.held.add(_STANDING_BYTES if arrivals is None else _ARRIVAL_BYTES)
        if arrivals is None:
            layer[standing] = [arrival]
            return True
        arrivals.append(arrival)
        return False

    def _settled(self, length: int) -> list[int]:
        """Everywhere that can be got to without a relationship more; the nodes where walks end."""
        waiting = list(self.layers[length])
        ended = []
        while waiting:
            self._ask(waiting, conditions=True)
            further = []
            for standing in waiting:
                step, times, node = standing
                if step == len(self.steps):
                    ended.append(node)
                    continue
                plan = self.steps[step].plan
                on = Standing(step + 1, 0, node)
                if plan.relationships:
                    passed = times >= plan.minimum
                else:
                    passed = bool(self.leading[step, node])
                if passed and self._arrive(length, on, (standing, None)):
                    further.append(on)
            waiting = further
        return ended

    def _moved(self, length: int) -> None:
        """One move on from everywhere in the layer."""
        standings = [s for s in self.layers[length] if self._may_move(s, length)]
        self._ask(standings, conditions=False)
        for count, standing in enumerate(standings):
            if not count % _EACH_CHECK:
                self.context.guard.check()
            step, times, node = standing
            plan = self.steps[step].plan
            most = plan.minimum if plan.maximum is None or self.once else plan.maximum
            for move in self.leading[step, node]:
                there = Standing(step, min(times + 1, most), move.node)
                self._arrive(length + len(move.relationships), there, (standing, move))

    def _may_move(self, standing: Standing, length: int) -> bool:
        if standing.step == len(self.steps):
            return False
        plan = self.steps[standing.step].plan
        if not plan.relationships:
            return False
        times = length if self.once else standing.times
        return plan.maximum is None or times < plan.maximum

    def _ask(self, standings: list[Standing], *, conditions: bool) -> None:
        """Finds the moves on from everywhere there, where they are not known yet."""
        asked: dict[int, list[int]] = {}
        for step, _, node in standings:
            if step == len(self.steps) or (step, node) in self.leading:
                continue
            if bool(self.steps[step].plan.relationships) is not conditions:
                self.leading[step, node] = []
                asked.setdefault(step, []).append(node)
        for step, nodes in asked.items():
            size = self.context.batch_size
            for begin in range(0, len(nodes), size):
                self._ask_step(step, nodes[begin : begin + size])

    def _ask_step(self, step: int, nodes: list[int]) -> None:
        for place, move in self.steps[step].moves(self.context, self.row, step, nodes):
            self.leading[step, nodes[place]].append(move)
            self.relationships.update(move.relationships)
            self.held.add(_MOVE_BYTES)

    def paths(self, length: int, node: int) -> Iterator[Path]:
        """The walks of a length to a node that take no relationship twice."""
        taken: list[Move] = []
        used: set[int] = set()
        end = Standing(len(self.steps), 0, node)
        # The places of the walk, from its end on, with the arrivals that are still to be tried.
        stack = [_Place(self.layers[length][end], length, None)]
        tried = 0
        while stack:
            place = stack[-1]
            tried += 1
            if not tried % _EACH_CHECK:
                self.context.guard.check()
            if place.tried == len(place.arrivals):
                stack.pop()
                if place.by is not None:
                    taken.pop()
                    used.difference_update(place.by.relationships)
                continue
            arrival = place.arrivals[place.tried]
            place.tried += 1
            if arrival is None:
                yield tuple(reversed(taken))
                continue
            standing, move = arrival
            before = place.length
            if move is not None:
                if not used.isdisjoint(move.relationships):
                    continue
                used.update(move.relationships)
                taken.append(move)
                before -= len(move.relationships)
            stack.append(_Place(self.layers[before][standing], before, move))


@dataclass(slots=True)
class _Place:
    """`by`: the move that led on from there."""

    arrivals: list[Arrival]
    length: int
    by: Move | None
    tried: int = 0
