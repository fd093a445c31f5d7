"""SHOW: one table of what can be shown, and how its columns come into scope.

    SHOW words                  the default columns
    SHOW words WHERE p          the same, filtered
    SHOW words YIELD ...        the named columns, or with * all, then as in WITH
      ... RETURN ...            as anywhere

The rows are made by the executor (operators/show.py), which has a function for each name here.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, bind_predicate
from cypherd.binder.projections import bind_projection
from cypherd.binder.query import BoundClause, BoundFilter, BoundShow
from cypherd.binder.scopes import Environment, Scope, suggestion, syntax_error
from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.values.names import DATABASE
from cypherd.values.types import CypherType as T

Kinds = tuple[str | bool, ...] | None
"""Values of the column that rows are selected by; None: all rows."""
Columns = tuple[tuple[str, str], ...]
"""(column name, variable) in order."""


@dataclass(frozen=True, slots=True)
class Shown:
    """`columns`: those that come without YIELD, and their types; `more`: those that only YIELD
    gives. `kinds`: the words that may stand in front, and what they select by the column
    `selects_by`; None is everything. `endings`: words that may stand behind, and change nothing.
    `named_by`: columns that hold the texts behind the words, if there may be any."""

    columns: Mapping[str, T]
    more: Mapping[str, T]
    kinds: Mapping[str, Kinds] = field(default_factory=dict)
    selects_by: str = "type"
    endings: tuple[str, ...] = ()
    named_by: tuple[str, ...] = ()


def _constraint_kinds() -> dict[str, Kinds]:
    """`NODE KEY`, `REL PROPERTY EXISTENCE` and their like: [entity] kind."""
    entities = {
        "": ("NODE", "RELATIONSHIP"),
        "NODE ": ("NODE",),
        "RELATIONSHIP ": ("RELATIONSHIP",),
        "REL ": ("RELATIONSHIP",),
    }
    words = {
        "KEY": "KEY",
        "UNIQUE": "UNIQUENESS",
        "UNIQUENESS": "UNIQUENESS",
        "EXIST": "PROPERTY_EXISTENCE",
        "EXISTS": "PROPERTY_EXISTENCE",
        "EXISTENCE": "PROPERTY_EXISTENCE",
        "PROPERTY EXISTENCE": "PROPERTY_EXISTENCE",
        "PROPERTY TYPE": "PROPERTY_TYPE",
    }
    kinds: dict[str, Kinds] = {"ALL": None}
    for (prefix, owners), (word, kind) in product(entities.items(), words.items()):
        # Neo4j calls uniqueness of nodes by no entity.
        types = (f"{owner}_{kind}".replace("NODE_UNIQUENESS", "UNIQUENESS") for owner in owners)
        kinds[prefix + word] = tuple(types)
    return kinds


_RIGHTS = {
    "rolesExecution": T.LIST,
    "rolesBoostedExecution": T.LIST,
    "isDeprecated": T.BOOLEAN,
    "deprecatedBy": T.STRING,
}
# There are no users: everyone may call everything.
_EXECUTABLE = ("EXECUTABLE", "EXECUTABLE BY CURRENT USER")

_OF_TRANSACTIONS = {
    "outerTransactionId": T.STRING,
    "metaData": T.MAP,
    "parameters": T.MAP,
    "planner": T.STRING,
    "runtime": T.STRING,
    "indexes": T.LIST,
    "currentQueryStartTime": T.DATE_TIME,
    "protocol": T.STRING,
    "requestUri": T.STRING,
    "currentQueryStatus": T.STRING,
    "statusDetails": T.STRING,
    "resourceInformation": T.MAP,
    "activeLockCount": T.INTEGER,
    "currentQueryActiveLockCount": T.INTEGER,
    "cpuTime": T.DURATION,
    "waitTime": T.DURATION,
    "idleTime": T.DURATION,
    "currentQueryElapsedTime": T.DURATION,
    "currentQueryCpuTime": T.DURATION,
    "currentQueryWaitTime": T.DURATION,
    "currentQueryIdleTime": T.DURATION,
    "currentQueryAllocatedBytes": T.INTEGER,
    "allocatedDirectBytes": T.INTEGER,
    "estimatedUsedHeapMemory": T.INTEGER,
    "pageHits": T.INTEGER,
    "pageFaults": T.INTEGER,
    "currentQueryPageHits": T.INTEGER,
    "currentQueryPageFaults": T.INTEGER,
    "initializationStackTrace": T.STRING,
    "currentQueryProgress": T.STRING,
}

SHOWN: dict[str, Shown] = {
    "INDEXES": Shown(
        columns={
            "id": T.INTEGER,
            "name": T.STRING,
            "state": T.STRING,
            "populationPercent": T.FLOAT,
            "type": T.STRING,
            "entityType": T.STRING,
            "labelsOrTypes": T.LIST,
            "properties": T.LIST,
            "indexProvider": T.STRING,
            "owningConstraint": T.STRING,
        },
        more={"options": T.MAP, "failureMessage": T.STRING, "createStatement": T.STRING},
        kinds={
            "ALL": None,
            # What was made as BTREE or TEXT is a RANGE index.
            "BTREE": ("RANGE",),
            **{kind: (kind,) for kind in ("RANGE", "TEXT", "POINT", "FULLTEXT", "LOOKUP")},
        },
    ),
    "CONSTRAINTS": Shown(
        columns={
            "id": T.INTEGER,
            "name": T.STRING,
            "type": T.STRING,
            "entityType": T.STRING,
            "labelsOrTypes": T.LIST,
            "properties": T.LIST,
            "ownedIndex": T.STRING,
        },
        more={"propertyType": T.STRING, "options": T.MAP, "createStatement": T.STRING},
        kinds=_constraint_kinds(),
    ),
    "FUNCTIONS": Shown(
        columns={"name": T.STRING, "category": T.STRING, "description": T.STRING},
        more={
            "signature": T.STRING,
            "isBuiltIn": T.BOOLEAN,
            "argumentDescription": T.LIST,
            "returnDescription": T.STRING,
            "aggregating": T.BOOLEAN,
            **_RIGHTS,
        },
        kinds={"ALL": None, "BUILT IN": (True,), "USER DEFINED": (False,)},
        selects_by="isBuiltIn",
        endings=_EXECUTABLE,
    ),
    "PROCEDURES": Shown(
        columns={
            "name": T.STRING,
            "description": T.STRING,
            "mode": T.STRING,
            "worksOnSystem": T.BOOLEAN,
        },
        more={
            "signature": T.STRING,
            "argumentDescription": T.LIST,
            "returnDescription": T.LIST,
            "admin": T.BOOLEAN,
            **_RIGHTS,
            "option": T.MAP,
        },
        endings=_EXECUTABLE,
    ),
    "SETTINGS": Shown(
        columns={
            "name": T.STRING,
            "value": T.STRING,
            "isDynamic": T.BOOLEAN,
            "defaultValue": T.STRING,
            "description": T.STRING,
        },
        more={
            "startupValue": T.STRING,
            "isExplicitlySet": T.BOOLEAN,
            "validValues": T.STRING,
            "isDeprecated": T.BOOLEAN,
        },
        named_by=("name",),
    ),
    "DATABASES": Shown(
        columns={
            "name": T.STRING,
            "type": T.STRING,
            "aliases": T.LIST,
            "access": T.STRING,
            "address": T.STRING,
            "role": T.STRING,
            "writer": T.BOOLEAN,
            "requestedStatus": T.STRING,
            "currentStatus": T.STRING,
            "statusMessage": T.STRING,
            "default": T.BOOLEAN,
            "home": T.BOOLEAN,
            "constituents": T.LIST,
        },
        more={},
        kinds={"HOME": None, "DEFAULT": None},
        endings=(DATABASE.upper(),),
        named_by=("name",),
    ),
    "TRANSACTIONS": Shown(
        columns={
            "database": T.STRING,
            "transactionId": T.STRING,
            "currentQueryId": T.STRING,
            "connectionId": T.STRING,
            "clientAddress": T.STRING,
            "username": T.STRING,
            "currentQuery": T.STRING,
            "startTime": T.DATE_TIME,
            "status": T.STRING,
            "elapsedTime": T.DURATION,
        },
        more=_OF_TRANSACTIONS,
        named_by=("transactionId", "currentQueryId"),
    ),
}
"""What SHOW can show, by the plural of its name."""


def bind_show(
    clause: ast.Show, environment: Environment
) -> tuple[tuple[BoundClause, ...], Scope, Columns]:
    """The clauses, the scope for a RETURN, and the columns where there is none.

    Raises CypherSyntaxError for what cannot be shown and for a column that there is not.
    """
    what, kinds = _meant(clause)
    columns = {**SHOWN[what].columns, **SHOWN[what].more}
    names = _named(clause, what)
    symbols = {
        name: environment.names.declare(name, columns[name], _element(name, columns[name]))
        for name in names
    }
    wanted = _ids(clause, what, environment)
    show = BoundShow(what, kinds, tuple((name, symbols[name].name) for name in names), wanted)
    inside = replace(environment, scope=symbols)
    if clause.yields is not None:
        projected = bind_projection(
            _projection(clause, names), clause.where, inside, aliases_needed=True
        )
        return (show, projected.clause), projected.scope, projected.columns
    if clause.where is None:
        return (show,), symbols, show.columns
    found = BoundFilter(bind_predicate(clause.where, inside))
    return (show, found), symbols, show.columns


def _ids(clause: ast.Show, what: str, environment: Environment) -> tuple[BoundExpression, ...]:
    if clause.ids and not SHOWN[what].named_by:
        raise syntax_error(
            "UnexpectedSyntax", f"SHOW {what} takes no names; use WHERE", clause.ids[0].at
        )
    return tuple(bind(id, environment) for id in clause.ids)


def _element(name: str, type_: T) -> T:
    if type_ is not T.LIST:
        return T.ANY
    return T.MAP if name in ("argumentDescription", "returnDescription", "indexes") else T.STRING


def _meant(clause: ast.Show) -> tuple[str, Kinds]:
    """What is shown, and which values of its column `selects_by`. It may be in the singular."""
    behind = ("EXECUTABLE", DATABASE.upper())
    end = next((i for i, word in enumerate(clause.words) if i and word in behind), None)
    *words, noun = clause.words[:end]
    ending = " ".join(clause.words[len(words) + 1 :])
    what = next((name for name in (noun, noun + "S", noun + "ES") if name in SHOWN), None)
    if what is None:
        raise _unknown(clause, noun, tuple(SHOWN))
    if ending and ending not in SHOWN[what].endings:
        raise _unknown(clause, f"{what} {ending}", SHOWN[what].endings)
    kind = " ".join(words)
    if kind and kind not in SHOWN[what].kinds:
        raise _unknown(clause, f"{kind} {what}", tuple(SHOWN[what].kinds))
    return what, SHOWN[what].kinds[kind] if kind else None


def _unknown(clause: ast.Show, found: str, known: tuple[str, ...]) -> CypherSyntaxError:
    close = difflib.get_close_matches(found, known, n=1)
    return syntax_error(
        "UnexpectedSyntax",
        f"SHOW {found} is not known",
        clause.at,
        f"did you mean {close[0]}?" if close else None,
    )


def _named(clause: ast.Show, what: str) -> tuple[str, ...]:
    """The columns that are asked for, in order."""
    shown = SHOWN[what]
    if clause.yields is None:
        return tuple(shown.columns)
    if clause.yields == "*":
        return (*shown.columns, *shown.more)
    for item in clause.yields:
        if item.name not in shown.columns and item.name not in shown.more:
            raise syntax_error(
                "UndefinedVariable",
                f"SHOW {what} has no column `{item.name}`",
                item.at,
                suggestion(item.name, (*shown.columns, *shown.more)),
            )
    return tuple(dict.fromkeys(item.name for item in clause.yields))


def _projection(clause: ast.Show, names: tuple[str, ...]) -> ast.Projection:
    yields = clause.yields
    if yields is None or yields == "*":
        yields = tuple(ast.YieldItem(name, None, at=clause.at) for name in names)
    items = tuple(
        ast.ProjectionItem(ast.Variable(item.name, at=item.at), item.alias, item.name, at=item.at)
        for item in yields
    )
    return ast.Projection(
        False, False, items, clause.order, clause.skip, clause.limit, at=clause.at
    )
