"""The made-up network: the same twice, connected as promised, with hubs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cypherd.errors import StoreError
from cypherd.generator import GeneratorReport, generate_social_network, write_social_network
from cypherd.importer import import_folder
from cypherd.settings import GIB
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import ReadTransaction

PERSONS = 400


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, GeneratorReport]:
    path = tmp_path_factory.mktemp("generator") / "network"
    return path, generate_social_network(path, persons=PERSONS, seed=7, map_size=GIB)


def _content(path: Path) -> tuple[object, object]:
    store = open_store(path, map_size=GIB)
    try:
        with store.read() as transaction:
            nodes = [
                record
                for ids in transaction.scan_nodes(None, 1000)
                for record in transaction.node_records(ids)
            ]
            relationships = [
                record
                for rows in transaction.scan_relationships(None, 1000)
                for record in transaction.relationship_records(rows.id)
            ]
            return nodes, relationships
    finally:
        store.close()


def test_the_same_seed_gives_the_same_graph(
    made: tuple[Path, GeneratorReport], tmp_path: Path
) -> None:
    path, report = made
    again = generate_social_network(tmp_path / "n", persons=PERSONS, seed=7, map_size=GIB)
    assert again == report
    assert _content(tmp_path / "n") == _content(path)


def test_another_seed_gives_another_graph(
    made: tuple[Path, GeneratorReport], tmp_path: Path
) -> None:
    generate_social_network(tmp_path / "n", persons=PERSONS, seed=8, map_size=GIB)
    assert _content(tmp_path / "n") != _content(made[0])


def test_report_is_what_the_store_counts(made: tuple[Path, GeneratorReport]) -> None:
    path, report = made
    store = open_store(path, map_size=GIB)
    with store.read() as transaction:
        counts, schema = transaction.counts, transaction.schema
        assert report.persons == counts.nodes(schema.label_id("Person")) == PERSONS
        assert report.nodes == counts.nodes()
        assert report.relationships == counts.relationships()
        assert report.knows == counts.relationships(schema.type_id("KNOWS"))
        assert _indexed(transaction) == {("Person", "id"), ("Person", "firstName")}
    store.close()


def _indexed(transaction: ReadTransaction) -> set[tuple[str, str]]:
    schema = transaction.schema
    return {
        (schema.label_name(index.owner), schema.property_name(index.properties[0]))
        for index in schema.indexes
    }


def test_everyone_lives_somewhere_and_knows_only_once(
    made: tuple[Path, GeneratorReport],
) -> None:
    store = open_store(made[0], map_size=GIB)
    with store.read() as transaction:
        schema = transaction.schema
        person, located, knows = (
            schema.label_id("Person"),
            schema.type_id("IS_LOCATED_IN"),
            schema.type_id("KNOWS"),
        )
        assert located is not None
        assert knows is not None
        for people in transaction.scan_nodes(person, 100):
            assert transaction.degree(people, "out", (located,)).tolist() == [1] * len(people)
        pairs: Counter[tuple[int, int]] = Counter()
        degrees: Counter[int] = Counter()
        for rows in transaction.scan_relationships(knows, 1000):
            for start, end in zip(rows.start.tolist(), rows.end.tolist(), strict=True):
                assert start != end
                pairs[min(start, end), max(start, end)] += 1
                degrees.update((start, end))
        assert max(pairs.values()) == 1
        # A heavy tail: the best-known person knows several times as many as the mean.
        assert max(degrees.values()) > 4 * sum(degrees.values()) / PERSONS
    store.close()


@pytest.mark.parametrize("mean", [4, 20])
def test_knows_is_the_mean_of_both_directions(mean: int, tmp_path: Path) -> None:
    report = generate_social_network(tmp_path, persons=2_000, knows=mean, map_size=GIB)
    # The first members find few others to know, and the tail is heavy: hence the tolerance.
    assert 2 * report.knows / report.persons == pytest.approx(mean, rel=0.08)


def test_a_store_with_a_graph_is_refused(made: tuple[Path, GeneratorReport]) -> None:
    with pytest.raises(StoreError, match="already holds a graph"):
        generate_social_network(made[0], persons=10, map_size=GIB)


def test_a_store_in_use_is_refused(tmp_path: Path) -> None:
    with StoreLock(tmp_path), pytest.raises(StoreError, match="in use"):
        generate_social_network(tmp_path, persons=10, map_size=GIB)


def test_written_as_files_and_imported_it_is_the_same(
    made: tuple[Path, GeneratorReport], tmp_path: Path
) -> None:
    report = write_social_network(tmp_path / "csv", persons=PERSONS, seed=7)
    assert report == made[1]
    import_folder(tmp_path / "csv", tmp_path / "store", map_size=GIB)
    assert _sizes(tmp_path / "store") == _sizes(made[0])
    assert _known(tmp_path / "store") == _known(made[0])


def _sizes(path: Path) -> dict[str, int]:
    store = open_store(path, map_size=GIB)
    assert store.check().sound
    with store.read() as transaction:
        counts, schema = transaction.counts, transaction.schema
        labels = {name: counts.nodes(schema.label_id(name)) for name in schema.label_names()}
        types = {name: counts.relationships(schema.type_id(name)) for name in schema.type_names()}
    store.close()
    return {**labels, **types}


def _known(path: Path) -> set[tuple[object, ...]]:
    """The properties of both persons of each KNOWS, and its own."""
    store = open_store(path, map_size=GIB)
    with store.read() as transaction:
        schema = transaction.schema
        rows = [
            row
            for batch in transaction.scan_relationships(schema.type_id("KNOWS"), 1000)
            for row in zip(
                transaction.node_records(batch.start),
                transaction.relationship_records(batch.id),
                transaction.node_records(batch.end),
                strict=True,
            )
        ]
        names = schema.property_name
        found: set[tuple[object, ...]] = {
            tuple(
                tuple(sorted((names(key), value) for key, value in record[-1].items()))
                for record in row
                if record is not None
            )
            for row in rows
        }
    store.close()
    return found


def test_files_need_a_folder_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    with pytest.raises(StoreError, match="is not empty"):
        write_social_network(tmp_path, persons=10)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
