"""The proleptic Gregorian calendar on epoch days (day 0 is 1970-01-01), without Python's limits.

Years run from -999,999,999 to 999,999,999; weeks are those of ISO 8601.
"""

from __future__ import annotations

from functools import lru_cache

from cypherd.errors import ArgumentError

MIN_YEAR, MAX_YEAR = -999_999_999, 999_999_999
DAYS_OF_400_YEARS = 146_097

_DAYS_OF_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# Counting years from March puts the leap day at the end of the year.
_EPOCH_FROM_MARCH_OF_YEAR_0 = 719_468


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else _DAYS_OF_MONTH[month - 1]


def epoch_day(year: int, month: int, day: int) -> int:
    """The epoch day of a date that exists."""
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * DAYS_OF_400_YEARS + day_of_era - _EPOCH_FROM_MARCH_OF_YEAR_0


@lru_cache(maxsize=1 << 14)
def civil(day: int) -> tuple[int, int, int]:
    """(year, month, day of month) of an epoch day."""
    era, day_of_era = divmod(day + _EPOCH_FROM_MARCH_OF_YEAR_0, DAYS_OF_400_YEARS)
    leap_free = day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    year_of_era = leap_free // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    from_march = (5 * day_of_year + 2) // 153
    month = from_march + 3 if from_march < 10 else from_march - 9
    return (
        year_of_era + era * 400 + (month <= 2),
        month,
        day_of_year - (153 * from_march + 2) // 5 + 1,
    )


MIN_DAY = epoch_day(MIN_YEAR, 1, 1)
MAX_DAY = epoch_day(MAX_YEAR, 12, 31)


def checked_day(day: int) -> int:
    """`day` if its year is one that there is. Raises ArgumentError otherwise."""
    if MIN_DAY <= day <= MAX_DAY:
        return day
    raise ArgumentError(
        f"a date must be in the years {MIN_YEAR} to {MAX_YEAR}", detail="InvalidArgumentValue"
    )


def within(name: str, value: int, least: int, most: int) -> int:
    """`value` if it is in its bounds. Raises ArgumentError, naming it."""
    if least <= value <= most:
        return value
    raise ArgumentError(
        f"{name} must be from {least} to {most}, not {value}", detail="InvalidArgumentValue"
    )


def date_of(year: int, month: int, day: int) -> int:
    """The epoch day of a calendar date. Raises ArgumentError if there is none."""
    within("year", year, MIN_YEAR, MAX_YEAR)
    within("month", month, 1, 12)
    within("day", day, 1, month_length(year, month))
    return epoch_day(year, month, day)


def ordinal_date(year: int, ordinal: int) -> int:
    """The epoch day of a year's nth day. Raises ArgumentError if there is none."""
    within("year", year, MIN_YEAR, MAX_YEAR)
    within("ordinalDay", ordinal, 1, 366 if is_leap(year) else 365)
    return epoch_day(year, 1, 1) + ordinal - 1


def quarter_date(year: int, quarter: int, day: int) -> int:
    """The epoch day of a quarter's nth day. Raises ArgumentError if there is none."""
    within("year", year, MIN_YEAR, MAX_YEAR)
    within("quarter", quarter, 1, 4)
    first = quarter * 3 - 2
    length = sum(month_length(year, month) for month in range(first, first + 3))
    within("dayOfQuarter", day, 1, length)
    return epoch_day(year, first, 1) + day - 1


def week_date(year: int, week: int, weekday: int) -> int:
    """The epoch day of an ISO week date. Raises ArgumentError if there is none."""
    within("year", year, MIN_YEAR, MAX_YEAR)
    within("week", week, 1, iso_week(epoch_day(year, 12, 28))[1])
    within("dayOfWeek", weekday, 1, 7)
    return checked_day(first_monday(year) + 7 * (week - 1) + weekday - 1)


def weekday_of(day: int) -> int:
    """1 is Monday, 7 is Sunday."""
    return (day + 3) % 7 + 1


def first_monday(week_year: int) -> int:
    """The epoch day on which the ISO week 1 begins: the week of January 4."""
    fourth = epoch_day(week_year, 1, 4)
    return fourth - weekday_of(fourth) + 1


def iso_week(day: int) -> tuple[int, int]:
    """(week year, week) of an epoch day: those of the Thursday of its week."""
    thursday = day - weekday_of(day) + 4
    year = civil(thursday)[0]
    return year, (thursday - epoch_day(year, 1, 1)) // 7 + 1


def day_of_quarter(day: int) -> int:
    year, month, _ = civil(day)
    return day - epoch_day(year, (month - 1) // 3 * 3 + 1, 1) + 1


def add_months(day: int, months: int) -> int:
    """The same day of another month, or that month's last one. Raises ArgumentError."""
    year, month, day_of_month = civil(day)
    years, month_index = divmod(month - 1 + months, 12)
    target = within("year", year + years, MIN_YEAR, MAX_YEAR)
    last = month_length(target, month_index + 1)
    return epoch_day(target, month_index + 1, min(day_of_month, last))
