"""CALL { } IN TRANSACTIONS: where it may stand, how many rows a transaction has, what it tells."""

from __future__ import annotations

from cypherd.binder.changing import is_update
from cypherd.binder.expressions import BoundExpression, Constant
from cypherd.binder.projections import bind_count
from cypherd.binder.query import BoundInTransactions
from cypherd.binder.scopes import Environment, Scope, syntax_error
from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.nesting import nodes
from cypherd.values.types import CypherType as T

_DEFAULT_ROWS = Constant(1000, type=T.INTEGER)


def bind_in_transactions(
    transactions: ast.InTransactions, scope: Scope, environment: Environment
) -> tuple[BoundInTransactions, Scope]:
    """Raises NonConstantExpression, NegativeIntegerArgument, VariableAlreadyBound."""
    rows: BoundExpression = _DEFAULT_ROWS
    if transactions.rows is not None:
        rows = bind_count(transactions.rows, environment, "OF ... ROWS")
        if isinstance(rows, Constant) and rows.value == 0:
            message = "OF ... ROWS takes a number above 0"
            raise syntax_error("NegativeIntegerArgument", message, transactions.rows.at)
    status = transactions.status
    if status is None:
        return BoundInTransactions(rows, transactions.on_error, None), scope
    if status.name in scope:
        message = f"variable `{status.name}` is bound already"
        raise syntax_error("VariableAlreadyBound", message, status.at)
    symbol = environment.names.declare(status.name, T.MAP)
    bound = BoundInTransactions(rows, transactions.on_error, symbol.name)
    return bound, {**scope, status.name: symbol}


def check_transactions(query: ast.Query) -> None:
    """It commits what the statement did before: only whole rows of the statement itself, which
    has written nothing yet, can be parted so. Raises InvalidClauseComposition."""
    for part in query.parts:
        written = False
        for clause in part:
            if isinstance(clause, ast.CallSubquery) and clause.transactions is not None:
                _check_place(clause.transactions, query, written)
            else:
                written = written or is_update(clause)
            for node in nodes(clause):
                if isinstance(node, ast.CallSubquery) and node is not clause:
                    _check_inner(node)


def _check_place(found: ast.InTransactions, query: ast.Query, written: bool) -> None:
    if len(query.parts) > 1:
        raise _misplaced("in a query with UNION", found.at)
    if written:
        raise _misplaced("behind a clause that writes", found.at)


def _check_inner(call: ast.CallSubquery) -> None:
    if call.transactions is not None:
        raise _misplaced("inside another subquery", call.transactions.at)


def _misplaced(where: str, at: int) -> CypherSyntaxError:
    message = f"CALL {{ }} IN TRANSACTIONS cannot stand {where}"
    return syntax_error("InvalidClauseComposition", message, at)
