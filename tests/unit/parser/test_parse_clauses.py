"""Clauses, queries and schema commands: text -> AST."""

from __future__ import annotations

from typing import Any

import pytest

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.ast import (
    Binary,
    CallProcedure,
    Comparison,
    Constant,
    Create,
    CreateConstraint,
    CreateIndex,
    Delete,
    DropConstraint,
    DropIndex,
    FunctionCall,
    MapLiteral,
    Match,
    Merge,
    NodePattern,
    Parameter,
    PathPattern,
    Projection,
    ProjectionItem,
    Property,
    RelationshipPattern,
    Remove,
    RemoveLabels,
    RemoveProperty,
    Return,
    Set,
    SetLabels,
    SetProperties,
    SetProperty,
    Show,
    SortItem,
    Start,
    StartItem,
    Terminate,
    Unwind,
    Variable,
    VariableLength,
    YieldItem,
)
from cypherd.parser.parser import parse
from cypherd.parser.script import split_script

N, R, X, Y = (Variable(name) for name in ("n", "r", "x", "y"))
ONE, TWO = Constant(1), Constant(2)
NODE_N = PathPattern(None, (NodePattern("n", (), None),))
P = Property(N, "p")


def clauses(text: str) -> tuple[ast.Clause, ...]:
    body = parse(text).body
    assert isinstance(body, ast.Query)
    assert len(body.parts) == 1
    return body.parts[0]


def items(*expressions: tuple[ast.Expression, str]) -> tuple[ProjectionItem, ...]:
    return tuple(ProjectionItem(expression, None, text) for expression, text in expressions)


def relationship(text: str) -> RelationshipPattern:
    match: Any = clauses(f"MATCH (){text}() RETURN 1")[0]
    found = match.patterns[0].elements[1]
    assert isinstance(found, RelationshipPattern)
    return found


def length(minimum: int | None, maximum: int | None) -> RelationshipPattern:
    return RelationshipPattern(None, (), "out", VariableLength(minimum, maximum), None)


RELATIONSHIPS = {
    "-->": RelationshipPattern(None, (), "out", None, None),
    "<--": RelationshipPattern(None, (), "in", None, None),
    "--": RelationshipPattern(None, (), "both", None, None),
    "<-->": RelationshipPattern(None, (), "both", None, None),
    "-[]->": RelationshipPattern(None, (), "out", None, None),
    "<-[]->": RelationshipPattern(None, (), "both", None, None),
    "-[r]-": RelationshipPattern("r", (), "both", None, None),
    " < - [ : T ] - ": RelationshipPattern(None, ("T",), "in", None, None),
    "-[:A|B]->": RelationshipPattern(None, ("A", "B"), "out", None, None),
    "-[:A|:B|C]->": RelationshipPattern(None, ("A", "B", "C"), "out", None, None),
    "-[:`a b`|MATCH]->": RelationshipPattern(None, ("a b", "MATCH"), "out", None, None),
    "-[end:T]->": RelationshipPattern("end", ("T",), "out", None, None),
    "-[*]->": length(None, None),
    "-[*2]->": length(2, 2),
    "-[*1..3]->": length(1, 3),
    "-[*..3]->": length(None, 3),
    "-[*2..]->": length(2, None),
    "-[*0 .. 2]->": length(0, 2),
    "-[r:A|B*1..2 {k: 1}]->": RelationshipPattern(
        "r", ("A", "B"), "out", VariableLength(1, 2), MapLiteral((("k", ONE),))
    ),
    "-[:T {p}]->": RelationshipPattern(None, ("T",), "out", None, Parameter("p")),
    "-[r WHERE r.x = 1]->": RelationshipPattern(
        "r", (), "out", None, None, Comparison((Property(R, "x"), ONE), ("=",))
    ),
}


@pytest.mark.parametrize(("text", "tree"), RELATIONSHIPS.items(), ids=RELATIONSHIPS.keys())
def test_relationships(text: str, tree: RelationshipPattern) -> None:
    assert relationship(text) == tree


NODES = {
    "()": NodePattern(None, (), None),
    "(n)": NodePattern("n", (), None),
    "(:A)": NodePattern(None, ("A",), None),
    "(n:A:B)": NodePattern("n", ("A", "B"), None),
    "(n:A&B)": NodePattern("n", ("A", "B"), None),
    "(n {p: 1})": NodePattern("n", (), MapLiteral((("p", ONE),))),
    "(n:A {x})": NodePattern("n", ("A",), Parameter("x")),
    "(n $x)": NodePattern("n", (), Parameter("x")),
    "({})": NodePattern(None, (), MapLiteral(())),
    "(n:A WHERE n.p)": NodePattern("n", ("A",), None, P),
    "(order:Order)": NodePattern("order", ("Order",), None),
    "(`a``b`:`c d`)": NodePattern("a`b", ("c d",), None),
}


