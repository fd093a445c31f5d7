"""A cypherd server in a process of its own, and a plain client for it.

`Server` starts `cypherd serve`, waits until it is healthy, and can be stopped or killed; `ask`,
`running` and `cancel` are the calls of docs/http.md over the standard library. The tests use this
module too.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

START_SECONDS = 60.0
STOP_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def rows(self) -> list[list[Any]]:
        """The rows of a JSON answer. Raises AssertionError with the body if it is none."""
        document = self.json()
        assert self.status == 200, document
        assert "errors" not in document, document["errors"]
        data: list[list[Any]] = document["data"]
        return data

    def error(self) -> dict[str, Any]:
        """The first error of an answer, its own body or the end of a result."""
        first: dict[str, Any] = self.json()["errors"][0]
        return first


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`cypherd serve` on a free port. A context manager: stopped (SIGTERM) on leaving.

    `command` is what starts cypherd, by default this interpreter with the checkout's.
    """

    def __init__(
        self,
        store: Path,
        *,
        settings: Mapping[str, Any] | None = None,
        log: Path | None = None,
        command: Sequence[str] = (sys.executable, "-m", "cypherd"),
        cwd: Path | None = None,
    ) -> None:
        self.store = store
        self.port = free_port()
        self._settings = dict(settings or {})
        self._log = log or store.parent / f"{store.name}.server.log"
        self._command = list(command)
        self._cwd = cwd
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> Self:
        environment = {
            **os.environ,
            **{f"CYPHERD_{name.upper()}": str(value) for name, value in self._settings.items()},
        }
        command = [*self._command, "serve", "--store", str(self.store)]
        command += ["--port", str(self.port)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                cwd=self._cwd,
            )
        self._wait_until_healthy()
        return self

    def _wait_until_healthy(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server ended at its start:\n{self.log_text()}")
            with contextlib.suppress(OSError, http.client.HTTPException):
                if request(self.port, "GET", "/health", timeout=5).status == 200:
                    return
            time.sleep(0.02)
        raise RuntimeError(f"no answer after {START_SECONDS:g} s:\n{self.log_text()}")

    def log_text(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")[-8000:]

    def log_lines(self) -> list[str]:
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()

    def stop(self) -> int:
        """SIGTERM and wait; the exit code. SIGKILL when it does not end in time."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """SIGKILL to the first process; the others have to end by themselves."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(STOP_SECONDS)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()


def request(
    port: int,
    method: str,
    path: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 60.0,
) -> Answer:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body=body, headers=dict(headers or {}))
        response = connection.getresponse()
        content = response.read()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, names, content)
    finally:
        connection.close()


def ask(
    port: int,
    query: str,
    params: Mapping[str, Any] | None = None,
    *,
    query_id: str | None = None,
    accept: str = "application/json",
    timeout: float = 60.0,
    **control: Any,
) -> Answer:
    """POST /cypher with a JSON body."""
    body = json.dumps({"query": query, "params": dict(params or {}), **control}).encode()
    headers = {"Content-Type": "application/json", "Accept": accept}
    if query_id is not None:
        headers["Cypher-Query-Id"] = query_id
    return request(port, "POST", "/cypher", body=body, headers=headers, timeout=timeout)


def registry(port: int) -> dict[str, Any]:
    answer = request(port, "GET", "/queries", headers={"Accept": "application/json"})
    document: dict[str, Any] = answer.json()
    return document


def running(port: int) -> dict[str, dict[str, Any]]:
    """The queries that run, by id."""
    return {entry["id"]: entry for entry in registry(port)["running"]}


def cancel(port: int, query_id: str) -> Answer:
    return request(port, "DELETE", f"/queries/{query_id}", headers={"Accept": "application/json"})


def wait_for(condition: Callable[[], bool], seconds: float, pause: float = 0.002) -> float | None:
    """Seconds until `condition()` held, None if it did not in `seconds`."""
    start = time.monotonic()
    while True:
        if condition():
            return time.monotonic() - start
        if time.monotonic() - start > seconds:
            return None
        time.sleep(pause)


class Background:
    """A query that is asked in a thread; `answer()` waits for its end."""

    def __init__(self, port: int, query: str, query_id: str, **options: Any) -> None:
        self.query_id = query_id
        self.ended_at: float | None = None
        self._answer: Answer | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(
            target=self._run, args=(port, query), kwargs=options, daemon=True
        )
        self._thread.start()

    def _run(self, port: int, query: str, **options: Any) -> None:
        try:
            self._answer = ask(port, query, query_id=self.query_id, **options)
        except (OSError, http.client.HTTPException) as failure:
            self._failure = failure
        self.ended_at = time.monotonic()

    def answer(self, seconds: float = 30.0) -> Answer:
        self._thread.join(seconds)
        if self._failure is not None:
            raise self._failure
        if self._answer is None:
            raise TimeoutError(f"query {self.query_id} has not ended after {seconds:g} s")
        return self._answer


class RawConnection:
    """A socket that sends requests by hand: to read slowly, pipeline, close or reset."""

    def __init__(self, port: int, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(30.0)
        self.socket.connect(("127.0.0.1", port))
        self._port = port

    def send(self, query: str, query_id: str, accept: str = "application/json") -> None:
        self.socket.sendall(post_cypher(self._port, query, {}, query_id=query_id, accept=accept))

    def close(self) -> None:
        self.socket.close()

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"  # struct linger {on = 1, seconds = 0}
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.socket.close()


def post_cypher(
    port: int,
    query: str,
    params: Mapping[str, Any],
    *,
    query_id: str | None = None,
    accept: str = "application/json",
) -> bytes:
    """The bytes of one keep-alive request."""
    body = json.dumps({"query": query, "params": dict(params)}).encode()
    lines = [
        "POST /cypher HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        f"Accept: {accept}",
        f"Content-Length: {len(body)}",
    ]
    if query_id is not None:
        lines.append(f"Cypher-Query-Id: {query_id}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
