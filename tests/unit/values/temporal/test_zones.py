"""Zones against zoneinfo, and where zoneinfo's years end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.errors import ArgumentError
from cypherd.values.temporal.model import SECONDS_OF_DAY, at_instant, zoned
from cypherd.values.temporal.zones import offset_at, offset_text, parse_offset, parse_zone

NAMES = ["Europe/Stockholm", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
EPOCH = datetime(1970, 1, 1)
moments = st.datetimes(datetime(1600, 1, 1), datetime(2400, 1, 1))


@cache
def _zone(name: str) -> ZoneInfo:
    """Of the package `tzdata`: the machine's own database may tell the past otherwise."""
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as stream:
        return ZoneInfo.from_file(stream, key=name)


@given(moments, st.sampled_from(NAMES))
def test_instants_like_zoneinfo(moment: datetime, name: str) -> None:
    there = moment.replace(tzinfo=UTC).astimezone(_zone(name))
    offset = there.utcoffset()
    assert offset is not None
    seconds = int((moment - EPOCH).total_seconds())
    assert offset_at(name, seconds) == offset.total_seconds()


@given(moments, st.sampled_from(NAMES))
def test_local_times_like_zoneinfo(moment: datetime, name: str) -> None:
    moment = moment.replace(microsecond=0)
    instant = moment.replace(tzinfo=_zone(name)).astimezone(UTC)
    days, seconds = divmod(int((moment - EPOCH).total_seconds()), SECONDS_OF_DAY)
    value = zoned(days, seconds * 10**9, name)
    assert value.epoch_seconds == int(instant.timestamp())


@given(st.integers(-(10**16), 10**16), st.sampled_from(NAMES))
def test_instant_to_local_and_back(seconds: int, name: str) -> None:
    value = at_instant(seconds, 7, name)
    assert value.epoch_seconds == seconds
    assert zoned(value.day, value.nanos, name, value.offset) == value


def test_rules_go_on_for_ever() -> None:
    july = 20 * 400 * 365.2425 * SECONDS_OF_DAY + timedelta(days=200).total_seconds()
    assert offset_at("Europe/Stockholm", int(july)) == 7200
    assert offset_at("Europe/Stockholm", -(10**15)) == offset_at("Europe/Stockholm", -(10**10))


@pytest.mark.parametrize(
    ("text", "offset"),
    [("Z", 0), ("+01", 3600), ("-0130", -5400), ("+18:00", 64800), ("+00:53:28", 3208),
     ("Europe/Berlin", None), ("+1", None), ("01:00", None)],
)  # fmt: skip
def test_offsets(text: str, offset: int | None) -> None:
    assert parse_offset(text) == offset
    if offset is not None:
        assert parse_offset(offset_text(offset)) == offset


@pytest.mark.parametrize(
    "text", ["Nowhere", "", "..", "../tzdata/zones", "Europe", "\x00", "+19:00"]
)
def test_no_zone(text: str) -> None:
    with pytest.raises(ArgumentError):
        parse_zone(text)


@pytest.mark.parametrize("text", ["europe/stockholm", "Europe/Stockholm", "EUROPE/STOCKHOLM"])
def test_names_in_any_case(text: str) -> None:
    assert parse_zone(text) == "Europe/Stockholm"
