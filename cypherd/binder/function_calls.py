"""Function calls: overloads, argument checks, and the rules for aggregates."""

from __future__ import annotations

from collections.abc import Sequence

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, bind_predicate, binds
from cypherd.binder.scopes import FILE, LINE_NUMBER, Environment, suggestion, syntax_error
from cypherd.binder.traversal import walk
from cypherd.binder.types import accepts, unify
from cypherd.functions.registry import find_functions, function_names
from cypherd.functions.signature import Function
from cypherd.parser import ast
from cypherd.values.types import CypherType as T


@binds(ast.CountStar)
def _count_star(node: ast.CountStar, environment: Environment) -> BoundExpression:
    _check_place(node.at, environment)
    return bound.Aggregate("count(*)", (), False, type=T.INTEGER, at=node.at)


@binds(ast.FunctionCall)
def _call(node: ast.FunctionCall, environment: Environment) -> BoundExpression:
    name = node.name.lower()
    if name == "exists" and len(node.arguments) == 1:
        return _exists(node, environment)
    if name in _OF_CSV and not node.arguments:
        return _of_csv(node, environment)
    overloads = find_functions(name)
    if not overloads:
        raise syntax_error(
            "UnknownFunction",
            f"there is no function `{node.name}`",
            node.at,
            suggestion(node.name, function_names()),
        )
    aggregate = overloads[0].aggregate
    if aggregate:
        _check_place(node.at, environment)
        environment = environment.inside_aggregate()
    arguments = tuple(bind(argument, environment) for argument in node.arguments)
    type_ = _resolve(node, overloads, arguments)
    if not aggregate:
        if node.distinct:
            message = f"{node.name}() is no aggregate and takes no DISTINCT"
            raise syntax_error("UnexpectedSyntax", message, node.at)
        return bound.Call(name, arguments, type=type_, at=node.at)
    for argument in arguments:
        _check_deterministic(argument)
    return bound.Aggregate(name, arguments, node.distinct, type=type_, at=node.at)


_OF_CSV = {"linenumber": LINE_NUMBER, "file": FILE}


def _of_csv(node: ast.FunctionCall, environment: Environment) -> BoundExpression:
    symbol = environment.scope.get(_OF_CSV[node.name.lower()])
    if symbol is None:
        raise syntax_error(
            "UnexpectedSyntax",
            f"{node.name}() is of LOAD CSV: it is known between that and the next WITH",
            node.at,
        )
    return symbol.at(node.at)


def _exists(node: ast.FunctionCall, environment: Environment) -> BoundExpression:
    """The old `exists(n.property)` and `exists((a)-->(b))`."""
    argument = node.arguments[0]
    if isinstance(argument, ast.PatternExpression):
        return bind_predicate(argument, environment)
    operand = bind(argument, environment)
    if not isinstance(argument, ast.Property | ast.Subscript):
        raise syntax_error(
            "InvalidArgumentExpression", "exists() takes a property or a pattern", node.at
        )
    return bound.IsNull(operand, True, type=T.BOOLEAN, at=node.at)


def _check_place(at: int, environment: Environment) -> None:
    if environment.aggregates == "inside":
        raise syntax_error("NestedAggregation", "an aggregate cannot hold another one", at)
    if environment.aggregates == "forbidden":
        raise syntax_error("InvalidAggregation", "an aggregate cannot stand here", at)


def _check_deterministic(argument: BoundExpression) -> None:
    for part in walk(argument):
        if not isinstance(part, bound.Call):
            continue
        if any(not function.deterministic for function in find_functions(part.function)):
            raise syntax_error(
                "NonConstantExpression",
                f"an aggregate cannot be taken over {part.function}()",
                part.at,
            )


def _takes(function: Function, count: int) -> bool:
    least = len(function.arguments) - function.optional
    return count >= least and (function.variadic or count <= len(function.arguments))


def _fits(function: Function, arguments: Sequence[BoundExpression]) -> bool:
    expected = list(function.arguments)
    if function.variadic and expected:
        expected += [expected[-1]] * (len(arguments) - len(expected))
    pairs = zip(expected, arguments, strict=False)
    return all(accepts(wanted, argument.type) for wanted, argument in pairs)


def _resolve(
    node: ast.FunctionCall, overloads: Sequence[Function], arguments: Sequence[BoundExpression]
) -> T:
    """The result type of the overloads that fit."""
    counted = [function for function in overloads if _takes(function, len(arguments))]
    if not counted:
        expected = " or ".join(sorted({_arity(function) for function in overloads}))
        raise syntax_error(
            "InvalidNumberOfArguments",
            f"{overloads[0].name}() takes {expected} arguments, not {len(arguments)}",
            node.at,
        )
    fitting = [function for function in counted if _fits(function, arguments)]
    if not fitting:
        given = ", ".join(argument.type.value for argument in arguments)
        wanted = " or ".join(
            "(" + ", ".join(t.value for t in function.arguments) + ")" for function in counted
        )
        raise syntax_error(
            "InvalidArgumentType",
            f"{overloads[0].name}() takes {wanted}, not ({given})",
            arguments[0].at if arguments else node.at,
        )
    return unify(function.result for function in fitting)


def _arity(function: Function) -> str:
    most = len(function.arguments)
    least = most - function.optional
    if function.variadic:
        return f"at least {least}"
    return str(most) if least == most else f"{least} to {most}"
