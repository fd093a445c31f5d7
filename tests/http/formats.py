"""The formats, by what becomes of an error behind the first byte, and queries that have one."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.client import Answer, request
from cypherd.render.registry import RENDERERS

FORMATS = [renderer.name for renderer in RENDERERS]
BROKEN_OFF = ["text", "csv", "csv-excel"]
TOLD = ["json", "ndjson", "html", "msgpack-seq"]
LATE = "UNWIND range(200000, 0, -1) AS x RETURN x, 1 / x AS y"
MANY = "UNWIND range(1, 200000) AS x RETURN x, 'n' + toString(x) AS s"


def encoded(port: int, query: str, accept_encoding: str, **fields: Any) -> Answer:
    headers = {"Content-Type": "application/json", "Accept-Encoding": accept_encoding}
    body = json.dumps({"query": query, **fields}).encode()
    return request(port, "POST", "/cypher", body=body, headers=headers)
