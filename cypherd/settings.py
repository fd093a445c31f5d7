"""Settings: one table of name, default and help.

A setting is given, weakest first, by its default, a TOML file (`cypherd.toml`, or --config), the
environment (`CYPHERD_` and the name in capitals) and the command line. Sizes take `64KiB`,
`1GiB`, `500MB`; durations `500ms`, `30s`, `2m`. What is in force is printed at start.
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cypherd.errors import SettingError

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40

_SIZE_UNITS = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": KIB, "mib": MIB, "gib": GIB, "tib": TIB,
}  # fmt: skip
_DURATION_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def parse_size(text: str) -> int:
    """Bytes from `64KiB`, `10 MB`, `4096`. Raises ValueError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", text)
    if not match or match[2].lower() not in _SIZE_UNITS:
        raise ValueError(f"{text!r} is not a size such as 64KiB or 1GiB")
    return int(float(match[1]) * _SIZE_UNITS[match[2].lower()])


def parse_duration(text: str) -> float:
    """Seconds from `500ms`, `30s`, `2m`, `1h`; a unit is needed. Raises ValueError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(us|ms|s|m|h)\s*", text)
    if not match:
        raise ValueError(f"{text!r} is not a duration such as 500ms, 30s or 2m")
    return float(match[1]) * _DURATION_UNITS[match[2]]


def format_size(size: int) -> str:
    """Bytes as `parse_size` reads them, in the largest binary unit that fits exactly."""
    for unit, factor in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if size and size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)


def format_duration(seconds: float) -> str:
    """Seconds as `parse_duration` reads them."""
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.15g}s"
    if seconds >= 0.001:
        return f"{seconds * 1000:.15g}ms"
    return f"{seconds * 1_000_000:.15g}us"


def setting(default: Any, kind: str, help_text: str) -> Any:
    """One row of the table. kind: text, path, integer, size, duration, flag, list."""
    metadata = {"kind": kind, "help": help_text}
    if kind == "list":
        return field(default_factory=lambda: tuple(default), metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    # --- the store ---
    store: Path = setting(Path("data"), "path", "Folder of the graph store.")
    map_size: int = setting(1 * TIB, "size", "Address space for the store; an upper limit.")
    max_readers: int = setting(0, "integer", "Slots in the reader table; 0: from the pool.")
    # --- the interface ---
    host: str = setting("127.0.0.1", "text", "Address to listen on.")
    port: int = setting(7475, "integer", "Port to listen on; 0: any free one.")
    fronts: int = setting(
        1, "integer", "Processes that answer connections; all but the first answer short reads."
    )
    insecure_public: bool = setting(
        False, "flag", "Allow another host than loopback though there are no passwords."
    )
    allowed_hosts: tuple[str, ...] = setting(
        (), "list", "Further values of the Host header that are answered."
    )
    allowed_origins: tuple[str, ...] = setting(
        (), "list", "Origins of other sites that may ask (CORS); * for any."
    )
    root_path: str = setting("", "text", "Path under which a proxy serves cypherd.")
    max_body: int = setting(16 * MIB, "size", "Largest request body.")
    max_head: int = setting(64 * KIB, "size", "Largest URL and headers of a request, together.")
    head_timeout: float = setting(
        10.0, "duration", "How long the URL and headers of a request may take to come."
    )
    body_timeout: float = setting(
        30.0, "duration", "How long a request's body may take; each 64 KiB give it as long again."
    )
    keep_alive: float = setting(
        75.0, "duration", "How long a connection may stay open without a request."
    )
    hide_queries: bool = setting(
        False, "flag", "Hide texts and parameters of other clients' queries."
    )
    shutdown_grace: float = setting(
        5.0, "duration", "How long running queries may go on after SIGTERM."
    )
    # --- queries ---
    workers: int = setting(
        0, "integer", "Processes for long reads; 0: one a processor, at least 2."
    )
    max_workers: int = setting(
        0,
        "integer",
        "What the workers may grow to while queries wait; 0: twice as many, if workers is 0 too.",
    )
    queue_limit: int = setting(1000, "integer", "Queries that may wait for a worker.")
    write_queue_limit: int = setting(10000, "integer", "Statements that may wait for the writer.")
    default_timeout: float = setting(120.0, "duration", "Deadline of a query that brings none.")
    max_timeout: float = setting(3600.0, "duration", "Longest deadline a query may ask for.")
    max_rows: int = setting(10_000_000, "integer", "Largest result; more is an error.")
    query_memory: int = setting(1 * GIB, "size", "Memory that a query's operators may hold.")
    worker_priority: str = setting(
        "nice",
        "text",
        "How long reads yield to all else: nice (19), or idle, for a machine of cypherd's own.",
    )
    worker_memory: int = setting(4 * GIB, "size", "Data memory of a worker (RLIMIT_DATA).")
    inline_budget: float = setting(
        0.001, "duration", "Time a turn of the event loop may spend on inline reads."
    )
    record_cache: int = setting(
        8192, "integer", "Small records (to 512 bytes) that a process keeps unpacked; 0: none."
    )
    cancel_grace: float = setting(
        0.025, "duration", "How long a read worker may ignore a cancel before it is killed."
    )
    writer_grace: float = setting(2.0, "duration", "The same for the writer.")
    group_limit: int = setting(256, "integer", "Statements that one commit may hold.")
    group_share: float = setting(
        0.010, "duration", "Time a statement may take of a group commit before it runs alone."
    )
    load_batch: int = setting(
        512 * KIB,
        "size",
        "Bytes of records that a bulk load writes at once; 8 times as many while none else writes.",
    )
    write_retries: int = setting(
        3, "integer", "How often a write is sent again after the writer was lost."
    )
    spool_memory: int = setting(1 * MIB, "size", "Result bytes held in memory before a file.")
    spool_limit: int = setting(1 * GIB, "size", "Result bytes that a query may spool in all.")
    slow_client: float = setting(
        1.0, "duration", "How long a worker waits for its client before the rest is spooled."
    )
    finished_kept: int = setting(200, "integer", "Finished queries that the registry remembers.")
    slow_query: float = setting(
        1.0, "duration", "From when on a query is marked as slow where queries are listed."
    )
    log_slow_queries: bool = setting(False, "flag", "Log slow queries, with parameters and plan.")
    log_format: str = setting("text", "text", "What the log is written as: text, or json.")
    max_watchers: int = setting(
        64, "integer", "Browsers that may watch the running queries at a time."
    )
    # --- the language ---
    max_query_length: int = setting(1 * MIB, "size", "Longest query text.")
    max_nesting: int = setting(200, "integer", "Deepest nesting of expressions and lists.")
    max_pattern: int = setting(
        200, "integer", "Most relationships that a MATCH or another pattern to find may have."
    )
    max_stack: int = setting(
        4000, "integer", "Deepest stack of calls: what a query of very many clauses needs."
    )
    plan_cache: int = setting(1000, "integer", "Plans that a process remembers.")
    batch_size: int = setting(1024, "integer", "Rows in a batch.")
    notifications: str = setting(
        "information",
        "text",
        "Least severe notifications that are told: information, warning, off.",
    )
    import_folder: str = setting(
        "", "text", "Folder below which LOAD CSV may read files; none: it may read nothing."
    )

    def rows(self) -> list[tuple[str, Any, str]]:
        """(name, value, help) of every setting, in the order of the table."""
        return [
            (row.name, getattr(self, row.name), row.metadata["help"])
            for row in dataclasses.fields(self)
        ]

    def shown(self) -> list[tuple[str, str, bool]]:
        """(name, value as a person writes it, whether it differs from the default)."""
        default = Settings()
        return [
            (
                row.name,
                _SHOWN.get(row.metadata["kind"], str)(getattr(self, row.name)),
                getattr(self, row.name) != getattr(default, row.name),
            )
            for row in dataclasses.fields(self)
        ]


_SHOWN: Mapping[str, Callable[[Any], str]] = {
    "size": format_size,
    "duration": format_duration,
    "list": ",".join,
    "flag": lambda value: "true" if value else "false",
}


def load_settings(
    overrides: Mapping[str, Any] | None = None,
    *,
    config: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Settings from file, environment and `overrides` (None values are passed over).

    Raises SettingError naming the setting, its source and what is wrong.
    """
    environment = os.environ if environment is None else environment
    kinds = {row.name: row.metadata["kind"] for row in dataclasses.fields(Settings)}
    values: dict[str, Any] = {}
    values.update(_from_file(config, kinds))
    for key, text in environment.items():
        if key.startswith("CYPHERD_") and key != "CYPHERD_CONFIG":
            name = key.removeprefix("CYPHERD_").lower()
            _known(name, kinds, f"environment variable {key}")
            values[name] = _convert(name, kinds[name], text, f"environment variable {key}")
    for name, value in (overrides or {}).items():
        if value is not None:
            _known(name, kinds, "the command line")
            values[name] = _convert(name, kinds[name], value, f"--{name.replace('_', '-')}")
    settings = Settings(**values)
    _check(settings)
    return settings


