"""What the binder refuses: each with openCypher's name, and where in the text."""

from __future__ import annotations

import pytest

from cypherd.binder.binder import bind_statement
from cypherd.errors import CypherdError, CypherSyntaxError, CypherTypeError, ProcedureError
from cypherd.parser import ast
from cypherd.parser.parser import parse


def refused(query: str) -> CypherdError:
    body = parse(query).body
    assert isinstance(body, ast.Query)
    with pytest.raises(CypherdError) as caught:
        bind_statement(body)
    return caught.value


SYNTAX_ERRORS = [
    # scopes
    ("MATCH (city) RETURN town", "UndefinedVariable"),
    ("MATCH (n) WITH n.name AS name RETURN n", "UndefinedVariable"),
    ("CREATE (c:City {name: label})", "UndefinedVariable"),
    ("MERGE (c:City) ON MATCH SET other.seen = 1", "UndefinedVariable"),
    ("MATCH (n) WHERE (n)-->(ghost) RETURN n", "UndefinedVariable"),
    ("MATCH (n) RETURN DISTINCT n.x ORDER BY n.y", "UndefinedVariable"),
    ("MATCH (n) RETURN count(n) AS c ORDER BY n.y", "UndefinedVariable"),
    ("RETURN [x IN [1] | x] + x", "UndefinedVariable"),
    ("MATCH () RETURN *", "NoVariablesInScope"),
    # variables bound twice
    ("MATCH (c) CREATE (c)", "VariableAlreadyBound"),
    ("MATCH (c) CREATE (c:City)-[:IN]->()", "VariableAlreadyBound"),
    ("MATCH (c) MERGE (c)", "VariableAlreadyBound"),
    ("MATCH ()-[r]->() CREATE ()-[r:IN]->()", "VariableAlreadyBound"),
    ("MATCH (x) UNWIND [1] AS x RETURN x", "VariableAlreadyBound"),
    ("MATCH (p) MATCH p = (a)-->(b) RETURN p", "VariableAlreadyBound"),
    ("MATCH p = (p)-->(b) RETURN p", "VariableAlreadyBound"),
    ("MATCH (a)-[r]->(b)-[r]->(c) RETURN r", "RelationshipUniquenessViolation"),
    ("MATCH (a) ((a)-->(b))+ RETURN b", "VariableAlreadyBound"),
    ("MATCH (a) WITH a MATCH ((a)-->(b))+ RETURN b", "VariableAlreadyBound"),
    ("MATCH ((a)-->(b))+ ((b)-->(c))+ RETURN b", "VariableAlreadyBound"),
    ("MATCH ((a)-->(b))+ (b) RETURN b", "VariableTypeConflict"),
    ("MATCH ((a)-->(b) WHERE c.x = 1)+ (c) RETURN b", "UndefinedVariable"),
    ("CREATE ((a)-->(b))+", "UnexpectedSyntax"),
    ("CREATE ((a)-[:T]->(b) WHERE true)", "UnexpectedSyntax"),
    ("MATCH p = shortestPath((a)((x)-->(y))+(b)) RETURN p", "InvalidRelationshipPattern"),
    ("MATCH ANY (a)-->(b), (c) RETURN a", "UnexpectedSyntax"),
    ("MATCH SHORTEST 1 (a) RETURN a", "UnexpectedSyntax"),
    # types of variables
    ("MATCH (r)-[r]->() RETURN r", "VariableTypeConflict"),
    ("MATCH p = (a)-->(b), (p) RETURN p", "VariableTypeConflict"),
    ("WITH 'Bern' AS c MATCH (c) RETURN c", "VariableTypeConflict"),
    ("MATCH (n) WITH [n] AS ns MATCH (ns)-->() RETURN ns", "VariableTypeConflict"),
    ("MATCH ()-[r]->() MATCH ()-[r*]->() RETURN r", "VariableTypeConflict"),
    # procedures
    ("CALL db.awaitIndex()", "InvalidNumberOfArguments"),
    ("CALL db.labels('x')", "InvalidNumberOfArguments"),
    ("MATCH (n) CALL db.labels(1) YIELD label RETURN n", "InvalidNumberOfArguments"),
    ("CALL db.awaitIndex(1)", "InvalidArgumentType"),
    ("MATCH (n) CALL db.awaitIndex(n) RETURN n", "InvalidArgumentType"),
    ("MATCH (n) CALL db.awaitIndex RETURN n", "InvalidArgumentPassingMode"),
    ("MATCH (n) CALL db.awaitIndex(count(n)) RETURN n", "InvalidAggregation"),
    ("MATCH (n) CALL db.labels(count(n)) YIELD label RETURN label", "InvalidAggregation"),
    ("CALL db.awaitIndex(name)", "UndefinedVariable"),
    ("CALL db.labels() YIELD labels", "UndefinedVariable"),
    ("CALL db.labels() YIELD label WHERE labels = ''", "UndefinedVariable"),
    ("CALL db.labels() RETURN label", "UndefinedVariable"),
    ("CALL db.labels() YIELD label AS l RETURN label", "UndefinedVariable"),
    ("MATCH (label) CALL db.labels() YIELD label RETURN label", "VariableAlreadyBound"),
    ("CALL db.indexes() YIELD name, type AS name RETURN 1 AS x", "VariableAlreadyBound"),
    ("MATCH (n) CALL db.labels() YIELD *", "UnexpectedSyntax"),
    ("MATCH (n) CALL db.labels() YIELD label", "InvalidClauseComposition"),
    ("CALL db.ping() YIELD success UNION CALL db.ping() YIELD success", "InvalidClauseComposition"),
    ("SHOW FUNCTIONS EXECUTABLE BY someone", "UnexpectedSyntax"),
    ("SHOW INDEXES EXECUTABLE", "UnexpectedSyntax"),
    ("SHOW INDEXES 'name'", "UnexpectedSyntax"),
    ("TERMINATE TRANSACTIONS 'a' YIELD id", "UndefinedVariable"),
    ("TERMINATE TRANSACTIONS id", "UndefinedVariable"),
    (
        "SHOW TRANSACTIONS YIELD username TERMINATE TRANSACTIONS 'a' YIELD username",
        "VariableAlreadyBound",
    ),
    # columns and aggregation
    ("RETURN 1 AS a, 2 AS a", "ColumnNameConflict"),
    ("SHOW TABLES", "UnexpectedSyntax"),
    ("SHOW FANCY INDEXES", "UnexpectedSyntax"),
    ("SHOW INDEXES YIELD labels", "UndefinedVariable"),
    ("SHOW INDEXES YIELD name ORDER BY type", "UndefinedVariable"),
    ("SHOW INDEXES YIELD name RETURN type", "UndefinedVariable"),
    ("SHOW INDEXES WHERE createStatement = ''", "UndefinedVariable"),
    ("SHOW INDEXES YIELD name AS a, type AS a", "ColumnNameConflict"),
    ("SHOW INDEXES YIELD name LIMIT -1", "NegativeIntegerArgument"),
    ("MATCH (n) WITH n.x RETURN 1 AS one", "NoExpressionAlias"),
    ("MATCH (n) WHERE sum(n.x) > 1 RETURN n", "InvalidAggregation"),
    ("MATCH (n) RETURN n.x ORDER BY count(n)", "InvalidAggregation"),
    ("RETURN [x IN [1] | sum(x)]", "InvalidAggregation"),
    ("RETURN sum(count(*))", "NestedAggregation"),
    ("RETURN collect(rand())", "NonConstantExpression"),
    ("MATCH (n) RETURN n.x * count(n)", "AmbiguousAggregationExpression"),
    ("MATCH (n) RETURN n.x - n.y, n.x - n.y + count(n)", "AmbiguousAggregationExpression"),
    (
        "MATCH (n) RETURN n.x - n.y, count(n) AS c ORDER BY n.x - n.y + count(n)",
        "AmbiguousAggregationExpression",
    ),
    # SKIP and LIMIT
    ("MATCH (n) RETURN n LIMIT n.x", "NonConstantExpression"),
    ("RETURN 1 AS a LIMIT -3", "NegativeIntegerArgument"),
    ("RETURN 1 AS a SKIP 0.5", "InvalidArgumentType"),
    ("RETURN 1 AS a LIMIT 'x'", "InvalidArgumentType"),
    # functions
    ("RETURN sise([1])", "UnknownFunction"),
    ("RETURN toUpper('a', 'b')", "InvalidNumberOfArguments"),
    ("MATCH p = (a)-->(b) RETURN labels(p)", "InvalidArgumentType"),
    ("MATCH (n) RETURN type(n)", "InvalidArgumentType"),
    # patterns
    ("CREATE (a)-[:IN|:AT]->(b)", "NoSingleRelationshipType"),
    ("MERGE (a)-[]->(b)", "NoSingleRelationshipType"),
    ("CREATE (a)-[:IN]-(b)", "RequiresDirectedRelationship"),
    ("CREATE (a)-[:IN*2]->(b)", "CreatingVarLength"),
    ("MATCH (n $map) RETURN n", "InvalidParameterUse"),
    ("MERGE (n $map)", "InvalidParameterUse"),
    ("MATCH (n) RETURN (n)-->()", "UnexpectedSyntax"),
    ("MATCH (n) RETURN size((n)-->())", "UnexpectedSyntax"),
    # queries
    ("RETURN 1 AS a UNION RETURN 1 AS b", "DifferentColumnsInUnion"),
    ("RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a", "InvalidClauseComposition"),
    ("MATCH (n) WHERE exists { MATCH (n) SET n.x = 1 } RETURN n", "InvalidClauseComposition"),
    ("MATCH (n) DELETE n:City", "InvalidDelete"),
    ("MATCH (n) DELETE 3", "InvalidArgumentType"),
    # types of literals
    ("RETURN 1 AND true", "InvalidArgumentType"),
    ("RETURN NOT 'x'", "InvalidArgumentType"),
    ("RETURN true XOR []", "InvalidArgumentType"),
    ("RETURN 1 IN 2", "InvalidArgumentType"),
    ("RETURN 'a' % 2", "InvalidArgumentType"),
    ("RETURN all(x IN ['a'] WHERE x % 2 = 0)", "InvalidArgumentType"),
    ("MATCH (n) WHERE (n) RETURN n", "InvalidArgumentType"),
    ("MATCH p = ()-->() WHERE p.x = 1 RETURN p", "InvalidArgumentType"),
]


