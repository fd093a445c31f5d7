"""Properties of small records, kept unpacked.

Unpacking is a third of the time that a short read needs. A record is found here by its bytes, not
by its id, so nothing is ever out of date: what was written since is other bytes. Two generations
keep what is asked for again: a record lives as long as it is asked for at least once in the time
that half of the limit takes to come along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cypherd.storage.lmdb.layout import unpack_all, unpackb

DEFAULT_RECORDS = 8192

LONGEST = 512
"""Records of more bytes are not kept, so that the limit is one of memory, too."""

Properties = Mapping[int, Any]


class RecordCache:
    """At most `limit` records; 0: none."""

    __slots__ = ("_half", "_old", "_young")

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._young: dict[bytes, Properties] = {}
        self._old: dict[bytes, Properties] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def properties_of(self, packed: Sequence[bytes]) -> list[Properties]:
        """The properties by key id of nodes' or relationships' packed records. Nobody may change
        them or what is in them."""
        found: list[Any] = list(map(self._young.get, packed))
        if None in found:
            self._complete(packed, found)
        return found

    def properties(self, packed: bytes) -> Properties:
        """The same of one."""
        found = self._young.get(packed)
        if found is None:
            found = self._old.get(packed)
            if found is None:
                # The properties are the last part of a record, of a node's and of a relationship's.
                found = unpackb(packed)[-1]
            self._keep(packed, found)
        return found

    def _complete(self, packed: Sequence[bytes], found: list[Any]) -> None:
        old = self._old
        for row, (data, properties) in enumerate(zip(packed, found, strict=True)):
            if properties is None and (kept := old.get(data)) is not None:
                found[row] = kept
                self._keep(data, kept)
        rows = [row for row, properties in enumerate(found) if properties is None]
        unpacked = unpack_all([packed[row] for row in rows])
        for row, record in zip(rows, unpacked, strict=True):
            found[row] = record[-1]
            self._keep(packed[row], record[-1])

    def _keep(self, packed: bytes, properties: Properties) -> None:
        if len(packed) > LONGEST or not self._half:
            return
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[packed] = properties


NO_CACHE = RecordCache(0)
"""For transactions that write: their reads are spread over what they change."""
