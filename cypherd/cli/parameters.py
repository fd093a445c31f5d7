"""Parameters of a query from the command line: `--param name=value`, `--params JSON` or a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import typer

_PLAIN_NAME = "a parameter is given as name=value"


def parameters_from(single: list[str], whole: str | None) -> dict[str, Any]:
    """`whole` is a JSON object, or the name of a file that holds one; `single` comes on top.
    Raises typer.BadParameter."""
    parameters = {} if whole is None else _whole(whole)
    for text in single:
        name, separator, value = text.partition("=")
        if not separator or not name.strip():
            raise typer.BadParameter(f"{_PLAIN_NAME}, not {text!r}")
        parameters[name.strip().removeprefix("$")] = value_of(value)
    return parameters


def value_of(text: str) -> Any:
    """The JSON value that `text` is, else the text itself: `name=Ann` needs no quotes."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text


def _whole(text: str) -> dict[str, Any]:
    source = "--params"
    if not text.lstrip().startswith("{"):
        source = text.removeprefix("@")
        try:
            text = Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise typer.BadParameter(
                f"--params is neither a JSON object nor a file that can be read: {error}"
            ) from error
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"{source} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise typer.BadParameter(f"{source} is not a JSON object")
    return value


def _refuse(name: str) -> NoReturn:
    """Python reads NaN and Infinity, JSON has neither."""
    raise ValueError(f"{name} is not JSON")
