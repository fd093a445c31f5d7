"""`/bulk`: streams of nodes and relationships into the store, and how far one has got."""

from __future__ import annotations

from time import monotonic
from typing import Any, get_args

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from cypherd.errors import (
    CypherdError,
    NotFound,
    RequestError,
    Unavailable,
    UnsupportedMediaType,
)
from cypherd.queries.load_records import (
    ANY_LABEL,
    Existing,
    Format,
    LoadOptions,
    Missing,
    require_options,
)
from cypherd.queries.loading import Load
from cypherd.queries.runner import Runner
from cypherd.render.values import to_json
from cypherd.server.requests import check_coding, checked_id

FORMATS: dict[str, Format] = {
    "application/x-ndjson": "ndjson",
    "application/ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/msgpack": "msgpack",
    "application/x-msgpack": "msgpack",
    "application/vnd.msgpack": "msgpack",
}
COUNTS = ("records", "nodes_created", "nodes_updated", "nodes_skipped", "relationships_created",
          "indexes_added", "errors")  # fmt: skip
_CONTROLS = frozenset({"id", "key", "missing", "existing", "max_bad"})
_MOST_BAD = 100_000


class BulkEndpoint:
    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def load(self, request: Request) -> Response:
        """Raises RequestError and its kin for what is asked wrongly; what fails later is answered
        with what is stored by then."""
        check_coding(request.headers)
        format_ = _format(request)
        options, max_bad = _options(request)
        began = monotonic()
        if self._runner.stopping:
            raise Unavailable("the server is stopping")
        load = self._runner.loads.begin(_id(request), _client(request), format_, options, max_bad)
        try:
            await self._runner.loads.run(load, request.stream(), ClientDisconnect)
        except ClientDisconnect:
            # Nobody is left to be answered; the connection is closed.
            return Response(status_code=499)
        except CypherdError as error:
            return _answer(load, began, error)
        return _answer(load, began)

    async def show(self, request: Request) -> Response:
        """Raises NotFound."""
        id = request.path_params["id"]
        found = self._runner.loads.state(id)
        if found is None:
            raise NotFound(f"no bulk load has the id {id!r}; the last hundred are known")
        return _json(200, {"id": id, **_told(found)})


def _answer(load: Load, began: float, error: CypherdError | None = None) -> Response:
    body: dict[str, Any] = {} if error is None else {"errors": [error.to_dict()]}
    body |= {
        "id": load.id,
        **_told(load.totals),
        "bad": [{"record": bad.record, "message": bad.message} for bad in load.bad],
        "elapsed_ms": round((monotonic() - began) * 1000, 3),
    }
    return _json(200 if error is None else error.status, body, {"Cypher-Query-Id": load.id})


def _told(totals: dict[str, int]) -> dict[str, Any]:
    counts: dict[str, Any] = {name: totals.get(name, 0) for name in COUNTS}
    counts["bad_records"] = counts.pop("errors")
    return {**counts, "finished": bool(totals.get("finished"))}


def _json(status: int, value: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    return Response(
        to_json(value),
        status_code=status,
        media_type="application/json; charset=utf-8",
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def _client(request: Request) -> str:
    return f"{request.client.host}:{request.client.port}" if request.client else ""


def _format(request: Request) -> Format:
    given = request.headers.get("content-type", "")
    found = FORMATS.get(given.partition(";")[0].strip().lower())
    if found is None:
        raise UnsupportedMediaType(
            f"Content-Type {given!r} is not read; there are {', '.join(FORMATS)}",
            expected=tuple(FORMATS),
        )
    return found


def _id(request: Request) -> str | None:
    own, sent = request.query_params.get("id"), request.headers.get("cypher-query-id")
    if own is not None and sent is not None and own != sent:
        raise RequestError(f"id is {own!r} in the URL and {sent!r} in the header Cypher-Query-Id")
    return checked_id(own if own is not None else sent)


def _options(request: Request) -> tuple[LoadOptions, int]:
    params = request.query_params
    unknown = sorted(set(params) - _CONTROLS)
    if unknown:
        raise RequestError(
            f"unknown parameter {unknown[0]!r}; there are {', '.join(sorted(_CONTROLS))}"
        )
    keys: dict[str, str] = {}
    for given in params.getlist("key"):
        label, dot, name = given.rpartition(".")
        if (label if dot else ANY_LABEL) in keys:
            raise RequestError(f"key: there are two for {label or 'all labels'}")
        keys[label if dot else ANY_LABEL] = name
    missing, existing = params.get("missing", "create"), params.get("existing", "update")
    for name, value, choices in (
        ("missing", missing, get_args(Missing)),
        ("existing", existing, get_args(Existing)),
    ):
        if value not in choices:
            raise RequestError(f"{name} is {value!r}; it can be {' or '.join(choices)}")
    most = params.get("max_bad", "1000")
    if not most.isdigit() or int(most) > _MOST_BAD:
        raise RequestError(f"max_bad is {most!r}; it is a number up to {_MOST_BAD}")
    options = LoadOptions(keys, missing, existing)  # type: ignore[arg-type]
    return require_options(options), int(most)
