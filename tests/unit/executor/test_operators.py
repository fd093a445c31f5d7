"""Operators of plans built by hand, over a real store: what planned queries seldom reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cypherd.batch.columns import SINGLE_ROW
from cypherd.binder.expressions import Aggregate, Call, Constant, ListOf, Property, Variable
from cypherd.errors import (
    CypherTypeError,
    EntityNotFound,
    MemoryLimitExceeded,
    QueryCancelled,
    RowLimitExceeded,
)
from cypherd.executor.context import ExecutionContext, Unguarded
from cypherd.executor.mapper import map_plan
from cypherd.planner.logical import operators as logical
from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore
from cypherd.values.graph import NodeRef

_ARGUMENT = logical.LogicalArgument()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """Ten nodes :N {i: 0..9} in a ring of :T, of which the even ones are :Even as well."""
    path: Path = tmp_path_factory.mktemp("operators")
    opened = open_store(path / "store", map_size=64 * MIB, create=True)
    with opened.write() as transaction:
        number, even = transaction.label_token("N"), transaction.label_token("Even")
        key, ring = transaction.property_token("i"), transaction.type_token("T")
        labels = [(number, even) if i % 2 == 0 else (number,) for i in range(10)]
        nodes = transaction.create_nodes(labels, [{key: i} for i in range(10)])
        ends = nodes[[*range(1, 10), 0]]
        transaction.create_relationships([ring] * 10, nodes, ends, [{key: i} for i in range(10)])
        transaction.create_index("by_i", "node", number, [key])
        transaction.create_index("by_t", "relationship", ring, [key])
        transaction.commit()
    yield opened
    opened.close()


def _scan(variable: str, label: str = "N", source: Any = _ARGUMENT) -> logical.LogicalOperator:
    return logical.LogicalNodeByLabelScan(source=source, variable=variable, label=label)


def _i(variable: str) -> Property:
    return Property(Variable(variable), "i")


def _project(source: logical.LogicalOperator, *values: Any) -> logical.LogicalOperator:
    items = tuple((f"c{place}", value) for place, value in enumerate(values))
    return logical.LogicalProject(source=source, items=items)


def _rows(
    store: GraphStore, plan: logical.LogicalOperator, size: int = 1024, guard: Any = None
) -> list[list[Any]]:
    with store.read() as transaction:
        context = ExecutionContext(
            transaction=transaction,
            parameters={},
            guard=guard or Unguarded(),
            batch_size=size,
        )
        rows: list[list[Any]] = []
        for batch in map_plan(plan).batches(context, SINGLE_ROW):
            assert 0 < batch.length <= size
            lists = [column.to_list() for column in batch.columns.values()]
            rows.extend(map(list, zip(*lists, strict=True)))
    return rows


_SIZES = pytest.mark.parametrize("size", [1, 3, 1024])


@_SIZES
def test_value_hash_join(store: GraphStore, size: int) -> None:
    join = logical.LogicalValueHashJoin(
        left=_scan("a"),
        right=_scan("b"),
        left_key=_i("a"),
        right_key=Call("+", (_i("b"), Constant(8.0))),
    )
    assert sorted(_rows(store, _project(join, _i("a"), _i("b")), size)) == [[8, 0], [9, 1]]


@_SIZES
def test_value_hash_join_of_nulls(store: GraphStore, size: int) -> None:
    nothing = Property(Variable("a"), "missing")
    join = logical.LogicalValueHashJoin(
        left=_scan("a"), right=_scan("b"), left_key=nothing, right_key=Constant(None)
    )
    assert _rows(store, join, size) == []


@_SIZES
def test_node_hash_join(store: GraphStore, size: int) -> None:
    def hop(start: str, relationship: str, source: logical.LogicalOperator) -> Any:
        return logical.LogicalExpand(
            source=source,
            start=start,
            relationship=relationship,
            end="m",
            direction="out",
            types=("T",),
        )

    join = logical.LogicalNodeHashJoin(
        left=hop("a", "r", _scan("a")), right=hop("b", "q", _scan("b", "Even")), variables=("m",)
    )
    found = _rows(store, _project(join, _i("a"), _i("b"), _i("m")), size)
    assert sorted(found) == [[i, i, i + 1] for i in range(0, 10, 2)]


@_SIZES
def test_cartesian_product_is_ordered_by_the_left(store: GraphStore, size: int) -> None:
    product = logical.LogicalCartesianProduct(left=_scan("a", "Even"), right=_scan("b"))
    found = _rows(store, _project(product, _i("a"), _i("b")), size)
    assert found == [[a, b] for a in range(0, 10, 2) for b in range(10)]


@_SIZES
def test_a_scan_for_every_row_keeps_the_order(store: GraphStore, size: int) -> None:
    twice = _scan("b", "Even", source=_scan("a"))
    found = _rows(store, _project(twice, _i("a"), _i("b")), size)
    assert found == [[a, b] for a in range(10) for b in range(0, 10, 2)]


@_SIZES
@pytest.mark.parametrize("label", ["N", "Even"])
def test_a_seek_whose_index_is_gone(store: GraphStore, label: str, size: int) -> None:
    seek = logical.LogicalNodeIndexSeek(
        source=logical.LogicalUnwind(
            source=_ARGUMENT, expression=Constant([4, 2, None, 77]), variable="x"
        ),
        variable="n",
        label=label,
        properties=("i",),
        values=(Variable("x"),),
    )
    assert _rows(store, _project(seek, Variable("x"), _i("n")), size) == [[4, 4], [2, 2]]


@_SIZES
@pytest.mark.parametrize("label", ["N", "Even"])
def test_a_range_whose_index_is_gone(store: GraphStore, label: str, size: int) -> None:
    seek = logical.LogicalNodeIndexRangeSeek(
        source=_ARGUMENT,
        variable="n",
        label=label,
        property="i",
        low=Constant(2),
        low_inclusive=False,
        high=Constant(6.0),
        high_inclusive=True,
    )
    wanted = [3, 4, 5, 6] if label == "N" else [4, 6]
    assert _rows(store, _project(seek, _i("n")), size) == [[i] for i in wanted]


@_SIZES
@pytest.mark.parametrize("label", ["N", "Even"])
def test_many_values(store: GraphStore, label: str, size: int) -> None:
    seek = logical.LogicalNodeIndexSeek(
        source=_ARGUMENT,
        variable="n",
        label=label,
        properties=("i",),
        values=(Constant([8, 8.0, None, 4, "x"]),),
        many=True,
    )
    assert sorted(_rows(store, _project(seek, _i("n")), size)) == [[4], [8]]


@_SIZES
@pytest.mark.parametrize("directed", [True, False])
def test_relationship_seeks_and_scans_agree(store: GraphStore, directed: bool, size: int) -> None:
    ends: dict[str, Any] = {"relationship": "r", "start": "a", "end": "b", "directed": directed}
    by_index = logical.LogicalRelationshipIndexSeek(
        source=_ARGUMENT, type="T", properties=("i",), values=(Constant(3),), **ends
    )
    scan = logical.LogicalRelationshipScan(source=_ARGUMENT, types=("T",), **ends)
    filtered = logical.LogicalFilter(source=scan, predicate=Call("=", (_i("r"), Constant(3))))
    by_id = logical.LogicalRelationshipByIdSeek(source=_ARGUMENT, ids=Constant(3), **ends)
    wanted = [[3, 3, 4]] if directed else [[3, 3, 4], [3, 4, 3]]
    for plan in (by_index, filtered, by_id):
        found = _rows(store, _project(plan, _i("r"), _i("a"), _i("b")), size)
        assert sorted(found) == wanted


def test_ids_that_are_not_there(store: GraphStore) -> None:
    loose = logical.LogicalNodeByIdSeek(
        source=_ARGUMENT, variable="n", ids=Constant([2, -7, 99, None, 2])
    )
    assert _rows(store, loose) == [[NodeRef(2)]]
    strict = logical.LogicalNodeByIdSeek(
        source=_ARGUMENT, variable="n", ids=Constant(99), strict=True
    )
    with pytest.raises(EntityNotFound):
        _rows(store, strict)
    wrong = logical.LogicalNodeByIdSeek(source=_ARGUMENT, variable="n", ids=Constant("x"))
    with pytest.raises(CypherTypeError):
        _rows(store, wrong)


@_SIZES
def test_an_inner_limit_holds_for_each_row(store: GraphStore, size: int) -> None:
    inner = logical.LogicalLimit(
        source=logical.LogicalUnwind(
            source=_ARGUMENT,
            expression=Call("range", (Constant(0), _i("a"))),
            variable="x",
        ),
        count=Constant(2),
    )
    plan = logical.LogicalApply(source=_scan("a"), inner=inner, variables=("x",))
    found = _rows(store, _project(plan, _i("a"), Variable("x")), size)
    assert found == [[0, 0]] + [[i, x] for i in range(1, 10) for x in (0, 1)]


@_SIZES
def test_an_inner_aggregate_inside_an_optional_one(store: GraphStore, size: int) -> None:
    """The inner Apply runs row by row, the outer one for whole batches: the outer's hidden row
    numbers have to survive."""
    counted = logical.LogicalEagerAggregation(
        source=logical.LogicalUnwind(
            source=_ARGUMENT, expression=Call("range", (Constant(1), _i("a"))), variable="x"
        ),
        keys=(("a", Variable("a")),),
        aggregates=(("s", Aggregate("sum", (Variable("x"),), False)),),
    )
    inner = logical.LogicalFilter(
        source=logical.LogicalApply(source=_ARGUMENT, inner=counted, variables=("s",)),
        predicate=Call(">", (Variable("s"), Constant(20))),
    )
    plan = logical.LogicalOptional(source=_scan("a"), inner=inner, variables=("s",))
    found = _rows(store, _project(plan, _i("a"), Variable("s")), size)
    assert found == [[i, i * (i + 1) // 2 if i * (i + 1) // 2 > 20 else None] for i in range(10)]


@_SIZES
def test_semi_apply_and_roll_up(store: GraphStore, size: int) -> None:
    hop = logical.LogicalExpand(
        source=_ARGUMENT, start="a", relationship="r", end="b", direction="both", types=()
    )
    odd = logical.LogicalFilter(source=hop, predicate=Call(">", (_i("b"), Constant(6))))
    kept = logical.LogicalSemiApply(source=_scan("a"), inner=odd, negated=False)
    assert _rows(store, _project(kept, _i("a")), size) == [[0], [6], [7], [8], [9]]
    left = logical.LogicalSemiApply(source=_scan("a"), inner=odd, negated=True)
    assert _rows(store, _project(left, _i("a")), size) == [[1], [2], [3], [4], [5]]
    lists = logical.LogicalRollUpApply(
        source=_scan("a"), inner=_project(odd, _i("b")), value="c0", variable="all"
    )
    found = _rows(store, _project(lists, _i("a"), Variable("all")), size)
    assert [(i, sorted(values)) for i, values in found] == [
        (0, [9]), (1, []), (2, []), (3, []), (4, []), (5, []),
        (6, [7]), (7, [8]), (8, [7, 9]), (9, [8]),
    ]  # fmt: skip


@_SIZES
def test_paths_keep_the_order_of_rows(store: GraphStore, size: int) -> None:
    plan = logical.LogicalVarLengthExpand(
        source=_scan("a"),
        start="a",
        relationships="rs",
        end="b",
        direction="out",
        types=("T",),
        minimum=0,
        maximum=2,
        into=False,
    )
    found = _rows(store, _project(plan, _i("a"), _i("b"), Call("size", (Variable("rs"),))), size)
    assert [row[0] for row in found] == [i for i in range(10) for _ in range(3)]
    assert sorted(found) == sorted([i, (i + n) % 10, n] for i in range(10) for n in range(3))


@_SIZES
def test_paths_bound_and_reversed(store: GraphStore, size: int) -> None:
    parts: dict[str, Any] = {"relationships": "rs", "types": ("T",), "minimum": 2, "maximum": 2}
    forward = logical.LogicalVarLengthExpand(
        source=_scan("a"), start="a", end="b", direction="out", into=False, **parts
    )
    backward = logical.LogicalVarLengthExpand(
        source=forward, start="b", end="a", direction="in", into=True, reverse=True, bound=True,
        **parts,
    )  # fmt: skip
    found = _rows(store, _project(backward, _i("a"), _i("b")), size)
    assert found == [[i, (i + 2) % 10] for i in range(10)]


class _Stops(Unguarded):
    """Cancels at the given check."""

    def __init__(self, checks: int) -> None:
        self.left = checks

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise QueryCancelled("stopped")


def _range(most: int) -> logical.LogicalOperator:
    return logical.LogicalUnwind(
        source=_ARGUMENT, expression=Call("range", (Constant(1), Constant(most))), variable="x"
    )


_KEYS = ((Variable("x"), True),)


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(_range(10**12), id="unwind"),
        pytest.param(logical.LogicalSort(source=_range(10**12), keys=_KEYS), id="sort"),
        pytest.param(
            logical.LogicalTop(source=_range(10**12), keys=_KEYS, limit=Constant(5)), id="top"
        ),
        pytest.param(logical.LogicalEager(source=_range(10**12), reason="test"), id="eager"),
        pytest.param(
            logical.LogicalDistinct(source=_range(10**12), variables=("x",)), id="distinct"
        ),
        pytest.param(
            logical.LogicalEagerAggregation(
                source=_range(10**12),
                keys=(),
                aggregates=(("c", Aggregate("count(*)", (), False)),),
            ),
            id="aggregate",
        ),
        pytest.param(
            logical.LogicalVarLengthExpand(
                source=_scan("a", source=_range(10**12)),
                start="a",
                relationships="r",
                end="b",
                direction="both",
                types=(),
                minimum=1,
                maximum=None,
                into=False,
            ),
            id="paths",
        ),
        pytest.param(
            logical.LogicalCartesianProduct(left=_range(10**12), right=_scan("a")), id="product"
        ),
    ],
)
def test_everything_can_be_stopped(store: GraphStore, plan: logical.LogicalOperator) -> None:
    with pytest.raises(QueryCancelled):
        _rows(store, logical.LogicalEmptyResult(source=plan), guard=_Stops(200))


class _Small(Unguarded):
    """Lets an operator hold 100 kB."""

    def __init__(self) -> None:
        self.held = 0

    def hold(self, nbytes: int) -> None:
        self.held += nbytes
        if self.held > 100_000:
            raise MemoryLimitExceeded("too much")

    def release(self, nbytes: int) -> None:
        self.held -= nbytes

    def emitted(self, rows: int) -> None:
        raise RowLimitExceeded("not asked for here")


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(logical.LogicalSort(source=_range(10**9), keys=_KEYS), id="sort"),
        pytest.param(logical.LogicalEager(source=_range(10**9), reason="test"), id="eager"),
        pytest.param(
            logical.LogicalDistinct(source=_range(10**9), variables=("x",)), id="distinct"
        ),
        pytest.param(
            logical.LogicalEagerAggregation(
                source=_range(10**9),
                keys=(),
                aggregates=(("c", Aggregate("collect", (Variable("x"),), False)),),
            ),
            id="collect",
        ),
        pytest.param(
            logical.LogicalCartesianProduct(left=_scan("a"), right=_range(10**9)), id="product"
        ),
        pytest.param(
            logical.LogicalValueHashJoin(
                left=_range(10**9), right=_scan("a"), left_key=Variable("x"), right_key=_i("a")
            ),
            id="join",
        ),
    ],
)
def test_what_is_kept_is_accounted_for(store: GraphStore, plan: logical.LogicalOperator) -> None:
    guard = _Small()
    with pytest.raises(MemoryLimitExceeded):
        _rows(store, plan, guard=guard)
    assert guard.held == 0


def test_a_small_top_of_many_rows_holds_little(store: GraphStore) -> None:
    class _Most(_Small):
        def hold(self, nbytes: int) -> None:
            self.held += nbytes
            assert self.held < 2_000_000

    top = logical.LogicalTop(
        source=_range(200_000), keys=((Variable("x"), False),), limit=Constant(3)
    )
    assert _rows(store, top, guard=_Most()) == [[200_000], [199_999], [199_998]]


def test_one_compiled_plan_runs_twice_at_once(store: GraphStore) -> None:
    operator = map_plan(_project(_scan("a"), _i("a")))
    with store.read() as transaction:
        context = ExecutionContext(
            transaction=transaction, parameters={}, guard=Unguarded(), batch_size=2
        )
        first, second = (operator.batches(context, SINGLE_ROW) for _ in range(2))
        pairs = list(zip(first, second, strict=True))
    assert [a.columns["c0"].to_list() for a, _ in pairs] == [
        b.columns["c0"].to_list() for _, b in pairs
    ]
    assert len(pairs) == 5


def test_a_list_of_ids(store: GraphStore) -> None:
    ids = ListOf((Constant(1), Constant(3)))
    plan = logical.LogicalNodeByIdSeek(source=_ARGUMENT, variable="n", ids=ids)
    assert _rows(store, _project(plan, _i("n"))) == [[1], [3]]
