"""Engine times on a social network, without HTTP.

    python -m benchmarks.engine_times --persons 100000 --knows 20 --store FOLDER

Each query is planned once and run warm; a row is its median, the median of the processor's time
(which says more where others share the machine), its minimum and 90% over the runs. The store is
generated if the folder is not there; what it holds is printed first, KNOWS as the mean of a
person in both directions.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cypherd.batch import kernels
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
            ) -> tuple[list[float], int]:  # fmt: skip
    """(median, its processor time, minimum, 90%) in milliseconds, and the rows of all runs."""
    engine = Engine(Settings())
    with store.read() as transaction:
        plan = engine.plan(text, transaction)
    times = []
    processor = []
    rows = 0
    for number in range(-2, runs):
        given = parameters(number)
        began, used = time.perf_counter(), time.thread_time()
        with store.read() as transaction:
            result = engine.run(plan, given, transaction, Unguarded())
            rows += sum(batch.length for batch in result.batches)
            result.close()
        if number >= 0:
            processor.append((time.thread_time() - used) * 1e3)
            times.append((time.perf_counter() - began) * 1e3)
    times.sort()
    found = [statistics.median(times), statistics.median(processor)]
    return [*found, times[0], times[int(len(times) * 0.9)]], rows


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
    kernels.load()  # as the template of the server does
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

    print(f"{'query':28}{'median ms':>11}{'of CPU':>9}{'min ms':>9}{'90% ms':>9}{'rows':>8}")
    for name, text, runs in QUERIES:
        found, rows = measure(store, text, runs, parameters)
        print(f"{name:28}" + "".join(f"{ms:>10.3f}" for ms in found) + f"{rows:>8}", flush=True)
    store.close()


if __name__ == "__main__":
    main()
