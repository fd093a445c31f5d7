"""Any exception of a running statement as the CypherdError that its client gets."""

from __future__ import annotations

import logging

from cypherd.errors import (
    STACK_SPENT,
    CypherdError,
    InternalError,
    MemoryLimitExceeded,
    StatementError,
)

_log = logging.getLogger("cypherd.queries")


def as_answer(error: Exception, text: str) -> CypherdError:
    """The error, located in `text`; a fault of our own is logged with its traceback."""
    if isinstance(error, CypherdError):
        return error.located(text)
    if isinstance(error, MemoryError):
        return MemoryLimitExceeded(
            "the query needs more memory than its process may have (setting worker_memory)"
        )
    if isinstance(error, RecursionError):
        return StatementError(STACK_SPENT)
    _log.error("a query failed by a fault of cypherd: %s", text[:500], exc_info=error)
    return InternalError("internal error; the log of the server says more")
