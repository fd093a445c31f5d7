"""The calendar against Python's own, and beyond Python's years."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.errors import ArgumentError
from cypherd.values.temporal import calendar

EPOCH = date(1970, 1, 1).toordinal()


@given(st.dates())
def test_like_python(day: date) -> None:
    number = day.toordinal() - EPOCH
    assert calendar.epoch_day(day.year, day.month, day.day) == number
    assert calendar.civil(number) == (day.year, day.month, day.day)
    assert calendar.weekday_of(number) == day.isoweekday()
    assert calendar.iso_week(number) == day.isocalendar()[:2]
    assert calendar.ordinal_date(day.year, day.timetuple().tm_yday) == number


@given(st.integers(calendar.MIN_DAY, calendar.MAX_DAY))
def test_there_and_back(day: int) -> None:
    year, month, day_of_month = calendar.civil(day)
    assert calendar.date_of(year, month, day_of_month) == day
    quarter = (month + 2) // 3
    assert calendar.quarter_date(year, quarter, calendar.day_of_quarter(day)) == day
    week_year, week = calendar.iso_week(day)
    if abs(week_year) <= calendar.MAX_YEAR:
        assert calendar.week_date(week_year, week, calendar.weekday_of(day)) == day


@given(st.integers(calendar.MIN_DAY, calendar.MAX_DAY - calendar.DAYS_OF_400_YEARS))
def test_repeats_after_400_years(day: int) -> None:
    year, month, day_of_month = calendar.civil(day)
    later = day + calendar.DAYS_OF_400_YEARS
    assert calendar.civil(later) == (year + 400, month, day_of_month)
    assert calendar.weekday_of(later) == calendar.weekday_of(day)


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ((2015, 1, 31), 1, (2015, 2, 28)),
        ((2016, 1, 31), 1, (2016, 2, 29)),
        ((2016, 2, 29), 12, (2017, 2, 28)),
        ((2016, 2, 29), -48, (2012, 2, 29)),
        ((2015, 3, 31), -1, (2015, 2, 28)),
        ((2015, 1, 15), -1, (2014, 12, 15)),
        ((0, 1, 1), -1, (-1, 12, 1)),
    ],
)
def test_months_end_where_the_month_ends(
    start: tuple[int, int, int], months: int, end: tuple[int, int, int]
) -> None:
    moved = calendar.add_months(calendar.epoch_day(*start), months)
    assert calendar.civil(moved) == end


@pytest.mark.parametrize("months", [12, 1 << 62, -(1 << 62)])
def test_no_month_beyond_the_years(months: int) -> None:
    with pytest.raises(ArgumentError):
        calendar.add_months(calendar.MAX_DAY, months)


@pytest.mark.parametrize("week_year", [-1, 0, 1, 2015, 2020, 2021])
def test_weeks_of_a_year(week_year: int) -> None:
    first = calendar.week_date(week_year, 1, 1)
    last = calendar.iso_week(calendar.epoch_day(week_year, 12, 28))[1]
    assert calendar.first_monday(week_year + 1) - first == 7 * last
    with pytest.raises(ArgumentError):
        calendar.week_date(week_year, last + 1, 1)


def test_a_week_may_not_leave_the_years() -> None:
    last = calendar.weekday_of(calendar.MAX_DAY)
    week_year, week = calendar.iso_week(calendar.MAX_DAY)
    if week_year == calendar.MAX_YEAR and last < 7:
        with pytest.raises(ArgumentError):
            calendar.week_date(week_year, week, last + 1)
