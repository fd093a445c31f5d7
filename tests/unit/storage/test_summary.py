"""What the schema page and the editor say of a graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore
from cypherd.storage.summary import GraphSummary, LabelSummary, RuleSummary, summarize


@pytest.fixture
def store(tmp_path: Path) -> GraphStore:
    return open_store(tmp_path, map_size=64 * MIB, create=True)


def _summary(store: GraphStore) -> GraphSummary:
    with store.read() as transaction:
        return summarize(transaction)


def test_an_empty_graph(store: GraphStore) -> None:
    assert _summary(store) == GraphSummary(0, 0, (), (), (), ())


def test_counts_properties_and_ends(store: GraphStore) -> None:
    transaction = store.write()
    person, city = transaction.label_token("Person"), transaction.label_token("City")
    name, since = transaction.property_token("name"), transaction.property_token("since")
    lives, rare = transaction.type_token("LIVES_IN"), transaction.type_token("RARE")
    people = transaction.create_nodes([(person,)] * 500, [{name: str(i)} for i in range(500)])
    cities = transaction.create_nodes([(city,), ()], [{}, {}])
    ends = np.full(500, cities[0], dtype=np.int64)
    transaction.create_relationships([lives] * 500, people, ends, [{since: 1}] * 500)
    transaction.create_relationships([rare], cities[1:], people[-1:], [{}])
    transaction.create_index("by_name", "node", person, [name])
    transaction.create_constraint("one_city", "uniqueness", "node", city, [name])
    transaction.commit()

    found = _summary(store)
    assert (found.nodes, found.relationships) == (502, 501)
    assert found.labels == (LabelSummary("Person", 500, ("name",)), LabelSummary("City", 1, ()))
    by_name = {type_.name: type_ for type_ in found.types}
    assert by_name["LIVES_IN"].ends == (("Person", "City"),)
    assert by_name["LIVES_IN"].properties == ("since",)
    assert by_name["RARE"].count == 1
    assert by_name["RARE"].ends == (("", "Person"),)
    assert found.property_keys == ("name", "since")
    assert found.rules == (
        RuleSummary("by_name", "index", "node", "Person", ("name",)),
        RuleSummary("one_city", "uniqueness", "node", "City", ("name",)),
    )
