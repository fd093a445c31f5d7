"""The layers of STYLE.md: what may import what, where async may stand, who knows LMDB."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "cypherd"
ASYNC_PACKAGES = {"server", "queries", "processes"}


def _modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def _package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def test_import_contracts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == 0


def test_every_part_of_the_package_stands_in_the_layer_contract() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    (layers,) = [c["layers"] for c in contracts if c["type"] == "layers"]
    listed = {name.strip() for layer in layers for name in layer.split("|")}
    there = {f"cypherd.{_package_of(p)}" for p in _modules()} - {"cypherd.__init__"}
    assert there <= listed


def test_only_the_outer_packages_are_async() -> None:
    asynchronous = {
        str(path.relative_to(ROOT))
        for path in _modules()
        if _package_of(path) not in ASYNC_PACKAGES
        for node in ast.walk(_parsed(path))
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith)
    }
    assert asynchronous == set()


def test_only_the_lmdb_store_imports_lmdb() -> None:
    importers = {
        str(path.relative_to(ROOT))
        for path in _modules()
        if PACKAGE / "storage" / "lmdb" not in path.parents
        and "lmdb" in set(_imports(_parsed(path)))
    }
    assert importers == set()


def test_imports_are_absolute() -> None:
    relative = {
        str(path.relative_to(ROOT))
        for path in _modules()
        for node in ast.walk(_parsed(path))
        if isinstance(node, ast.ImportFrom) and node.level
    }
    assert relative == set()
