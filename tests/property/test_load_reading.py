"""Records of a bulk load: the quick look gives what the exact one does, whatever the lines."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cypherd.queries.load_reading import read_batch
from cypherd.queries.load_records import LoadBatch, LoadOptions, NodeRecord, read_exactly
from cypherd.storage.protocols import GraphStore

VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [0, 1, -(2**63), 2**63 - 1, 2**63, 2**64, 1.5, 1e300, 9.3e18, True, None, "x", "", "a\0b",
     [], [1, 2.5], [1, "x"], [None], {}, {"a": 1}]
)  # fmt: skip
NAMES = st.one_of(st.sampled_from(["Person", "id", "name", "", "a\0b", 1, None, ["x"]]), VALUES)
PROPERTIES = st.one_of(
    st.dictionaries(st.sampled_from(["id", "name", "age", "", "a\0b"]), VALUES, max_size=3), VALUES
)
ENDS = st.one_of(st.tuples(NAMES, VALUES).map(list), st.lists(VALUES, max_size=3), VALUES)
NODES = st.fixed_dictionaries(
    {"labels": st.one_of(st.lists(NAMES, max_size=3), NAMES)},
    optional={"properties": PROPERTIES, "more": VALUES},
)
RELATIONSHIPS = st.fixed_dictionaries(
    {"type": NAMES}, optional={"start": ENDS, "end": ENDS, "properties": PROPERTIES, "x": VALUES}
)
PLAIN = st.one_of(
    st.builds(lambda k, n: {"labels": ["Person"], "properties": {"id": k, "name": n}},
              st.integers(0, 9), st.text(max_size=3)),
    st.builds(lambda a, b: {"type": "KNOWS", "start": ["Person", a], "end": ["Person", b],
                            "properties": {"since": a}}, st.integers(0, 9), st.text(max_size=3)),
)  # fmt: skip
LINES = st.one_of(
    PLAIN.map(json.dumps),
    PLAIN.map(json.dumps),
    NODES.map(json.dumps),
    RELATIONSHIPS.map(json.dumps),
    VALUES.map(json.dumps),
    st.sampled_from(["", "  ", "{", "}", "{},{}", "[1", "2]", "1,2", "nonsense", '{"labels":["A"]',
                     '"properties":{}},{}', "{}]},{}", '{"a":[{}', "\ud800", "\r"]),
)  # fmt: skip


def _batch(lines: list[str], *, ends: bool = True, keys: dict[str, str] | None = None) -> LoadBatch:
    data = "\n".join(lines) + ("\n" if ends else "")
    options = LoadOptions(keys or {})
    return LoadBatch(
        "a", "ndjson", 7, len(lines), data.encode(errors="surrogatepass"), options, last=False
    )


@settings(max_examples=400, deadline=None)
@given(
    lines=st.lists(LINES, min_size=1, max_size=6),
    ends=st.booleans(),
    keys=st.sampled_from([{}, {"Person": "name"}, {"*": "age"}]),
)
@example(lines=['{"labels":["A"]', '"properties":{}},{}'], ends=True, keys={})
@example(lines=['{"a":[{}', "{}]},{}"], ends=False, keys={})
@example(lines=["[1", "2],3"], ends=True, keys={})
def test_both_ways_agree(lines: list[str], ends: bool, keys: dict[str, str]) -> None:
    batch = _batch(lines, ends=ends, keys=keys)
    assert read_batch(batch) == read_exactly(batch)


def test_types_agree_too() -> None:
    """1, 1.0 and true are equal in Python, and are not the same."""
    lines = [json.dumps({"labels": ["A"], "properties": {"id": v}}) for v in (1, 1.0, True, "1")]
    quick, exact = read_batch(_batch(lines)), read_exactly(_batch(lines))
    assert repr(quick) == repr(exact)
    assert [node.properties["id"] for node in quick[0]] == [1, "1"]
    assert all(type(node) is NodeRecord for node in quick[0])


@pytest.mark.parametrize("long", [400, 500, 501, 502, 503, 504, 505, 600])
def test_firsts_are_the_first_holders(empty_store: GraphStore, long: int) -> None:
    """Also where keys are cut, and several nodes have one value."""
    values: list[int | str] = [
        1,
        2,
        -3,
        2**60,
        "",
        "x",
        "y" * long,
        "y" * long + "z",
        "y" * (long + 1),
        "\0",
    ]
    with empty_store.write() as transaction:
        key, label = transaction.property_token("i"), transaction.label_token("A")
        index = transaction.create_index(None, "node", label, [key])
        asked: list[int | str] = [*values, "absent", 99, "y" * (long + 2)]
        for _ in range(2):
            made = [value for value in values for _ in range(2)]
            transaction.create_nodes([(label,)] * len(made), [{key: value} for value in made])
        firsts = transaction.index_firsts(index, asked)
        expected = {v: transaction.index_holders(index, (v,)) for v in asked}
        assert firsts == {v: held[0] for v, held in expected.items() if held}
        assert len(firsts) == len(set(values))
        assert transaction.index_firsts(index, []) == {}
        transaction.abort()


INTEGERS = st.one_of(st.integers(-3, 12), st.sampled_from([-(2**63), 2**63 - 1, 2**53, 2**53 + 1]))


@settings(max_examples=60, deadline=None)
@given(
    there=st.lists(st.one_of(INTEGERS, st.sampled_from([0.5, 2.0, "x"])), max_size=12),
    asked=st.lists(INTEGERS, unique=True, max_size=12).map(sorted),
)
def test_firsts_of_integers_are_those_firsts(
    empty_store: GraphStore, there: list[Any], asked: list[int]
) -> None:
    """Whether keys of the index are held by one node each (by arrays) or not."""
    with empty_store.write() as transaction:
        key, label = transaction.property_token("i"), transaction.label_token("A")
        index = transaction.create_index(None, "node", label, [key])
        transaction.create_nodes([(label,)] * len(there), [{key: value} for value in there])
        firsts = transaction.index_firsts(index, asked)
        found = transaction.index_firsts_of_integers(index, np.array(asked, dtype=np.int64))
        assert found.tolist() == [firsts.get(value, -1) for value in asked]
        transaction.abort()
