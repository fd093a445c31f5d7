"""Functions of nodes, relationships and the statement; bodies in executor/graph_functions.py."""

from __future__ import annotations

from cypherd.functions.signature import Family
from cypherd.values.types import CypherType as T

FAMILY = Family()
declare = FAMILY.declare

declare(
    "id",
    arguments=[(T.NODE,), (T.RELATIONSHIP,)],
    result=T.INTEGER,
    help="The id of a node or relationship.",
    deprecated_by="elementId()",
)
declare(
    "elementId",
    arguments=[(T.NODE,), (T.RELATIONSHIP,)],
    result=T.STRING,
    help="The id of a node or relationship as a string, unique over both.",
)
declare("labels", arguments=(T.NODE,), result=T.LIST, help="The labels of a node.")
declare("type", arguments=(T.RELATIONSHIP,), result=T.STRING, help="The relationship's type.")
declare(
    "properties",
    arguments=[(T.NODE,), (T.RELATIONSHIP,), (T.MAP,)],
    result=T.MAP,
    help="All properties of a node or relationship; a map as it is.",
)
declare(
    "keys",
    arguments=[(T.NODE,), (T.RELATIONSHIP,), (T.MAP,)],
    result=T.LIST,
    help="The names of the properties of a node or relationship, or the keys of a map.",
)
declare(
    "startNode", arguments=(T.RELATIONSHIP,), result=T.NODE, help="Where a relationship starts."
)
declare("endNode", arguments=(T.RELATIONSHIP,), result=T.NODE, help="Where a relationship ends.")
declare(
    "timestamp",
    arguments=(),
    result=T.INTEGER,
    help="Milliseconds since 1970 when the statement started; the same in all of it.",
    deterministic=False,
)
