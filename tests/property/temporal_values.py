"""Hypothesis strategies for temporal values and points; extremes and near neighbours come often."""

from __future__ import annotations

from hypothesis import strategies as st

from cypherd.values.points import Point
from cypherd.values.temporal import Date, LocalDateTime, LocalTime, Time
from cypherd.values.temporal.calendar import MAX_DAY, MIN_DAY
from cypherd.values.temporal.duration import duration_of
from cypherd.values.temporal.model import NANOS, NANOS_OF_DAY, zoned

DAYS = st.integers(-2, 2) | st.integers(-800_000, 3_000_000) | st.integers(MIN_DAY + 2, MAX_DAY - 2)
TIMES = (
    st.sampled_from([0, 1, NANOS, 12 * 3600 * NANOS, NANOS_OF_DAY - 1])
    | st.integers(0, 86_399).map(lambda second: second * NANOS)
    | st.integers(0, NANOS_OF_DAY - 1)
)
OFFSETS = st.sampled_from([0, 3600, -3600, 3208, 64_800, -64_800])
ZONES = OFFSETS | st.sampled_from(["Europe/Berlin", "America/New_York", "Etc/UTC", "UTC"])
PARTS = st.integers(-3, 3) | st.integers(-(1 << 62), 1 << 62)

_PLACES = st.sampled_from([0.0, 1.0, -1.0, 180.0, 1e-300, 1e300]) | st.floats(
    allow_nan=False, allow_infinity=False
)
POINTS = st.one_of(
    st.builds(lambda x, y: Point(7203, (x + 0.0, y + 0.0)), _PLACES, _PLACES),
    st.builds(lambda x, y, z: Point(9157, (x + 0.0, y + 0.0, z + 0.0)), _PLACES, _PLACES, _PLACES),
    st.builds(lambda x, y: Point(4326, (x, y)), st.floats(-180, 180), st.floats(-90, 90)),
)

DATE_TIMES = st.builds(zoned, DAYS, TIMES, ZONES)
DURATIONS = st.builds(duration_of, PARTS, PARTS, PARTS)
TEMPORAL = st.one_of(
    DATE_TIMES,
    st.builds(LocalDateTime, DAYS, TIMES),
    st.builds(Date, DAYS),
    st.builds(Time, TIMES, OFFSETS),
    st.builds(LocalTime, TIMES),
    DURATIONS,
)
