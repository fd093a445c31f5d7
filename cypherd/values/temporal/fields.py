"""Dates and times from the fields of a map: `{year: 1984, week: 10, dayOfWeek: 3, hour: 12}`.

A field that is not given comes from a base value if there is one: that is how parts of other
values are taken and changed. Without a base a date needs its year and a time its hour, and no
field may be given without the greater ones; a date that a time belongs to must be whole. Names
are written in any case, and a field that is null counts as not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from cypherd.errors import ArgumentError, CypherTypeError
from cypherd.values.names import suggestion
from cypherd.values.temporal import calendar
from cypherd.values.temporal.calendar import within
from cypherd.values.temporal.model import NANOS
from cypherd.values.temporal.zones import Zone, parse_zone

_WAYS = (
    ("month", "day"),
    ("week", "dayOfWeek"),
    ("ordinalDay",),
    ("quarter", "dayOfQuarter"),
)
FRACTIONS = ("millisecond", "microsecond", "nanosecond")

DATE_FIELDS = frozenset({"year", *(name for way in _WAYS for name in way)})
TIME_FIELDS = frozenset({"hour", "minute", "second", *FRACTIONS})
_ALIASES = {"weekday": "dayOfWeek", "quarterday": "dayOfQuarter"}

Fields = Mapping[str, Any]


def refuse(message: str, hint: str | None = None) -> NoReturn:
    raise ArgumentError(message, detail="InvalidArgumentValue", hint=hint)


def known(fields: Fields, allowed: frozenset[str], function: str) -> dict[str, Any]:
    """The fields that are not null under their proper names. Raises ArgumentError for one that
    `function` does not have, or that is there twice."""
    found: dict[str, Any] = {}
    for given, value in fields.items():
        name = given if given in allowed else _proper(given, allowed)
        if name is None:
            refuse(f"{function}() has no field {given}", suggestion(given, allowed))
        if name in found:
            refuse(f"{function}() was given {name} twice")
        if value is not None:
            found[name] = value
    return found


def _proper(name: str, allowed: frozenset[str]) -> str | None:
    """The field that is meant by an alias or by a name in another case."""
    lower = name.lower()
    wanted = _ALIASES.get(lower, lower).lower()
    return next((field for field in allowed if field.lower() == wanted), None)


def integer(fields: Fields, name: str) -> int | None:
    """Raises CypherTypeError for a field that is no integer."""
    if name not in fields:
        return None
    value = fields[name]
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise CypherTypeError(f"{name} must be an integer", detail="InvalidArgumentType")


def zone_of(fields: Fields) -> Zone | None:
    if "timezone" not in fields:
        return None
    text = fields["timezone"]
    if isinstance(text, str):
        return parse_zone(text)
    raise CypherTypeError("timezone must be a string", detail="InvalidArgumentType")


def day_from(fields: Fields, base: int | None) -> int:
    """The epoch day. Raises ArgumentError, CypherTypeError."""
    if not fields and base is not None:
        return base
    given = {name: integer(fields, name) for name in DATE_FIELDS if name in fields}
    ways = [way for way in _WAYS if any(name in given for name in way)]
    if len(ways) > 1:
        names = " and ".join(next(name for name in way if name in given) for way in ways[:2])
        refuse(f"{names} cannot be given together")
    if base is None:
        _check_whole(given)
    elif not given:
        return base
    if not ways or ways[0][0] == "month":
        return _calendar_day(given, base)
    if ways[0][0] == "week":
        return _week_day(given, base)
    if ways[0][0] == "ordinalDay":
        return calendar.ordinal_date(_year(given, base), given["ordinalDay"] or 0)
    return _quarter_day(given, base)


Given = Mapping[str, "int | None"]


def _check_whole(given: Given) -> None:
    if "year" not in given:
        refuse("year must be given")
    for way in _WAYS:
        if way[-1] in given and way[0] not in given:
            refuse(f"{way[-1]} cannot be given without {way[0]}")


def check_day_is_given(fields: Fields) -> None:
    """A time without a base belongs to one day. Raises ArgumentError if fields leave it open."""
    if not any(way[-1] in fields for way in _WAYS):
        way = next((way for way in _WAYS if way[0] in fields), _WAYS[0])
        missing = next(name for name in way if name not in fields)
        refuse(f"{missing} must be given where a time is")


def _year(given: Given, base: int | None) -> int:
    return _or(given.get("year"), 0 if base is None else calendar.civil(base)[0])


def _or(value: int | None, other: int) -> int:
    return other if value is None else value


def _calendar_day(given: Given, base: int | None) -> int:
    _, month, day = (0, 1, 1) if base is None else calendar.civil(base)
    year = within("year", _year(given, base), calendar.MIN_YEAR, calendar.MAX_YEAR)
    month = within("month", _or(given.get("month"), month), 1, 12)
    # A day that comes from the base gives way to a shorter month; one that is given does not.
    return calendar.date_of(
        year, month, _or(given.get("day"), min(day, calendar.month_length(year, month)))
    )


def _week_day(given: Given, base: int | None) -> int:
    year, week, weekday = 0, 1, 1
    if base is not None:
        year, week = calendar.iso_week(base)
        weekday = calendar.weekday_of(base)
    return calendar.week_date(
        _or(given.get("year"), year),
        _or(given.get("week"), week),
        _or(given.get("dayOfWeek"), weekday),
    )


def _quarter_day(given: Given, base: int | None) -> int:
    year = _year(given, base)
    if base is None:
        return calendar.quarter_date(
            year, _or(given["quarter"], 1), _or(given.get("dayOfQuarter"), 1)
        )
    _, month, _ = calendar.civil(base)
    quarter = within("quarter", _or(given.get("quarter"), (month + 2) // 3), 1, 4)
    if "dayOfQuarter" in given:
        return calendar.quarter_date(year, quarter, given["dayOfQuarter"] or 0)
    # The same month of another quarter, and its day.
    moved = {"year": year, "month": quarter * 3 - 2 + (month - 1) % 3}
    return _calendar_day(moved, base)


def nanos_from(fields: Fields, base: int | None) -> int:
    """Nanoseconds of the day. Raises ArgumentError, CypherTypeError."""
    if base is None:
        _check_greater(fields)
    elif not fields:
        return base
    seconds, fraction = divmod(base or 0, NANOS)
    hour = within("hour", _or(integer(fields, "hour"), seconds // 3600), 0, 23)
    minute = within("minute", _or(integer(fields, "minute"), seconds // 60 % 60), 0, 59)
    second = within("second", _or(integer(fields, "second"), seconds % 60), 0, 59)
    fraction = _or(fraction_from(fields), fraction)
    return (hour * 3600 + minute * 60 + second) * NANOS + fraction


def _check_greater(fields: Fields) -> None:
    for name, greater in (("minute", "hour"), ("second", "minute")):
        if name in fields and greater not in fields:
            refuse(f"{name} cannot be given without {greater}")
    for name in FRACTIONS:
        if name in fields and "second" not in fields:
            refuse(f"{name} cannot be given without second")


def fraction_from(fields: Fields) -> int | None:
    """Nanoseconds of milliseconds, microseconds and nanoseconds together: where several are
    given, each is below 1,000. None if there is none of them."""
    given = [name for name in FRACTIONS if name in fields]
    total = 0
    for name, most, factor in zip(
        FRACTIONS, (999, 999_999, NANOS - 1), (1_000_000, 1_000, 1), strict=True
    ):
        value = integer(fields, name) or 0
        total += within(name, value, 0, most if len(given) == 1 else 999) * factor
    return total if given else None
