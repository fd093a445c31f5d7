"""What a process does once before it forks or serves: imports, parser tables, the names of time
zones and kernels, so that its children have them for nothing and a first query is as quick as the
next."""

from __future__ import annotations

import importlib

from cypherd.batch import kernels
from cypherd.parser import parser
from cypherd.values.temporal import zones

# Imported late by what uses them. numpy.ma, which numpy.unique wants, takes 16 ms: more than a
# statement has of a group commit, or a short read of a turn of the event loop.
_MODULES = (
    "cypherd.engine",
    "cypherd.executor.mapper",
    "cypherd.planner.planner",
    "cypherd.functions.registry",
    "lmdb._envid",
    "numpy.ma",
)

_TEXTS = (
    "MATCH (a:A {x: $x})-[r:R]->(b) WHERE a.y > 1 RETURN a.x AS x, count(b) ORDER BY x LIMIT 1",
    "UNWIND $rows AS row CREATE (n:A {x: row.x}) SET n.y = toUpper(row.y)",
)


def warm_up() -> None:
    """For the template, whose children parse, plan and run."""
    import_late()
    parser.warm_up()
    kernels.load()
    for text in _TEXTS:
        parser.parse(text)
    zones.warm_up()


def import_late() -> None:
    """What would be imported by a first query: for the supervisor, and so for all below it."""
    for name in _MODULES:
        importlib.import_module(name)
