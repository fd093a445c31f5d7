"""Signatures of the aggregates; what they compute is in aggregates.py."""

from __future__ import annotations

from cypherd.functions.signature import Family
from cypherd.values.types import CypherType as T


def _declared() -> Family:
    family = Family()

    def aggregate(name: str, arguments: tuple[T, ...], result: T, help: str) -> None:
        family.declare(name, arguments=arguments, result=result, help=help, aggregate=True)

    aggregate("count", (T.ANY,), T.INTEGER, "How many values are not null.")
    aggregate("sum", (T.NUMBER,), T.NUMBER, "The sum of the numbers or durations; 0 of none.")
    aggregate("sum", (T.TEMPORAL,), T.TEMPORAL, "The sum of durations.")
    aggregate("avg", (T.NUMBER,), T.FLOAT, "The mean of the numbers or durations; null of none.")
    aggregate("avg", (T.TEMPORAL,), T.TEMPORAL, "The mean of durations.")
    aggregate("min", (T.ANY,), T.ANY, "The least value in the order of ORDER BY.")
    aggregate("max", (T.ANY,), T.ANY, "The greatest value in the order of ORDER BY.")
    aggregate("collect", (T.ANY,), T.LIST, "A list of the values that are not null.")
    aggregate("stDev", (T.NUMBER,), T.FLOAT, "Standard deviation of a sample (n - 1).")
    aggregate("stDevP", (T.NUMBER,), T.FLOAT, "Standard deviation of a population (n).")
    aggregate(
        "percentileCont",
        (T.NUMBER, T.NUMBER),
        T.FLOAT,
        "The percentile (0.0 to 1.0) by linear interpolation.",
    )
    aggregate(
        "percentileDisc", (T.NUMBER, T.NUMBER), T.NUMBER, "The value nearest to the percentile."
    )
    return family


FAMILY = _declared()
