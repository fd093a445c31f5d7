"""Statistical aggregates: standard deviations and percentiles (Neo4j's definitions)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from cypherd.batch.columns import Column, IntArray, ObjectColumn
from cypherd.errors import ArgumentError
from cypherd.values.arithmetic import is_number
from cypherd.values.description import wrong_type

_NUMBER = 40
_GROUP = 160


def _need_number(name: str, value: Any) -> None:
    if not is_number(value):
        raise wrong_type(name, "numbers", value)


class Deviation:
    """stDev (of a sample, n - 1) and stDevP (of a population, n); 0.0 of too few values.

    Welford's method: one pass, numerically stable.
    """

    def __init__(self, population: bool) -> None:
        self.population = population
        self.name = "stDevP()" if population else "stDev()"
        self.states: list[tuple[int, float, float]] = []

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        self.states.extend([(0, 0.0, 0.0)] * (group_count - len(self.states)))
        for group, value in zip(groups.tolist(), arguments[0].to_list(), strict=True):
            if value is None:
                continue
            _need_number(self.name, value)
            count, mean, squares = self.states[group]
            count += 1
            delta = value - mean
            mean += delta / count
            self.states[group] = (count, mean, squares + delta * (value - mean))

    def results(self, group_count: int) -> Column:
        empty = [(0, 0.0, 0.0)] * (group_count - len(self.states))
        return ObjectColumn([self._deviation(*state) for state in self.states + empty])

    def _deviation(self, count: int, mean: float, squares: float) -> float:
        divisor = count if self.population else count - 1
        return math.sqrt(squares / divisor) if divisor > 0 else 0.0

    def nbytes(self) -> int:
        return _GROUP * len(self.states)


class Percentile(ABC):
    """Keeps the numbers of every group and its percentile, which its first row gives."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self.numbers: list[list[Any]] = []
        self.percentiles: list[float] = []
        self.held = 0

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        """Raises ArgumentError (NumberOutOfRange) for a percentile outside 0.0 to 1.0."""
        missing = group_count - len(self.numbers)
        self.numbers.extend([] for _ in range(missing))
        self.percentiles.extend([0.0] * missing)
        self.held += missing * _GROUP
        values, percentiles = arguments[0].to_list(), arguments[1].to_list()
        for group, value, percentile in zip(groups.tolist(), values, percentiles, strict=True):
            self._check(percentile)
            if value is None:
                continue
            _need_number(self.name, value)
            if not self.numbers[group]:
                self.percentiles[group] = percentile
            self.numbers[group].append(value)
            self.held += _NUMBER

    def _check(self, percentile: Any) -> None:
        _need_number(self.name, percentile)
        if not 0 <= percentile <= 1:
            raise ArgumentError(
                f"{self.name} expects a percentile from 0.0 to 1.0, not {percentile}",
                detail="NumberOutOfRange",
            )

    def results(self, group_count: int) -> Column:
        found = [
            self.percentile(sorted(numbers), percentile) if numbers else None
            for numbers, percentile in zip(self.numbers, self.percentiles, strict=True)
        ]
        return ObjectColumn(found + [None] * (group_count - len(found)))

    @abstractmethod
    def percentile(self, numbers: list[Any], percentile: float) -> Any:
        """The percentile of ascending numbers, at least one."""

    def nbytes(self) -> int:
        return self.held


class PercentileCont(Percentile):
    name = "percentileCont()"

    def percentile(self, numbers: list[Any], percentile: float) -> float:
        position = percentile * (len(numbers) - 1)
        below, above = math.floor(position), math.ceil(position)
        if below == above:
            return float(numbers[below])
        return float(numbers[below] * (above - position) + numbers[above] * (position - below))


class PercentileDisc(Percentile):
    name = "percentileDisc()"

    def percentile(self, numbers: list[Any], percentile: float) -> Any:
        # The least value with at least that share of all values at or below it.
        return numbers[max(0, math.ceil(percentile * len(numbers)) - 1)]
