"""Clause by clause through a query; each gives bound clauses and the scope after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from cypherd.binder import expressions as bound
from cypherd.binder import function_calls, subqueries
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, bind_predicate
from cypherd.binder.patterns import bind_patterns
from cypherd.binder.procedure_calls import bind_call
from cypherd.binder.projections import bind_projection, check_aliases
from cypherd.binder.query import (
    BoundClause,
    BoundFilter,
    BoundLoadCsv,
    BoundMatch,
    BoundPart,
    BoundQuery,
    BoundStart,
    BoundUnwind,
)
from cypherd.binder.scopes import FILE, LINE_NUMBER, Environment, Scope, syntax_error
from cypherd.binder.showing import bind_show
from cypherd.binder.subquery_calls import bind_subquery_call, kept_behind
from cypherd.binder.terminating import bind_terminate
from cypherd.binder.types import accepts, element_type
from cypherd.binder.updates import bind_create, bind_delete, bind_foreach, bind_merge, bind_set
from cypherd.errors import UnsupportedOperation
from cypherd.parser import ast
from cypherd.values.description import type_text
from cypherd.values.types import CypherType as T

REGISTERED = (function_calls, subqueries)
"""Modules whose import adds binders to `expressions_binder`."""

Bound = tuple[tuple[BoundClause, ...], Scope]
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_TERM = re.compile(r"""\s*(\w+)\s*:\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*""")


def bind_query(
    query: ast.Query, environment: Environment, scopes: Sequence[Scope] | None = None
) -> BoundQuery:
    """A query and its unions. The parser has seen to it that RETURN, if any, comes last. `scopes`:
    what each side of a UNION sees, if that differs.

    Raises InvalidClauseComposition, DifferentColumnsInUnion and what its clauses raise.
    """
    if len(set(query.union_kinds)) > 1:
        raise syntax_error(
            "InvalidClauseComposition", "UNION and UNION ALL cannot be mixed", query.at
        )
    alone = len(query.parts) == 1 and len(query.parts[0]) == 1
    environments = [replace(environment, scope=scope) for scope in scopes or ()]
    parts = [
        _bind_part(clauses, environments[i] if environments else environment, alone)
        for i, clauses in enumerate(query.parts)
    ]
    for part, clauses in zip(parts[1:], query.parts[1:], strict=True):
        if {name for name, _ in part.columns} != {name for name, _ in parts[0].columns}:
            raise syntax_error(
                "DifferentColumnsInUnion",
                "all sides of a UNION need the same columns",
                clauses[-1].at,
            )
    return BoundQuery(tuple(parts), "all" in query.union_kinds, bool(parts[0].columns))


def _bind_part(clauses: Sequence[ast.Clause], environment: Environment, alone: bool) -> BoundPart:
    """`alone`: there is but one clause in the whole query."""
    bound_clauses: list[BoundClause] = []
    columns: tuple[tuple[str, str], ...] = ()
    for clause in clauses:
        if isinstance(clause, ast.CallProcedure) and alone:
            more, _, columns = bind_call(clause, environment, alone=True)
            return BoundPart(more, columns)
        if isinstance(clause, ast.Show):
            more, scope, columns = bind_show(clause, environment)
            bound_clauses.extend(more)
            environment = replace(environment, scope=scope)
            continue
        if isinstance(clause, ast.Terminate):
            more, scope, columns = bind_terminate(clause, environment, columns)
            bound_clauses.extend(more)
            environment = replace(environment, scope=scope)
            continue
        if isinstance(clause, ast.Return):
            result = bind_projection(clause.projection, None, environment, aliases_needed=False)
            if environment.aliases_needed:
                check_aliases(clause.projection.items, "RETURN inside CALL { }")
            return BoundPart((*bound_clauses, result.clause), result.columns)
        if isinstance(clause, ast.Finish):
            break
        more, scope = bind_clause(clause, environment)
        bound_clauses.extend(more)
        environment = replace(environment, scope=scope)
    return BoundPart(tuple(bound_clauses), columns)


def bind_clause(clause: ast.Clause, environment: Environment) -> Bound:
    """Any clause but RETURN, and the scope after it."""
    scope = environment.scope
    match clause:
        case ast.Match():
            return _bind_match(clause, environment)
        case ast.With():
            projected = bind_projection(
                clause.projection, clause.where, environment, aliases_needed=True
            )
            return kept_behind(projected.clause, projected.scope, environment)
        case ast.Unwind():
            return _bind_unwind(clause, environment)
        case ast.LoadCsv():
            return _bind_load_csv(clause, environment)
        case ast.Start():
            return _bind_start(clause, environment)
        case ast.Create():
            created, scope = bind_create(clause, environment)
            return (created,), scope
        case ast.Merge():
            merged, scope = bind_merge(clause, environment)
            return (merged,), scope
        case ast.Set() | ast.Remove():
            return (bind_set(clause, environment),), scope
        case ast.Delete():
            return (bind_delete(clause, environment),), scope
        case ast.Foreach():
            return (bind_foreach(clause, environment),), scope
        case ast.CallProcedure():
            called, scope, _ = bind_call(clause, environment, alone=False)
            return called, scope
        case ast.CallSubquery():
            subquery, scope = bind_subquery_call(clause, environment)
            return (subquery,), scope
    raise UnsupportedOperation(f"{type(clause).__name__} is not supported", offset=clause.at)


def _bind_match(clause: ast.Match, environment: Environment) -> Bound:
    builder = bind_patterns(clause.patterns, clause.where, environment)
    match = BoundMatch(builder.graph(), clause.optional, tuple(builder.introduced))
    return (match,), builder.scope


def _bind_unwind(clause: ast.Unwind, environment: Environment) -> Bound:
    source = bind(clause.expression, environment)
    if clause.variable in environment.scope:
        message = f"variable `{clause.variable}` is bound already"
        raise syntax_error("VariableAlreadyBound", message, clause.at)
    element = element_type(source, environment.names) if source.type is T.LIST else T.ANY
    symbol = environment.names.declare(clause.variable, element)
    scope = {**environment.scope, clause.variable: symbol}
    return (BoundUnwind(source, symbol.name),), scope


def _bind_load_csv(clause: ast.LoadCsv, environment: Environment) -> Bound:
    source = bind(clause.source, environment)
    if not accepts(T.STRING, source.type):
        message = f"LOAD CSV takes the name of a file, not {type_text(source.type)}"
        raise syntax_error("InvalidArgumentType", message, clause.source.at)
    if clause.variable in environment.scope:
        message = f"variable `{clause.variable}` is bound already"
        raise syntax_error("VariableAlreadyBound", message, clause.at)
    names = environment.names
    row = names.declare(clause.variable, T.MAP if clause.headers else T.LIST)
    line, file = names.anonymous("line", T.INTEGER), names.anonymous("file", T.STRING)
    load = BoundLoadCsv(source, row.name, clause.headers, clause.terminator, line.name, file.name)
    told = {LINE_NUMBER: line, FILE: file}
    return (load,), {**environment.scope, **told, clause.variable: row}


# --- START ------------------------------------------------------------------------------


def _bind_start(clause: ast.Start, environment: Environment) -> Bound:
    clauses: list[BoundClause] = []
    for item in clause.items:
        start, scope = _bind_item(item, environment)
        clauses.append(start)
        environment = replace(environment, scope=scope)
    if clause.where is not None:
        clauses.append(BoundFilter(bind_predicate(clause.where, environment)))
    return tuple(clauses), environment.scope


def _bind_item(item: ast.StartItem, environment: Environment) -> tuple[BoundStart, Scope]:
    if item.variable in environment.scope:
        message = f"variable `{item.variable}` is bound already"
        raise syntax_error("VariableAlreadyBound", message, item.at)
    names = environment.names
    symbol = names.declare(item.variable, T.NODE if item.kind == "node" else T.RELATIONSHIP)
    key, value = _index_entry(item, environment)
    start = BoundStart(
        variable=symbol.name,
        kind=item.kind,
        ids=_ids(item, environment),
        index=item.index,
        key=key,
        value=value,
        start=names.anonymous("node", T.NODE).name,
        end=names.anonymous("node", T.NODE).name,
        term=item.query is not None,
    )
    return start, {**environment.scope, item.variable: symbol}


def _ids(item: ast.StartItem, environment: Environment) -> BoundExpression | None:
    if item.ids is None or item.ids == "*":
        return None
    values = tuple(bind(value, environment) for value in item.ids)
    return values[0] if len(values) == 1 else bound.ListOf(values, type=T.LIST, at=item.at)


def _index_entry(
    item: ast.StartItem, environment: Environment
) -> tuple[str | None, BoundExpression | None]:
    """Key and value of `node:index(key=value)` and of `node:index('key:value')`."""
    if item.query is None:
        return item.key, None if item.value is None else bind(item.value, environment)
    query = bind(item.query, environment)
    text = query.value if isinstance(query, bound.Constant) else None
    term = _TERM.fullmatch(text) if isinstance(text, str) else None
    if term is None:
        raise UnsupportedOperation(
            "of index queries only a single term such as 'name:Bob' is supported",
            offset=item.query.at,
        )
    value = next(group for group in term.groups()[1:] if group is not None)
    return term[1], _meant_by(value, item.query.at)


def _meant_by(term: str, at: int) -> BoundExpression:
    """The old indexes held texts only: 40 was found by its digits, true by its name."""
    items = [bound.Constant(term, type=T.STRING, at=at)]
    if _NUMBER.fullmatch(term):
        whole = _INTEGER.fullmatch(term) and abs(int(term)) < 1 << 63
        number: int | float = int(term) if whole else float(term)
        items.append(bound.Constant(number, type=T.INTEGER if whole else T.FLOAT, at=at))
    elif term in ("true", "false"):
        items.append(bound.Constant(term == "true", type=T.BOOLEAN, at=at))
    return bound.ListOf(tuple(items), type=T.LIST, at=at)
