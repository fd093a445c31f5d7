"""`/openapi.json`: the HTTP interface as OpenAPI 3.1, from the tables that the server works by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from cypherd import __version__
from cypherd.errors import CypherdError, RequestError
from cypherd.queries.load_records import Existing, Missing
from cypherd.render.registry import RENDERERS
from cypherd.server.bulk import COUNTS as BULK_COUNTS
from cypherd.server.bulk import FORMATS as BULK_FORMATS
from cypherd.server.requests import INTEGERS, NOTIFICATIONS, ROWS
from cypherd.settings import Settings

Json = dict[str, Any]

_TIMEOUT = r"^\d{1,6}(ms|s|m)$"
_ID = r"^[A-Za-z0-9\-_.]{1,64}$"
_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}

# The statuses that each call can have besides success.
_ASKING = (400, 403, 405, 406, 408, 409, 413, 415, 422, 431, 500, 503, 504, 507)
_LOOKING = (403, 503)


def openapi(settings: Settings, root: str) -> Json:
    """The document; `root` is the path that the server is under."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "cypherd",
            "version": __version__,
            "description": "Cypher over HTTP: ask, watch and stop queries.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": root or "/"}],
        "paths": _paths(settings),
        "components": {"schemas": _SCHEMAS, "parameters": _parameters()},
    }


def _paths(settings: Settings) -> Json:
    query_id = {"$ref": "#/components/parameters/QueryId"}
    return {
        "/cypher": {"get": _get_cypher(), "post": _post_cypher(settings)},
        "/queries": {"get": _json("Running and finished queries", "Queries", _LOOKING)},
        "/queries/events": {"get": _events()},
        "/queries/{id}": {
            "parameters": [query_id],
            "get": _json("One query", "Query", (403, 404)),
            "delete": _json("Cancel a query; its state then", "Query", (403, 404)),
        },
        "/queries/{id}/cancel": {
            "parameters": [query_id],
            "post": {
                "summary": "Cancel a query and go back to the page",
                "operationId": "pressCancel",
                "responses": {
                    "303": {"description": "To the page of queries"},
                    **_errors((403, 404)),
                },
            },
        },
        "/health": {"get": _health()},
        "/bulk": {
            "post": {
                "summary": "Load a stream of nodes and relationships",
                "operationId": "load",
                "parameters": [
                    _in_query("id", {"type": "string", "pattern": _ID}, "The load's name"),
                    _in_query(
                        "key",
                        {"type": "array", "items": _TEXT},
                        "The key property: of all labels, or Label.property",
                    ),
                    _in_query("missing", {"enum": list(get_args(Missing))}, "Ends not there"),
                    _in_query("existing", {"enum": list(get_args(Existing))}, "Nodes there"),
                    _in_query(
                        "max_bad", {**_COUNT, "maximum": 100_000}, "Records that may be wrong"
                    ),
                ],
                "requestBody": {
                    "required": True,
                    "content": {media_type: {"schema": {}} for media_type in BULK_FORMATS},
                },
                "responses": {
                    "200": {
                        "description": "All has been read",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Load"}}
                        },
                    },
                    **_errors(_ASKING),
                },
            }
        },
        "/bulk/{id}": {
            "get": {
                **_json("How far a load has got", "Load", (403, 404)),
                "parameters": [{"$ref": "#/components/parameters/QueryId"}],
            }
        },
        "/metrics": {
            "get": {
                "summary": "Figures for Prometheus",
                "operationId": "metrics",
                "responses": {
                    "200": {
                        "description": "In the text format of Prometheus or of OpenMetrics",
                        "content": {"text/plain": {"schema": _TEXT}},
                    },
                    **_errors(_LOOKING),
                },
            }
        },
        "/schema": {"get": _json("What is in the graph", "GraphSchema", _LOOKING)},
    }


# --- asking -----------------------------------------------------------------------------


def _get_cypher() -> Json:
    names = ("Query", "Params", "Format", "Timeout", "Id", "Rows", "Integers", "Notifications")
    return {
        "summary": "Run a query that reads",
        "operationId": "read",
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in names],
        "responses": {"200": _result(), **_errors(_ASKING)},
    }


