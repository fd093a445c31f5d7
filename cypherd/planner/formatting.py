"""Bound expressions as text, for EXPLAIN."""

from __future__ import annotations

from collections.abc import Iterable

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression

_INFIX = frozenset(
    {
        *("+", "-", "*", "/", "%", "^", "=", "<>", "<", "<=", ">", ">=", "=~"),
        *("in", "starts with", "ends with", "contains", "||"),
    }
)


def variable(name: str) -> str:
    """A bound name as it is shown: an anonymous one without its leading spaces."""
    return name.strip()


def literal(value: object) -> str:
    """A value as Cypher writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k}: {literal(v)}' for k, v in value.items())}}}"
    return repr(value)


def _join(parts: Iterable[BoundExpression], separator: str = ", ") -> str:
    return separator.join(_operand(p) if separator != ", " else show(p) for p in parts)


def _operand(expression: BoundExpression) -> str:
    """In parentheses where it is made of operands itself."""
    text = show(expression)
    compound = isinstance(expression, bound.And | bound.Or | bound.Xor) or (
        isinstance(expression, bound.Call) and expression.function in _INFIX
    )
    return f"({text})" if compound else text


def show(expression: BoundExpression) -> str:
    """The expression as text; subqueries, which are operators by then, do not occur."""
    match expression:
        case bound.Constant(value):
            return literal(value)
        case bound.Parameter(name):
            return f"${name}"
        case bound.Variable(name):
            return variable(name)
        case bound.Property(source, key):
            return f"{_operand(source)}.{key}"
        case bound.HasLabels(source, labels):
            return f"{_operand(source)}:{':'.join(labels) or '%'}"
        case bound.HasDynamicLabels(source, names, any_):
            return f"{_operand(source)}:${'any' if any_ else ''}({show(names)})"
        case bound.Not(operand):
            return f"not {_operand(operand)}"
        case bound.And(operands):
            return " and ".join(map(_junct, operands))
        case bound.Or(operands):
            return " or ".join(map(_junct, operands))
        case bound.Xor(left, right):
            return f"{_junct(left)} xor {_junct(right)}"
        case bound.IsNull(operand, negated):
            return f"{_operand(operand)} is {'not ' if negated else ''}null"
        case bound.IsTyped(operand, wanted, negated):
            return f"{_operand(operand)} is {'not ' if negated else ''}:: {wanted}"
        case bound.Call("entity id", (_, value)):
            return f"the id in {show(value)}"
        case bound.ListOf(items):
            return f"[{_join(items)}]"
        case bound.MapOf(keys, values):
            pairs = zip(keys, map(show, values), strict=True)
            return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"
        case bound.Call():
            return _call(expression)
        case bound.Aggregate(function, arguments, distinct):
            if function == "count(*)":
                return function
            return f"{function}({'distinct ' if distinct else ''}{_join(arguments)})"
        case bound.DistinctRelationships(variables):
            return f"distinct relationships({_join(variables)})"
        case bound.PathOf(variables):
            return f"path({_join(variables)})"
    return _with_variables(expression)


def _junct(expression: BoundExpression) -> str:
    inner = isinstance(expression, bound.And | bound.Or | bound.Xor)
    return f"({show(expression)})" if inner else show(expression)


def _call(call: bound.Call) -> str:
    arguments = call.arguments
    if call.function in _INFIX:
        return f" {call.function} ".join(map(_operand, arguments))
    if call.function in ("negate", "plus"):
        return f"{'-' if call.function == 'negate' else '+'}{_operand(arguments[0])}"
    if call.function == "subscript":
        return f"{_operand(arguments[0])}[{show(arguments[1])}]"
    if call.function == "slice":
        return f"{_operand(arguments[0])}[{show(arguments[1])}..{show(arguments[2])}]"
    return f"{call.function}({_join(arguments)})"


def _with_variables(expression: BoundExpression) -> str:
    """CASE, comprehensions and the like."""
    match expression:
        case bound.Case(subject, conditions, results, default):
            pairs = zip(conditions, results, strict=True)
            whens = "".join(f" when {show(c)} then {show(r)}" for c, r in pairs)
            start = f" {show(subject)}" if subject is not None else ""
            end = f" else {show(default)}" if default is not None else ""
            return f"case{start}{whens}{end} end"
        case bound.ListComprehension(name, source, where, projection):
            condition = f" where {show(where)}" if where is not None else ""
            value = f" | {show(projection)}" if projection is not None else ""
            return f"[{variable(name)} in {show(source)}{condition}{value}]"
        case bound.Quantifier(kind, name, source, where):
            return f"{kind}({variable(name)} in {show(source)} where {show(where)})"
        case bound.Reduce(accumulator, initial, name, source, step):
            start = f"{variable(accumulator)} = {show(initial)}"
            return f"reduce({start}, {variable(name)} in {show(source)} | {show(step)})"
        case bound.MapProjection(source, items):
            shown = (".*" if value is None else f"{key}: {show(value)}" for key, value in items)
            return f"{_operand(source)}{{{', '.join(shown)}}}"
    return type(expression).__name__
