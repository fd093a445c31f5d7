"""What each query of shapes.yaml has to touch in the sample graph, walked by hand.

The rules of counting are those of tests/ldbc/must_touch. The graph is made here from what
sample.py says of it, without the store.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.ldbc.must_touch.graph import Graph, Node
from tests.ldbc.must_touch.walk import Walk, shortest_paths
from tests.plans.sample import CITIES, COMPANIES, COUNTRIES, PERSONS

Shape = Callable[[Walk], None]
SHAPES: dict[str, Shape] = {}


def sample_graph() -> Graph:
    graph = Graph()
    persons = [
        graph.add_node(
            frozenset({"Person"}), {"id": i, "firstName": f"first{i % 20}", "age": i % 90}
        )
        for i in range(PERSONS)
    ]
    cities, countries = (
        [graph.add_node(frozenset({label}), {"name": f"{label.lower()}{i}"}) for i in range(count)]
        for label, count in (("City", CITIES), ("Country", COUNTRIES))
    )
    companies = [
        graph.add_node(frozenset({"Company"}), {"name": f"company{i}", "country": f"c{i % 2}"})
        for i in range(COMPANIES)
    ]
    for i, person in enumerate(persons):
        for step in (1, 2, 3):
            graph.relate(person, "KNOWS", persons[(i + step) % PERSONS])
        graph.relate(person, "LIVES_IN", cities[i % CITIES])
        graph.relate(person, "WORKS_AT", companies[i % COMPANIES])
    for i, city in enumerate(cities):
        graph.relate(city, "IN", countries[i % COUNTRIES])
    return graph


def shape_must_touch(query: str, graph: Graph) -> int:
    walk = Walk(graph)
    SHAPES[query](walk)
    return walk.touched


def _shape(query: str) -> Callable[[Shape], Shape]:
    def add(walk: Shape) -> Shape:
        SHAPES[query] = walk
        return walk

    return add


def _person(walk: Walk, number: int) -> Node:
    [person] = walk.seek("Person", "id", number)
    return person


@_shape("MATCH (p:Person) RETURN p.firstName ORDER BY p.id LIMIT 10")
@_shape(
    "MATCH (p:Person) WITH p.firstName AS name, p.age AS age ORDER BY age DESC SKIP 5 LIMIT 5 "
    "RETURN name, age"
)
@_shape("MATCH (a:Person) RETURN a.firstName, count(*) ORDER BY count(*) DESC LIMIT 3")
def everyone_read(walk: Walk) -> None:
    walk.read(*walk.scan("Person"))


@_shape("MATCH (p:Person) RETURN p.firstName, p.age LIMIT 5")
def any_five(walk: Walk) -> None:
    """Five entries of whatever lists them, and their records."""
    for number in range(5):
        walk.read(_person(walk, number))


@_shape("MATCH (a:Person {id: 1})-[:KNOWS]->(b)-[:KNOWS]->(c) RETURN DISTINCT c.id")
def friends_of_friends(walk: Walk) -> None:
    for friend in walk.follow(_person(walk, 1), "KNOWS", "out"):
        walk.read(*walk.follow(friend, "KNOWS", "out"))


@_shape("MATCH (a:Person {id: 1})-[:KNOWS]->(b:Person {id: 2}) RETURN count(*)")
def two_known_ends(walk: Walk) -> None:
    walk.related(_person(walk, 1), _person(walk, 2), "KNOWS")


@_shape("MATCH (a:Person {id: 1})-[:KNOWS*1..2]-(b:Person) WHERE a <> b RETURN b.firstName")
def one_or_two_steps(walk: Walk) -> None:
    near = walk.follow(_person(walk, 1), "KNOWS", "both")
    walk.read(*near)
    for friend in near:
        walk.read(*walk.follow(friend, "KNOWS", "both"))


@_shape(
    "MATCH (c:Country {name: 'country1'})<-[:IN]-(t:City)<-[:LIVES_IN]-(p:Person)"
    "-[:WORKS_AT]->(w:Company) RETURN w.name, count(p)"
)
def companies_of_a_country(walk: Walk) -> None:
    for country in walk.having("Country", walk.scan("Country")):
        if country["name"] != "country1":
            continue
        for city in walk.having("City", walk.follow(country, "IN", "in")):
            for person in walk.having("Person", walk.follow(city, "LIVES_IN", "in")):
                walk.read(*walk.follow(person, "WORKS_AT", "out"))


@_shape(
    "MATCH (p:Person)-[:WORKS_AT]->(w:Company {name: 'company1', country: 'c1'}), "
    "(p)-[:LIVES_IN]->(t:City) RETURN p.id, t.name"
)
def workers_of_a_company(walk: Walk) -> None:
    for company in walk.seek("Company", "name", "company1"):
        for person in walk.having("Person", walk.follow(company, "WORKS_AT", "in")):
            walk.read(*walk.follow(person, "LIVES_IN", "out"))


@_shape("MATCH (a:Person {id: 1})-[:KNOWS]->(b)-[:KNOWS]->(c)<-[:KNOWS]-(a) RETURN b.id, c.id")
def triangle(walk: Walk) -> None:
    near = walk.follow(_person(walk, 1), "KNOWS", "out")
    for friend in near:
        for third in walk.follow(friend, "KNOWS", "out"):
            if third in near:
                walk.read(friend, third)


@_shape(
    "MATCH (a:Person {firstName: 'first1'}), (b:Person {firstName: 'first2'}) "
    "WHERE (a)-[:KNOWS]->(b) RETURN a.id, b.id"
)
def pairs_that_know_each_other(walk: Walk) -> None:
    others = set(walk.seek("Person", "firstName", "first2"))
    for person in walk.seek("Person", "firstName", "first1"):
        for friend in walk.follow(person, "KNOWS", "out"):
            if friend in others:
                walk.read(person, friend)


@_shape("MATCH (p:Person) WHERE NOT (p)-[:KNOWS]->(:Person {id: 3}) RETURN count(p)")
def strangers(walk: Walk) -> None:
    walk.scan("Person")
    walk.follow(_person(walk, 3), "KNOWS", "in")


@_shape("MATCH (p:Person {id: 7}) OPTIONAL MATCH (p)-[:WORKS_AT]->(w) RETURN p.firstName, w.name")
def optional_work(walk: Walk) -> None:
    person = _person(walk, 7)
    walk.read(person, *walk.follow(person, "WORKS_AT", "out"))


@_shape("OPTIONAL MATCH (p:Person {id: 7}) MATCH (p) RETURN p")
def one_whole_person(walk: Walk) -> None:
    walk.read(_person(walk, 7))


@_shape("MATCH ()-[r:KNOWS]->() RETURN count(r)")
def kept_count(walk: Walk) -> None:
    """The store keeps this number."""


@_shape(
    "MATCH (a:Person {id: 1}), (b:Person {id: 9}), p = shortestPath((a)-[:KNOWS*]-(b)) "
    "RETURN length(p)"
)
def shortest(walk: Walk) -> None:
    shortest_paths(walk, _person(walk, 1), _person(walk, 9))


@_shape("UNWIND [1, 2, 3] AS i MATCH (p:Person {id: i})-[:LIVES_IN]->(c) RETURN i, c.name")
def three_homes(walk: Walk) -> None:
    for number in (1, 2, 3):
        walk.read(*walk.follow(_person(walk, number), "LIVES_IN", "out"))


@_shape("MATCH (a:Person), (c:Company) WHERE a.firstName = c.name RETURN a.id")
def equal_names(walk: Walk) -> None:
    for company in walk.having("Company", walk.scan("Company")):
        walk.read(*walk.seek("Person", "firstName", company["name"]))


@_shape("MATCH (p:Person {id: 1}) RETURN [(p)-[:KNOWS]->(f) WHERE f.age > 3 | f.id] AS friends")
def listed_friends(walk: Walk) -> None:
    walk.read(*walk.follow(_person(walk, 1), "KNOWS", "out"))


@_shape(
    "MATCH (a:City)<-[:LIVES_IN]-(p) WITH a, count(p) AS n WHERE n > 5 "
    "MATCH (a)-[:IN]->(c) RETURN c.name, n"
)
def large_cities(walk: Walk) -> None:
    for city in walk.scan("City"):
        if len(walk.follow(city, "LIVES_IN", "in")) > 5:
            walk.read(*walk.follow(city, "IN", "out"))
