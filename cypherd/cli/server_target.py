"""A server as what queries are asked of, over HTTP (docs/http.md)."""

from __future__ import annotations

import contextlib
import json
import secrets
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

import httpx
import msgpack
import typer

from cypherd.cli.failures import FormatRefused, QueryFailed, Unreachable, write_refused
from cypherd.cli.target import GraphNames, Question

_CONNECT_SECONDS = 5.0
_CALL_SECONDS = 10.0
# A request that is on its way is not yet in the registry: its cancel tries again for so long.
_CANCEL_TRIES = 20
_CANCEL_PAUSE = 0.05
# An error in the body is near its end; it can hold a line of the query.
_TAIL = 4 << 20
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Server:
    """The calls besides asking. Each raises Unreachable, and QueryFailed for an error answer."""

    def __init__(self, url: str) -> None:
        """Connects to nothing yet. Raises typer.BadParameter."""
        self.url = url if "://" in url else f"http://{url}"
        try:
            base = httpx.URL(self.url.rstrip("/") + "/")
        except httpx.InvalidURL as error:
            raise typer.BadParameter(f"--url {url!r} is no address: {error}") from error
        if base.scheme not in ("http", "https") or not base.host:
            raise typer.BadParameter(f"--url {url!r} is no address of a server")
        local = base.host in _LOOPBACK
        self.client = httpx.Client(
            base_url=base,
            # A proxy cannot reach what listens on this machine only.
            trust_env=not local,
            headers={"Accept-Encoding": "identity"} if local else None,
            timeout=httpx.Timeout(_CALL_SECONDS, connect=_CONNECT_SECONDS),
            follow_redirects=True,
        )

    def health(self) -> dict[str, Any]:
        """Also of a server that stops: its status says so."""
        return self._call("GET", "health", also=503)

    def queries(self) -> dict[str, list[dict[str, Any]]]:
        """`running` and `finished`."""
        return self._call("GET", "queries")

    def query(self, query_id: str) -> dict[str, Any]:
        return self._call("GET", f"queries/{query_id}")

    def cancel(self, query_id: str) -> dict[str, Any]:
        return self._call("DELETE", f"queries/{query_id}")

    def schema(self) -> dict[str, Any]:
        return self._call("GET", "schema")

    def close(self) -> None:
        self.client.close()

    def unreachable(self, error: httpx.HTTPError) -> Unreachable:
        return Unreachable(f"cannot reach {self.url}: {str(error) or type(error).__name__}")

    def _call(self, method: str, path: str, also: int = 200) -> dict[str, Any]:
        try:
            response = self.client.request(method, path, headers={"Accept": "application/json"})
        except httpx.HTTPError as error:
            raise self.unreachable(error) from error
        if response.status_code not in (200, also):
            raise failure_of(response)
        try:
            answer: dict[str, Any] = response.json()
        except ValueError as error:
            raise QueryFailed(_foreign(response)) from error
        return answer


def failure_of(response: httpx.Response) -> QueryFailed:
    """The error that a whole response tells, in JSON or MessagePack."""
    packed = "msgpack" in response.headers.get("content-type", "")
    try:
        document = msgpack.unpackb(response.content) if packed else response.json()
        error = document["errors"][0]
    except (ValueError, LookupError, TypeError, msgpack.UnpackException):
        error = _foreign(response)
    return FormatRefused(error) if response.status_code == 406 else QueryFailed(error)


def _foreign(response: httpx.Response) -> dict[str, Any]:
    message = f"{response.url} answered {response.status_code}, but not as cypherd does"
    return {"type": "ServerError", "message": message}


