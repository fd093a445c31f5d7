"""What a request asks: text, parameters and controls, from each kind of body and from the URL.

HTTP.md, "Asking". Every kind comes down to a map of fields; one function reads that map.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import msgpack
import orjson

from cypherd.errors import InvalidFormat, RequestError, UnsupportedMediaType
from cypherd.settings import Settings, format_duration, parse_duration
from cypherd.values.extensions import EXTENDED, received

CONTROLS = ("query", "params", "format", "timeout", "id", "rows", "integers", "notifications")
"""The reserved names of URLs and forms."""

_FIELDS = frozenset(CONTROLS) | {"statement", "parameters"}
_ALIASES = {"statement": "query", "parameters": "params"}
_ID = re.compile(r"[A-Za-z0-9\-_.]{1,64}")
_MAX_FIELDS = 1000
_MAX_DEPTH = 200
ROWS = ("arrays", "objects")
INTEGERS = ("number", "string")
NOTIFICATIONS = ("information", "warning", "off")
_INT64_EDGE = 2.0**63


@dataclass(frozen=True, slots=True)
class Ask:
    """`text` is None where there was no query; `timeout` in seconds; `notifications` None: as the
    setting says."""

    text: str | None
    parameters: dict[str, Any]
    format: str | None
    timeout: float | None
    id: str | None
    rows: str
    integers: str
    notifications: str | None


def check_coding(headers: Mapping[str, str]) -> None:
    """Raises UnsupportedMediaType for a body that is compressed."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise UnsupportedMediaType(
            f"Content-Encoding {coding!r} is not read; send the body as it is",
            expected=("identity",),
        )


def read_post(
    content_type: str | None, body: bytes, query_string: bytes, headers: Mapping[str, str],
    settings: Settings,
) -> Ask:  # fmt: skip
    """Raises RequestError and its kin, naming what is wrong."""
    media_type, charset = _media_type(content_type)
    reader = _READERS.get(media_type)
    if reader is None:
        found = f"Content-Type {content_type!r}" if content_type else "a body without Content-Type"
        raise UnsupportedMediaType(
            f"{found} is not read; there are {', '.join(_READERS)}",
            expected=tuple(_READERS),
        )
    fields = reader(body, charset)
    in_url = _url_fields(query_string, "the URL")
    if media_type not in _TEXTS:
        in_url = {name: value for name, value in in_url.items() if name in CONTROLS}
    for name in fields.keys() & in_url.keys():
        raise RequestError(f"{name!r} is given in the URL and in the body")
    return _ask({**fields, **in_url}, headers, settings)


def read_get(query_string: bytes, headers: Mapping[str, str], settings: Settings) -> Ask:
    """As `read_post`, from the URL alone."""
    return _ask(_url_fields(query_string, "the URL"), headers, settings)


# --- bodies -----------------------------------------------------------------------------


def _media_type(content_type: str | None) -> tuple[str, str]:
    media_type, *parameters = (part.strip() for part in (content_type or "").split(";"))
    charset = "utf-8"
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip('"').lower()
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise UnsupportedMediaType(f"charset {charset!r} is not read; send UTF-8")
    return media_type.lower(), charset


def _read_json(body: bytes, _charset: str) -> dict[str, Any]:
    return _checked_map(parse_json(body, "the body"), "the body")


def _read_msgpack(body: bytes, _charset: str) -> dict[str, Any]:
    try:
        value = msgpack.unpackb(body, raw=False, strict_map_key=True, ext_hook=received)
    except (ValueError, msgpack.UnpackException) as error:
        raise InvalidFormat(f"the body is not MessagePack: {error}") from error
    return _checked_map(value, "the body")


def _read_form(body: bytes, _charset: str) -> dict[str, Any]:
    return _url_fields(body, "the form")


def _read_text(body: bytes, _charset: str) -> dict[str, Any]:
    return {"query": _utf8(body, "the body")}


_TEXTS = ("text/plain", "application/cypher")
_READERS: dict[str, Callable[[bytes, str], dict[str, Any]]] = {
    "application/json": _read_json,
    "application/msgpack": _read_msgpack,
    "application/x-msgpack": _read_msgpack,
    "application/vnd.msgpack": _read_msgpack,
    "application/x-www-form-urlencoded": _read_form,
    "text/plain": _read_text,
    "application/cypher": _read_text,
}


ACCEPT_POST = (b"accept-post", ", ".join(_READERS).encode())
"""The header that names what a POST may bring (W3C Linked Data Platform, 7.1)."""


