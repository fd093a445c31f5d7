"""Compiled kernels, if this process has loaded them.

The template loads them once and its children, the workers and the writer, have them for nothing.
A process that has not (the front, the command line) or cannot (no folder that Numba may cache
in) takes the general path everywhere, which gives the same answers.
"""

from __future__ import annotations

import importlib
import logging
from types import ModuleType

logger = logging.getLogger(__name__)

_loaded: list[ModuleType] = []


def load() -> bool:
    """Compile the kernels or take them from the cache; whether they are there now."""
    if not _loaded:
        try:
            _loaded.append(importlib.import_module("cypherd.batch.compiled"))
        except (ImportError, RuntimeError, OSError) as error:
            logger.warning("no compiled kernels, queries will be slower: %s", error)
            return False
    return True


def loaded() -> ModuleType | None:
    """The module of the kernels (`batch.compiled`), or None."""
    return _loaded[0] if _loaded else None
