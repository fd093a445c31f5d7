"""Procedures about the server: `dbms.*`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cypherd import __version__
from cypherd.functions.listing import list_functions
from cypherd.procedures.signature import CallContext, Family, Field
from cypherd.values.types import CypherType as T

FAMILY = Family()
procedure = FAMILY.procedure
Rows = Iterable[tuple[Any, ...]]

_ROLES = Field("defaultBuiltInRoles", T.LIST, T.STRING, help="null: there are no roles")


@procedure(
    "dbms.components",
    help="What the server is made of, and in which versions.",
    results=(
        Field("name", T.STRING),
        Field("versions", T.LIST, T.STRING),
        Field("edition", T.STRING),
    ),
    mode="DBMS",
)
def components(context: CallContext) -> Rows:
    return [("cypherd", [__version__], "community"), ("Cypher", ["5"], "")]


@procedure(
    "dbms.functions",
    help="All functions; SHOW FUNCTIONS says more.",
    results=(
        Field("name", T.STRING),
        Field("signature", T.STRING),
        Field("category", T.STRING),
        Field("description", T.STRING),
        Field("aggregating", T.BOOLEAN),
        _ROLES,
    ),
    mode="DBMS",
)
def functions(context: CallContext) -> Rows:
    for found in list_functions():
        yield (
            found.name, found.signature, found.category, found.help, found.aggregating, None,
        )  # fmt: skip


@procedure(
    "dbms.procedures",
    help="All procedures; SHOW PROCEDURES says more.",
    results=(
        Field("name", T.STRING),
        Field("signature", T.STRING),
        Field("description", T.STRING),
        Field("mode", T.STRING),
        _ROLES,
        Field("worksOnSystem", T.BOOLEAN),
    ),
    mode="DBMS",
)
def procedures(context: CallContext) -> Rows:
    for found in context.procedures:
        yield found.name, found.signature(), found.help, found.mode, None, found.mode == "DBMS"


@procedure(
    "dbms.listConfig",
    help="The settings whose names contain a text; SHOW SETTINGS says more.",
    arguments=(Field("searchString", T.STRING, default=""),),
    results=(
        Field("name", T.STRING),
        Field("description", T.STRING),
        Field("value", T.STRING),
        Field("dynamic", T.BOOLEAN),
    ),
    mode="DBMS",
)
def list_config(context: CallContext, search: str | None) -> Rows:
    wanted = (search or "").lower()
    helps = {name: help_text for name, _, help_text in context.settings.rows()}
    for name, value, _ in context.settings.shown():
        if wanted in name.lower():
            yield name, helps[name], value, False
