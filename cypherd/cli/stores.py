"""Opening the store that a command works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cypherd.settings import Settings
    from cypherd.storage.protocols import GraphStore

# Snapshots that are open at once besides the pool's: fronts, planner, writer, tools.
_EXTRA_READERS = 64


def open_store_of(settings: Settings, *, create: bool = False) -> GraphStore:
    """Raises StoreError."""
    from cypherd.queries.runner import worker_counts
    from cypherd.storage.lmdb.store import open_store

    readers = (
        settings.max_readers
        or worker_counts(settings)[1] * 4 + 2 * settings.fronts + _EXTRA_READERS
    )
    return open_store(
        settings.store,
        map_size=settings.map_size,
        max_readers=readers,
        create=create,
        record_cache=settings.record_cache,
    )
