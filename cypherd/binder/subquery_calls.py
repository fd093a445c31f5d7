"""CALL { }: what the query inside may see, and what it adds to the row.

CALL { WITH a, b ... }      reads a and b; only variables stand in that first WITH
CALL (a, b) { ... }         reads a and b, behind every WITH inside too; `(*)` all there are
CALL { ... RETURN x }       adds x, for each row it gives
CALL { ... }                ends with a write: the rows pass by it unchanged
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cypherd.binder.batching import bind_in_transactions
from cypherd.binder.query import BoundClause, BoundProjection, BoundReimport, BoundSubqueryCall
from cypherd.binder.scopes import Environment, Scope, Symbol, look_up, syntax_error
from cypherd.parser import ast
from cypherd.parser.nesting import nodes


def bind_subquery_call(
    clause: ast.CallSubquery, environment: Environment
) -> tuple[BoundSubqueryCall, Scope]:
    """Raises InvalidClauseComposition, UndefinedVariable, VariableAlreadyBound,
    NoExpressionAlias and what the clauses inside raise."""
    from cypherd.binder.clauses import bind_query

    inside = replace(environment.without_aggregates(), projected={}, computed=frozenset())
    inside = replace(inside, aliases_needed=True)
    query, imports = clause.query, None
    if clause.imports is None:
        imports, query = _imported(query, environment)
        inside = replace(inside, scope={}, kept={})
    else:
        kept = _named(clause.imports, environment)
        inside = replace(inside, scope=kept, kept=kept)
    bound = bind_query(query, inside, imports)
    added: dict[str, Symbol] = {}
    for name, variable in bound.parts[0].columns:
        if name in environment.scope:
            raise syntax_error(
                "VariableAlreadyBound",
                f"variable `{name}`, which the subquery returns, is bound already outside of it",
                _returned_at(query, name),
                "return it under another name: AS",
            )
        types = environment.names
        added[name] = Symbol(variable, types.types[variable], types.elements[variable])
    _check_optional(clause, bool(added))
    columns = tuple(symbol.name for symbol in added.values())
    scope: Scope = {**environment.scope, **added}
    transactions = None
    if clause.transactions is not None:
        transactions, scope = bind_in_transactions(
            clause.transactions, scope, environment.without_aggregates()
        )
    return BoundSubqueryCall(bound, columns, clause.optional, transactions), scope


def _named(imports: tuple[ast.Variable, ...] | str, environment: Environment) -> Scope:
    if isinstance(imports, str):
        return environment.scope
    found: dict[str, Symbol] = {}
    for variable in imports:
        if variable.name in found:
            message = f"variable `{variable.name}` is named twice"
            raise syntax_error("VariableAlreadyBound", message, variable.at)
        found[variable.name] = look_up(environment.scope, variable.name, variable.at)
    return found


def _imported(query: ast.Query, environment: Environment) -> tuple[tuple[Scope, ...], ast.Query]:
    """What each side of a UNION takes in by its first WITH, and the query without these."""
    scopes: list[Scope] = []
    parts: list[tuple[ast.Clause, ...]] = []
    for clauses in query.parts:
        scope = _import_of(clauses, environment)
        scopes.append({} if scope is None else scope)
        parts.append(clauses if scope is None else clauses[1:])
    return tuple(scopes), replace(query, parts=tuple(parts))


def _import_of(clauses: Sequence[ast.Clause], environment: Environment) -> Scope | None:
    first = clauses[0]
    if not isinstance(first, ast.With) or len(clauses) == 1:
        return None
    projection, outer = first.projection, environment.scope
    plain = all(
        isinstance(item.expression, ast.Variable) and item.alias in (None, item.expression.name)
        for item in projection.items
    )
    if not plain:
        for item in projection.items:
            _refuse_outer(item.expression, outer)
        return None
    more = projection.distinct or projection.order or projection.skip or projection.limit
    if more or first.where is not None:
        raise syntax_error(
            "InvalidClauseComposition",
            "the WITH that brings variables into a CALL { } takes no DISTINCT, ORDER BY, SKIP, "
            "LIMIT or WHERE",
            first.at,
            "write a second WITH behind it",
        )
    names = [
        (i.expression.name, i.at)
        for i in projection.items
        if isinstance(i.expression, ast.Variable)
    ]
    found = {name: look_up(outer, name, at) for name, at in names}
    return {**outer, **found} if projection.star else found


def _refuse_outer(expression: ast.Expression, outer: Scope) -> None:
    for part in nodes(expression):
        if isinstance(part, ast.Variable) and part.name in outer:
            raise syntax_error(
                "InvalidClauseComposition",
                f"the WITH that brings `{part.name}` into a CALL {{ }} takes plain variables only, "
                "no expressions and no AS",
                part.at,
                f"write WITH {part.name} first, and a second WITH behind it",
            )


def _returned_at(query: ast.Query, name: str) -> int:
    last = query.parts[0][-1]
    if isinstance(last, ast.Return):
        for item in last.projection.items:
            if name in (item.alias, item.text):
                return item.at
    return last.at


def _check_optional(clause: ast.CallSubquery, returns: bool) -> None:
    if clause.optional and not returns:
        raise syntax_error(
            "InvalidClauseComposition",
            "OPTIONAL CALL { } needs a query that returns something",
            clause.at,
            "leave OPTIONAL out",
        )


def kept_behind(
    projection: BoundProjection, scope: Scope, environment: Environment
) -> tuple[tuple[BoundClause, ...], Scope]:
    """A WITH inside `CALL (x) { }`, behind which x is still there, and the scope then."""
    lost = {name: symbol for name, symbol in environment.kept.items() if name not in scope}
    if not lost:
        return (projection,), scope
    scope = {**scope, **lost}
    variables = tuple(symbol.name for symbol in lost.values())
    if projection.aggregation is not None:
        # As keys of the groups they would take away the one row over nothing.
        return (projection, BoundReimport(variables)), scope
    items = tuple((symbol.name, symbol.at(-1)) for symbol in lost.values())
    return (replace(projection, items=(*projection.items, *items)),), scope
