"""Records by their bytes: what comes from the cache is what unpacking gives."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.settings import Settings
from cypherd.storage.lmdb import record_cache
from cypherd.storage.lmdb.layout import packb, unpack_all, unpackb
from cypherd.storage.lmdb.record_cache import LONGEST, RecordCache
from cypherd.storage.lmdb.store import open_store

RECORDS = [packb([[1], {0: number, 1: f"name {number}"}]) for number in range(50)]


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What has been unpacked, in order."""
    seen: list[bytes] = []

    def all_(packed: list[bytes]) -> list[Any]:
        seen.extend(packed)
        return unpack_all(packed)

    def one(packed: bytes) -> Any:
        seen.append(packed)
        return unpackb(packed)

    monkeypatch.setattr(record_cache, "unpack_all", all_)
    monkeypatch.setattr(record_cache, "unpackb", one)
    return seen


def expected(records: list[bytes]) -> list[dict[int, Any]]:
    return [{0: RECORDS.index(r), 1: f"name {RECORDS.index(r)}"} for r in records]


def test_a_record_is_unpacked_once(unpacked: list[bytes]) -> None:
    cache = RecordCache(100)
    asked = [*RECORDS[:3], RECORDS[1]]
    assert cache.properties_of(RECORDS[1:2]) == expected(RECORDS[1:2])
    for _ in range(2):
        assert cache.properties_of(asked) == expected(asked)
    assert cache.properties(RECORDS[2]) == expected(RECORDS[2:3])[0]
    assert sorted(unpacked) == sorted(RECORDS[:3])


@pytest.mark.parametrize("limit", [0, 1, 2, 10, 99])
def test_no_more_are_kept_than_the_limit(limit: int) -> None:
    cache = RecordCache(limit)
    for start in range(40):
        asked = RECORDS[start : start + 7]
        assert cache.properties_of(asked) == expected(asked)
        assert cache.properties(RECORDS[start]) == expected(RECORDS[start : start + 1])[0]
        assert len(cache) <= limit


def test_what_is_asked_for_again_stays(unpacked: list[bytes]) -> None:
    cache = RecordCache(10)
    for record in RECORDS[2:]:
        cache.properties_of([RECORDS[0], record])
        cache.properties(RECORDS[1])
    assert unpacked.count(RECORDS[0]) == 1
    assert unpacked.count(RECORDS[1]) == 1
    assert unpacked.count(RECORDS[2]) == 1


def test_long_records_are_not_kept(unpacked: list[bytes]) -> None:
    cache = RecordCache(10)
    long = packb([[], {0: "x" * LONGEST}])
    for _ in range(2):
        assert cache.properties_of([long]) == [{0: "x" * LONGEST}]
        assert cache.properties(long) == {0: "x" * LONGEST}
    assert unpacked == [long] * 4
    assert len(cache) == 0


def test_a_record_without_properties() -> None:
    cache = RecordCache(10)
    empty = packb([[3], {}])
    assert cache.properties_of([empty, *RECORDS[:1]]) == [{}, *expected(RECORDS[:1])]
    assert cache.properties_of([empty]) == [{}]


def test_queries_do_not_change_what_is_kept(tmp_path: Path) -> None:
    """Lists that come from the cache are the same objects for all queries."""
    engine = Engine(Settings())
    with closing(open_store(tmp_path / "graph", map_size=1 << 28, create=True)) as store:

        def run(text: str) -> list[list[Any]]:
            with store.read() as transaction:
                plan = engine.plan(text, transaction)
                result = engine.run(plan, {}, transaction, Unguarded())
                return [
                    list(batch.columns[result.columns[0]].to_list()) for batch in result.batches
                ]

        with store.write() as transaction:
            plan = engine.plan("CREATE (:P {l: [3, 1, 2], n: 1})", transaction)
            for _ in engine.run(plan, {}, transaction, Unguarded()).batches:
                pass
            transaction.commit()
        for text in (
            "MATCH (p:P) RETURN p.l + 4",
            "MATCH (p:P) RETURN reverse(p.l), tail(p.l)",
            "MATCH (p:P) WITH p.l AS l UNWIND l AS x WITH l, x ORDER BY x RETURN l, collect(x)",
            "MATCH (p:P) RETURN reduce(a = p.l, x IN p.l | a + x)",
            "MATCH (p:P) WITH collect(p.l) AS ls RETURN reduce(a = [], l IN ls | a + l) + 1",
        ):
            run(text)
            assert run("MATCH (p:P) RETURN p.l") == [[[3, 1, 2]]]
