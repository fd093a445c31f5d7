"""The notifications of a plan: the table of what is said, where, and when it is not said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.planner import notifications
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore

GRAPH = (
    "CREATE (p:Person {name: 'a', age: 1})-[:KNOWS {since: 1}]->(:City {name: 'b'}) "
    "WITH p UNWIND range(1, 30) AS i CREATE (:Big {k: i, l: i})"
)
INDEX = "CREATE INDEX FOR (b:Big) ON (b.l)"

UNKNOWN = [
    (
        "MATCH (p:Persn) RETURN p", "UnknownLabelWarning",
        "nothing in the store has the label `Persn`; did you mean Person?", (1, 10),
    ),
    (
        "MATCH (p)\nWHERE p:`Of Town` RETURN p", "UnknownLabelWarning",
        "nothing in the store has the label `Of Town`", (2, 9),
    ),
    (
        "MATCH (p:Person)-[:KNOW]->(q) RETURN q", "UnknownRelationshipTypeWarning",
        "nothing in the store has the relationship type `KNOW`; did you mean KNOWS?", (1, 20),
    ),
    (
        "MATCH (p:Person)-[:LIKES|KNOWS]->(q) RETURN q", "UnknownRelationshipTypeWarning",
        "nothing in the store has the relationship type `LIKES`", (1, 20),
    ),
    (
        "MATCH (p:Person) WHERE p.nmae = 'a' RETURN p", "UnknownPropertyKeyWarning",
        "nothing in the store has the property key `nmae`; did you mean name?", (1, 26),
    ),
    (
        "MATCH (p:Person {nam: 'a'}) RETURN p", "UnknownPropertyKeyWarning",
        "nothing in the store has the property key `nam`; did you mean name?", (1, 18),
    ),
    (
        "MATCH ()-[r:KNOWS]->() RETURN r.sinc AS x", "UnknownPropertyKeyWarning",
        "nothing in the store has the property key `sinc`; did you mean since?", (1, 33),
    ),
    (
        "MATCH (p:Person) WHERE EXISTS { (p)-->(:Cty) } RETURN p", "UnknownLabelWarning",
        "nothing in the store has the label `Cty`; did you mean City?", (1, 41),
    ),
    (
        "MATCH (p:Person) CALL (p) { MATCH (p)-->(q:Cty) RETURN q } RETURN q",
        "UnknownLabelWarning",
        "nothing in the store has the label `Cty`; did you mean City?", (1, 44),
    ),
]  # fmt: skip
STEPS = [
    (
        "MATCH (a:Big), (b:Big) RETURN count(*)", "CartesianProduct",
        "parts of a MATCH have nothing to do with each other, so every row of the one is put "
        "together with every row of the other",
    ),
    (
        "MATCH (a:Person)-[:KNOWS*]->(b) RETURN b", "UnboundedVariableLengthPattern",
        "a path of any length over KNOWS is looked for; an upper limit (*..5) bounds it",
    ),
    (
        "MATCH (a:Person)-[*2..]->(b) RETURN b", "UnboundedVariableLengthPattern",
        "a path of any length is looked for; an upper limit (*..5) bounds it",
    ),
    (
        "MATCH (b:Big {k: 3}) RETURN b", "NoApplicableIndex",
        "all 30 nodes with the label `Big` are looked through for `k`; CREATE INDEX FOR (n:Big) "
        "ON (n.k) would find them",
    ),
    (
        "MATCH (b:Big) WHERE 3 < b.k RETURN b", "NoApplicableIndex",
        "all 30 nodes with the label `Big` are looked through for `k`; CREATE INDEX FOR (n:Big) "
        "ON (n.k) would find them",
    ),
    (
        "START n=node(1) RETURN n", "FeatureDeprecationWarning",
        "START is a clause of old; MATCH finds by id, label and property",
    ),
    *(
        (text, "FeatureDeprecationWarning", description)
        for text, description in [
            ("MATCH (p:Person) RETURN id(p)", "id() is a function of old; write elementId()"),
            (
                "MATCH (p:Person) WHERE exists(p.age) RETURN p",
                "exists() is a function of old; write IS NOT NULL",
            ),
            ("RETURN UPPER('a') AS x", "UPPER() is a function of old; write toUpper()"),
            ("RETURN {x} AS x", "{x} is a parameter's form of old; write $x"),
            (
                "RETURN extract(x IN [1] | x) AS x",
                "extract() is a form of old; write [x IN list | ...]",
            ),
            (
                "RETURN filter(x IN [1] WHERE x > 0) AS x",
                "filter() is a form of old; write [x IN list WHERE ...]",
            ),
            (
                "MATCH (:Person)-[r:KNOWS|:KNOWS {since: 1}]->() RETURN r",
                "a colon before every type is a form of old; write [:A|B]",
            ),
            (
                "MATCH (p:Person) CALL { WITH p RETURN p.age AS age } RETURN age",
                "a WITH that only imports is a form of old; write CALL (names) { ... }",
            ),
            (
                "CREATE INDEX ON :Big(k)",
                "CREATE INDEX ON is a form of old; write CREATE INDEX FOR (n:Label) ON (n.key)",
            ),
            (
                "CREATE CONSTRAINT ON (b:Big) ASSERT b.k IS UNIQUE",
                "CREATE CONSTRAINT ON is a form of old; write CREATE CONSTRAINT FOR (n:Label) "
                "REQUIRE ...",
            ),
            ("DROP INDEX ON :Big(l)", "DROP INDEX ON is a form of old; write DROP INDEX name"),
        ]
    ),
]  # fmt: skip
SILENT = [
    "RETURN 1 AS x",
    "RETURN {a: 1}.b AS x",
    "MATCH (p:Person)-[r:KNOWS]->(c:City) RETURN p.name, r.since, c.name",
    "MERGE (n:New {x: 1}) RETURN n.x",
    "CREATE (n:New {x: 1})-[r:NEXT {y: 1}]->(m) RETURN n.x, r.y",
    "MATCH (n:Person) SET n.fresh = 1 RETURN n.fresh",
    "MATCH (n:Person) SET n:Fresh WITH n MATCH (m:Fresh) RETURN m",
    "MATCH (n:Person) SET n += $more RETURN n.anything",
    "MATCH (n:Person) SET n['a' + 1] = 1 RETURN n.anything",
    "MATCH (n:Person) SET n:$('Any' + 1) WITH n MATCH (m:Anything) RETURN m",
    "CREATE (n $all) RETURN n.anything",
    "MATCH (a:Person), (b:City) CREATE (a)-[:LIVES_IN]->(b)",
    "MATCH (a:Person) MATCH (b:Person) RETURN a, b",
    "UNWIND [1, 2] AS x MATCH (p:Person) RETURN p",
    "MATCH (a:Person)-[:KNOWS*..3]->(b) RETURN b",
    "MATCH (b:Big {l: 3}) RETURN b",
    "MATCH (p:Person {name: 'a'}) RETURN p",
    "MATCH (p:Person) WHERE exists((p)-->()) RETURN elementId(p), [x IN [1] | x], toUpper('a')",
    "MATCH (p:Person) CALL (p) { WITH p.age AS age RETURN age } RETURN age",
    "MATCH (p:Person)-[:KNOWS {since: '|:A'}]->() RETURN p",
    "CREATE INDEX FOR (b:Big) ON (b.k)",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    opened = open_store(tmp_path_factory.mktemp("notes") / "s", map_size=64 * MIB, create=True)
    for statement in (GRAPH, INDEX):
        _write(opened, statement)
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _ten_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "BIG_LABEL", 10)


def _write(store: GraphStore, statement: str) -> None:
    engine = Engine(Settings())
    with store.write() as transaction:
        plan = engine.plan(statement, transaction)
        for _ in engine.run(plan, {}, transaction, Unguarded()).batches:
            pass
        transaction.commit()


def _said(store: GraphStore, query: str) -> list[dict[str, object]]:
    with store.read() as transaction:
        return list(Engine(Settings()).plan(query, transaction).notifications)


@pytest.mark.parametrize(("query", "code", "description", "place"), UNKNOWN)
def test_unknown_names(
    store: GraphStore, query: str, code: str, description: str, place: tuple[int, int]
) -> None:
    [said] = _said(store, query)
    assert (said["code"], said["description"]) == (
        f"Neo.ClientNotification.Statement.{code}",
        description,
    )
    position = said["position"]
    assert isinstance(position, dict)
    assert (position["line"], position["column"]) == place
    assert (said["severity"], said["category"]) == ("WARNING", "UNRECOGNIZED")


@pytest.mark.parametrize(("query", "code", "description"), STEPS)
def test_steps(store: GraphStore, query: str, code: str, description: str) -> None:
    [said] = _said(store, query)
    assert (said["code"], said["description"]) == (
        f"Neo.ClientNotification.Statement.{code}",
        description,
    )
    assert ("position" in said) == (code == "FeatureDeprecationWarning")


@pytest.mark.parametrize("query", SILENT)
def test_nothing_is_said(store: GraphStore, query: str) -> None:
    assert _said(store, query) == []


def test_explain_says_it_too(store: GraphStore) -> None:
    assert len(_said(store, "EXPLAIN MATCH (p:Persn) RETURN p")) == 1


def test_a_name_is_told_once(store: GraphStore) -> None:
    assert len(_said(store, "MATCH (p:Persn), (q:Persn) WHERE p:Persn RETURN p.name, q.name")) == 1


def test_it_goes_when_the_name_comes(store: GraphStore) -> None:
    query = "MATCH (n:Late {later: 1})-[:LATEST]->() RETURN n"
    assert len(_said(store, query)) == 3
    _write(store, "CREATE (:Late {later: 1})-[:LATEST]->()")
    assert _said(store, query) == []
