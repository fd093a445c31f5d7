"""Nothing is imported or compiled while a first query waits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.client import Server, ask, wait_for
from benchmarks.processes import descendants

_SCRIPT = """
import sys
from contextlib import suppress
from cypherd.cli import serve
from cypherd.engine import Engine
from cypherd.errors import CypherdError
from cypherd.executor.context import Unguarded
from cypherd.processes import warmup
from cypherd.render.registry import rendered
from cypherd.render.renderer import RenderOptions
from cypherd.queries import load_writing, worker, writer
from cypherd.settings import Settings
from cypherd.storage.lmdb.store import open_store
from pathlib import Path

store = open_store(Path(sys.argv[1]), create=True, map_size=64 << 20)
warmup.warm_up()
before = set(sys.modules)
engine = Engine(Settings())
for text in sys.stdin.read().split(";"):
    transaction = store.write()
    result = engine.run(engine.plan(text, transaction), {}, transaction, Unguarded())
    b"".join(rendered("json", result, RenderOptions()))
    result.close()
    transaction.commit()
print(*sorted(set(sys.modules) - before))
"""

_TEXTS = """
UNWIND range(1, 2000) AS x CREATE (:P {x: x, name: 'n' + x, at: point({x: x, y: 1})});
CREATE INDEX FOR (p:P) ON (p.x);
MATCH (p:P {x: 7}), (q:P) WHERE q.x IN [1, 2, 3] MERGE (p)-[:TO {since: date('2020-01-01')}]->(q);
MATCH (p:P {x: 7})-[t:TO]->(q) RETURN t.since + duration('P1D'), q.name, sum(q.x), collect(q);
MATCH s = shortestPath((:P {x: 7})-[:TO*]->(:P {x: 1})) RETURN length(s), [n IN nodes(s) | n.x];
MATCH (p:P) WHERE p.name =~ 'n1.*' RETURN DISTINCT p.x % 10 AS d, count(*) AS c ORDER BY c, d;
MATCH (p:P) RETURN percentileCont(p.x, 0.5), stDev(p.x), max(p.name), datetime('2020-01-01T00:00Z');
MATCH (p:P {x: 7}) DETACH DELETE p;
MATCH (p:P) CALL (p) { SET p.y = sqrt(p.x) } IN TRANSACTIONS OF 500 ROWS
"""


def test_a_first_query_imports_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(tmp_path / "store")], input=_TEXTS.strip(),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.parametrize("fronts", [1, 2])
def test_the_children_of_a_server_have_the_kernels(tmp_path: Path, fronts: int) -> None:
    settings = {"map_size": "64MiB", "workers": 2, "fronts": fronts}
    with Server(tmp_path / "store", settings=settings) as server:
        ask(server.port, "RETURN 1")

        def with_them() -> int:
            maps = [Path(f"/proc/{child.pid}/maps") for child in descendants(server.pid)]
            return sum("llvmlite" in path.read_text() for path in maps)

        # The template, two workers, two planners, a spare of each and the writer; the spares are
        # made when the rest is there.
        assert wait_for(lambda: with_them() >= 8, 20.0) is not None
