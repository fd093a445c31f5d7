"""Comparison and arithmetic on whole arrays.

A kernel takes two columns and gives one, or None where it cannot be exact (a possible overflow,
a division by zero, an integer beyond 2^53 beside a float, other types): then the general path
computes the batch and raises what there is to raise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import BoolArray, Column, IdColumn, ObjectColumn, TypedColumn
from cypherd.values.arithmetic import MAX_INTEGER, MIN_INTEGER

SMALLEST_BATCH = 16
"""Below this many rows a Python loop is faster than NumPy's calls."""

_EXACT = 1 << 53
_MIN = np.iinfo(np.int64).min

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def typed_binary(name: str, left: Column, right: Column) -> Column | None:
    """`left name right` for whole columns, or None."""
    if len(left) < SMALLEST_BATCH:
        return None
    if name in ("=", "<>") and isinstance(left, IdColumn) and isinstance(right, IdColumn):
        return _compare_ids(name, left, right)
    a, b = as_typed(left), as_typed(right)
    if a is None or b is None:
        return None
    valid = _both_valid(a, b)
    if name in _COMPARISONS:
        values = _compare(name, a.values, b.values)
    else:
        values = _calculate(name, a.values, b.values)
    return None if values is None else TypedColumn(values, valid)


def as_typed(column: Column) -> TypedColumn | None:
    """The column as an array, if all its values are of one kind of number, or booleans."""
    if isinstance(column, TypedColumn):
        return column
    if not isinstance(column, ObjectColumn):
        return None
    values = column.values
    kinds = set(map(type, values))
    has_null = type(None) in kinds
    kinds.discard(type(None))
    if len(kinds) != 1:
        return None
    kind = kinds.pop()
    if kind not in (int, float, bool):
        return None
    if kind is int and not _fits(values):
        return None
    if not has_null:
        return TypedColumn(np.array(values, dtype=kind))
    valid = np.fromiter((value is not None for value in values), np.bool_, len(values))
    return TypedColumn(np.array([0 if v is None else v for v in values], dtype=kind), valid)


def _fits(values: list[Any]) -> bool:
    """Whether integers fit 64 bits: a parameter may bring others."""
    present = [value for value in values if value is not None]
    return bool(min(present) >= MIN_INTEGER and max(present) <= MAX_INTEGER)


def _both_valid(a: TypedColumn, b: TypedColumn) -> BoolArray | None:
    if a.valid is None:
        return b.valid
    return a.valid if b.valid is None else a.valid & b.valid


def _compare_ids(name: str, left: IdColumn, right: IdColumn) -> Column:
    if left.kind == right.kind:
        values = _COMPARISONS[name](left.ids, right.ids)
    else:
        values = np.full(len(left), name == "<>")
    valid = (left.ids >= 0) & (right.ids >= 0)
    return TypedColumn(values, None if valid.all() else valid)


def _compare(name: str, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any] | None:
    if (a.dtype == np.bool_) != (b.dtype == np.bool_):
        return None
    if a.dtype != b.dtype and not (_exact_as_float(a) and _exact_as_float(b)):
        return None
    values: NDArray[Any] = _COMPARISONS[name](a, b)
    return values


def _exact_as_float(values: NDArray[Any]) -> bool:
    if values.dtype != np.int64 or not len(values):
        return True
    return int(values.max()) <= _EXACT and int(values.min()) >= -_EXACT


def _calculate(name: str, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any] | None:
    if np.bool_ in (a.dtype, b.dtype):
        return None
    whole = a.dtype == np.int64 and b.dtype == np.int64
    kernel = (_WHOLE if whole else _FLOATING).get(name)
    if kernel is None:
        return None
    with np.errstate(all="ignore"):
        result: NDArray[Any] | None = kernel(a, b)
    return result


def _add(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any] | None:
    total = a + b
    # Overflow turns the sign of the sum against that of both operands.
    return None if (((a ^ total) & (b ^ total)) < 0).any() else total


def _subtract(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any] | None:
    difference = a - b
    return None if (((a ^ b) & (a ^ difference)) < 0).any() else difference


def _multiply(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any] | None:
    # The float product is off by at most one part in 2^52: anything near 2^63 is left alone.
    near = np.abs(a.astype(np.float64) * b.astype(np.float64)) >= 2.0**62
    return None if near.any() else a * b


def _divide(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any] | None:
    if (b == 0).any() or ((b == -1) & (a == _MIN)).any():
        return None
    floored = a // b
    # NumPy rounds down, Cypher toward zero.
    quotient: NDArray[Any] = np.where(
        (floored * b != a) & ((a < 0) != (b < 0)), floored + 1, floored
    )
    return quotient


def _modulo(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any] | None:
    if (b == 0).any() or (b == -1).any():
        return None
    remainder: NDArray[Any] = np.fmod(a, b)
    return remainder


Kernel = Callable[[NDArray[Any], NDArray[Any]], "NDArray[Any] | None"]

_WHOLE: dict[str, Kernel] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _modulo,
}
# "^" is not here: NumPy's power may differ from C's in the last digit.
_FLOATING: dict[str, Kernel] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.fmod,
}
