"""Expressions: text -> AST, with the precedence of openCypher."""

from __future__ import annotations

from typing import Any

import pytest

from cypherd.parser import ast
from cypherd.parser.ast import (
    Binary,
    Case,
    Comparison,
    Constant,
    CountStar,
    FunctionCall,
    HasLabels,
    IsNull,
    ListComprehension,
    ListLiteral,
    MapLiteral,
    MapProjection,
    NodePattern,
    Parameter,
    PathPattern,
    PatternComprehension,
    PatternExpression,
    Property,
    Quantifier,
    Reduce,
    RelationshipPattern,
    Slice,
    SubqueryExpression,
    Subscript,
    Unary,
    Variable,
)
from cypherd.parser.parser import parse

A, B, C, N, X, XS = (Variable(name) for name in ("a", "b", "c", "n", "x", "xs"))
ONE, TWO, THREE = Constant(1), Constant(2), Constant(3)
TRUE, FALSE, NULL = Constant(True), Constant(False), Constant(None)


def returned(text: str) -> ast.ProjectionItem:
    body = parse(text).body
    assert isinstance(body, ast.Query)
    clause = body.parts[0][-1]
    assert isinstance(clause, ast.Return)
    return clause.projection.items[0]


def expression(text: str) -> Any:
    return returned(f"RETURN {text}").expression


def node(variable: str | None = None, *labels: str) -> NodePattern:
    return NodePattern(variable, labels, None)


def to(*types: str, direction: ast.Direction = "out") -> RelationshipPattern:
    return RelationshipPattern(None, types, direction, None, None)


def pattern(*elements: NodePattern | RelationshipPattern) -> PathPattern:
    return PathPattern(None, elements)


A_TO_B = pattern(node("a"), to(), node("b"))

LITERALS = {
    "0": 0,
    "42": 42,
    "-42": -42,
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    "- 9223372036854775808": -(2**63),
    "0x1F": 31,
    "0XfF": 255,
    "-0x8000000000000000": -(2**63),
    "0o17": 15,
    "017": 15,
    "1.5": 1.5,
    ".5": 0.5,
    "1e9": 1e9,
    "1E-3": 1e-3,
    ".5e+2": 50.0,
    "-1.5": -1.5,
    "1e-400": 0.0,
    "true": True,
    "FALSE": False,
    "Null": None,
    "'a'": "a",
    '"a"': "a",
    "''": "",
    "'it\\'s'": "it's",
    '"it\'s"': "it's",
    "'\\\\ \\\" \\b\\f\\n\\r\\t'": '\\ " \b\f\n\r\t',
    "'\\u00e9'": "é",
    "'\\U0001F600'": "😀",
    "'\\ud83d\\ude00'": "😀",
    "'two\nlines // no comment /* here */'": "two\nlines // no comment /* here */",
}


@pytest.mark.parametrize(("text", "value"), LITERALS.items(), ids=LITERALS.keys())
def test_literals(text: str, value: object) -> None:
    found = expression(text)
    assert found == Constant(value)
    assert type(found.value) is type(value)


def test_minus_zero_keeps_its_sign() -> None:
    assert str(expression("-0.0").value) == "-0.0"


def test_two_minus_signs_are_not_a_literal() -> None:
    assert expression("- -1") == Unary("-", Constant(-1))


