"""Values as fields of a CSV file, and the types of its header (cypherd/importer/conversion.py
reads them)."""

from __future__ import annotations

import json
import math
from typing import Any

from cypherd.values.points import Point
from cypherd.values.temporal import Date, DateTime, Duration, LocalDateTime, LocalTime, Time

ARRAY_DELIMITER = ";"

_KINDS: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "long",
    float: "double",
    Date: "date",
    LocalTime: "localtime",
    Time: "time",
    LocalDateTime: "localdatetime",
    DateTime: "datetime",
    Duration: "duration",
    Point: "point",
}


def kind_of(value: Any) -> str:
    """The type of the column that a property stands in. Values of one name but of several types
    have a column for each."""
    if not isinstance(value, list):
        return _KINDS[type(value)]
    if not value:
        return "string[]"
    if isinstance(value[0], str) and not _plain(value):
        return "json"
    return f"{_KINDS[type(value[0])]}[]"


def field_of(value: Any) -> str:
    """A bare empty field would be an absent property, hence the quotes."""
    if not isinstance(value, list):
        text = _text(value)
        return quoted(text) if isinstance(value, str) or "," in text else text
    if kind_of(value) == "json":
        return quoted(json.dumps(value))
    return quoted(ARRAY_DELIMITER.join(map(_text, value)))


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _plain(texts: list[str]) -> bool:
    """Whether strings can be told apart again: [""] would be an empty list."""
    return texts != [""] and not any(ARRAY_DELIMITER in text for text in texts)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return repr(value) if isinstance(value, float) else str(value)
