"""Functions that make dates, times and durations.

    date()  date('2015-07-21')  date({year: 2015})  date(datetime)      now, parsed, built, selected
    date.transaction()  date.statement()  date.realtime()               now, by one of three clocks
    date.truncate('month', value, {day: 5})

and the same of time, localtime, datetime and localdatetime. All bodies take the statement's Clock
first; without a zone UTC is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cypherd.errors import ArgumentError
from cypherd.functions.signature import Family
from cypherd.values.arithmetic import is_integer
from cypherd.values.description import wrong_type
from cypherd.values.temporal import (
    Date,
    DateTime,
    Duration,
    LocalDateTime,
    LocalTime,
    TemporalValue,
    Time,
    arithmetic,
    construction,
    parsing,
    truncation,
)
from cypherd.values.temporal.clock import Clock, shown_in
from cypherd.values.temporal.model import NANOS
from cypherd.values.temporal.zones import UTC, Zone, parse_zone
from cypherd.values.types import CypherType as T

FAMILY = Family()
function = FAMILY.function

_NOW = object()
"""An argument that was left out."""

_SOURCES: list[tuple[T, ...]] = [(T.STRING,), (T.MAP,), (T.TEMPORAL,)]


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the five kinds of values in time: how it is read, built and truncated."""

    name: str
    parse: Callable[[str], TemporalValue]
    make: Callable[[Any, Clock], TemporalValue]
    truncate: Callable[[str, TemporalValue, Mapping[str, Any], Clock], TemporalValue]


_KINDS = (
    _Kind(
        Date.name,
        parsing.parse_date,
        lambda source, clock: construction.make_date(source),
        lambda unit, value, fields, clock: truncation.truncate_date(unit, value, fields),
    ),
    _Kind(
        LocalTime.name,
        parsing.parse_local_time,
        lambda source, clock: construction.make_local_time(source),
        lambda unit, value, fields, clock: truncation.truncate_local_time(unit, value, fields),
    ),
    _Kind(
        Time.name,
        lambda text: parsing.parse_time(text, UTC),
        lambda source, clock: construction.make_time(source, clock.statement_seconds),
        lambda unit, value, fields, clock: truncation.truncate_time(
            unit, value, fields, clock.statement_seconds
        ),
    ),
    _Kind(
        LocalDateTime.name,
        parsing.parse_local_date_time,
        lambda source, clock: construction.make_local_date_time(source),
        lambda unit, value, fields, clock: truncation.truncate_local_date_time(unit, value, fields),
    ),
    _Kind(
        DateTime.name,
        parsing.parse_date_time,
        lambda source, clock: construction.make_date_time(source),
        lambda unit, value, fields, clock: truncation.truncate_date_time(unit, value, fields),
    ),
)


def _declare_constructor(kind: _Kind) -> None:
    def construct(clock: Clock, source: Any = _NOW) -> TemporalValue:
        if source is _NOW:
            return kind.make(shown_in(clock.statement), clock)
        if isinstance(source, str):
            return kind.parse(source)
        if isinstance(source, TemporalValue):
            return kind.make(source, clock)
        if not isinstance(source, dict):
            raise wrong_type(f"{kind.name}()", "a string, a map or a temporal value", source)
        if [name.lower() for name in source] == ["timezone"]:
            return kind.make(shown_in(clock.statement, _zone(kind.name, source)), clock)
        return kind.make(source, clock)

    function(
        kind.name,
        arguments=_SOURCES,
        optional=1,
        result=T.TEMPORAL,
        clock=True,
        help=f"A {kind.name} from a string, a map or another value; without one, now.",
    )(construct)


_CLOCKS: Mapping[str, tuple[Callable[[Clock], int], str]] = {
    "transaction": (lambda clock: clock.transaction, "when the transaction began"),
    "statement": (lambda clock: clock.statement, "when the statement began"),
    "realtime": (lambda clock: clock.realtime(), "at this very moment"),
}


def _declare_now(kind: _Kind, clock_name: str) -> None:
    read, when = _CLOCKS[clock_name]
    name = f"{kind.name}.{clock_name}"

    def now(clock: Clock, zone: Any = _NOW) -> TemporalValue:
        place = UTC if zone is _NOW else _zone(name, zone)
        return kind.make(shown_in(read(clock), place), clock)

    function(
        name,
        arguments=[(T.STRING,), (T.MAP,)],
        optional=1,
        result=T.TEMPORAL,
        clock=True,
        deterministic=clock_name != "realtime",
        help=f"The {kind.name} {when}, in a time zone (UTC without one).",
    )(now)


