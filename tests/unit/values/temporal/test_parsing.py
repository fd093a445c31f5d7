"""Strings to values and back: every ISO 8601 form, and what is refused."""

from __future__ import annotations

import pytest

from cypherd.errors import ArgumentError
from cypherd.values.temporal import parsing
from cypherd.values.temporal.zones import UTC

DATES = [
    ("2015-07-21", "2015-07-21"),
    ("20150721", "2015-07-21"),
    ("2015-7-1", "2015-07-01"),
    ("2015-07", "2015-07-01"),
    ("201507", "2015-07-01"),
    ("2015-W30-2", "2015-07-21"),
    ("2015W302", "2015-07-21"),
    ("2015-w30", "2015-07-20"),
    ("2015-W3-2", "2015-01-13"),
    ("2015-202", "2015-07-21"),
    ("2015202", "2015-07-21"),
    ("2015-Q2-60", "2015-05-30"),
    ("2015Q260", "2015-05-30"),
    ("2015-Q2", "2015-04-01"),
    ("2015", "2015-01-01"),
    ("-0001-12-31", "-0001-12-31"),
    ("0000-02-29", "0000-02-29"),
    ("+12345-01-02", "+12345-01-02"),
    ("-999999999-01-01", "-999999999-01-01"),
    ("+999999999-12-31", "+999999999-12-31"),
    ("2016-02-29", "2016-02-29"),
    ("2020-W53-7", "2021-01-03"),
]


@pytest.mark.parametrize(("text", "shown"), DATES, ids=[text for text, _ in DATES])
def test_date(text: str, shown: str) -> None:
    value = parsing.parse_date(text)
    assert str(value) == shown
    assert parsing.parse_date(str(value)) == value


@pytest.mark.parametrize(
    "text",
    ["", "15", "2015-13", "2015-02-29", "2015-366", "2015-000", "2015-W54", "2014-W53", "2015-Q5",
     "2015-Q1-91", "2015-07-21T10:00", "12345-01-01", "+1234567890-01-01", "2015-07-2१",
     " 2015-07-21", "2015/07/21", "2015-07-21\n", "9" * 100_000],
)  # fmt: skip
def test_no_date(text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parsing.parse_date(text)
    assert len(caught.value.message) < 400


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("21:40:32.142", "21:40:32.142"),
        ("214032.142", "21:40:32.142"),
        ("21:40:32,1", "21:40:32.100"),
        ("21:40:32.142857", "21:40:32.142857"),
        ("21:40:32.000000001", "21:40:32.000000001"),
        ("9:5", "09:05"),
        ("T2140", "21:40"),
        ("21", "21:00"),
        ("00:00:00", "00:00"),
        ("23:59:59.999999999", "23:59:59.999999999"),
    ],
)
def test_local_time(text: str, shown: str) -> None:
    assert str(parsing.parse_local_time(text)) == shown


@pytest.mark.parametrize("text", ["24:00", "12:60", "12:00:60", "1", "123", "12:00Z", "12:00:00."])
def test_no_local_time(text: str) -> None:
    with pytest.raises(ArgumentError):
        parsing.parse_local_time(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("21:40:32.142+0100", "21:40:32.142+01:00"),
        ("214032-01", "21:40:32-01:00"),
        ("2140-00:00", "21:40Z"),
        ("21:40z", "21:40Z"),
        ("22+18:00", "22:00+18:00"),
        ("10:00+00:53:28", "10:00+00:53:28"),
        ("10:00", "10:00Z"),
    ],
)
def test_time(text: str, shown: str) -> None:
    assert str(parsing.parse_time(text, UTC)) == shown


@pytest.mark.parametrize("text", ["10:00+18:01", "10:00+01:60", "10:00[Europe/Berlin]", "10:00+1"])
def test_no_time(text: str) -> None:
    with pytest.raises(ArgumentError):
        parsing.parse_time(text, UTC)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2015-07-21T21:40:32.142", "2015-07-21T21:40:32.142"),
        ("2015-W30-2T214032.142", "2015-07-21T21:40:32.142"),
        ("2015T214032", "2015-01-01T21:40:32"),
        ("2015202t21", "2015-07-21T21:00"),
        ("2015-07-21", "2015-07-21T00:00"),
    ],
)
def test_local_date_time(text: str, shown: str) -> None:
    assert str(parsing.parse_local_date_time(text)) == shown