def _from_file(config: Path | None, kinds: Mapping[str, str]) -> dict[str, Any]:
    path = config or Path("cypherd.toml")
    if config is None and not path.exists():
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingError(f"cannot read settings from {path}: {error}") from error
    for name in table:
        _known(name, kinds, str(path))
    return {name: _convert(name, kinds[name], value, str(path)) for name, value in table.items()}


def _known(name: str, kinds: Mapping[str, str], source: str) -> None:
    if name not in kinds:
        raise SettingError(f"{source}: there is no setting {name!r}")


def _convert(name: str, kind: str, value: Any, source: str) -> Any:
    try:
        return _CONVERTERS[kind](value)
    except (ValueError, TypeError) as error:
        raise SettingError(f"{source}: setting {name}: {error}") from error


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off", ""):
        return False
    raise ValueError(f"{value!r} is neither true nor false")


def _integer(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError(f"{value!r} is not an integer")
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"{value!r} is not an integer") from None


def _list(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(item.strip() for item in value.split(",") if item.strip())
    return tuple(str(item) for item in value)


_CONVERTERS: Mapping[str, Any] = {
    "text": str,
    "path": Path,
    "integer": _integer,
    "size": lambda value: value if isinstance(value, int) else parse_size(str(value)),
    "duration": lambda value: (
        float(value) if isinstance(value, float) else parse_duration(str(value))
    ),
    "flag": _flag,
    "list": _list,
}

_AT_LEAST: Mapping[str, float] = {
    "port": 0, "max_body": 1, "max_head": 1 * KIB, "fronts": 1,
    "workers": 0, "max_workers": 0, "queue_limit": 1,
    "write_queue_limit": 1, "max_rows": 1, "group_limit": 1, "batch_size": 1, "plan_cache": 1,
    "max_nesting": 10, "max_stack": 1000, "max_pattern": 1, "finished_kept": 0, "write_retries": 0,
    "map_size": 1 * MIB, "max_readers": 0, "record_cache": 0,
}  # fmt: skip


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "notifications": ("information", "warning", "off"),
    "log_format": ("text", "json"),
    "worker_priority": ("nice", "idle"),
}


def _check(settings: Settings) -> None:
    for name, least in _AT_LEAST.items():
        if getattr(settings, name) < least:
            raise SettingError(f"setting {name}: {getattr(settings, name)} is below {least:g}")
    if settings.port > 65535:
        raise SettingError(f"setting port: {settings.port} is above 65535")
    for name, choices in _CHOICES.items():
        if getattr(settings, name) not in choices:
            raise SettingError(
                f"setting {name}: {getattr(settings, name)!r} is none of {', '.join(choices)}"
            )
    if settings.default_timeout > settings.max_timeout:
        raise SettingError(
            f"setting default_timeout: {settings.default_timeout:g}s is above max_timeout, "
            f"{settings.max_timeout:g}s"
        )