EXPRESSIONS: dict[str, ast.Expression] = {
    # precedence
    "1 + 2 * 3": Binary("+", ONE, Binary("*", TWO, THREE)),
    "1 - 2 - 3": Binary("-", Binary("-", ONE, TWO), THREE),
    "(1 + 2) * 3": Binary("*", Binary("+", ONE, TWO), THREE),
    "1 ^ 2 ^ 3": Binary("^", Binary("^", ONE, TWO), THREE),
    "-a ^ 2": Binary("^", Unary("-", A), TWO),
    "1 * 2 ^ 3 % a": Binary("%", Binary("*", ONE, Binary("^", TWO, THREE)), A),
    "-a.x": Unary("-", Property(A, "x")),
    "+a": Unary("+", A),
    "NOT a = b": Unary("not", Comparison((A, B), ("=",))),
    "a OR b AND c": Binary("or", A, Binary("and", B, C)),
    "a XOR b OR c": Binary("or", Binary("xor", A, B), C),
    "a AND b XOR c": Binary("xor", Binary("and", A, B), C),
    "NOT a AND b": Binary("and", Unary("not", A), B),
    "a = b OR NOT c": Binary("or", Comparison((A, B), ("=",)), Unary("not", C)),
    "1 < a <= 3": Comparison((ONE, A, THREE), ("<", "<=")),
    "a <> b = c": Comparison((A, B, C), ("<>", "=")),
    "a > b >= c": Comparison((A, B, C), (">", ">=")),
    "a = b IS NULL": Comparison((A, IsNull(B, False)), ("=",)),
    "a + b IS NOT NULL": IsNull(Binary("+", A, B), True),
    "NOT a IS NULL": Unary("not", IsNull(A, False)),
    "a IN b + c": Binary("in", A, Binary("+", B, C)),
    "a + b IN c": Binary("in", Binary("+", A, B), C),
    "a = b IN c": Comparison((A, Binary("in", B, C)), ("=",)),
    "a STARTS WITH b": Binary("starts with", A, B),
    "a ENDS WITH b + c": Binary("ends with", A, Binary("+", B, C)),
    "a CONTAINS b AND c": Binary("and", Binary("contains", A, B), C),
    "a =~ 'x.*'": Binary("=~", A, Constant("x.*")),
    # postfix
    "a.b.c": Property(Property(A, "b"), "c"),
    "a[1]": Subscript(A, ONE),
    "a[1][2].x": Property(Subscript(Subscript(A, ONE), TWO), "x"),
    "a[1..2]": Slice(A, ONE, TWO),
    "a[..2]": Slice(A, None, TWO),
    "a[1..]": Slice(A, ONE, None),
    "a[..]": Slice(A, None, None),
    "a[..5]": Slice(A, None, Constant(5)),
    "n:Person:Admin": HasLabels(N, ("Person", "Admin")),
    "n.x:Person": HasLabels(Property(N, "x"), ("Person",)),
    "(n:Person)": HasLabels(N, ("Person",)),
    "[1, 2, 3][0]": Subscript(ListLiteral((ONE, TWO, THREE)), Constant(0)),
    "{a: 1}.a": Property(MapLiteral((("a", ONE),)), "a"),
    "$p.x": Property(Parameter("p"), "x"),
    # parameters
    "$name": Parameter("name"),
    "$0": Parameter("0"),
    "$`a b``c`": Parameter("a b`c"),
    "$match": Parameter("match"),
    "{name}": Parameter("name"),
    "{ `a b` }": Parameter("a b"),
    # lists and maps
    "[]": ListLiteral(()),
    "[[], [1]]": ListLiteral((ListLiteral(()), ListLiteral((ONE,)))),
    "{}": MapLiteral(()),
    "{a: 1, match: {b: 2}, `c d`: n}": MapLiteral(
        (("a", ONE), ("match", MapLiteral((("b", TWO),))), ("c d", N))
    ),
    # calls
    "rand()": FunctionCall("rand", ()),
    "toUpper(a)": FunctionCall("toUpper", (A,)),
    "apoc.text.join([], ',')": FunctionCall(
        "apoc.text.join", (ListLiteral(()), Constant(","))
    ),
    "count(DISTINCT a)": FunctionCall("count", (A,), True),
    "count(*)": CountStar(),
    "COUNT ( * )": CountStar(),
    "f(x IN xs)": FunctionCall("f", (Binary("in", X, XS),)),
    "size(a) - (b)": Binary("-", FunctionCall("size", (A,)), B),
    # case
    "CASE WHEN a THEN 1 END": Case(None, ((A, ONE),), None),
    "CASE a WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE b END": Case(A, ((ONE, TWO), (TWO, THREE)), B),
    # comprehensions
    "[x IN xs]": ListComprehension("x", XS, None, None),
    "[(x IN xs)]": ListLiteral((Binary("in", X, XS),)),
    "[x IN xs, 1]": ListLiteral((Binary("in", X, XS), ONE)),
    "[1 IN xs]": ListLiteral((Binary("in", ONE, XS),)),
    "[x IN xs WHERE x > 1]": ListComprehension("x", XS, Comparison((X, ONE), (">",)), None),
    "[x IN xs | x.a]": ListComprehension("x", XS, None, Property(X, "a")),
    "[x IN xs WHERE x | 1]": ListComprehension("x", XS, X, ONE),
    "[x IN xs + a | x]": ListComprehension("x", Binary("+", XS, A), None, X),
    "[(a)-->(b) | b]": PatternComprehension(A_TO_B, None, B),
    "[(a)-->(b) WHERE a | b]": PatternComprehension(A_TO_B, A, B),
    "[p = (a)-->(b) | p]": PatternComprehension(
        PathPattern("p", A_TO_B.elements), None, Variable("p")
    ),
    "all(x IN xs WHERE x)": Quantifier("all", "x", XS, X),
    "ANY(x IN xs WHERE x)": Quantifier("any", "x", XS, X),
    "none(x IN xs WHERE x)": Quantifier("none", "x", XS, X),
    "single(x IN xs WHERE x)": Quantifier("single", "x", XS, X),
    "filter(x IN xs WHERE x)": ListComprehension("x", XS, X, None),
    "extract(x IN xs | 1)": ListComprehension("x", XS, None, ONE),
    "reduce(a = 0, x IN xs | a + x)": Reduce("a", Constant(0), "x", XS, Binary("+", A, X)),
    # map projections
    "n {.*}": MapProjection(N, (("*", None),)),
    "n {.name, x: 1, a}": MapProjection(
        N, (("name", Property(N, "name")), ("x", ONE), ("a", A))
    ),
    "n {}": MapProjection(N, ()),
    "count {.x}": MapProjection(Variable("count"), (("x", Property(Variable("count"), "x")),)),
    # patterns
    "exists((a)-->(b))": FunctionCall("exists", (PatternExpression(A_TO_B),)),
    "NOT (a)-->(b)": Unary("not", PatternExpression(A_TO_B)),
    "(a)-->(b) AND c": Binary("and", PatternExpression(A_TO_B), C),
    "((a)-->(b))": PatternExpression(A_TO_B),
    "()--()": PatternExpression(pattern(node(), to(direction="both"), node())),
    "(a)<--(:B)": PatternExpression(pattern(node("a"), to(direction="in"), node(None, "B"))),
    "(a)<-->(b)": PatternExpression(pattern(node("a"), to(direction="both"), node("b"))),
    "(a)-[:T]->(b)<-[:U]-()": PatternExpression(
        pattern(node("a"), to("T"), node("b"), to("U", direction="in"), node())
    ),
    "shortestPath((a)-->(b))": PatternExpression(
        PathPattern(None, A_TO_B.elements, "shortestPath")
    ),
    # what looks like a pattern and is none
    "(a)-(b)": Binary("-", A, B),
    "(a) < -(b)": Comparison((A, Unary("-", B)), ("<",)),
    "(a)--1": Binary("-", A, Constant(-1)),
    "(a)-[1][0]": Binary("-", A, Subscript(ListLiteral((ONE,)), Constant(0))),
    "(a.x)-(b)": Binary("-", Property(A, "x"), B),
    # subqueries
    "exists { (a)-->(b) WHERE a }": SubqueryExpression(
        "exists", ast.Query(((ast.Match((A_TO_B,), False, A),),))
    ),
    "COUNT { MATCH (a)-->(b) }": SubqueryExpression(
        "count", ast.Query(((ast.Match((A_TO_B,), False, None),),))
    ),
    # keywords as names
    "end": Variable("end"),
    "order.limit": Property(Variable("order"), "limit"),
    "start.match": Property(Variable("start"), "match"),
    "`match`": Variable("match"),
    "contains CONTAINS starts": Binary("contains", Variable("contains"), Variable("starts")),
    "हिन्दी": Variable("हिन्दी"),
    "ın": Variable("ın"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), EXPRESSIONS.items(), ids=EXPRESSIONS.keys())