def _checked_map(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidFormat(f"{where} is not a map")
    unknown = sorted(str(name) for name in value if name not in _FIELDS)
    if unknown:
        names = ", ".join(sorted(_FIELDS))
        raise RequestError(f"unknown key {unknown[0]!r} in {where}; there are {names}")
    fields: dict[str, Any] = {}
    given: dict[str, Any] = value
    for name, item in given.items():
        field = _ALIASES.get(name, name)
        if field in fields:
            raise RequestError(f"{where} has {field!r} twice, also as {name!r}")
        fields[field] = item
    parameters = fields.get("params")
    if parameters is not None:
        fields["params"] = checked_parameters(parameters)
    return {name: item for name, item in fields.items() if item is not None}


def _url_fields(data: bytes, where: str) -> dict[str, Any]:
    """Controls, and the other names as string parameters."""
    if not data:
        return {}
    try:
        pairs = parse_qsl(
            _utf8(data, where), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
        )
    except ValueError as error:
        raise InvalidFormat(f"{where} cannot be read: {error}") from error
    fields: dict[str, Any] = {}
    bare: dict[str, Any] = {}
    for name, value in pairs:
        if name in CONTROLS and not value:
            # A form sends the fields that were left empty, too.
            continue
        target = fields if name in CONTROLS else bare
        if name in target:
            raise RequestError(f"{where} has {name!r} twice")
        target[name] = value
    if "params" in fields:
        exact = parse_json(fields["params"].encode(), f"params in {where}")
        parameters = checked_parameters(exact)
        for name in parameters.keys() & bare.keys():
            raise RequestError(f"{where} has the parameter {name!r} twice")
        bare = {**bare, **parameters}
    if bare or "params" in fields:
        fields["params"] = bare
    return fields


def _utf8(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidFormat(f"{where} is not UTF-8 at byte {error.start}") from error


# --- values -----------------------------------------------------------------------------


def parse_json(data: bytes, where: str) -> Any:
    """JSON with exact integers. Raises InvalidFormat; an integer beyond 64 bits is found by
    `checked_parameters`, since orjson would round it to a float."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidFormat(f"{where} is not JSON: {error}") from error
    if not has_large_float(value):
        return value
    # A float this large may have been an integer: only the slower parser tells them apart.
    try:
        return json.loads(data)
    except RecursionError as error:
        raise InvalidFormat(f"{where} is nested too deeply") from error


def has_large_float(value: Any) -> bool:
    """Whether a float in it is so large that orjson may have read an integer as one."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, float):
            if abs(item) >= _INT64_EDGE:
                return True
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


def checked_parameters(value: Any) -> dict[str, Any]:
    """`value` as parameters. Raises RequestError for what is no map of Cypher values."""
    if not isinstance(value, dict):
        raise RequestError("params is not a map")
    for name, item in value.items():
        if not isinstance(name, str):
            raise RequestError(f"the parameter name {name!r} is no string")
        _check_value(name, item)
    return value


def _check_value(name: str, value: Any) -> None:
    """Level by level: later passes recurse, so a value may not be nested without end."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            below.extend(_checked_items(name, item))
        if not below:
            return
        level = below
    raise RequestError(f"parameter {name!r} is nested deeper than {_MAX_DEPTH} lists and maps")


def _checked_items(name: str, value: Any) -> Iterable[Any]:
    """What a list or map holds."""
    if value is None or isinstance(value, (str, bool, float, *EXTENDED)):
        return ()
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise RequestError(f"parameter {name!r}: {value} is beyond 64 bits")
        return ()
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise RequestError(f"parameter {name!r}: a map has a key that is no string")
        return value.values()
    if isinstance(value, list):
        return value
    raise RequestError(f"parameter {name!r}: {type(value).__name__} is no Cypher value")


def _ask(fields: Mapping[str, Any], headers: Mapping[str, str], settings: Settings) -> Ask:
    text = fields.get("query")
    if text is not None and not isinstance(text, str):
        raise RequestError("query is not a string")
    return Ask(
        text=text,
        parameters=fields.get("params", {}),
        format=_string(fields, "format"),
        timeout=_timeout(_either(fields, "timeout", headers, "cypher-timeout"), settings),
        id=checked_id(_either(fields, "id", headers, "cypher-query-id")),
        rows=_choice(fields, "rows", ROWS),
        integers=_choice(fields, "integers", INTEGERS),
        notifications=_choice(fields, "notifications", NOTIFICATIONS)
        if "notifications" in fields
        else None,
    )


def _string(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise RequestError(f"{name} is not a string")
    return value


def _either(
    fields: Mapping[str, Any], name: str, headers: Mapping[str, str], header: str
) -> str | None:
    own, sent = _string(fields, name), headers.get(header)
    if own is not None and sent is not None and own != sent:
        raise RequestError(f"{name} is {own!r} in the request and {sent!r} in the header {header}")
    return own if own is not None else sent


def _choice(fields: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = _string(fields, name)
    if value is None:
        return choices[0]
    if value not in choices:
        raise RequestError(f"{name} is {value!r}; it can be {' or '.join(choices)}")
    return value


def _timeout(text: str | None, settings: Settings) -> float | None:
    if text is None:
        return None
    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise RequestError(f"timeout: {error}") from error
    if seconds <= 0:
        raise RequestError(f"timeout: {text!r} is not above zero")
    if seconds > settings.max_timeout:
        raise RequestError(
            f"timeout: {text!r} is above the {format_duration(settings.max_timeout)} of the "
            "setting max_timeout"
        )
    return seconds


def checked_id(text: str | None) -> str | None:
    """Raises RequestError for what no id can be."""
    if text is not None and not _ID.fullmatch(text):
        raise RequestError("id: up to 64 letters, digits and -_. are allowed")
    return text
