"""The front's log, on standard error: lines for people, or one JSON object a line for programs.

What a message is about stands in it as words and, for programs, by itself: its
`extra={"about": {...}}`, with `query_id` wherever it is about a query.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Any

from cypherd.render.values import to_json

_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class JsonFormatter(logging.Formatter):
    """`{"time", "level", "logger", "message", ...}`; what it is about; `traceback`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "about", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        try:
            return to_json(line).decode()
        except TypeError:
            # Parameters may hold what JSON has no form for.
            return to_json({name: _plain(value) for name, value in line.items()}).decode()


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def start_logging(format_: str) -> None:
    """For this process, from INFO on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if format_ == "json" else logging.Formatter(_TEXT))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
