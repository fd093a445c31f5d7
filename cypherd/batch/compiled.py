"""The Numba kernels. Importing this module compiles them, or takes them from Numba's cache: a
fraction of a second, and some seconds the first time; `kernels.load()` is the way to it.

All have explicit signatures, so that nothing is ever compiled in the middle of a query, and hold
no Python object. Kernels that may run long ask for a flag; those here go once over one batch.
"""

from __future__ import annotations

from numba import njit

# What a place in a record holds: see `find_properties`.
MISSING, OTHER, TEXT, WHOLE, FLOAT, FALSE, TRUE = range(7)


@njit("i8(u1[::1], i8, i8)", cache=True, nogil=True)
def _number(data, at, width):  # type: ignore[no-untyped-def]
    """`width` bytes from `at`, big-endian, without a sign (8 bytes wrap around)."""
    value = 0
    for i in range(width):
        value = (value << 8) | data[at + i]
    return value


@njit("UniTuple(i8, 2)(u1[::1], i8)", cache=True, nogil=True)
def _extent(data, at):  # type: ignore[no-untyped-def]
    """(bytes of the msgpack value's head and content, values that follow as its items)."""
    tag = data[at]
    if tag < 0x80 or tag >= 0xE0:
        return 1, 0
    if tag < 0x90:
        return 1, 2 * (tag & 0x0F)
    if tag < 0xA0:
        return 1, tag & 0x0F
    if tag < 0xC0:
        return 1 + (tag & 0x1F), 0
    if tag == 0xC4 or tag == 0xD9:
        return 2 + data[at + 1], 0
    if tag == 0xC5 or tag == 0xDA:
        return 3 + _number(data, at + 1, 2), 0
    if tag == 0xC6 or tag == 0xDB:
        return 5 + _number(data, at + 1, 4), 0
    if tag == 0xCA:
        return 5, 0
    if tag == 0xCB:
        return 9, 0
    if 0xCC <= tag <= 0xCF:
        return 1 + (1 << (tag - 0xCC)), 0
    if 0xD0 <= tag <= 0xD3:
        return 1 + (1 << (tag - 0xD0)), 0
    if 0xD4 <= tag <= 0xD8:
        return 2 + (1 << (tag - 0xD4)), 0
    if 0xC7 <= tag <= 0xC9:
        width = 1 << (tag - 0xC7)
        return 2 + width + _number(data, at + 1, width), 0
    if tag == 0xDC or tag == 0xDD:
        width = 2 if tag == 0xDC else 4
        return 1 + width, _number(data, at + 1, width)
    if tag == 0xDE or tag == 0xDF:
        width = 2 if tag == 0xDE else 4
        return 1 + width, 2 * _number(data, at + 1, width)
    return 1, 0


@njit("i8(u1[::1], i8, i8, i8)", cache=True, nogil=True)
def _behind(data, at, values, end):  # type: ignore[no-untyped-def]
    """The place behind `values` values from `at` on, whatever is inside them."""
    while values > 0 and at < end:
        size, items = _extent(data, at)
        at += size
        values += items - 1
    return at


@njit(
    "void(u1[::1], i8, i8, i8, i8, u1[:, ::1], i8[:, ::1], i8[:, ::1])",
    cache=True,
    nogil=True,
)
def _describe(data, at, end, k, row, kinds, first, second):  # type: ignore[no-untyped-def]
    """What the value at `at` is; see `find_properties`."""
    tag = data[at]
    kind, begin = OTHER, at
    if 0xA0 <= tag < 0xC0:
        kind, begin = TEXT, at + 1
    elif 0xD9 <= tag <= 0xDB:
        kind, begin = TEXT, at + 1 + (1 << (tag - 0xD9))
    elif tag < 0x80:
        kind, begin = WHOLE, tag
    elif tag >= 0xE0:
        kind, begin = WHOLE, tag - 256
    elif 0xCC <= tag <= 0xCF:
        kind, begin = WHOLE, _number(data, at + 1, 1 << (tag - 0xCC))
    elif 0xD0 <= tag <= 0xD3:
        width = 1 << (tag - 0xD0)
        begin = _number(data, at + 1, width)
        if width < 8 and begin >> (8 * width - 1):
            begin -= 1 << (8 * width)
        kind = WHOLE
    elif tag == 0xCB:
        kind, begin = FLOAT, _number(data, at + 1, 8)
    elif tag == 0xC2:
        kind = FALSE
    elif tag == 0xC3:
        kind = TRUE
    elif tag == 0xC0:
        kind = MISSING
    kinds[k, row] = kind
    first[k, row] = begin
    second[k, row] = end


