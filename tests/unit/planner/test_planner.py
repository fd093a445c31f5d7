"""What plans say besides their operators: kind, columns, parameters, inline, errors; and that
they are data."""

from __future__ import annotations

import pickle

import pytest

from cypherd.errors import CypherSyntaxError
from cypherd.parser.parser import parse
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.columns import columns
from cypherd.planner.logical.walk import walk
from cypherd.planner.plan import Plan
from cypherd.planner.planner import plan_statement
from cypherd.storage.protocols import ReadTransaction

LOAD_QUERIES = [
    "MATCH (person:Person {firstName: $firstName})",
    "START person=node:person(firstName={firstName})",
]
LOAD_REST = """
 WITH person ORDER BY person.lastName LIMIT 10
 MATCH (uniCity)<-[:IS_LOCATED_IN]-(uni)<-[studyAt:STUDY_AT]-(person),
       (company)<-[worksAt:WORKS_AT]-(person)-[:IS_LOCATED_IN]->(personCity),
       (company)-[:IS_LOCATED_IN]->(companyCountry)
 RETURN person.firstName, uni.name, uniCity.name, company.name, companyCountry.name"""


def planned(query: str, transaction: ReadTransaction) -> Plan:
    return plan_statement(query, parse(query), transaction)


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("MATCH (n) RETURN n", "read"),
        ("RETURN 1", "read"),
        ("SHOW CONSTRAINTS", "read"),
        ("CREATE (n)", "write"),
        ("MATCH (n) FOREACH (x IN [1] | SET n.x = x)", "write"),
        ("MERGE (n:City {name: 'x'}) RETURN n", "write"),
        ("RETURN 1 AS a UNION CREATE (n) RETURN 2 AS a", "write"),
        ("DROP INDEX nothing IF EXISTS", "schema"),
        ("CREATE CONSTRAINT FOR (c:City) REQUIRE c.name IS UNIQUE", "schema"),
    ],
)
def test_kind(query: str, kind: str, sample: ReadTransaction) -> None:
    assert planned(query, sample).kind == kind


@pytest.mark.parametrize(
    ("query", "inline"),
    [
        ("RETURN 1", True),
        ("MATCH (p:Person {id: $id}) RETURN p", True),
        ("MATCH (p:Person {id: $id})-[:KNOWS]->(f) RETURN f.id ORDER BY f.id LIMIT 3", True),
        ("MATCH (p:Person) RETURN count(*)", True),
        ("MATCH (p:Person) RETURN p.age", True),
        ("UNWIND range(1, 10) AS x RETURN x", False),
        ("UNWIND $list AS x RETURN x", False),
        ("MATCH (p:Person {id: 1})-[:KNOWS*]->(f) RETURN f", False),
        ("MATCH (p:Person {id: 1}) WHERE p.firstName =~ '.*x' RETURN p", False),
        ("MATCH (a), (b) RETURN a, b", False),
        ("RETURN reduce(s = 'x', i IN [1, 2] | s + s) AS s", False),
        ("CREATE (n)", False),
    ],
)
def test_inline(query: str, inline: bool, sample: ReadTransaction) -> None:
    assert planned(query, sample).inline is inline


def test_plan_is_data(sample: ReadTransaction) -> None:
    plan = planned("MATCH (a)-[:KNOWS]->(b) WHERE (b)-->(a) RETURN [(a)-->(c) | c]", sample)
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_parameters_and_columns(sample: ReadTransaction) -> None:
    plan = planned("MATCH (n {x: $x}) RETURN n, n.y AS y LIMIT {limit}", sample)
    assert plan.parameters == {"x", "limit"}
    assert plan.columns == ("n", "y")
    assert plan.schema_version == sample.schema.version


def test_errors_are_located(sample: ReadTransaction) -> None:
    with pytest.raises(CypherSyntaxError) as caught:
        planned("MATCH (n)\nRETURN m", sample)
    assert (caught.value.line, caught.value.column, caught.value.compile_time) == (2, 8, True)


@pytest.mark.parametrize("start", LOAD_QUERIES)
def test_load_query_starts_with_the_index(start: str, sample: ReadTransaction) -> None:
    operators = list(walk(planned(start + LOAD_REST, sample).root))
    seek = operators[-2]
    assert isinstance(seek, ops.LogicalNodeIndexSeek)
    assert (seek.label, seek.properties) == ("Person", ("firstName",))
    tops = [operator for operator in operators if isinstance(operator, ops.LogicalTop)]
    assert [top.source for top in tops] == [seek]


def test_many_creates_are_one_operator(sample: ReadTransaction) -> None:
    text = "\n".join(f"CREATE (n{i}:City)-[:IN]->(m{i})" for i in range(400))
    plan = planned(text, sample)
    assert isinstance(plan.root, ops.LogicalEmptyResult)
    create = plan.root.source
    assert isinstance(create, ops.LogicalCreate)
    assert (len(create.nodes), len(create.relationships)) == (800, 400)


def test_a_property_computed_from_what_is_created_comes_after_it(sample: ReadTransaction) -> None:
    plan = planned("CREATE (a:City {id: 1}), (b:City {id: a.id + 1})", sample)
    creates = [o for o in walk(plan.root) if isinstance(o, ops.LogicalCreate)]
    assert [[n.variable for n in create.nodes] for create in creates] == [["b"], ["a"]]


UNIQUENESS = [
    ("MATCH (a)-[r:KNOWS]->(b)-[s:LIVES_IN]->(c) RETURN a", False),
    ("MATCH (a)-[r:KNOWS]->(b)-[s:KNOWS]->(c) RETURN a", True),
    ("MATCH (a)-[r]->(b)-[s:KNOWS]->(c) RETURN a", True),
    ("MATCH (a)-[r:KNOWS]->(b) MATCH (b)-[s:KNOWS]->(c) RETURN a", False),
    ("MATCH (a)-[r:KNOWS|IN]->(b), (c)-[s:IN*1..2]->(d) RETURN a", True),
]


@pytest.mark.parametrize(("query", "checked"), UNIQUENESS)
def test_relationship_uniqueness(query: str, checked: bool, sample: ReadTransaction) -> None:
    filters = [o for o in walk(planned(query, sample).root) if isinstance(o, ops.LogicalFilter)]
    assert any("DistinctRelationships" in repr(f.predicate) for f in filters) is checked


COVERED = [
    "MATCH (a:Person)-[:KNOWS]->(b)<-[:KNOWS]-(c) WHERE a.age > 3 OR (c)-->(b) RETURN a, b, c",
    "MATCH (a:Person {id: 1}) OPTIONAL MATCH (a)-[r:KNOWS]->(b) RETURN a, r, b",
    "MATCH (a:City), (b:Company) WHERE a.name = b.name RETURN a.name, count(b) AS n",
    "MATCH p = (a:City)-[:IN]->(k) RETURN p ORDER BY k.name",
    "UNWIND $xs AS x MERGE (c:City {name: x}) RETURN c",
]


@pytest.mark.parametrize("query", COVERED)
@pytest.mark.parametrize("with_rules", [True, False])
def test_results_are_among_the_columns(
    query: str, with_rules: bool, sample: ReadTransaction
) -> None:
    statement = parse(query)
    if with_rules:
        plan = plan_statement(query, statement, sample)
    else:
        plan = plan_statement(query, statement, sample, rules=())
    root = plan.root
    assert isinstance(root, ops.LogicalProduceResults)
    assert {variable for _, variable in root.columns} <= columns(root.source)
    assert all(operator.estimated_rows >= 0 for operator in walk(root))