@pytest.mark.parametrize(("text", "tree"), NODES.items(), ids=NODES.keys())
def test_nodes(text: str, tree: NodePattern) -> None:
    match: Any = clauses(f"MATCH {text} RETURN 1")[0]
    assert match.patterns == (PathPattern(None, (tree,)),)


def path(text: str) -> PathPattern:
    match: Any = clauses(f"MATCH {text} RETURN 1")[0]
    (found,) = match.patterns
    assert isinstance(found, PathPattern)
    return found


def test_paths() -> None:
    assert path("p = (n)") == PathPattern("p", NODE_N.elements)
    shortest = path("p = shortestPath((a)-[*]-(b))")
    assert (shortest.variable, shortest.shortest, len(shortest.elements)) == (
        "p", "shortestPath", 3
    )  # fmt: skip
    assert path("allShortestPaths((a)-[*]-(b))").shortest == "allShortestPaths"


def start(**parts: Any) -> Start:
    defaults = dict.fromkeys(("ids", "index", "key", "value", "query"))
    return Start((StartItem(**{"variable": "n", "kind": "node", **defaults, **parts}),), None)


CLAUSES: dict[str, ast.Clause] = {
    "MATCH (n) WHERE n.p": Match((NODE_N,), False, P),
    "OPTIONAL MATCH (n), (n)": Match((NODE_N, NODE_N), True, None),
    "MATCH (n) USING INDEX n:A(p) WHERE n.p": Match((NODE_N,), False, P),
    "UNWIND [1] AS x": Unwind(ast.ListLiteral((ONE,)), "x"),
    "CREATE (n)": Create((NODE_N,)),
    "MERGE (n)": Merge(NODE_N, (), ()),
    "MERGE (n) ON CREATE SET n.p = 1 ON MATCH SET n.p = 2, n:A ON CREATE SET n:B": Merge(
        NODE_N,
        (SetProperty(P, ONE), SetLabels(N, ("B",))),
        (SetProperty(P, TWO), SetLabels(N, ("A",))),
    ),
    "SET n.p = 1, n = x, n += {a: 1}, n:A:B": Set(
        (
            SetProperty(P, ONE),
            SetProperties(N, X, True),
            SetProperties(N, MapLiteral((("a", ONE),)), False),
            SetLabels(N, ("A", "B")),
        )
    ),
    "SET (n).p = 1": Set((SetProperty(P, ONE),)),
    "REMOVE n.p, n:A": Remove((RemoveProperty(P), RemoveLabels(N, ("A",)))),
    "DELETE n, x": Delete((N, X), False),
    "DETACH DELETE n": Delete((N,), True),
    "FOREACH (x IN y | SET n.p = 1 DELETE n)": ast.Foreach(
        "x", Y, (Set((SetProperty(P, ONE),)), Delete((N,), False))
    ),
    "CALL db.labels": CallProcedure("db.labels", None, None, None),
    "CALL db.labels()": CallProcedure("db.labels", (), None, None),
    "CALL a.b(1, x) YIELD c AS d, e WHERE d": CallProcedure(
        "a.b", (ONE, X), (YieldItem("c", "d"), YieldItem("e", None)), Variable("d")
    ),
    "CALL a.b YIELD *": CallProcedure("a.b", None, "*", None),
    "START n=node(*)": start(ids="*"),
    "START n=node(1, 2)": start(ids=(ONE, TWO)),
    "START n=node({ids})": start(ids=(Parameter("ids"),)),
    "START n=relationship(1)": start(kind="relationship", ids=(ONE,)),
    "START n=node:person(firstName={x})": start(
        index="person", key="firstName", value=Parameter("x")
    ),
    "START n = node:person( name = 'Bob' )": start(
        index="person", key="name", value=Constant("Bob")
    ),
    "START n=node:person('name:Bob')": start(index="person", query=Constant("name:Bob")),
}  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), CLAUSES.items(), ids=CLAUSES.keys())
def test_clauses(text: str, tree: ast.Clause) -> None:
    last = "" if isinstance(tree, CallProcedure) else " RETURN 1"
    assert clauses(text + last)[0] == tree


def test_start_with_several_items_and_where() -> None:
    (found, _) = clauses("START n=node(1), r=rel(2) WHERE n.p RETURN n")
    assert isinstance(found, Start)
    assert [item.kind for item in found.items] == ["node", "relationship"]
    assert found.where == P