def _zone(name: str, zone: Any) -> Zone:
    """The zone of 'Europe/Berlin' or {timezone: 'Europe/Berlin'}."""
    if isinstance(zone, dict) and [key.lower() for key in zone] == ["timezone"]:
        zone = next(iter(zone.values()))
    if isinstance(zone, str):
        return parse_zone(zone)
    raise wrong_type(f"{name}()", "a time zone as a string", zone)


def _declare_truncate(kind: _Kind) -> None:
    name = f"{kind.name}.truncate"

    def truncate(clock: Clock, unit: Any, value: Any = _NOW, fields: Any = None) -> Any:
        if unit is None or value is None:
            return None
        if value is _NOW:
            value = shown_in(clock.statement)
        if not isinstance(unit, str):
            raise wrong_type(f"{name}()", "a unit as a string", unit)
        if not isinstance(value, TemporalValue) or isinstance(value, Duration):
            raise wrong_type(f"{name}()", "a date or time", value)
        if not isinstance(fields, dict | None):
            raise wrong_type(f"{name}()", "a map of fields", fields)
        return kind.truncate(unit, value, fields or {}, clock)

    function(
        name,
        arguments=(T.STRING, T.TEMPORAL, T.MAP),
        optional=2,
        result=T.TEMPORAL,
        null="handle",
        clock=True,
        help=f"A {kind.name} with all below a unit at its least, then with the given fields.",
    )(truncate)


for _kind in _KINDS:
    _declare_constructor(_kind)
    for _clock_name in _CLOCKS:
        _declare_now(_kind, _clock_name)
    _declare_truncate(_kind)


@function(
    "datetime.fromepoch",
    arguments=(T.INTEGER, T.INTEGER),
    result=T.TEMPORAL,
    help="The datetime in UTC that is so many seconds and nanoseconds after 1970.",
)
def from_epoch(seconds: Any, nanos: Any) -> DateTime:
    for part in (seconds, nanos):
        if not is_integer(part):
            raise wrong_type("datetime.fromepoch()", "integers", part)
    if not 0 <= nanos < NANOS:
        raise ArgumentError(
            f"nanoseconds must be from 0 to {NANOS - 1}, not {nanos}", detail="InvalidArgumentValue"
        )
    return construction.from_epoch(seconds, nanos)


@function(
    "datetime.fromepochmillis",
    arguments=(T.INTEGER,),
    result=T.TEMPORAL,
    help="The datetime in UTC that is so many milliseconds after 1970.",
)
def from_epoch_millis(millis: Any) -> DateTime:
    if not is_integer(millis):
        raise wrong_type("datetime.fromepochmillis()", "an integer", millis)
    return construction.from_epoch(0, millis * 1_000_000)


@function(
    "duration",
    arguments=_SOURCES,
    result=T.TEMPORAL,
    help="A duration from a string (P1Y2M10DT2H30M) or a map of its parts.",
)
def duration(source: Any) -> Duration:
    if isinstance(source, str):
        return parsing.parse_duration(source)
    if isinstance(source, dict | TemporalValue):
        return construction.make_duration(source)
    raise wrong_type("duration()", "a string or a map", source)


def _declare_between(
    name: str, compute: Callable[[TemporalValue, TemporalValue], Duration], what: str
) -> None:
    def between(start: Any, end: Any) -> Duration:
        for side in (start, end):
            if not isinstance(side, TemporalValue) or isinstance(side, Duration):
                raise wrong_type(f"{name}()", "dates or times", side)
        return compute(start, end)

    function(
        name,
        arguments=(T.TEMPORAL, T.TEMPORAL),
        result=T.TEMPORAL,
        help=f"How long it is from one date or time to another, {what}.",
    )(between)


_declare_between("duration.between", arithmetic.between, "in months, days and seconds")
_declare_between("duration.inMonths", arithmetic.in_months, "in whole months")
_declare_between("duration.inDays", arithmetic.in_days, "in whole days")
_declare_between("duration.inSeconds", arithmetic.in_seconds, "in seconds and nanoseconds")
