"""From the AST of a query to a bound one: scopes, types, aggregation."""

from __future__ import annotations

from cypherd.binder.clauses import bind_query
from cypherd.binder.query import BoundStatement
from cypherd.binder.scopes import Environment, Names
from cypherd.parser import ast


def bind_statement(query: ast.Query) -> BoundStatement:
    """A query with all names resolved.

    Raises CypherSyntaxError (detail: openCypher's name), CypherTypeError,
    UnsupportedOperation, ProcedureError; not yet located in the text.
    """
    names = Names()
    bound = bind_query(query, Environment(names, {}))
    return BoundStatement(bound, frozenset(names.parameters), names)
