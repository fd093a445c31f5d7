"""A closed transaction holds no slot of the reader table, whoever still refers to it."""

from __future__ import annotations

from pathlib import Path

from cypherd.storage.lmdb.store import open_store

READERS = 20


def test_closed_transactions_give_their_slots_back(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", map_size=1 << 26, max_readers=READERS, create=True)
    kept = []
    for _ in range(5 * READERS):
        with store.read() as transaction:
            assert transaction.counts.nodes() == 0
        kept.append(transaction)
    store.close()
