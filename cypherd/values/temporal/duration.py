"""Durations: months, days and seconds apart, as none of them is a fixed number of another.

Fractions go down: of a month as days of its average length (30.436875), of a day as seconds, of
a second as nanoseconds, where they are cut. The sums are exact; a float means the decimal number
that it is written as.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, TypeAlias

from cypherd.errors import CypherArithmeticError
from cypherd.values.temporal.model import NANOS, SECONDS_OF_DAY, TemporalValue

Number: TypeAlias = "int | float | Fraction"

SECONDS_OF_MONTH = 2_629_746
"""The average of the Gregorian calendar's 400 years."""

_MIN, _MAX = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Duration(TemporalValue):
    """`nanos` are 0 to 999,999,999, also where `seconds` are negative. Build with `duration_of`."""

    months: int
    days: int
    seconds: int
    nanos: int
    rank: ClassVar[int] = 5
    name: ClassVar[str] = "duration"

    @property
    def total_nanos(self) -> int:
        """The seconds and their fraction; without months and days."""
        return self.seconds * NANOS + self.nanos

    @property
    def average_seconds(self) -> int:
        """About how long it lasts, without the fraction of a second."""
        return self.months * SECONDS_OF_MONTH + self.days * SECONDS_OF_DAY + self.seconds

    def order_key(self) -> tuple[int, int, int, int]:
        return (self.average_seconds, self.nanos, self.months, self.days)

    def __str__(self) -> str:
        years, months = _split(self.months, 12)
        date = "".join(
            f"{value}{unit}"
            for value, unit in ((years, "Y"), (months, "M"), (self.days, "D"))
            if value
        )
        time = _time_text(self.total_nanos)
        return f"P{date}T{time}" if time else f"P{date}" if date else "PT0S"


def duration_of(months: int, days: int, nanos: int) -> Duration:
    """From whole parts. Raises CypherArithmeticError where one does not fit 64 bits."""
    seconds, rest = divmod(nanos, NANOS)
    return Duration(fitting(months), fitting(days), fitting(seconds), rest)


def fitting(part: int) -> int:
    """`part` if it fits 64 bits. Raises CypherArithmeticError."""
    if _MIN <= part <= _MAX:
        return part
    raise CypherArithmeticError("duration overflow")


def approximate(months: Number, days: Number, seconds: Number, nanos: Number) -> Duration:
    """From parts that may have fractions. Raises CypherArithmeticError."""
    if (
        isinstance(months, int)
        and isinstance(days, int)
        and isinstance(seconds, int)
        and isinstance(nanos, int)
    ):
        return duration_of(months, days, seconds * NANOS + nanos)
    exact_months = exact(months)
    whole_months = math.trunc(exact_months)
    day_part = (exact_months - whole_months) * SECONDS_OF_MONTH / SECONDS_OF_DAY
    exact_days = exact(days) + day_part
    whole_days = math.trunc(exact_days)
    exact_seconds = exact(seconds) + (exact_days - whole_days) * SECONDS_OF_DAY
    return duration_of(whole_months, whole_days, math.trunc(exact_seconds * NANOS + exact(nanos)))


def exact(number: Number) -> Fraction:
    """The decimal number that a float is written as. Raises CypherArithmeticError for NaN and
    infinities."""
    if not isinstance(number, float):
        return Fraction(number)
    if not math.isfinite(number):
        raise CypherArithmeticError("a duration cannot have infinite parts or NaN")
    return Fraction(Decimal(repr(number)))


def negated(value: Duration) -> Duration:
    return duration_of(-value.months, -value.days, -value.total_nanos)


def added(left: Duration, right: Duration) -> Duration:
    return duration_of(
        left.months + right.months, left.days + right.days, left.total_nanos + right.total_nanos
    )


def multiplied(value: Duration, factor: Number) -> Duration:
    return _scaled(value, factor if isinstance(factor, int) else exact(factor))


def divided(value: Duration, divisor: Number) -> Duration:
    """Raises CypherArithmeticError for a division by zero."""
    if divisor == 0:
        raise CypherArithmeticError("/ by zero")
    return _scaled(value, 1 / exact(divisor))


def _scaled(value: Duration, factor: Number) -> Duration:
    return approximate(
        value.months * factor, value.days * factor, value.seconds * factor, value.nanos * factor
    )


def _split(value: int, unit: int) -> tuple[int, int]:
    """Quotient and remainder toward zero: both have the sign of the value."""
    quotient, rest = divmod(abs(value), unit)
    return (quotient, rest) if value >= 0 else (-quotient, -rest)


def _time_text(nanos: int) -> str:
    minutes, rest = _split(nanos, 60 * NANOS)
    hours, minutes = _split(minutes, 60)
    text = "".join(f"{value}{unit}" for value, unit in ((hours, "H"), (minutes, "M")) if value)
    if rest == 0:
        return text
    seconds, fraction = divmod(abs(rest), NANOS)
    digits = f".{fraction:09}".rstrip("0") if fraction else ""
    return f"{text}{'-' if rest < 0 else ''}{seconds}{digits}S"
