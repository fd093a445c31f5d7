"""Regular expressions for `=~`: RE2, which takes linear time whatever the pattern.

A pattern from a query can make a backtracking engine run for hours, and no guard can stop it
from outside. RE2 lacks look-around and back-references; they are refused by name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2

from cypherd.errors import ArgumentError


def full_match(pattern: str, text: str) -> bool:
    """Whether the whole of `text` matches. Raises ArgumentError for a bad pattern."""
    return _compiled(_whole(pattern)).fullmatch(_whole(text)) is not None


def _whole(text: str) -> str:
    """RE2 reads UTF-8, which has no half of a surrogate pair; a parameter may hold one, and a
    replacement character stands for it."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        raise ArgumentError(
            f"{pattern!r} is not a regular expression that can be used here: {reason}",
            hint="look-around and back-references are not supported",
        ) from None
