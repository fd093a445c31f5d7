"""Where Eager stands, and where it is not needed."""

from __future__ import annotations

import pytest

from cypherd.parser.parser import parse
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.walk import walk
from cypherd.planner.planner import plan_statement
from cypherd.storage.protocols import ReadTransaction

NEEDED = [
    "MATCH (a) CREATE (b)",
    "MATCH (a:City) CREATE (b:City)",
    "MATCH (a:City) SET a:Company WITH a MATCH (b:Company) RETURN b",
    "MATCH ()-[r:KNOWS]->() CREATE (a)-[s:KNOWS]->(b)",
    "MATCH (a)-[:KNOWS*]->(b) CREATE (a)-[s:KNOWS]->(b)",
    "MATCH (n:City) DELETE n",
    "MATCH (n:City) WHERE n.name = 'x' SET n.name = 'y'",
    "MATCH (n:Person {firstName: 'x'}) SET n.firstName = 'y'",
    "MATCH (n:City) WHERE n.name = 'x' SET n += $map",
    "UNWIND $xs AS x MATCH (n:City) SET n.name = x RETURN n",
    "UNWIND $xs AS x CREATE (n:City) WITH n MATCH (m:City) RETURN m",
    "UNWIND $xs AS x MERGE (a:City {name: x}) MERGE (b:City {name: x + 1})",
    "MATCH (n:City) WHERE (n)-[:IN]->() CREATE (n)-[:IN]->(:Country)",
]

NOT_NEEDED = [
    "CREATE (a:City) WITH a MATCH (b:City) RETURN b",
    "MATCH (n:City) CREATE (m:Country)",
    "MATCH (n:City {name: 'x'}) SET n.seen = 1",
    "MATCH (n:Person {id: 1}) SET n.age = 2 RETURN n",
    "MATCH (n:Person {id: 1}) DETACH DELETE n",
    "UNWIND $xs AS x CREATE (n:City {name: x}) RETURN n",
    "UNWIND $xs AS x MERGE (n:City {name: x}) SET n.seen = 1",
    "MATCH (n:City) SET n.seen = 1 RETURN count(*)",
    "MATCH (a:Person)-[:KNOWS]->(b) CREATE (a)-[:LIKES]->(b)",
    "MATCH (a:City) RETURN a",
]


def has_eager(query: str, transaction: ReadTransaction) -> bool:
    plan = plan_statement(query, parse(query), transaction)
    return any(isinstance(operator, ops.LogicalEager) for operator in walk(plan.root))


@pytest.mark.parametrize("query", NEEDED)
def test_needed(query: str, sample: ReadTransaction) -> None:
    assert has_eager(query, sample)


@pytest.mark.parametrize("query", NOT_NEEDED)
def test_not_needed(query: str, sample: ReadTransaction) -> None:
    assert not has_eager(query, sample)
