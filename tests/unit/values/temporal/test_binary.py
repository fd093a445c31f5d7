"""The store's form of temporal values."""

from __future__ import annotations

import pytest
from hypothesis import given

from cypherd.storage.lmdb.layout import packb, unpack_all, unpackb
from cypherd.values.temporal import Date, TemporalValue, binary
from cypherd.values.temporal.parsing import parse_date_time
from tests.property.temporal_values import TEMPORAL


@given(TEMPORAL)
def test_there_and_back(value: TemporalValue) -> None:
    assert binary.unpack(*binary.pack(value)) == value
    record = packb([[1], {2: value, 3: [value, value]}])
    assert unpackb(record) == [[1], {2: value, 3: [value, value]}]
    assert unpack_all([record]) == [unpackb(record)]


def test_it_is_small_and_stays_as_it_is() -> None:
    """Stores that are out there have these bytes."""
    assert packb(Date(16_637)).hex() == "d603000040fd"
    moment = parse_date_time("2015-07-21T21:40:32.142+02:00[Europe/Berlin]")
    assert packb(moment).hex() == (
        "c71d010000000055aebc500876bf8000001c204575726f70652f4265726c696e"
    )


@pytest.mark.parametrize(
    ("code", "data"), [(0, b""), (7, b"1234"), (3, b"123"), (1, b""), (1, bytes(16) + b"\xff")]
)
def test_other_bytes(code: int, data: bytes) -> None:
    with pytest.raises(ValueError, match="temporal value"):
        binary.unpack(code, data)
