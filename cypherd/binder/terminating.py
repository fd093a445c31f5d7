"""TERMINATE TRANSACTIONS: a call of the procedure that ends queries, with YIELD as in SHOW.

    TERMINATE TRANSACTIONS 'id', $ids [YIELD message, ... [ORDER BY ...] [WHERE p]] [RETURN ...]
    SHOW TRANSACTIONS YIELD transactionId AS id, ... TERMINATE TRANSACTIONS id YIELD message ...

Behind SHOW it is called for each row, and the columns of both are there.
"""

from __future__ import annotations

from dataclasses import replace

from cypherd.binder.procedure_calls import Columns, bind_call
from cypherd.binder.projections import bind_projection
from cypherd.binder.query import BoundClause
from cypherd.binder.scopes import Environment, Scope
from cypherd.parser import ast
from cypherd.procedures.running import TERMINATE


def bind_terminate(
    clause: ast.Terminate, environment: Environment, columns: Columns
) -> tuple[tuple[BoundClause, ...], Scope, Columns]:
    """The clauses, the scope for a RETURN, and the columns where there is none: those of the SHOW
    before it, `columns`, and its own.

    Raises CypherSyntaxError for ids of another type, and for a column that there is not or that
    SHOW has under the same name."""
    ids = ast.ListLiteral(clause.ids, at=clause.at)
    yields = None if clause.yields == "*" else clause.yields
    call = ast.CallProcedure(TERMINATE, (ids,), yields, None, at=clause.at)
    called, scope, own = bind_call(call, environment, alone=True)
    there = (*columns, *own)
    names = tuple(name for name, _ in there)
    if clause.yields is None:
        return called, scope, there
    projection = _projection(clause, names)
    inside = replace(environment, scope=scope)
    projected = bind_projection(projection, clause.where, inside, aliases_needed=True)
    return (*called, projected.clause), projected.scope, projected.columns


def _projection(clause: ast.Terminate, names: tuple[str, ...]) -> ast.Projection:
    items = tuple(
        ast.ProjectionItem(ast.Variable(name, at=clause.at), None, name, at=clause.at)
        for name in names
    )
    return ast.Projection(
        False, False, items, clause.order, clause.skip, clause.limit, at=clause.at
    )