PROJECTIONS = {
    "*": Projection(False, True, (), (), None, None),
    "*, x": Projection(False, True, items((X, "x")), (), None, None),
    "DISTINCT x, n.p": Projection(True, False, items((X, "x"), (P, "n.p")), (), None, None),
    "x AS end": Projection(False, False, (ProjectionItem(X, "end", "x"),), (), None, None),
    "x ORDER BY x, n.p DESC, y ASCENDING SKIP 1 LIMIT $l": Projection(
        False,
        False,
        items((X, "x")),
        (SortItem(X, True), SortItem(P, False), SortItem(Y, True)),
        ONE,
        Parameter("l"),
    ),
}


@pytest.mark.parametrize(("text", "tree"), PROJECTIONS.items(), ids=PROJECTIONS.keys())
def test_projections(text: str, tree: Projection) -> None:
    assert clauses(f"RETURN {text}") == (Return(tree),)
    assert clauses(f"WITH {text} WHERE x RETURN 1")[0] == ast.With(tree, X)


def test_keywords_as_names() -> None:
    found = clauses("MATCH (n:Match {set: 1}) WHERE n.type = 1 RETURN n.end AS end, count, id")
    projected = found[-1]
    assert isinstance(projected, Return)
    assert [item.text for item in projected.projection.items] == ["n.end", "count", "id"]


def test_union() -> None:
    body = parse("RETURN 1 UNION RETURN 2 UNION ALL RETURN 3").body
    assert isinstance(body, ast.Query)
    assert len(body.parts) == 3
    assert body.union_kinds == ("distinct", "all")


@pytest.mark.parametrize(
    ("text", "mode"),
    [("EXPLAIN RETURN 1", "explain"), ("profile RETURN 1;", "profile"), ("RETURN 1 ; ;", None)],
)
def test_modes(text: str, mode: str | None) -> None:
    assert parse(text).mode == mode


NODE_UNIQUE = CreateConstraint(None, "uniqueness", "node", "L", ("a",), False)
SCHEMA: dict[str, Any] = {
    "CREATE INDEX ON :L(a, b)": CreateIndex(None, "node", "L", ("a", "b"), False),
    "CREATE INDEX FOR (n:L) ON (n.a)": CreateIndex(None, "node", "L", ("a",), False),
    "CREATE INDEX FOR (n:L) ON n.a": CreateIndex(None, "node", "L", ("a",), False),
    "CREATE INDEX i IF NOT EXISTS FOR (n:L) ON (n.a, n.b)": CreateIndex(
        "i", "node", "L", ("a", "b"), True
    ),
    "CREATE RANGE INDEX index FOR ()-[r:T]-() ON (r.a)": CreateIndex(
        "index", "relationship", "T", ("a",), False
    ),
    "CREATE INDEX FOR ()-[r:T]->() ON (r.a)": CreateIndex(None, "relationship", "T", ("a",), False),
    "DROP INDEX i": DropIndex("i", None, (), False),
    "DROP INDEX i IF EXISTS": DropIndex("i", None, (), True),
    "DROP INDEX ON :L(a)": DropIndex(None, "L", ("a",), False),
    "CREATE CONSTRAINT ON (n:L) ASSERT n.a IS UNIQUE": NODE_UNIQUE,
    "CREATE CONSTRAINT FOR (n:L) REQUIRE n.a IS UNIQUE": NODE_UNIQUE,
    "CREATE CONSTRAINT c IF NOT EXISTS FOR (n:L) REQUIRE (n.a, n.b) IS UNIQUE": (
        CreateConstraint("c", "uniqueness", "node", "L", ("a", "b"), True)
    ),
    "CREATE CONSTRAINT FOR (n:L) REQUIRE n.a IS NOT NULL": CreateConstraint(
        None, "existence", "node", "L", ("a",), False
    ),
    "CREATE CONSTRAINT ON (n:L) ASSERT exists(n.a)": CreateConstraint(
        None, "existence", "node", "L", ("a",), False
    ),
    "CREATE CONSTRAINT FOR ()-[r:T]-() REQUIRE r.a IS UNIQUE": CreateConstraint(
        None, "uniqueness", "relationship", "T", ("a",), False
    ),
    "CREATE CONSTRAINT FOR (n:L) REQUIRE (n.a, n.b) IS NODE KEY": CreateConstraint(
        None, "key", "node", "L", ("a", "b"), False
    ),
    "DROP CONSTRAINT c IF EXISTS": DropConstraint("c", None, None, None, (), True),
    "DROP CONSTRAINT ON (n:L) ASSERT n.a IS UNIQUE": DropConstraint(
        None, "uniqueness", "node", "L", ("a",), False
    ),
}


