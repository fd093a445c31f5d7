"""Ternary logic in masks: where a column is true and where it is false; elsewhere it is null."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cypherd.batch.columns import BoolArray, Column, ObjectColumn, TypedColumn
from cypherd.values.description import wrong_type


class Truth(NamedTuple):
    """Two masks of the same length, never both set."""

    true: BoolArray
    false: BoolArray

    def column(self, typed: bool) -> Column:
        known = self.true | self.false
        column = TypedColumn(self.true, None if known.all() else known)
        return column if typed else ObjectColumn(column.to_list())


def truth_of(column: Column, operator: str) -> Truth:
    """The masks of a column of booleans. Raises CypherTypeError naming `operator` for any other
    value."""
    if isinstance(column, TypedColumn) and column.values.dtype == np.bool_:
        if column.valid is None:
            return Truth(column.values, ~column.values)
        return Truth(column.values & column.valid, ~column.values & column.valid)
    values = column.to_list()
    for value in values:
        if value is not None and value is not True and value is not False:
            raise wrong_type(operator, "a boolean", value)
    length = len(values)
    return Truth(
        np.fromiter((value is True for value in values), np.bool_, length),
        np.fromiter((value is False for value in values), np.bool_, length),
    )
