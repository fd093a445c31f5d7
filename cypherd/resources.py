"""Finds grammar/ and templates/: inside the package in a wheel, beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def resource_path(name: str) -> Path:
    """The path of e.g. `grammar/cypher.lark`, or of a folder such as `templates/static`.

    Raises FileNotFoundError, naming it."""
    for base in (_PACKAGE, _PACKAGE.parent):
        path = base / name
        if path.exists():
            return path
    raise FileNotFoundError(f"{name} is neither in {_PACKAGE} nor beside it")


def resource_text(name: str) -> str:
    return resource_path(name).read_text(encoding="utf-8")