@njit(
    "void(u1[::1], i8[::1], i8, i8[::1], u1[:, ::1], i8[:, ::1], i8[:, ::1])",
    cache=True,
    nogil=True,
)
def find_properties(data, ends, before, keys, kinds, first, second):  # type: ignore[no-untyped-def]
    """The properties `keys` of msgpack records that stand one behind the other in `data`.

    Record i ends at `ends[i]`; it is an array whose last item is the map of properties, with
    `before` items in front. `kinds` must come zeroed. kinds[k, i] says what record i has under
    keys[k], and first[k, i], second[k, i] are of

        TEXT, OTHER   begin and end of its bytes (of OTHER, as a msgpack value)
        WHOLE         the number
        FLOAT         the eight bytes of the number
    """
    at = 0
    for row in range(len(ends)):
        end = ends[row]
        at = _behind(data, at + 1, before, end)
        head, items = _extent(data, at)
        at += head
        left = len(keys)
        for _ in range(items // 2):
            tag = data[at]
            if tag < 0x80:
                key = tag + 0
                at += 1
            else:
                width, _nothing = _extent(data, at)
                key = _number(data, at + 1, width - 1)
                at += width
            behind = _behind(data, at, 1, end)
            for k in range(len(keys)):
                if keys[k] == key:
                    _describe(data, at, behind, k, row, kinds, first, second)
                    left -= 1
            if left == 0:
                break
            at = behind
        at = end


@njit("void(u1[::1], i8[::1], i8, b1[::1])", cache=True, nogil=True)
def find_item(data, ends, wanted, have):  # type: ignore[no-untyped-def]
    """Whether the integer `wanted`, not negative, is in the array that is the first item of each
    msgpack record in `data`; record i ends at `ends[i]`."""
    at = 0
    for row in range(len(ends)):
        head, items = _extent(data, at + 1)
        at += 1 + head
        have[row] = False
        for _ in range(items):
            tag = data[at]
            width, _nothing = _extent(data, at)
            item = tag + 0 if tag < 0x80 else _number(data, at + 1, width - 1)
            if item == wanted:
                have[row] = True
                break
            at += width
        at = ends[row]


@njit(
    "i8(u1[::1], i8[::1], i8[::1], i8[::1], i8[::1], i8[::1])",
    cache=True,
    nogil=True,
)
def number_texts(data, begins, ends, table, codes, firsts):  # type: ignore[no-untyped-def]
    """Number the different texts data[begins[i]:ends[i]] from 0 in the order of their first rows.

    codes[i] is the number of text i, firsts[c] the row that number c came from; returns how many
    there are. `table` is the hash table: a power of two, at least twice as long as the rows, and
    filled with -1.
    """
    mask = len(table) - 1
    different = 0
    for row in range(len(begins)):
        begin, length = begins[row], ends[row] - begins[row]
        mixed = length
        for i in range(length):
            mixed = mixed * 31 + data[begin + i]
        slot = (mixed ^ (mixed >> 15)) & mask
        while True:
            code = table[slot]
            if code < 0:
                table[slot] = different
                firsts[different] = row
                codes[row] = different
                different += 1
                break
            other = begins[firsts[code]]
            if ends[firsts[code]] - other == length:
                same = True
                for i in range(length):
                    if data[begin + i] != data[other + i]:
                        same = False
                        break
                if same:
                    codes[row] = code
                    break
            slot = (slot + 1) & mask
    return different