@pytest.mark.parametrize(("query", "detail"), SYNTAX_ERRORS, ids=[q for q, _ in SYNTAX_ERRORS])
def test_syntax_error(query: str, detail: str) -> None:
    error = refused(query)
    assert isinstance(error, CypherSyntaxError)
    assert error.detail == detail
    assert error.compile_time
    assert error.offset is not None


@pytest.mark.parametrize("value", ["1", "1.5", "true", "'x'", "[1]"])
def test_property_of_a_value_that_has_none(value: str) -> None:
    error = refused(f"WITH {value} AS v RETURN v.key")
    assert isinstance(error, CypherTypeError)
    assert (error.detail, error.compile_time) == ("InvalidArgumentType", True)


def test_place_and_hint_of_an_undefined_variable() -> None:
    query = "MATCH (person:Person)\nRETURN persn.name"
    error = refused(query).located(query)
    assert (error.line, error.column) == (2, 8)
    assert error.hint == "did you mean person?"


def test_hint_of_an_unknown_function() -> None:
    assert refused("RETURN toUper('a')").hint == "did you mean toUpper?"


def test_procedures_are_refused_by_name() -> None:
    error = refused("CALL db.nothing() YIELD x RETURN x")
    assert isinstance(error, ProcedureError)
    assert "db.nothing" in error.message
