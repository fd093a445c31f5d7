"""From the AST of a query to a bound one: scopes, types, aggregation."""

from __future__ import annotations

from collections.abc import Sequence

from cypherd.binder.batching import check_transactions
from cypherd.binder.clauses import bind_query
from cypherd.binder.graphs import check_graphs
from cypherd.binder.query import BoundStatement
from cypherd.binder.scopes import Environment, Names, syntax_error
from cypherd.parser import ast
from cypherd.procedures.registry import BUILT_IN, Procedures


def bind_statement(query: ast.Query, procedures: Procedures = BUILT_IN) -> BoundStatement:
    """A query with all names resolved.

    Raises CypherSyntaxError (detail: openCypher's name), CypherTypeError,
    UnsupportedOperation, ProcedureError; not yet located in the text.
    """
    check_transactions(query)
    check_graphs(query)
    names = Names()
    bound = bind_query(query, Environment(names, {}, procedures=procedures))
    for part in query.parts:
        _check_ending(part, procedures, alone=len(query.parts) == len(part) == 1)
    return BoundStatement(bound, frozenset(names.parameters), names)


def _check_ending(part: Sequence[ast.Clause], procedures: Procedures, *, alone: bool) -> None:
    """A CALL that has results may end a query only if it is all of it."""
    last = part[-1]
    if isinstance(last, ast.CallSubquery) and isinstance(last.query.parts[0][-1], ast.Return):
        raise syntax_error(
            "InvalidClauseComposition",
            "a query does not end with a CALL { } that returns something",
            last.at,
            "add RETURN",
        )
    if alone or not isinstance(last, ast.CallProcedure):
        return
    procedure = procedures.find(last.name)
    if procedure is not None and not procedure.void:
        raise syntax_error(
            "InvalidClauseComposition",
            f"a query does not end with a CALL of {procedure.name}, which has results",
            last.at,
            "add RETURN",
        )
