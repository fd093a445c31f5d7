"""Temporal values from strings: the ISO 8601 forms of openCypher, with and without separators.

Dates: 2015-07-21, 2015-07, 2015, 2015-W30-2, 2015-202, 2015-Q2-60; years of other than four
digits have a sign. Times: 21:40:32.142, down to 21. Then an offset and [a zone]. Durations:
P1Y2M10DT2H30M, a fraction in the last part, and P2012-02-02T14:37:21.545. Letters in any case.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NoReturn

from cypherd.errors import ArgumentError
from cypherd.values.temporal import calendar
from cypherd.values.temporal.duration import Duration, approximate, duration_of, negated
from cypherd.values.temporal.model import (
    NANOS,
    Date,
    DateTime,
    LocalDateTime,
    LocalTime,
    Time,
    zoned,
)
from cypherd.values.temporal.zones import OFFSET_PATTERN, UTC, Zone, parse_offset, parse_zone

_LONGEST = 200

_DATE_PATTERN = r"""
    (?P<year>\d{4}|[+-]\d{1,9})
    (?: -? W(?P<week>\d{1,2}) (?:-?(?P<weekday>\d))?
      | -? Q(?P<quarter>\d) (?:-?(?P<quarter_day>\d{1,2}))?
      | -? (?P<ordinal>\d{3})
      | - (?P<month>\d{1,2}) (?:-(?P<day>\d{1,2}))?
      | (?P<month2>\d{2}) (?P<day2>\d{2})?
    )?
"""
_TIME_PATTERN = r"""
    (?: (?P<hour>\d{1,2}) : (?P<minute>\d{1,2})
        (?: : (?P<second>\d{1,2}) (?:[.,](?P<fraction>\d{1,9}))? )?
      | (?P<hour2>\d{2}) (?: (?P<minute2>\d{2})
        (?: (?P<second2>\d{2}) (?:[.,](?P<fraction2>\d{1,9}))? )? )?
    )
