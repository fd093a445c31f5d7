"""Start, stop, and start again."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import Background, Server, ask, request, running, wait_for

LONG = "UNWIND range(1, 1000000000) AS x RETURN count(x)"


def command(store: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "cypherd", "serve", "--store", str(store), *more]


def test_a_free_port_is_told(tmp_path: Path) -> None:
    more = ("--port", "0", "--map-size", "64MiB", "--workers", "2")
    process = subprocess.Popen(
        command(tmp_path / "store", *more), stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        told: list[str] = []
        for line in process.stderr:
            told.append(line)
            if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)$", line):
                break
        assert found, told
        assert "  * map_size = 64MiB\n" in told
        assert "    max_body = 16MiB\n" in told
        assert ask(int(found[1]), "RETURN 1").rows() == [[1]]
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_a_stop_lets_queries_end(serve: Any) -> None:
    server: Server = serve(shutdown_grace="20s")
    query = Background(server.port, "UNWIND range(1, 3000000) AS x RETURN sum(x)", "ending")
    assert wait_for(lambda: "ending" in running(server.port), 10) is not None
    assert server.stop() == 0
    assert query.answer().rows() == [[4500001500000]]


def test_a_stop_cancels_what_goes_on(serve: Any) -> None:
    server: Server = serve(shutdown_grace="300ms")
    query = Background(server.port, LONG, "endless")
    assert wait_for(lambda: "endless" in running(server.port), 10) is not None
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 10
    answer = query.answer()
    assert answer.status == 503
    assert answer.headers["retry-after"]


def test_a_server_that_stops_says_so(serve: Any) -> None:
    server: Server = serve(shutdown_grace="3s")
    query = Background(server.port, LONG, "holding")
    assert wait_for(lambda: "holding" in running(server.port), 10) is not None
    subprocess.run(["kill", "-TERM", str(server.pid)], check=True)

    def stopping() -> bool:
        return request(server.port, "GET", "/health").status == 503

    assert wait_for(stopping, 2.5) is not None
    refused = ask(server.port, "RETURN 1")
    assert refused.status == 503
    assert refused.headers["retry-after"]
    assert server.stop() == 0
    query.answer()


def test_killed_and_started_again(serve: Any) -> None:
    server: Server = serve()
    assert ask(server.port, "CREATE (:Kept {x: 1})").status == 200
    server.kill()
    server.start()
    assert ask(server.port, "MATCH (n:Kept) RETURN n.x").rows() == [[1]]


def test_one_store_one_server(serve: Any) -> None:
    server: Server = serve()
    done = subprocess.run(
        command(server.store, "--port", "0"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert f"in use by process {server.pid}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken(server: Server, tmp_path: Path) -> None:
    done = subprocess.run(
        command(tmp_path / "other", "--port", str(server.port)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert f"port {server.port}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--max-rows", "many"), "max_rows"),
        (("--nonsense", "1"), "nonsense"),
        (("--port", "70000"), "port"),
        (("stray",), "stray"),
    ],
)
def test_wrong_settings_are_told(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    done = subprocess.run(
        command(tmp_path / "store", *arguments),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "store").exists()
