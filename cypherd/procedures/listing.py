"""Functions, procedures and settings as rows: what SHOW tells of them, under Neo4j's names."""

from __future__ import annotations

from typing import Any, TypeAlias

from cypherd.functions.listing import ListedFunction, list_functions
from cypherd.procedures.signature import CallContext, Field, Procedure
from cypherd.settings import Settings
from cypherd.values.names import DATABASE

Row: TypeAlias = dict[str, Any]

# What there is not: roles, and procedures that are on their way out.
_NO_ROLES: Row = {
    "rolesExecution": None,
    "rolesBoostedExecution": None,
    "isDeprecated": False,
    "deprecatedBy": None,
}


def functions(context: CallContext) -> list[Row]:
    return [_function(function) for function in list_functions()]


def _function(function: ListedFunction) -> Row:
    return {
        "name": function.name,
        "category": function.category,
        "description": function.help,
        "signature": function.signature,
        "isBuiltIn": True,
        "argumentDescription": [dict(argument) for argument in function.arguments],
        "returnDescription": function.result,
        "aggregating": function.aggregating,
        **_NO_ROLES,
        "isDeprecated": function.deprecated_by is not None,
        "deprecatedBy": function.deprecated_by,
    }


def procedures(context: CallContext) -> list[Row]:
    return [_procedure(procedure) for procedure in context.procedures]


def _procedure(procedure: Procedure) -> Row:
    return {
        "name": procedure.name,
        "description": procedure.help,
        "mode": procedure.mode,
        "worksOnSystem": procedure.mode == "DBMS",
        "signature": procedure.signature(),
        "argumentDescription": [_field(field) for field in procedure.arguments],
        "returnDescription": [_field(field) for field in procedure.results],
        "admin": False,
        **_NO_ROLES,
        "option": {"deprecated": False},
    }


def _field(field: Field) -> Row:
    described = {
        "name": field.name,
        "type": field.type_text(),
        "description": field.help or field.declared(),
        "isDeprecated": False,
    }
    return described if field.required else {**described, "default": field.default}


def databases(context: CallContext) -> list[Row]:
    """The one graph there is: whoever asks reaches it, so it is online."""
    settings = context.settings
    return [
        {
            "name": DATABASE,
            "type": "standard",
            "aliases": [],
            "access": "read-write",
            "address": f"{settings.host}:{settings.port}",
            "role": "primary",
            "writer": True,
            "requestedStatus": "online",
            "currentStatus": "online",
            "statusMessage": "",
            "default": True,
            "home": True,
            "constituents": [],
        }
    ]


def settings(context: CallContext) -> list[Row]:
    """Every setting is given at start and stays as it is."""
    helps = {name: help_text for name, _, help_text in context.settings.rows()}
    defaults = {name: value for name, value, _ in Settings().shown()}
    return [
        {
            "name": name,
            "value": value,
            "isDynamic": False,
            "defaultValue": defaults[name],
            "description": helps[name],
            "startupValue": value,
            "isExplicitlySet": differs,
            "validValues": None,
            "isDeprecated": False,
        }
        for name, value, differs in context.settings.shown()
    ]
