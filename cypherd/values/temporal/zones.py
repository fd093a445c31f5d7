"""Time zones: offsets in seconds, and names of the IANA database.

The database is always that of the package `tzdata`, never the machine's: systems differ in what
they keep of the time before 1970, and a stored value must not change with the machine.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from typing import TypeAlias
from zoneinfo import ZoneInfo

from cypherd.errors import ArgumentError
from cypherd.values.names import suggestion
from cypherd.values.temporal.calendar import DAYS_OF_400_YEARS

Zone: TypeAlias = "int | str"
"""An offset in seconds east of UTC, or the name of a zone."""

UTC = 0
MAX_OFFSET = 18 * 3600

_SHOWN = 100
"""Characters of a bad name that an error shows."""

OFFSET_PATTERN = r"[Zz]|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?"
_OFFSET = re.compile(r"([+-])(\d{2})(?::?(\d{2})(?::?(\d{2}))?)?", re.ASCII)

_CYCLE = DAYS_OF_400_YEARS * 86_400
_EPOCH = datetime(1970, 1, 1)
# Python's dates end with the years 1 and 9999. Before the first, no zone had begun; beyond the
# last, rules repeat with the calendar, every 400 years.
_FIRST = -62_000_000_000
_LAST = 250_000_000_000


def warm_up() -> None:
    """Reads the names of all zones, which is slow the first time."""
    _names()


def parse_offset(text: str) -> int | None:
    """Seconds of `Z`, `+01`, `+0100`, `+01:00` or `+01:00:30`; None for anything else.

    Raises ArgumentError for an offset beyond 18 hours.
    """
    if text in ("Z", "z"):
        return UTC
    match = _OFFSET.fullmatch(text)
    if match is None:
        return None
    sign, hours, minutes, seconds = match.groups()
    total = int(hours) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    if total > MAX_OFFSET or int(minutes or 0) > 59 or int(seconds or 0) > 59:
        raise ArgumentError(
            f"{text} is no offset: they go from -18:00 to +18:00", detail="InvalidArgumentValue"
        )
    return -total if sign == "-" else total


def offset_text(offset: int) -> str:
    """`Z`, `+01:00`, or `+00:53:28` where there are seconds."""
    if offset == UTC:
        return "Z"
    minutes, seconds = divmod(abs(offset), 60)
    text = f"{'-' if offset < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{seconds:02}" if seconds else text


def parse_zone(text: str) -> Zone:
    """An offset or a zone's name, in any case and with spaces for underscores. Raises
    ArgumentError."""
    offset = parse_offset(text)
    if offset is not None:
        return offset
    name = _names().get(text.replace(" ", "_").lower())
    if name is None:
        raise ArgumentError(
            f"there is no time zone {text[:_SHOWN]!r}",
            detail="InvalidArgumentValue",
            hint=suggestion(text, _names().values()),
        )
    return name


def zone_text(zone: Zone) -> str:
    return zone if isinstance(zone, str) else offset_text(zone)


def offset_at(zone: Zone, instant: int) -> int:
    """The offset of a zone at an instant, seconds since the epoch."""
    if isinstance(zone, int):
        return zone
    rules = _rules(zone)
    moment = rules.fromutc(_moment(instant).replace(tzinfo=rules))
    return _seconds(moment.utcoffset())


def offset_of_local(zone: Zone, local: int, preferred: int | None = None) -> int:
    """The offset at which `local` (seconds on the zone's clock) is read.

    Where the clock was put back, `preferred` if it is one of both, else the earlier one. In a gap
    it is the one from before it, which puts the clock forward by the length of the gap.
    """
    if isinstance(zone, int):
        return zone
    rules, moment = _rules(zone), _moment(local)
    offset = _seconds(rules.utcoffset(moment))
    later = _seconds(rules.utcoffset(moment.replace(fold=1)))
    return later if later == preferred and later < offset else offset


def _moment(seconds: int) -> datetime:
    if seconds < _FIRST:
        seconds = _FIRST
    elif seconds > _LAST:
        seconds -= ((seconds - _LAST) // _CYCLE + 1) * _CYCLE
    return _EPOCH + timedelta(seconds=seconds)


def _seconds(offset: timedelta | None) -> int:
    return 0 if offset is None else int(offset.total_seconds())


@cache
def _names() -> dict[str, str]:
    """Every zone's name by its lower-case form."""
    listed = resources.files("tzdata").joinpath("zones").read_text("utf-8").split()
    return {name.lower(): name for name in listed}


@cache
def _rules(name: str) -> ZoneInfo:
    path = resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with path.open("rb") as stream:
        return ZoneInfo.from_file(stream, key=name)