"""
_ZONE_PATTERN = rf"(?P<offset>{OFFSET_PATTERN})? (?:\[(?P<zone>[^\]]+)\])?"
_FLAGS = re.VERBOSE | re.ASCII | re.IGNORECASE

_DATE = re.compile(_DATE_PATTERN, _FLAGS)
_TIME = re.compile(rf"T? {_TIME_PATTERN} (?P<offset>{OFFSET_PATTERN})?", _FLAGS)
_LOCAL_TIME = re.compile(rf"T? {_TIME_PATTERN}", _FLAGS)
_LOCAL_DATE_TIME = re.compile(rf"{_DATE_PATTERN} (?:T{_TIME_PATTERN})?", _FLAGS)
_DATE_TIME = re.compile(rf"{_DATE_PATTERN} (?:T{_TIME_PATTERN} {_ZONE_PATTERN})?", _FLAGS)

_NUMBER = r"[+-]?\d+(?:[.,]\d+)?"
_DURATION = re.compile(
    rf"""(?P<sign>[+-])? P (?=[\dT+-])
    (?:(?P<years>{_NUMBER})Y)? (?:(?P<months>{_NUMBER})M)?
    (?:(?P<weeks>{_NUMBER})W)? (?:(?P<days>{_NUMBER})D)?
    (?:T (?=[\d+-]) (?:(?P<hours>{_NUMBER})H)? (?:(?P<minutes>{_NUMBER})M)?
    (?:(?P<seconds>{_NUMBER})S)?)?""",
    _FLAGS,
)
_DURATION_AS_DATE = re.compile(
    rf"""(?P<sign>[+-])? P (?=[\dT]) (?: (?P<years>\d{{4}})
    (?: -(?P<months>\d{{2}})-(?P<days>\d{{2}}) | (?P<months2>\d{{2}})(?P<days2>\d{{2}}) ) )?
    (?:T{_TIME_PATTERN})?""",
    _FLAGS,
)


def parse_date(text: str) -> Date:
    """Raises ArgumentError, as all of these do."""
    return Date(_day(_match(_DATE, text, "a date")))


def parse_local_time(text: str) -> LocalTime:
    return LocalTime(_nanos(_match(_LOCAL_TIME, text, "a local time")))


def parse_time(text: str, default_offset: int) -> Time:
    match = _match(_TIME, text, "a time")
    offset = _offset(match)
    return Time(_nanos(match), default_offset if offset is None else offset)


def parse_local_date_time(text: str) -> LocalDateTime:
    match = _match(_LOCAL_DATE_TIME, text, "a local datetime")
    return LocalDateTime(_day(match), _nanos(match))


def parse_date_time(text: str, default_zone: Zone = UTC) -> DateTime:
    """A named zone must have the offset that is given with it, if one is."""
    match = _match(_DATE_TIME, text, "a datetime")
    day, nanos, offset = _day(match), _nanos(match), _offset(match)
    if match["zone"] is None:
        return zoned(day, nanos, default_zone if offset is None else offset)
    value = zoned(day, nanos, parse_zone(match["zone"]), offset)
    # Compared as moments: in a gap the clock never shows the time that is written.
    if offset is not None and value.epoch_seconds != LocalDateTime(day, nanos).seconds - offset:
        _refuse(text, f"{match['zone']} is not at that offset then")
    return value


def parse_duration(text: str) -> Duration:
    if len(text) > _LONGEST:
        _refuse(text[:_LONGEST], "it is too long for a duration")
    match = _DURATION_AS_DATE.fullmatch(text)
    if match is not None:
        months, days = match["months"] or match["months2"], match["days"] or match["days2"]
        value = duration_of(
            int(match["years"] or 0) * 12 + calendar.within("months", int(months or 0), 0, 12),
            calendar.within("days", int(days or 0), 0, 31),
            _nanos(match),
        )
        return negated(value) if match["sign"] == "-" else value
    match = _match(_DURATION, text, "a duration")
    given = {name: value for name, value in match.groupdict().items() if name != "sign"}
    written = [value for value in given.values() if value is not None]
    if any("." in value or "," in value for value in written[:-1]):
        _refuse(text, "only its last part can have a fraction")
    part = {name: _number(value) for name, value in given.items()}
    value = approximate(
        part["years"] * 12 + part["months"],
        part["weeks"] * 7 + part["days"],
        part["hours"] * 3600 + part["minutes"] * 60 + part["seconds"],
        0,
    )
    return negated(value) if match["sign"] == "-" else value


def _number(text: str | None) -> int | Fraction:
    if text is None:
        return 0
    return Fraction(text.replace(",", ".")) if "." in text or "," in text else int(text)


def _match(pattern: re.Pattern[str], text: str, kind: str) -> re.Match[str]:
    match = pattern.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        _refuse(text[:_LONGEST], f"it is not written as {kind}")
    return match


def _refuse(text: str, why: str) -> NoReturn:
    raise ArgumentError(f"{text!r} cannot be read: {why}", detail="InvalidArgumentValue")


def _day(match: re.Match[str]) -> int:
    year = int(match["year"])
    if match["week"]:
        return calendar.week_date(year, int(match["week"]), int(match["weekday"] or 1))
    if match["quarter"]:
        return calendar.quarter_date(year, int(match["quarter"]), int(match["quarter_day"] or 1))
    if match["ordinal"]:
        return calendar.ordinal_date(year, int(match["ordinal"]))
    month, day = match["month"] or match["month2"], match["day"] or match["day2"]
    return calendar.date_of(year, int(month or 1), int(day or 1))


def _nanos(match: re.Match[str]) -> int:
    hour, minute, second, fraction = (
        match[name] or match[f"{name}2"] or "0" for name in ("hour", "minute", "second", "fraction")
    )
    seconds = calendar.within("hour", int(hour), 0, 23) * 3600
    seconds += calendar.within("minute", int(minute), 0, 59) * 60
    seconds += calendar.within("second", int(second), 0, 59)
    return seconds * NANOS + int(fraction.ljust(9, "0"))


def _offset(match: re.Match[str]) -> int | None:
    text = match["offset"]
    return None if text is None else parse_offset(text)
