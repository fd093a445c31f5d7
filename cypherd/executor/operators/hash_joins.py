"""NodeHashJoin and ValueHashJoin: the left side is kept in a table, the right side asks it.

left rows -> key -> left row numbers;  right row -> its key's left rows, in order
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.memory import Holding, batch_bytes, value_bytes
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.rows import entity_ids, join_batches
from cypherd.planner.logical.operators import LogicalNodeHashJoin, LogicalValueHashJoin
from cypherd.values.equality import equals, equivalence_key

Keys: TypeAlias = Sequence[Any]
"""A key a row; None for a row that joins nothing."""
KeysOf: TypeAlias = Callable[[Batch, ExecutionContext], Keys]

_ENTRY = 140


@dataclass(slots=True, kw_only=True)
class NodeHashJoin(Operator):
    left: Operator
    right: Operator
    variables: tuple[str, ...]
    imports: tuple[str, ...] = ()

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        def keys(batch: Batch, _: ExecutionContext) -> Keys:
            ids = [entity_ids(batch.columns[name], "node").tolist() for name in self.variables]
            found = [key if min(key) >= 0 else None for key in zip(*ids, strict=True)]
            if not self.imports:
                return found
            values = _imported(batch, self.imports)
            return [k and (*k, v) for k, v in zip(found, values, strict=True)]

        with Holding(context.guard) as held:
            table = _Table(self.left.batches(context, argument), keys, context, held)
            if table.batch is None:
                return
            if self.imports:
                argument = _different(table.batch, self.imports)
            for right in self.right.batches(context, argument):
                # The left side has the same values under these names.
                columns = {n: c for n, c in right.columns.items() if n not in self.imports}
                asked = keys(right, context)
                found = Batch(right.length, columns)
                yield from table.joined(found, asked, context.batch_size)


@dataclass(slots=True, kw_only=True)
class ValueHashJoin(Operator):
    left: Operator
    right: Operator
    left_key: Expression
    right_key: Expression

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        with Holding(context.guard) as held:
            source = self.left.batches(context, argument)
            left_key, right_key = _equality_keys(self.left_key), _equality_keys(self.right_key)
            table = _Table(source, left_key, context, held)
            for right in self.right.batches(context, argument):
                yield from table.joined(right, right_key(right, context), context.batch_size)


def _imported(batch: Batch, names: tuple[str, ...]) -> list[Any]:
    """A key a row, the same where these columns have the same values."""
    columns = [batch.columns[name].to_list() for name in names]
    return [tuple(map(equivalence_key, row)) for row in zip(*columns, strict=True)]


def _different(batch: Batch, names: tuple[str, ...]) -> Batch:
    """Each combination of values of these columns once."""
    firsts: dict[Any, int] = {}
    for row, key in enumerate(_imported(batch, names)):
        firsts.setdefault(key, row)
    return batch.select(names).take(np.fromiter(firsts.values(), np.int64, len(firsts)))


def _equality_keys(expression: Expression) -> KeysOf:
    """Keys that are the same exactly when the values are equal: a value that does not equal
    itself (null, NaN, a list with one inside) has none."""

    def keys(batch: Batch, context: ExecutionContext) -> Keys:
        values = expression(batch, context).to_list()
        return [equivalence_key(v) if equals(v, v) is True else None for v in values]

    return keys


class _Table:
    """The rows of the left side by key."""

    def __init__(
        self, source: Iterator[Batch], keys: KeysOf, context: ExecutionContext, held: Holding
    ) -> None:
        rows: list[Batch] = []
        self.places: dict[Any, list[int]] = {}
        length = 0
        for batch in source:
            rows.append(batch)
            held.add(batch_bytes(batch))
            for place, key in enumerate(keys(batch, context), start=length):
                if key is not None:
                    self._put(key, place, held)
            length += batch.length
        self.batch = join_batches(rows) if rows else None

    def _put(self, key: Any, place: int, held: Holding) -> None:
        places = self.places.get(key)
        if places is None:
            self.places[key] = [place]
            held.add(_ENTRY + value_bytes(key))
        else:
            places.append(place)

    def joined(self, right: Batch, keys: Keys, size: int) -> Iterator[Batch]:
        """The rows of `right` with the left rows of their keys, in pieces."""
        if self.batch is None:
            return
        left_rows: list[int] = []
        right_rows: list[int] = []
        for row, key in enumerate(keys):
            places = self.places.get(key, ()) if key is not None else ()
            for start in range(0, len(places), size):
                part = places[start : start + size]
                left_rows.extend(part)
                right_rows.extend([row] * len(part))
                if len(left_rows) >= size:
                    yield self._pair(self.batch, right, left_rows, right_rows)
                    left_rows, right_rows = [], []
        if left_rows:
            yield self._pair(self.batch, right, left_rows, right_rows)

    @staticmethod
    def _pair(left: Batch, right: Batch, left_rows: list[int], right_rows: list[int]) -> Batch:
        found = right.take(np.array(right_rows, dtype=np.int64))
        return left.take(np.array(left_rows, dtype=np.int64)).with_columns(found.columns)


def map_node_hash_join(plan: LogicalNodeHashJoin, number: int, mapping: Mapping) -> Operator:
    return NodeHashJoin(
        number=number,
        left=mapping.map(plan.left),
        right=mapping.map(plan.right),
        variables=plan.variables,
        imports=plan.imports,
    )


def map_value_hash_join(plan: LogicalValueHashJoin, number: int, mapping: Mapping) -> Operator:
    return ValueHashJoin(
        number=number,
        left=mapping.map(plan.left),
        right=mapping.map(plan.right),
        left_key=compile_expression(plan.left_key),
        right_key=compile_expression(plan.right_key),
    )