class ServerTarget:
    """The protocol's Target."""

    def __init__(self, url: str) -> None:
        self.server = Server(url)
        self._running: str | None = None

    def ask(self, question: Question) -> Iterator[bytes]:
        query_id = self._running = f"cli-{secrets.token_hex(6)}"
        tail = _Tail()
        try:
            yield from self._pieces(question, query_id, tail)
        finally:
            self._running = None
        failure = self._told(question.format, query_id, tail.read())
        if failure is not None:
            raise failure

    def _pieces(self, question: Question, query_id: str, tail: _Tail) -> Iterator[bytes]:
        try:
            with self._request(question, query_id) as response:
                if response.status_code != 200:
                    response.read()
                    if response.status_code == 405 and question.read_only:
                        raise QueryFailed.of(write_refused())
                    told = self._registered(query_id) if question.format == "html" else None
                    raise told or failure_of(response)
                for piece in response.iter_bytes():
                    yield piece
                    tail.add(piece)
        except httpx.ConnectError as error:
            raise self.server.unreachable(error) from error
        except httpx.HTTPError as error:
            raise self._broken_off(query_id, error) from error

    def cancel(self) -> None:
        query_id = self._running
        if query_id is None:
            return
        # By a connection of its own: that of the query is in use.
        server = Server(self.server.url)
        with contextlib.closing(server):
            for _ in range(_CANCEL_TRIES):
                with contextlib.suppress(QueryFailed, Unreachable):
                    server.cancel(query_id)
                    return
                time.sleep(_CANCEL_PAUSE)

    def names(self) -> GraphNames:
        """None where the server does not tell its schema."""
        try:
            schema = self.server.schema()
        except (QueryFailed, Unreachable):
            return GraphNames()
        return GraphNames(
            labels=tuple(label["name"] for label in schema.get("labels", ())),
            types=tuple(type_["name"] for type_ in schema.get("relationshipTypes", ())),
            properties=tuple(schema.get("propertyKeys", ())),
            functions=tuple(schema.get("functions", ())),
        )

    def close(self) -> None:
        self.server.close()

    def _request(
        self, question: Question, query_id: str
    ) -> contextlib.AbstractContextManager[httpx.Response]:
        fields: dict[str, Any] = {"format": question.format, "rows": question.rows}
        if question.timeout is not None:
            fields["timeout"] = f"{question.timeout * 1000:.15g}ms"
        client, headers = self.server.client, {"Cypher-Query-Id": query_id}
        # The answer takes as long as the query does: its deadline is the server's to keep.
        timeout = httpx.Timeout(None, connect=_CONNECT_SECONDS)
        if question.read_only:
            # GET never runs a write.
            url_fields = {"query": question.text, "params": json.dumps(question.parameters)}
            return client.stream(
                "GET", "cypher", params={**fields, **url_fields}, headers=headers, timeout=timeout
            )
        body = {"query": question.text, "params": question.parameters, **fields}
        return client.stream("POST", "cypher", json=body, headers=headers, timeout=timeout)

    def _broken_off(self, query_id: str, error: httpx.HTTPError) -> Exception:
        """Formats without room for an error break off: the server knows why."""
        return self._registered(query_id) or Unreachable(
            f"the connection to {self.server.url} was lost "
            f"({str(error) or type(error).__name__}); whether the statement was done is not known"
        )

    def _told(self, format_: str, query_id: str, tail: bytes) -> QueryFailed | None:
        """The error that an answer with status 200 ends in."""
        if format_ in _ERROR_AT_END:
            error = _ERROR_AT_END[format_](tail)
            return None if error is None else QueryFailed(error)
        return self._registered(query_id) if format_ in _ERROR_INSIDE else None

    def _registered(self, query_id: str) -> QueryFailed | None:
        """How the query ended by the server's registry, which keeps no places of errors."""
        with contextlib.suppress(QueryFailed, Unreachable):
            reason = self.server.query(query_id)["error"]
            if reason:
                kind = reason["code"].rpartition(".")[2]
                return QueryFailed({"type": kind, **reason})
        return None


class _Tail:
    """The last pieces of an answer, at least `_TAIL` bytes of them if there were as many."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        self._size = 0

    def add(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        while self._size - len(self._pieces[0]) >= _TAIL:
            self._size -= len(self._pieces.popleft())

    def read(self) -> bytes:
        return b"".join(self._pieces)


def _json_error(tail: bytes) -> dict[str, Any] | None:
    """The part `],"errors":[...]}` at the very end. Values cannot be taken for it: behind those
    in a row, more than one bracket is closed."""
    marker = b'],"errors":'
    at = tail.rfind(marker)
    if at < 0 or not tail.rstrip().endswith(b"]}"):
        return None
    return _first_error(b'{"errors":' + tail[at + len(marker) :])


def _ndjson_error(tail: bytes) -> dict[str, Any] | None:
    line = tail.rstrip().rpartition(b"\n")[2]
    return _first_error(line) if line.startswith(b'{"errors":') else None


def _first_error(document: bytes) -> dict[str, Any] | None:
    try:
        error = json.loads(document)["errors"][0]
    except (ValueError, LookupError, TypeError):
        return None
    return error if isinstance(error, dict) and "message" in error else None


# Errors of these are inside the body, in a form that is not for its end alone to tell.
_ERROR_INSIDE = ("html", "msgpack-seq")
_ERROR_AT_END = {"json": _json_error, "ndjson": _ndjson_error}
