"""How fast a query ends whose client vanishes: closed, reset, or gone after pipelining.

python -m benchmarks.disconnect --tries 50
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.cancel_latency import COUNT, WORKERS, WRITE
from benchmarks.client import RawConnection, Server, running, wait_for
from cypherd.generator import generate_social_network


def _close(connection: RawConnection) -> None:
    connection.close()


def _reset(connection: RawConnection) -> None:
    connection.reset()


def _close_pipelined(connection: RawConnection) -> None:
    """A second request waits behind the running one when the client goes."""
    connection.send("RETURN 1", f"pipelined-{time.monotonic_ns()}")
    time.sleep(0.02)
    connection.close()


WAYS: dict[str, tuple[str, Callable[[RawConnection], None]]] = {
    "closed": (COUNT, _close),
    "reset": (COUNT, _reset),
    "pipelined": (COUNT, _close_pipelined),
    "write closed": (WRITE, _close),
}


def measure(port: int, way: str, tries: int) -> list[float | None]:
    """Seconds from the client's going until its query no longer runs; None: after 5 s still."""
    query, vanish = WAYS[way]
    times: list[float | None] = []
    for number in range(tries):
        query_id = f"{way.replace(' ', '-')}-{number}-{time.monotonic_ns()}"
        connection = RawConnection(port)
        connection.send(query, query_id)
        if wait_for(lambda name=query_id: name in running(port), 5.0) is None:  # type: ignore[misc]
            raise RuntimeError(f"{query_id} did not show in /queries")
        time.sleep(0.05)
        vanish(connection)
        gone = wait_for(lambda name=query_id: name not in running(port), 5.0)  # type: ignore[misc]
        times.append(gone)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=50)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="cypherd-disconnect-") as folder:
        store = Path(folder) / "store"
        generate_social_network(store, persons=100)
        with Server(store, settings={"workers": WORKERS}) as server:
            for way in WAYS:
                times = measure(server.port, way, options.tries)
                ended = [seconds for seconds in times if seconds is not None]
                print(
                    f"{way:14} median {statistics.median(ended) * 1e3:.1f} ms, "
                    f"max {max(ended) * 1e3:.1f} ms, not ended {times.count(None)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
