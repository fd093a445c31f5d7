"""CALL of a procedure: its arguments, and the results that come into scope.

CALL name                     alone; arguments are the parameters of the same names
CALL name(a, b)               alone; every result is a column
CALL name(a, b) YIELD *       the same
CALL name(a, b) YIELD x AS y [WHERE p]
                              alone, or among other clauses, once for each row
CALL name(a, b)               among other clauses: only for a procedure without results
"""

from __future__ import annotations

from dataclasses import replace

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, bind_predicate
from cypherd.binder.query import BoundCall, BoundClause, BoundFilter
from cypherd.binder.scopes import Environment, Scope, Symbol, suggestion, syntax_error
from cypherd.binder.types import accepts
from cypherd.errors import ProcedureError
from cypherd.parser import ast
from cypherd.procedures.signature import Field, Procedure
from cypherd.values.description import type_text

Columns = tuple[tuple[str, str], ...]
"""(column name, variable) in order."""


def bind_call(
    clause: ast.CallProcedure, environment: Environment, *, alone: bool
) -> tuple[tuple[BoundClause, ...], Scope, Columns]:
    """The clauses, the scope after them, and the columns if the CALL stands alone.

    Raises ProcedureNotFound, InvalidNumberOfArguments, InvalidArgumentType,
    InvalidArgumentPassingMode, InvalidAggregation, VariableAlreadyBound, UndefinedVariable,
    UnexpectedSyntax.
    """
    procedure = _found(clause, environment)
    arguments = _arguments(clause, procedure, environment, alone)
    yields = _yields(clause, procedure, alone)
    results, symbols = _results(procedure, yields, environment)
    scope = {**environment.scope, **symbols}
    call = BoundCall(procedure.name, arguments, results, procedure.mode == "READ")
    clauses: tuple[BoundClause, ...] = (call,)
    if clause.where is not None:
        inside = replace(environment, scope=scope)
        clauses += (BoundFilter(bind_predicate(clause.where, inside)),)
    return clauses, scope, tuple((name, symbol.name) for name, symbol in symbols.items())


def _found(clause: ast.CallProcedure, environment: Environment) -> Procedure:
    procedures = environment.procedures
    procedure = procedures.find(clause.name)
    if procedure is None:
        raise ProcedureError(
            f"there is no procedure `{clause.name}`",
            detail="ProcedureNotFound",
            offset=clause.at,
            hint=suggestion(clause.name, procedures.names()),
        )
    return procedure


# --- arguments --------------------------------------------------------------------------


def _arguments(
    clause: ast.CallProcedure, procedure: Procedure, environment: Environment, alone: bool
) -> tuple[BoundExpression, ...]:
    given = clause.arguments
    if given is None and alone:
        return _from_parameters(procedure, environment, clause.at)
    if given is None and procedure.least():
        raise syntax_error(
            "InvalidArgumentPassingMode",
            "a CALL inside a query does not take its arguments from parameters",
            clause.at,
            f"write them out: {procedure.signature()}",
        )
    given = given or ()
    # What is wrong in an argument goes before what is wrong with their number.
    values = [bind(argument, environment) for argument in given]
    most = len(procedure.arguments)
    if not procedure.least() <= len(given) <= most:
        raise syntax_error(
            "InvalidNumberOfArguments",
            f"{procedure.signature()} cannot be called with {len(given)} arguments",
            clause.at,
        )
    for field, value in zip(procedure.arguments, values, strict=False):
        _check_type(field, value, procedure)
    missing = procedure.arguments[len(values) :]
    return (*values, *(_default(field, clause.at) for field in missing))


def _check_type(field: Field, value: BoundExpression, procedure: Procedure) -> None:
    if not accepts(field.type, value.type):
        raise syntax_error(
            "InvalidArgumentType",
            f"argument `{field.name}` of {procedure.name} is of type {field.type_text()}, "
            f"not {type_text(value.type)}",
            value.at,
        )


def _from_parameters(
    procedure: Procedure, environment: Environment, at: int
) -> tuple[BoundExpression, ...]:
    """`CALL name` alone: each argument is the parameter of its name, or its default."""
    return tuple(
        bind(ast.Parameter(field.name, at=at), environment)
        if field.required
        else _default(field, at)
        for field in procedure.arguments
    )


def _default(field: Field, at: int) -> BoundExpression:
    return bound.Constant(field.default, type=field.type, at=at)


# --- results ----------------------------------------------------------------------------


def _yields(
    clause: ast.CallProcedure, procedure: Procedure, alone: bool
) -> tuple[ast.YieldItem, ...]:
    """What is taken of the results: named, or all of them where the CALL stands alone."""
    yields = clause.yields
    if yields is not None and yields != "*":
        return yields
    if yields == "*" and not alone:
        raise syntax_error(
            "UnexpectedSyntax",
            "YIELD * is for a CALL that stands alone",
            clause.at,
            f"name the columns: {_example(procedure)}",
        )
    if not alone and not procedure.void:
        raise syntax_error(
            "UndefinedVariable",
            f"a CALL inside a query names the results of {procedure.name} that it uses",
            clause.at,
            f"add {_example(procedure)}",
        )
    return tuple(ast.YieldItem(result.name, None, at=clause.at) for result in procedure.results)


def _example(procedure: Procedure) -> str:
    return f"YIELD {', '.join(result.name for result in procedure.results)}"


def _results(
    procedure: Procedure, yields: tuple[ast.YieldItem, ...], environment: Environment
) -> tuple[tuple[tuple[int, str], ...], dict[str, Symbol]]:
    """(place of the result, variable) of each, and the new variables by name."""
    results: list[tuple[int, str]] = []
    symbols: dict[str, Symbol] = {}
    for item in yields:
        place = procedure.result(item.name)
        if place is None:
            raise syntax_error(
                "UndefinedVariable",
                f"{procedure.name} has no result `{item.name}`",
                item.at,
                suggestion(item.name, [result.name for result in procedure.results]),
            )
        name = item.alias or item.name
        if name in environment.scope or name in symbols:
            raise syntax_error(
                "VariableAlreadyBound", f"variable `{name}` is bound already", item.at
            )
        field = procedure.results[place]
        symbols[name] = environment.names.declare(name, field.type, field.element)
        results.append((place, symbols[name].name))
    return tuple(results), symbols
