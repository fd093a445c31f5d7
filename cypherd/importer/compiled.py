"""The Numba kernels of the key map. Importing this module compiles them, or takes them from
Numba's cache.

A map is an open hash table of 32-bit entry numbers (-1: free slot), whose size is a power of two;
entry n is the key `data[ends[n - 1]:ends[n]]`. Keys to look for come as one array and their ends.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1
_OFFSET = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@njit("u8(u1[::1], i8, i8)", cache=True, nogil=True)
def _hash(data, first, last):  # type: ignore[no-untyped-def]
    """FNV-1a, then mixed: the low bits choose the slot."""
    value = _OFFSET
    for at in range(first, last):
        value = (value ^ np.uint64(data[at])) * _PRIME
    value = (value ^ (value >> np.uint64(29))) * _MIX
    return value ^ (value >> np.uint64(32))


@njit("b1(u1[::1], i8, i8, u1[::1], i8, i8)", cache=True, nogil=True)
def _same(left, first, last, right, start, end):  # type: ignore[no-untyped-def]
    if last - first != end - start:
        return False
    for offset in range(last - first):  # noqa: SIM110 - a kernel knows no `all`
        if left[first + offset] != right[start + offset]:
            return False
    return True


@njit("i8(i4[::1], u1[::1], i8[::1], u1[::1], i8, i8)", cache=True, nogil=True)
def _slot(slots, data, ends, keys, first, last):  # type: ignore[no-untyped-def]
    """The slot of a key, or the free one where it belongs."""
    mask = len(slots) - 1
    slot = np.int64(_hash(keys, first, last) & np.uint64(mask))
    while slots[slot] != FREE:
        entry = slots[slot]
        start = 0 if entry == 0 else ends[entry - 1]
        if _same(data, start, ends[entry], keys, first, last):
            break
        slot = (slot + 1) & mask
    return slot


@njit("void(i4[::1], u1[::1], i8[::1], u1[::1], i8[::1], i8[::1])", cache=True, nogil=True)
def find(slots, data, ends, keys, key_ends, found):  # type: ignore[no-untyped-def]
    """The entry of each key into `found`, or FREE."""
    first = 0
    for row in range(len(key_ends)):
        last = key_ends[row]
        found[row] = slots[_slot(slots, data, ends, keys, first, last)]
        first = last


@njit("i8(i4[::1], u1[::1], i8[::1], i8, u1[::1], i8[::1], i8[::1])", cache=True, nogil=True)
def insert(slots, data, ends, count, keys, key_ends, found):  # type: ignore[no-untyped-def]
    """Add keys behind the `count` entries that there are; into `found` the entry of those that
    are there already, FREE for new ones. The number of entries afterwards. `slots`, `data` and
    `ends` have room for all."""
    first = 0
    for row in range(len(key_ends)):
        last = key_ends[row]
        slot = _slot(slots, data, ends, keys, first, last)
        found[row] = slots[slot]
        if slots[slot] == FREE:
            start = 0 if count == 0 else ends[count - 1]
            for offset in range(last - first):
                data[start + offset] = keys[first + offset]
            ends[count] = start + last - first
            slots[slot] = count
            count += 1
        first = last
    return count


@njit("void(i4[::1], u1[::1], i8[::1], i8)", cache=True, nogil=True)
def fill(slots, data, ends, count):  # type: ignore[no-untyped-def]
    """Put `count` entries, whose keys all differ, into free slots."""
    mask = len(slots) - 1
    first = 0
    for entry in range(count):
        last = ends[entry]
        slot = np.int64(_hash(data, first, last) & np.uint64(mask))
        while slots[slot] != FREE:
            slot = (slot + 1) & mask
        slots[slot] = entry
        first = last