def test_expressions(text: str, tree: ast.Expression) -> None:
    assert expression(text) == tree


def test_collect_subquery() -> None:
    found = expression("collect { MATCH (a)-->(b) RETURN b }")
    assert found.kind == "collect"
    assert [type(clause) for clause in found.query.parts[0]] == [ast.Match, ast.Return]


def test_a_node_named_count_is_no_subquery() -> None:
    body = parse("MATCH (count {match: 1}) RETURN 1").body
    assert isinstance(body, ast.Query)
    match = body.parts[0][0]
    assert isinstance(match, ast.Match)
    assert match.patterns[0].elements == (NodePattern("count", (), MapLiteral((("match", ONE),))),)


def test_long_chains_of_and_are_balanced() -> None:
    found = expression(" AND ".join(f"x{i}" for i in range(1000)))

    def depth(tree: ast.Expression) -> int:
        if isinstance(tree, Binary):
            return 1 + max(depth(tree.left), depth(tree.right))
        return 0

    def leaves(tree: ast.Expression) -> list[str]:
        if isinstance(tree, Binary):
            return leaves(tree.left) + leaves(tree.right)
        assert isinstance(tree, Variable)
        return [tree.name]

    assert depth(found) == 10
    assert leaves(found) == [f"x{i}" for i in range(1000)]


TEXTS = {
    "RETURN  n.a+ 1": "n.a+ 1",
    "RETURN DISTINCT n . a AS x": "n . a",
    "RETURN count( * ) // comment": "count( * )",
    "RETURN (1 + 2)  ,3": "(1 + 2)",
    "RETURN a /* c */ + b ORDER BY a": "a /* c */ + b",
    "RETURN 'é' + x": "'é' + x",
    "RETURN {a: [1, 2]}.a;": "{a: [1, 2]}.a",
    "RETURN CASE WHEN a THEN b END LIMIT 1": "CASE WHEN a THEN b END",
}


@pytest.mark.parametrize(("query", "text"), TEXTS.items(), ids=TEXTS.keys())
def test_items_keep_their_text(query: str, text: str) -> None:
    assert returned(query).text == text


def test_offsets() -> None:
    item = returned("RETURN aa.b + 'x' IS NULL")
    assert item.at == 7
    found: Any = item.expression
    assert found.at == 18
    assert found.operand.at == 12
    assert found.operand.left.at == 7
    assert found.operand.right.at == 14
