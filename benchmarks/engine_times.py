"""Engine times on a social network, without HTTP.

    python -m benchmarks.engine_times --persons 100000 --knows 20 --store FOLDER

Each query is planned once and run warm; a row is its median, minimum and 90% over the runs. The
store is generated if the folder is not there; what it holds is printed first, KNOWS as the mean
of a person in both directions.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.generator import generate_social_network
from cypherd.settings import Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore, ReadTransaction

LOAD_TEST = """
MATCH (person:Person {firstName: $firstName})
WITH person ORDER BY person.lastName LIMIT 10
MATCH (uniCity)<-[:IS_LOCATED_IN]-(uni)<-[studyAt:STUDY_AT]-(person),
      (company)<-[worksAt:WORKS_AT]-(person)-[:IS_LOCATED_IN]->(personCity),
      (company)-[:IS_LOCATED_IN]->(companyCountry)
RETURN person.firstName, person.lastName, person.birthday, person.creationDate, person.gender,
       person.browserUsed, person.locationIP, personCity.name, uni.name, studyAt.classYear,
       uniCity.name, company.name, worksAt.workFrom, companyCountry.name
"""

QUERIES: tuple[tuple[str, str, int], ...] = (
    ("person by id", "MATCH (p:Person {id: $id}) RETURN p.firstName, p.lastName, p.birthday", 500),
    (
        "one hop, two properties",
        "MATCH (p:Person {id: $id})-[:KNOWS]-(f) RETURN f.firstName, f.lastName",
        300,
    ),
    (
        "two hops, distinct",
        "MATCH (p:Person {id: $id})-[:KNOWS]-()-[:KNOWS]-(f) RETURN count(DISTINCT f)",
        100,
    ),
    ("load test", LOAD_TEST, 200),
    (
        "grouping of all persons",
        "MATCH (p:Person) RETURN p.gender, p.browserUsed, count(*) ORDER BY count(*) DESC",
        5,
    ),
    (
        "shortest path",
        "MATCH (a:Person {id: $id}), (b:Person {id: $other}) "
        "MATCH p = shortestPath((a)-[:KNOWS*]-(b)) RETURN length(p)",
        30,
    ),
)


def measure(store: GraphStore, text: str, runs: int, parameters: Callable[[int], dict[str, Any]]
            ) -> tuple[float, float, float, int]:  # fmt: skip
    """(median, minimum, 90%) in milliseconds and the rows of all runs."""
    engine = Engine(Settings())
    with store.read() as transaction:
        plan = engine.plan(text, transaction)
    times = []
    rows = 0
    for number in range(-2, runs):
        given = parameters(number)
        began = time.perf_counter()
        with store.read() as transaction:
            result = engine.run(plan, given, transaction, Unguarded())
            rows += sum(batch.length for batch in result.batches)
            result.close()
        if number >= 0:
            times.append((time.perf_counter() - began) * 1e3)
    times.sort()
    return statistics.median(times), times[0], times[int(len(times) * 0.9)], rows


def describe(transaction: ReadTransaction) -> None:
    counts, schema = transaction.counts, transaction.schema
    persons = counts.nodes(schema.label_id("Person"))
    knows = counts.relationships(schema.type_id("KNOWS"))
    print(f"{persons:,} persons with {2 * knows / persons:.2f} KNOWS each ({knows:,} in all)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--persons", type=int, default=100_000)
    parser.add_argument("--knows", type=float, default=20.0)
    options = parser.parse_args()
    if not options.store.exists():
        generate_social_network(options.store, persons=options.persons, knows=options.knows)
    store = open_store(options.store, map_size=Settings().map_size, max_readers=126)
    with store.read() as transaction:
        describe(transaction)
        people = next(transaction.scan_nodes(transaction.schema.label_id("Person"), 100_000))
        key = transaction.schema.property_id("id")
        first = transaction.schema.property_id("firstName")
        assert key is not None
        assert first is not None
        chosen = people[:: max(1, len(people) // 499)]
        ids, names = transaction.node_properties(chosen, [key, first])

    def parameters(number: int) -> dict[str, Any]:
        return {
            "id": ids[number % len(ids)],
            "other": ids[(number * 7 + 13) % len(ids)],
            "firstName": names[number % len(names)],
        }

    print(f"{'query':28}{'median ms':>12}{'min ms':>10}{'90% ms':>10}{'rows':>10}")
    for name, text, runs in QUERIES:
        median, least, ninety, rows = measure(store, text, runs, parameters)
        print(f"{name:28}{median:12.3f}{least:10.3f}{ninety:10.3f}{rows:10d}", flush=True)
    store.close()


if __name__ == "__main__":
    main()
