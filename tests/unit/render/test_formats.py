"""What the renderers write, read back by another JSON reader."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cypherd.batch.columns import Batch, ObjectColumn, TypedColumn
from cypherd.engine import Result
from cypherd.errors import CypherArithmeticError
from cypherd.executor.context import Stats
from cypherd.planner.logical.operators import LogicalArgument
from cypherd.planner.plan import Plan
from cypherd.render.registry import RENDERERS, renderer_named
from cypherd.render.renderer import RenderOptions
from cypherd.values.graph import Node, Path, Relationship

ANN = Node(1, ("Person",), {"name": "Ann", "weight": math.nan})
BOB = Node(2, (), {})
KNOWS = Relationship(7, "KNOWS", 1, 2, {"since": 2**60})

ANN_JSON = {
    "id": 1,
    "elementId": "n1",
    "labels": ["Person"],
    "properties": {"name": "Ann", "weight": "NaN"},
}
KNOWS_JSON = {
    "id": 7,
    "elementId": "r7",
    "type": "KNOWS",
    "start": 1,
    "end": 2,
    "properties": {"since": 2**60},
}

VALUES = [
    pytest.param(None, None, id="null"),
    pytest.param(True, True, id="boolean"),
    pytest.param(2**63 - 1, 2**63 - 1, id="largest integer"),
    pytest.param(-(2**63), -(2**63), id="smallest integer"),
    pytest.param(0.1, 0.1, id="float"),
    pytest.param(math.inf, "Infinity", id="infinity"),
    pytest.param(-math.inf, "-Infinity", id="minus infinity"),
    pytest.param('a"\\\n\u0000\U0001f600', 'a"\\\n\u0000\U0001f600', id="string"),
    pytest.param([1, [math.nan, None]], [1, ["NaN", None]], id="list"),
    pytest.param(range(3), [0, 1, 2], id="range"),
    pytest.param({"a": {"b": [math.inf]}}, {"a": {"b": ["Infinity"]}}, id="map"),
    pytest.param(ANN, ANN_JSON, id="node"),
    pytest.param(KNOWS, KNOWS_JSON, id="relationship"),
    pytest.param(
        Path((ANN, BOB), (KNOWS,)),
        {
            "nodes": [
                ANN_JSON,
                {"id": 2, "elementId": "n2", "labels": [], "properties": {}},
            ],
            "relationships": [KNOWS_JSON],
            "length": 1,
        },
        id="path",
    ),
]


def result_of(batches: Iterator[Batch], columns: tuple[str, ...] = ("v",)) -> Result:
    plan = Plan("", LogicalArgument(), columns, "read", False, None, frozenset(), 0)
    return Result(columns, batches, Stats(), plan)


def rendered(name: str, batches: list[Batch], options: RenderOptions | None = None) -> bytes:
    result = result_of(iter(batches))
    return b"".join(renderer_named(name).render(result, options or RenderOptions()))


@pytest.mark.parametrize(("value", "expected"), VALUES)
def test_json_values(value: Any, expected: Any) -> None:
    body = json.loads(rendered("json", [Batch(1, {"v": ObjectColumn([value])})]))
    assert body == {"columns": ["v"], "data": [[expected]]}


@pytest.mark.parametrize(("value", "expected"), VALUES)
def test_ndjson_values(value: Any, expected: Any) -> None:
    lines = rendered("ndjson", [Batch(1, {"v": ObjectColumn([value])})]).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"columns": ["v"]},
        [expected],
        {"end": {"rows": 1}},
    ]


def test_typed_columns_and_objects() -> None:
    column = TypedColumn(np.array([1.5, math.nan, 0.0]), np.array([True, True, False]))
    body = json.loads(rendered("json", [Batch(3, {"v": column})], RenderOptions(rows="objects")))
    assert body["data"] == [{"v": 1.5}, {"v": "NaN"}, {"v": None}]


def test_integers_as_strings_reach_every_depth() -> None:
    values = [1, True, [2**63 - 1], ANN]
    options = RenderOptions(integers="string")
    body = json.loads(rendered("json", [Batch(4, {"v": ObjectColumn(values)})], options))
    assert body["data"] == [["1"], [True], [["9223372036854775807"]], [{**ANN_JSON, "id": "1"}]]


def test_no_rows() -> None:
    assert json.loads(rendered("json", [])) == {"columns": ["v"], "data": []}
    assert rendered("ndjson", []).count(b"\n") == 2


def failing(rows: int) -> Iterator[Batch]:
    if rows:
        yield Batch(rows, {"v": ObjectColumn(["x" * 100] * rows)})
    raise CypherArithmeticError("/ by zero")


@pytest.mark.parametrize("name", [renderer.name for renderer in RENDERERS])
def test_an_error_before_the_first_chunk_has_its_own_status(name: str) -> None:
    chunks = renderer_named(name).render(result_of(failing(10)), RenderOptions())
    with pytest.raises(CypherArithmeticError):
        next(chunks)


@pytest.mark.parametrize("name", [renderer.name for renderer in RENDERERS])
def test_a_late_error_ends_every_format(name: str) -> None:
    """Those that cannot tell it stop; what they gave so far has no end that looks like one."""
    renderer = renderer_named(name)
    given: list[bytes] = []
    with pytest.raises(CypherArithmeticError):
        given.extend(renderer.render(result_of(failing(5000)), RenderOptions()))
    body = b"".join(given)
    assert (b"/ by zero" in body) == renderer.in_band_errors
    assert b" rows)" not in body
    assert b"end" not in body


def test_a_late_error_is_told_in_the_body() -> None:
    chunks = renderer_named("json").render(result_of(failing(1000)), RenderOptions())
    body = next(chunks) + next(chunks)
    with pytest.raises(CypherArithmeticError):
        next(chunks)
    parsed = json.loads(body)
    assert len(parsed["data"]) == 1000
    assert parsed["errors"][0]["type"] == "ArithmeticError"


def test_a_late_error_is_the_last_line() -> None:
    chunks = renderer_named("ndjson").render(result_of(failing(1000)), RenderOptions())
    lines = (next(chunks) + next(chunks)).splitlines()
    assert len(lines) == 1002
    assert json.loads(lines[-1])["errors"][0]["message"] == "/ by zero"
