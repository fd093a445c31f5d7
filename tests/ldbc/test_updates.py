"""The LDBC update streams, replayed over HTTP in their order, against a model of what they do."""

from __future__ import annotations

import http.client
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import Server
from cypherd.importer import import_folder
from tests.ldbc.conftest import MAP_SIZE
from tests.ldbc.update_streams import Model, Update, updates

Post = Callable[..., tuple[int, Any]]
UPDATES = 6_920
PERSONS_OF_STREAM = 28


@pytest.fixture(scope="module")
def post(ldbc: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Post]:
    """Asks a server that has the graph, on one connection: status and document."""
    path = tmp_path_factory.mktemp("ldbc-updates") / "store"
    import_folder(ldbc, path, map_size=MAP_SIZE)
    with Server(path) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

        def ask(query: str, parameters: dict[str, Any] | None = None) -> tuple[int, Any]:
            body = json.dumps({"query": query, "parameters": parameters or {}})
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            connection.request("POST", "/cypher", body.encode(), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

        for statement in (ldbc / "indices.cypher").read_text(encoding="utf-8").split(";"):
            # Some were made by the import already.
            assert not statement.strip() or ask(statement)[0] in (200, 409), statement
        yield ask
        connection.close()


@pytest.fixture(scope="module")
def model(ldbc: Path) -> Model:
    return Model(ldbc)


def _counts(post: Post, model: Model) -> tuple[Counter[str], Counter[str]]:
    """Of the same labels and types as the model's."""

    def count(pattern: str) -> int:
        status, document = post(f"MATCH {pattern} RETURN count(*)")
        assert status == 200, document
        return int(document["data"][0][0])

    labels = Counter({label: count(f"(:{label})") for label in model.labels})
    types = Counter({type_: count(f"()-[:{type_}]->()") for type_ in model.types})
    return labels, types


def _made(document: Any) -> tuple[int, int]:
    stats = document.get("stats", {})
    return stats.get("nodes_created", 0), stats.get("relationships_created", 0)


def test_the_streams_are_read_whole(ldbc: Path) -> None:
    numbers = Counter(update.number for update in updates(ldbc))
    assert set(numbers) == set(range(1, 9))
    assert numbers.total() == UPDATES
    assert numbers[1] == PERSONS_OF_STREAM


def test_updates(ldbc: Path, post: Post, model: Model) -> None:
    texts = {
        number: (ldbc / "queries" / f"interactive-update-{number}.cypher").read_text("utf-8")
        for number in range(1, 9)
    }
    assert _counts(post, model) == (model.labels, model.types)
    began = sum(model.labels.values()), model.types.total()
    wrong: list[tuple[Update, Any, Any]] = []
    without_effect: Counter[int] = Counter()
    start = time.monotonic()
    for update in updates(ldbc):
        expected = model.apply(update)
        without_effect[update.number] += expected == (0, 0)
        status, document = post(texts[update.number], update.parameters)
        if status != 200 or "errors" in document or _made(document) != expected:
            wrong.append((update, expected, document))
    seconds = time.monotonic() - start
    print(f"{UPDATES / seconds:,.0f} updates a second on one connection, each a commit")
    assert not wrong, wrong[:3]
    assert without_effect.total() == 0, without_effect
    assert sum(model.labels.values()) > began[0]
    assert _counts(post, model) == (model.labels, model.types)
    status, document = post("MATCH ()-[r]->() RETURN count(r)")
    assert (status, document["data"]) == (200, [[model.types.total()]])


def test_what_an_update_wrote(ldbc: Path, post: Post) -> None:
    """Values of the last person of the stream, behind the replay."""
    (*_, last) = (update.parameters for update in updates(ldbc) if update.number == 1)
    status, document = post(
        "MATCH (p:Person {id: $personId})-[:IS_LOCATED_IN]->(c:City) RETURN p.firstName, "
        "p.birthday, p.languages, p.email, c.id, COUNT { (p)-[:HAS_INTEREST]->(:Tag) }",
        {"personId": last["personId"]},
    )
    assert status == 200, document
    assert document["data"] == [
        [
            last["personFirstName"], last["birthday"], last["languages"], last["emails"],
            last["cityId"], len(last["tagIds"]),
        ]
    ]  # fmt: skip
