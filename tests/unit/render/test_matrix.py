"""Every kind of value in every format, written by cypherd and read back by another reader.

A case has the value, what JSON readers get (MessagePack: the same but for floats), and, unless it
is a plain scalar, how people read it in a table.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import struct
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.engine import Result
from cypherd.executor.context import Stats
from cypherd.planner.logical.operators import LogicalArgument
from cypherd.planner.plan import Plan
from cypherd.render.registry import RENDERERS, rendered
from cypherd.render.renderer import RenderOptions
from cypherd.values.extensions import received
from cypherd.values.graph import Node, Path, Relationship
from cypherd.values.points import Point
from cypherd.values.spatial import point_of
from cypherd.values.temporal import TemporalValue
from cypherd.values.temporal.parsing import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_local_date_time,
    parse_local_time,
    parse_time,
)
from tests.unit.render import readers

PLANES = "".join(chr(plane << 16 | 0x0041) for plane in range(17) if plane != 0) + "A\u20ac\ufffd"
CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF)))
HUGE = 'häß"\n,' * 500_000

ANN = Node(1, ("Person", "Två ord"), {"name": 'A"n\nn', "weight": math.nan, "tags": ["a", ""]})
BOB = Node(2**53 + 1, (), {})
KNOWS = Relationship(7, "KNOWS", 1, 2**53 + 1, {"since": 2**60})
BACK = Relationship(8, "Ä b", 1, 2**53 + 1, {})
ANN_JSON = {
    "id": 1,
    "elementId": "n1",
    "labels": ["Person", "Två ord"],
    "properties": {"name": 'A"n\nn', "weight": "NaN", "tags": ["a", ""]},
}
BOB_JSON = {"id": 2**53 + 1, "elementId": f"n{2**53 + 1}", "labels": [], "properties": {}}
KNOWS_JSON = {
    "id": 7,
    "elementId": "r7",
    "type": "KNOWS",
    "start": 1,
    "end": 2**53 + 1,
    "properties": {"since": 2**60},
}
BACK_JSON = {**KNOWS_JSON, "id": 8, "elementId": "r8", "type": "Ä b", "properties": {}}
ANN_TEXT = '(:Person:`Två ord` {name: "A\\"n\\nn", weight: NaN, tags: ["a", ""]})'
DEEP: Any = ["x", {"y": []}]
for _ in range(11):
    DEEP = [DEEP]

SCALARS: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "beyond 2^53": 2**53 + 1,
    "largest integer": 2**63 - 1,
    "smallest integer": -(2**63),
    "float": 0.1,
    "whole float": 3.0,
    "minus zero": -0.0,
    "largest float": 1.7976931348623157e308,
    "smallest float": 5e-324,
    "float beyond 2^53": 9007199254740993.0,
    "not a number": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "empty string": "",
    "word": "Ann",
    "null as a word": "null",
    "number as a word": "12",
    "blanks": "  a  ",
    "comma": "a,b",
    "quotes": '"',
    "two quotes": '""a""',
    "apostrophe": "it's",
    "backslash": "a\\nb",
    "line feed": "a\nb\n",
    "carriage return": "a\rb",
    "both": "\r\na\r\n",
    "tab": "\ta",
    "formula": "=HYPERLINK(1)",
    "plus": "+1",
    "minus": "-1",
    "at": "@SUM(1)",
    "markup": "</td><script>alert(1)</script><!--rows-->&amp;",
    "attribute": "\" onmouseover='x'",
    "template": "{{ 7 * 7 }}{% if %}",
    "every plane": PLANES,
    "astral": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "combining": "e\u0301",
    "right to left": "\u202etxt\u2066",
    "last of plane 16": "\U0010ffff",
    "controls": CONTROLS,
    "bar": "a | b",
    "huge": HUGE,
}

NESTED: dict[str, tuple[Any, Any, str]] = {
    "empty list": ([], [], "[]"),
    "empty map": ({}, {}, "{}"),
    "list": ([1, "a", None, [True, [2.5]]], [1, "a", None, [True, [2.5]]],
             '[1, "a", null, [true, [2.5]]]'),
    "list of floats": ([math.nan, math.inf, -math.inf, -0.0],
                       ["NaN", "Infinity", "-Infinity", -0.0], "[NaN, Infinity, -Infinity, -0.0]"),
    "range": (range(3), [0, 1, 2], "[0, 1, 2]"),
    "map": ({"a": {"b": [math.inf, ""]}, "ö k`": 2**63 - 1, "": None},
            {"a": {"b": ["Infinity", ""]}, "ö k`": 2**63 - 1, "": None},
            '{a: {b: [Infinity, ""]}, `ö k```: 9223372036854775807, ``: null}'),
    "deep": (DEEP, DEEP, '[[[[[[[[[[[["x", {y: []}]]]]]]]]]]]]'),
    "list of markup": (["<b>", "=1", ",\n"], ["<b>", "=1", ",\n"], '["<b>", "=1", ",\\n"]'),
    "node": (ANN, ANN_JSON, ANN_TEXT),
    "node without anything": (BOB, BOB_JSON, "()"),
    "relationship": (KNOWS, KNOWS_JSON, "[:KNOWS {since: 1152921504606846976}]"),
    "list of nodes": ([BOB, None], [BOB_JSON, None], "[(), null]"),
    "path of one node": (Path((BOB,), ()), {"nodes": [BOB_JSON], "relationships": [], "length": 0},
                         "()"),
    "path": (Path((ANN, BOB, ANN), (KNOWS, BACK)),
             {"nodes": [ANN_JSON, BOB_JSON, ANN_JSON], "relationships": [KNOWS_JSON, BACK_JSON],
              "length": 2},
             f"{ANN_TEXT}-[:KNOWS {{since: 1152921504606846976}}]->()<-[:`Ä b`]-{ANN_TEXT}"),
}  # fmt: skip

CASES = [pytest.param(value, id=name) for name, value in SCALARS.items()]
NESTED_CASES = [pytest.param(*case, id=name) for name, case in NESTED.items()]
FORMATS = [renderer.name for renderer in RENDERERS]
GZIP = [pytest.param(None, id="plain"), pytest.param(0, id="gzip")]


def written(
    format_: str,
    columns: Sequence[str],
    table: Sequence[Sequence[Any]],
    *,
    size: int = 1024,
    gzip_from: int | None = None,
    **options: Any,
) -> bytes:
    """The body of a result whose batches have `size` rows."""

    def batches() -> Iterator[Batch]:
        for start in range(0, len(table), size):
            part = table[start : start + size]
            values = {name: ObjectColumn([r[i] for r in part]) for i, name in enumerate(columns)}
            yield Batch(len(part), values)

    names = tuple(columns)
    plan = Plan("RETURN 1", LogicalArgument(), names, "read", False, None, frozenset(), 0)
    result = Result(names, batches(), Stats(), plan)
    body = b"".join(rendered(format_, result, RenderOptions(gzip_from=gzip_from, **options)))
    return body


def one(format_: str, value: Any, **options: Any) -> Any:
    """The value alone in its column, and again among others, read back."""
    read = {
        "json": readers.read_json,
        "ndjson": readers.read_ndjson,
        "csv": readers.read_csv,
        "text": readers.read_text,
        "html": readers.read_html,
        "msgpack": readers.read_msgpack,
        "msgpack-seq": readers.read_msgpack_seq,
    }[format_]
    ((alone,),) = read(written(format_, ["v"], [[value]], **options))
    mixed = read(written(format_, ["v"], [[None], [value], ["x"], [[1]], [1.5]], **options))
    assert same(mixed[1][0], alone) or {type(alone), type(mixed[1][0])} == {tuple}
    return alone


def same(found: Any, expected: Any) -> bool:
    """Equal in type and value, NaN to itself and -0.0 not to 0.0, at every depth."""
    if isinstance(expected, float) and isinstance(found, float):
        return struct.pack("!d", found) == struct.pack("!d", expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, dict) and isinstance(found, dict):
        return list(found) == list(expected) and all(map(same, found.values(), expected.values()))
    return type(found) is type(expected) and bool(found == expected)


def as_json(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def as_packed(value: Any) -> Any:
    """What JSON has for a nested value, with the floats that JSON has names for."""
    names = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    if isinstance(value, list):
        return [as_packed(item) for item in value]
    if isinstance(value, dict):
        return {key: as_packed(item) for key, item in value.items()}
    return names.get(value, value) if isinstance(value, str) else value


# --- JSON and MessagePack ---------------------------------------------------------------


@pytest.mark.parametrize("format_", ["json", "ndjson"])
@pytest.mark.parametrize("value", CASES)
def test_scalars_in_json(format_: str, value: Any) -> None:
    assert same(one(format_, value), as_json(value))


@pytest.mark.parametrize("format_", ["json", "ndjson"])
@pytest.mark.parametrize(("value", "expected", "_literal"), NESTED_CASES)
def test_nested_in_json(format_: str, value: Any, expected: Any, _literal: str) -> None:
    assert same(one(format_, value), expected)


@pytest.mark.parametrize("format_", ["msgpack", "msgpack-seq"])
@pytest.mark.parametrize("value", CASES)
def test_scalars_in_msgpack(format_: str, value: Any) -> None:
    assert same(one(format_, value), value)


@pytest.mark.parametrize("format_", ["msgpack", "msgpack-seq"])
@pytest.mark.parametrize(("value", "expected", "_literal"), NESTED_CASES)
def test_nested_in_msgpack(format_: str, value: Any, expected: Any, _literal: str) -> None:
    assert same(one(format_, value), as_packed(expected))


@pytest.mark.parametrize("format_", ["json", "ndjson", "msgpack", "msgpack-seq"])
@pytest.mark.parametrize(("value", "expected", "_literal"), NESTED_CASES)
def test_integers_as_strings_at_every_depth(
    format_: str, value: Any, expected: Any, _literal: str
) -> None:
    def exact(item: Any) -> Any:
        if isinstance(item, list):
            return [exact(each) for each in item]
        if isinstance(item, dict):
            return {key: exact(each) for key, each in item.items()}
        return str(item) if type(item) is int else item

    wanted = exact(expected)
    found = one(format_, value, integers="string")
    assert same(found, wanted if "json" in format_ else as_packed(wanted))


# --- temporal values --------------------------------------------------------------------

TEMPORAL = {
    1: parse_date_time("2015-07-21T21:40:32.142+02:00[Europe/Berlin]"),
    2: parse_local_date_time("-0001-07-21T21:40"),
    3: parse_date("+12345-07-21"),
    4: parse_time("21:40:00.000000001-00:30", 0),
    5: parse_local_time("21:40"),
    6: parse_duration("P1Y-2M3DT-0.5S"),
}
TEMPORAL_CASES = [pytest.param(code, value, id=value.name) for code, value in TEMPORAL.items()]


@pytest.mark.parametrize("format_", ["json", "ndjson", "csv", "text", "html"])
@pytest.mark.parametrize(("_code", "value"), TEMPORAL_CASES)
def test_temporal_values_are_iso_8601(format_: str, _code: int, value: TemporalValue) -> None:
    text = str(value)
    assert one(format_, value) == (("value", text) if format_ == "html" else text)
    listed = one(format_, [value, {"a": value}])
    people = f"[{text}, {{a: {text}}}]"
    assert listed == {
        "csv": json.dumps([text, {"a": text}], separators=(",", ":")),
        "text": people,
        "html": ("value", people),
    }.get(format_, [text, {"a": text}])


@pytest.mark.parametrize("format_", ["msgpack", "msgpack-seq"])
@pytest.mark.parametrize("integers", ["number", "string"])
@pytest.mark.parametrize(("code", "value"), TEMPORAL_CASES)
def test_temporal_values_are_extension_types(
    format_: str, integers: str, code: int, value: TemporalValue
) -> None:
    packed = msgpack.ExtType(code, str(value).encode())
    assert one(format_, value, integers=integers) == packed
    assert one(format_, [value, {"a": value}], integers=integers) == [packed, {"a": packed}]
    assert received(*packed) == value


# --- tables of text ---------------------------------------------------------------------


def csv_field(value: Any) -> str | None:
    """How documentation says a scalar stands in a field."""
    if value is None or isinstance(value, str):
        return value
    return as_json(value) if isinstance(as_json(value), str) else json.dumps(value)


@pytest.mark.parametrize("value", CASES)
def test_scalars_in_csv(value: Any) -> None:
    found = one("csv", value)
    if isinstance(value, float) and math.isfinite(value):
        assert same(float(found), value)
    else:
        assert found == csv_field(value)


@pytest.mark.parametrize(("value", "expected", "_literal"), NESTED_CASES)
def test_nested_in_csv_is_json(value: Any, expected: Any, _literal: str) -> None:
    assert same(json.loads(one("csv", value)), expected)


def test_integers_in_csv_lists_can_be_strings() -> None:
    assert json.loads(one("csv", [2**60], integers="string")) == [str(2**60)]
    assert one("csv", 2**60, integers="string") == str(2**60)


def _acts_on_a_terminal(character: str) -> bool:
    kind, direction = unicodedata.category(character), unicodedata.bidirectional(character)
    embeds = ("LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    return kind in ("Cc", "Zl", "Zp") or direction in embeds


@pytest.mark.parametrize("value", CASES)
def test_scalars_in_text(value: Any) -> None:
    found = one("text", value)
    assert not [c for c in found if _acts_on_a_terminal(c)]
    if isinstance(value, float) and not math.isfinite(value):
        assert found == as_json(value)
    else:
        assert same(json.loads(found), value)


@pytest.mark.parametrize(("value", "_expected", "literal"), NESTED_CASES)
def test_nested_in_text(value: Any, _expected: Any, literal: str) -> None:
    assert one("text", value) == literal


# What no HTML can hold, not even as a reference, becomes the replacement character.
_NOT_IN_HTML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), "�")


@pytest.mark.parametrize("value", CASES)
def test_scalars_in_html(value: Any) -> None:
    kind, found = one("html", value)
    if isinstance(value, str):
        assert (kind, found) == ("text", value.translate(_NOT_IN_HTML))
    elif isinstance(value, float) and math.isfinite(value):
        assert kind == "number"
        assert same(float(found), value)
    else:
        assert kind == ("null" if value is None else "number")
        assert found == (csv_field(value) or "null")


@pytest.mark.parametrize(("value", "_expected", "literal"), NESTED_CASES)
def test_nested_in_html(value: Any, _expected: Any, literal: str) -> None:
    kind, found = one("html", value)
    assert kind == ("graph" if isinstance(value, Node | Relationship | Path) else "value")
    assert found == literal


# --- whole tables -----------------------------------------------------------------------

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["", "],[", "},{", '"', ",", "\r\n", "\n", "null", "=1", " ", "<td>", "x"]
)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3)
)
_COLUMNS = st.one_of(
    *(st.lists(kind, min_size=7, max_size=7) for kind in (
        _VALUES, st.integers(-9, 9), st.none() | st.booleans(), st.floats(-1, 1), _TEXTS,
        st.none() | _TEXTS,
    ))
)  # fmt: skip


@given(st.lists(_COLUMNS, min_size=1, max_size=4), st.integers(1, 8))
@settings(max_examples=150, deadline=None)
def test_tables_of_anything(columns: list[list[Any]], size: int) -> None:
    names = [f"c{i}" for i in range(len(columns))]
    rows = [list(row) for row in zip(*columns, strict=True)]
    for format_, read in (
        ("json", readers.read_json),
        ("ndjson", readers.read_ndjson),
        ("msgpack", readers.read_msgpack),
        ("msgpack-seq", readers.read_msgpack_seq),
    ):
        assert same(read(written(format_, names, rows, size=size)), rows)
    lines = written("ndjson", names, rows, size=size, rows="objects").decode().split("\n")
    maps = [dict(zip(names, row, strict=True)) for row in rows]
    assert same([json.loads(line) for line in lines[1:-2]], maps)
    found = readers.read_csv(written("csv", names, rows, size=size))
    assert found == [list(map(field_of, row)) for row in rows]
    assert len(readers.read_html(written("html", names, rows, size=size))) == len(rows)
    assert written("text", names, rows, size=size).count(b"\n") == len(rows) + 3


def field_of(value: Any) -> str | None:
    """What a field of CSV holds: strings as they are, other values as JSON has them."""
    return value if value is None or isinstance(value, str) else json_text(value)


def json_text(value: Any) -> str:
    """As the JSON format itself writes it: that one is compared with a reader above."""
    body = written("json", ["v"], [[value]]).decode()
    return body.removeprefix('{"columns":["v"],"data":[[').removesuffix("]]}")


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("gzip_from", GZIP)
def test_no_rows(format_: str, gzip_from: int | None) -> None:
    body = written(format_, ["a", "b"], [], gzip_from=gzip_from)
    plain = gzip.decompress(body) if gzip_from is not None else body
    assert plain == written(format_, ["a", "b"], []) or format_ == "html"
    assert b"a" in plain


def test_hostile_column_names() -> None:
    names = ["</th><script>", "a,b", 'say "hi"', "=1", "\x1b[31m"]
    rows = [[1, 2, 3, 4, 5]]
    assert json.loads(written("json", names, rows))["columns"] == names
    head = next(csv.reader(io.StringIO(written("csv", names, rows).decode(), newline="")))
    assert head == names
    page = written("html", names, rows).decode()
    assert "<script" not in page
    assert "\x1b" not in written("text", names, rows).decode()
    excel = written("csv-excel", names, rows).decode()
    assert next(csv.reader(io.StringIO(excel.removeprefix("\ufeff"), newline="")))[3] == "'=1"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_spreadsheets_get_no_formulas_and_exact_readers_get_what_is_there(start: str) -> None:
    rows = [[start + "1+1", -1, -2.5, "a" + start, None, ""]]
    names = list("abcdef")
    excel = written("csv-excel", names, rows).decode()
    assert excel.startswith("\ufeff")
    _, found = csv.reader(io.StringIO(excel[1:], newline=""))
    assert found == ["'" + start + "1+1", "-1", "-2.5", "a" + start, "", ""]
    assert readers.read_csv(written("csv", names, rows))[0][0] == start + "1+1"


# --- points -----------------------------------------------------------------------------

POINTS = [
    (Point(7203, (1.0, -2.5)), {"srid": 7203, "crs": "cartesian", "x": 1.0, "y": -2.5}),
    (
        Point(4979, (12.5, 55.0, 3.0)),
        {"srid": 4979, "crs": "wgs-84-3d", "longitude": 12.5, "latitude": 55.0, "height": 3.0},
    ),
]


@pytest.mark.parametrize("format_", ["json", "ndjson", "csv", "text", "html"])
@pytest.mark.parametrize(("point", "as_map"), POINTS, ids=["plane", "globe"])
def test_points(format_: str, point: Point, as_map: dict[str, Any]) -> None:
    found = one(format_, point)
    if format_ == "csv":
        assert json.loads(found) == as_map
    elif format_ in ("text", "html"):
        assert found == (str(point) if format_ == "text" else ("value", str(point)))
    else:
        assert found == as_map
        assert point_of(found) == point


@pytest.mark.parametrize("format_", ["msgpack", "msgpack-seq"])
@pytest.mark.parametrize("integers", ["number", "string"])
@pytest.mark.parametrize("point", [point for point, _ in POINTS], ids=["plane", "globe"])
def test_points_are_extension_types(format_: str, integers: str, point: Point) -> None:
    packed = one(format_, [point], integers=integers)[0]
    assert packed.code == 7
    assert packed.data == struct.pack(
        f">i{len(point.coordinates)}d", point.srid, *point.coordinates
    )
    assert received(*packed) == point