DATE_TIMES = [
    ("2015-07-21T21:40:32.142+0100", "2015-07-21T21:40:32.142+01:00"),
    ("2015-W30T2140-02", "2015-07-20T21:40-02:00"),
    ("2015-07-21T21:40:32Z", "2015-07-21T21:40:32Z"),
    ("2015-07-21T21:40", "2015-07-21T21:40Z"),
    ("2015-07-21", "2015-07-21T00:00Z"),
    ("2015-07-21T21:40[Europe/London]", "2015-07-21T21:40+01:00[Europe/London]"),
    ("2015-07-21T21:40[america/los angeles]", "2015-07-21T21:40-07:00[America/Los_Angeles]"),
    ("2015-07-21T21:40+02:00[Europe/Berlin]", "2015-07-21T21:40+02:00[Europe/Berlin]"),
    ("1818-07-21T21:40[Europe/Berlin]", "1818-07-21T21:40+00:53:28[Europe/Berlin]"),
    # The clock was put back: both offsets are right, without one the earlier moment is meant.
    ("2017-10-29T02:30+02:00[Europe/Berlin]", "2017-10-29T02:30+02:00[Europe/Berlin]"),
    ("2017-10-29T02:30+01:00[Europe/Berlin]", "2017-10-29T02:30+01:00[Europe/Berlin]"),
    ("2017-10-29T02:30[Europe/Berlin]", "2017-10-29T02:30+02:00[Europe/Berlin]"),
    # The clock was put forward: it never showed 02:30.
    ("2017-03-26T02:30[Europe/Berlin]", "2017-03-26T03:30+02:00[Europe/Berlin]"),
    ("2017-03-26T02:30+01:00[Europe/Berlin]", "2017-03-26T03:30+02:00[Europe/Berlin]"),
    ("-0500-01-01T00:00[Europe/Berlin]", "-0500-01-01T00:00+00:53:28[Europe/Berlin]"),
    ("+50000-07-01T00:00[Europe/Berlin]", "+50000-07-01T00:00+02:00[Europe/Berlin]"),
    ("+50000-01-01T00:00[Europe/Berlin]", "+50000-01-01T00:00+01:00[Europe/Berlin]"),
]


@pytest.mark.parametrize(("text", "shown"), DATE_TIMES, ids=[text for text, _ in DATE_TIMES])
def test_date_time(text: str, shown: str) -> None:
    value = parsing.parse_date_time(text)
    assert str(value) == shown
    assert parsing.parse_date_time(shown) == value


@pytest.mark.parametrize(
    "text",
    ["2015-07-21T", "2015-07-21T10:00+03:00[Europe/Berlin]", "2015-07-21T10:00[Nowhere/Else]",
     "2015-07-21T10:00[]", "2015-07-21T10:00[../zones]", "2015-07-21 10:00", "T10:00"],
)  # fmt: skip
def test_no_date_time(text: str) -> None:
    with pytest.raises(ArgumentError):
        parsing.parse_date_time(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("P14DT16H12M", "P14DT16H12M"),
        ("P5M1.5D", "P5M1DT12H"),
        ("P0.75M", "P22DT19H51M49.5S"),
        ("PT0.75M", "PT45S"),
        ("P2,5W", "P17DT12H"),
        ("p12y5m14dt16h12m70s", "P12Y5M14DT16H13M10S"),
        ("P2012-02-02T14:37:21.545", "P2012Y2M2DT14H37M21.545S"),
        ("P20120202T143721.545", "P2012Y2M2DT14H37M21.545S"),
        ("PT14:37", "PT14H37M"),
        ("-P1Y2M3DT4.5S", "P-1Y-2M-3DT-4.5S"),
        ("P-1Y2M-3DT-0.5S", "P-10M-3DT-0.5S"),
        ("PT-0.000000001S", "PT-0.000000001S"),
        ("P0D", "PT0S"),
    ],
)
def test_duration(text: str, shown: str) -> None:
    value = parsing.parse_duration(text)
    assert str(value) == shown
    assert parsing.parse_duration(shown) == value


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "P1", "1D", "P1DT", "P1S", "PT1D", "P1.5Y2M", "P1.5DT1H", "P2012-13-01",
             "P2012", "P1D1D", "PT1M1H", "P" + "9" * 1000 + "D"]
)  # fmt: skip
def test_no_duration(text: str) -> None:
    with pytest.raises(ArgumentError):
        parsing.parse_duration(text)