def _post_cypher(settings: Settings) -> Json:
    fields = {"schema": {"$ref": "#/components/schemas/Asked"}}
    query = {"schema": {"type": "string", "minLength": 1}}
    return {
        "summary": "Run a query",
        "operationId": "run",
        "description": f"The body holds up to {settings.max_body} bytes.",
        "requestBody": {
            "required": True,
            "content": {
                "application/json": fields,
                "application/msgpack": fields,
                "application/x-www-form-urlencoded": {
                    "schema": {"$ref": "#/components/schemas/AskedByForm"}
                },
                "text/plain": query,
                "application/cypher": query,
            },
        },
        "responses": {"200": _result(), **_errors(_ASKING)},
    }


def _result() -> Json:
    content: Json = {}
    for renderer in RENDERERS:
        for media_type in renderer.media_types:
            content.setdefault(media_type, {"schema": {}})
    content["application/json"] = {"schema": {"$ref": "#/components/schemas/Result"}}
    headers = {
        "Cypher-Query-Id": {"schema": _TEXT, "description": "The query's id"},
        "Cypher-Timeout": {"schema": _TEXT, "description": "Its deadline"},
        "Cypher-Stats": {"schema": _TEXT, "description": "What a write changed, as JSON"},
    }
    return {"description": "The result, which may stream", "headers": headers, "content": content}


def _in_query(name: str, schema: Mapping[str, Any], text: str) -> Json:
    return {"name": name, "in": "query", "schema": schema, "description": text}


def _parameters() -> Json:
    formats = [renderer.name for renderer in RENDERERS]
    return {
        "Query": {**_in_query("query", _TEXT, "Cypher"), "required": True},
        "Params": _in_query("params", _TEXT, "Parameters, as a JSON object"),
        "Format": _in_query("format", {"enum": formats}, "Beats Accept"),
        "Timeout": _in_query("timeout", {"type": "string", "pattern": _TIMEOUT}, "500ms, 30s, 2m"),
        "Id": _in_query("id", {"type": "string", "pattern": _ID}, "The client's name for it"),
        "Rows": _in_query("rows", {"enum": list(ROWS)}, "Each row a list or an object"),
        "Integers": _in_query("integers", {"enum": list(INTEGERS)}, "As numbers or as strings"),
        "Notifications": _in_query(
            "notifications", {"enum": list(NOTIFICATIONS)}, "The least severe that are told"
        ),
        "QueryId": {
            "name": "id", "in": "path", "required": True,
            "schema": {"type": "string", "pattern": _ID},
        },
    }  # fmt: skip


# --- the rest ---------------------------------------------------------------------------


def _json(summary: str, schema: str, errors: tuple[int, ...]) -> Json:
    content = {
        "application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}},
        "text/html": {"schema": _TEXT},
    }
    return {
        "summary": summary,
        "responses": {"200": {"description": summary, "content": content}, **_errors(errors)},
    }


def _events() -> Json:
    content = {"text/event-stream": {"schema": _TEXT}}
    return {
        "summary": "The queries, told again whenever they change",
        "responses": {
            "200": {"description": "Server-sent events without end", "content": content},
            **_errors(_LOOKING),
        },
    }


def _health() -> Json:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}
    return {
        "summary": "Whether the server answers",
        "responses": {
            "200": {"description": "It does", "content": content},
            "503": {"description": "It is stopping", "content": content},
            **_errors((403,)),
        },
    }


def _errors(statuses: tuple[int, ...]) -> Json:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Errors"}}}
    kinds = ("application/x-ndjson", "application/msgpack", "application/x-msgpack", "text/html")
    content.update({kind: {"schema": {}} for kind in (*kinds, "application/x-msgpack-seq")})
    return {
        str(status): {"description": _meanings()[status], "content": content} for status in statuses
    }