SHOW = {
    "SHOW INDEXES": Show(("INDEXES",), None, (), None, None, None),
    "show all index": Show(("ALL", "INDEX"), None, (), None, None, None),
    "SHOW NODE KEY CONSTRAINTS WHERE true": Show(
        ("NODE", "KEY", "CONSTRAINTS"), None, (), None, None, Constant(True)
    ),
    "SHOW INDEXES YIELD *": Show(("INDEXES",), "*", (), None, None, None),
    "SHOW INDEXES YIELD name, id AS i ORDER BY i SKIP 1 LIMIT 2 WHERE false": Show(
        ("INDEXES",),
        (YieldItem("name", None), YieldItem("id", "i")),
        (SortItem(Variable("i"), True),),
        Constant(1),
        Constant(2),
        Constant(False),
    ),
}


@pytest.mark.parametrize(("text", "tree"), SHOW.items(), ids=SHOW.keys())
def test_show(text: str, tree: Any) -> None:
    assert parse(text).body == ast.Query(((tree,),))


TERMINATE = {
    "TERMINATE TRANSACTION 'a'": Terminate((Constant("a"),), None, (), None, None, None),
    "terminate transactions $ids, 'b' YIELD *": Terminate(
        (ast.Parameter("ids"), Constant("b")), "*", (), None, None, None
    ),
    "TERMINATE TRANSACTIONS 'a' YIELD message AS m ORDER BY m LIMIT 1 WHERE true": Terminate(
        (Constant("a"),),
        (YieldItem("message", "m"),),
        (SortItem(Variable("m"), True),),
        None,
        Constant(1),
        Constant(True),
    ),
}


@pytest.mark.parametrize(("text", "tree"), TERMINATE.items(), ids=TERMINATE.keys())
def test_terminate(text: str, tree: Any) -> None:
    assert parse(text).body == ast.Query(((tree,),))


def test_show_terminate_and_return() -> None:
    body = parse("SHOW TRANSACTIONS YIELD a TERMINATE TRANSACTIONS a YIELD b RETURN b").body
    assert isinstance(body, ast.Query)
    assert [type(clause) for clause in body.parts[0]] == [Show, Terminate, Return]


def test_show_by_names() -> None:
    body = parse("SHOW TRANSACTIONS 'a', $b").body
    assert isinstance(body, ast.Query)
    (show,) = body.parts[0]
    assert isinstance(show, Show)
    assert show.ids == (Constant("a"), ast.Parameter("b"))


def test_only_transactions_are_terminated() -> None:
    with pytest.raises(CypherSyntaxError, match="TERMINATE is for TRANSACTIONS"):
        parse("TERMINATE QUERIES 'a'")


def test_show_and_return() -> None:
    body = parse("SHOW INDEXES YIELD name RETURN name").body
    assert isinstance(body, ast.Query)
    assert [type(clause) for clause in body.parts[0]] == [Show, Return]


@pytest.mark.parametrize(("text", "tree"), SCHEMA.items(), ids=SCHEMA.keys())
def test_schema_commands(text: str, tree: Any) -> None:
    assert parse(text).body == tree


def test_comments_and_spaces() -> None:
    text = "/* a * b */ RETURN// x\n\t1 /**/ +\u00a0x // end"
    found = clauses(text)[0]
    assert isinstance(found, Return)
    assert found.projection.items[0].expression == Binary("+", ONE, X)


def test_names_of_functions_keep_case_and_dots() -> None:
    found = clauses("RETURN Date.Truncate('day', x)")[0]
    assert isinstance(found, Return)
    assert found.projection.items[0].expression == FunctionCall(
        "Date.Truncate", (Constant("day"), X)
    )


SCRIPTS = {
    "RETURN 1": ["RETURN 1"],
    "RETURN 1;": ["RETURN 1"],
    "RETURN 1; RETURN 2 ;\n": ["RETURN 1", "RETURN 2"],
    "RETURN ';' /* ; */ // ;\n; RETURN `;`": ["RETURN ';' /* ; */ // ;", "RETURN `;`"],
    "// only a comment\n; ;": [],
    "RETURN 1; RETURN 'open ; RETURN 2": ["RETURN 1", "RETURN 'open ; RETURN 2"],
}


@pytest.mark.parametrize(("script", "statements"), SCRIPTS.items(), ids=range(len(SCRIPTS)))
def test_split_script(script: str, statements: list[str]) -> None:
    assert split_script(script) == statements
