"""CASE, with what a subject is held against in every form.

    CASE x WHEN 1, 3 THEN a ELSE b END          CASE x WHEN 1 THEN a WHEN 3 THEN a ELSE b END
    CASE x WHEN < 5 THEN a WHEN IS NULL THEN b END
                                                CASE WHEN x < 5 THEN a WHEN x IS NULL THEN b END

A subject that may give something else each time is asked once: it becomes the element of a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cypherd.parser import ast
from cypherd.parser.nesting import children
from cypherd.parser.paths import misplaced

_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))
_RANDOM = frozenset(("rand", "randomuuid"))
_SUBJECT = "  subject"


@dataclass(frozen=True, slots=True)
class Condition:
    """`of` makes the predicate of a subject."""

    at: int
    of: Callable[[ast.Expression], ast.Expression]


@dataclass(frozen=True, slots=True)
class Alternative:
    """WHEN one of these THEN that."""

    at: int
    conditions: tuple[ast.Expression | Condition, ...]
    value: ast.Expression


def compared(at: int, operator: str, value: ast.Expression) -> Condition:
    def of(subject: ast.Expression) -> ast.Expression:
        if operator in _COMPARISONS:
            return ast.Comparison((subject, value), (operator,), at=at)
        return ast.Binary(operator, subject, value, at=at)

    return Condition(at, of)


def case_of(
    at: int,
    subject: ast.Expression | None,
    alternatives: Sequence[Alternative],
    default: ast.Expression | None,
) -> ast.Expression:
    """Raises CypherSyntaxError (UnexpectedSyntax) for what needs a subject and has none."""
    if subject is None:
        return ast.Case(None, tuple(map(_alone, alternatives)), default, at=at)
    pairs = [(c, a.value) for a in alternatives for c in a.conditions]
    plain = tuple((c, value) for c, value in pairs if not isinstance(c, Condition))
    if len(plain) == len(pairs):
        return ast.Case(subject, plain, default, at=at)
    once = subject if _is_repeatable(subject) else ast.Variable(_SUBJECT, at=subject.at)
    searched = ast.Case(None, tuple((_of(c, once), v) for c, v in pairs), default, at=at)
    if once is subject:
        return searched
    source = ast.ListLiteral((subject,), at=subject.at)
    listed = ast.ListComprehension(_SUBJECT, source, None, searched, at=at)
    return ast.FunctionCall("head", (listed,), False, at=at)


def _alone(alternative: Alternative) -> tuple[ast.Expression, ast.Expression]:
    first, *others = alternative.conditions
    if isinstance(first, Condition):
        raise misplaced(first.at, "WHEN is a condition here; a comparison needs CASE x before it")
    if others:
        raise misplaced(alternative.at, "WHEN takes several values only behind CASE x")
    return first, alternative.value


def _of(condition: ast.Expression | Condition, subject: ast.Expression) -> ast.Expression:
    """As a simple CASE compares: null is null."""
    if isinstance(condition, Condition):
        return condition.of(subject)
    at = condition.at
    both = [ast.IsNull(side, False, at=at) for side in (subject, condition)]
    equal = ast.Comparison((subject, condition), ("=",), at=at)
    return ast.Binary("or", equal, ast.Binary("and", *both, at=at), at=at)


def _is_repeatable(subject: ast.Expression) -> bool:
    """Whether it gives the same each time that it is asked in a row, and for little."""
    searching = ast.SubqueryExpression | ast.PatternComprehension
    return not any(
        isinstance(part, searching)
        or (isinstance(part, ast.FunctionCall) and part.name.lower() in _RANDOM)
        for part in _parts(subject)
    )


def _parts(node: ast.Node) -> Iterator[ast.Node]:
    yield node
    for child in children(node):
        yield from _parts(child)