def _meanings() -> dict[int, str]:
    """By status, the names of the errors that have it."""
    found: dict[int, set[str]] = {}
    waiting: list[type[CypherdError]] = [CypherdError]
    while waiting:
        kind = waiting.pop()
        if kind not in (CypherdError, RequestError):
            found.setdefault(kind.status, set()).add(kind.__name__)
        waiting.extend(kind.__subclasses__())
    return {status: ", ".join(sorted(names)) for status, names in found.items()}


def _object(required: Mapping[str, Any], **more: Any) -> Json:
    return {"type": "object", "properties": {**required, **more}, "required": list(required)}


_MAYBE_TEXT = {"type": ["string", "null"]}
_NAMES = {"type": "array", "items": _TEXT}
_CONTROLS = {
    "timeout": {"type": "string", "pattern": _TIMEOUT},
    "id": {"type": "string", "pattern": _ID},
    "format": {"enum": [renderer.name for renderer in RENDERERS]},
    "rows": {"enum": list(ROWS)},
    "integers": {"enum": list(INTEGERS)},
    "notifications": {"enum": list(NOTIFICATIONS)},
}
_SCHEMAS: Json = {
    "Asked": {
        **_object({"query": {"type": "string", "minLength": 1}}, params={"type": "object"}),
        "additionalProperties": False,
    },
    "AskedByForm": _object(
        {"query": {"type": "string", "minLength": 1}},
        params={"type": "string", "contentMediaType": "application/json"},
    ),
    "Result": _object(
        {"columns": _NAMES, "data": {"type": "array"}},
        stats={"type": "object", "additionalProperties": _COUNT},
        plan={"type": "object"},
        notifications={"type": "array", "items": {"type": "object"}},
        errors={"type": "array", "items": {"$ref": "#/components/schemas/Error"}},
    ),
    "Error": _object(
        {"code": _TEXT, "message": _TEXT, "type": _TEXT},
        detail=_TEXT,
        line={"type": "integer", "minimum": 1},
        column={"type": "integer", "minimum": 1},
        query_line=_TEXT,
        expected=_NAMES,
        hint=_TEXT,
    ),
    "Errors": _object(
        {
            "errors": {
                "type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Error"},
            }
        }
    ),
    "Query": _object(
        {
            "id": _TEXT,
            "query": _TEXT,
            "parameters": {"type": "object"},
            "client": _TEXT,
            "user": _MAYBE_TEXT,
            "state": _TEXT,
            "place": _MAYBE_TEXT,
            "started": {"type": "string", "format": "date-time"},
            "elapsed_ms": {"type": "number", "minimum": 0},
            "rows": _COUNT,
            "peak_memory": _COUNT,
            "waiting_for": _MAYBE_TEXT,
            "ended": _MAYBE_TEXT,
            "error": {"type": ["object", "null"]},
            "cancel_ms": {"type": ["number", "null"]},
            "slow": {"type": "boolean"},
        }
    ),
    "Queries": _object(
        {
            name: {"type": "array", "items": {"$ref": "#/components/schemas/Query"}}
            for name in ("running", "finished")
        },
        server={"type": "object"},
    ),
    "Load": _object(
        {
            "id": _TEXT,
            **{name: _COUNT for name in BULK_COUNTS if name != "errors"},
            "bad_records": _COUNT,
            "finished": {"type": "boolean"},
        },
        bad={
            "type": "array", "items": _object({"record": _COUNT, "message": _TEXT}),
        },
        elapsed_ms={"type": "number", "minimum": 0},
    ),
    "Health": _object({"status": {"enum": ["ok", "stopping"]}}),
    "GraphSchema": _object(
        {
            "nodes": _COUNT,
            "relationships": _COUNT,
            "labels": {"type": "array", "items": _object({"name": _TEXT, "count": _COUNT})},
            "relationshipTypes": {
                "type": "array", "items": _object({"name": _TEXT, "count": _COUNT}),
            },
            "propertyKeys": _NAMES,
            "rules": {"type": "array", "items": _object({"name": _TEXT, "kind": _TEXT})},
            "functions": _NAMES,
        }
    ),
}  # fmt: skip
_SCHEMAS["Asked"]["properties"].update(_CONTROLS)
_SCHEMAS["AskedByForm"]["properties"].update(_CONTROLS)
