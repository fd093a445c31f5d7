"""What the files of a folder are: from its manifest.json, or from their names.

    nodes/Person.csv                   nodes with the label Person
    rels/Person_WORK_AT_Company.csv    relationships, `startId` and `endId` being keys of nodes

The manifest is a list of entries: `file`, `types` (of columns), `rows` (if known), and `labels`
or `startLabel`, `type`, `endLabel`. Without one, every column is a string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cypherd.errors import ImportFailed

MANIFEST = "manifest.json"
_RELATIONSHIP_FOLDERS = ("rels", "relationships")
_RELATIONSHIP_NAME = re.compile(r"([A-Za-z][A-Za-z0-9]*)_(.+)_([A-Za-z][A-Za-z0-9]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFile:
    file: str
    labels: tuple[str, ...]
    types: Mapping[str, str]
    rows: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipFile:
    file: str
    type: str
    start_label: str
    end_label: str
    types: Mapping[str, str]
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """Nodes come first, whatever the order of the entries: relationships refer to them."""

    nodes: tuple[NodeFile, ...]
    relationships: tuple[RelationshipFile, ...]


def read_manifest(folder: Path) -> Manifest:
    """Raises ImportFailed where the folder or its manifest is not as described."""
    if not folder.is_dir():
        raise ImportFailed(f"there is no folder {folder}")
    path = folder / MANIFEST
    manifest = _from_file(path) if path.exists() else _from_names(folder)
    files = [entry.file for entry in manifest.nodes]
    for file in files + [entry.file for entry in manifest.relationships]:
        if not (folder / file).is_file():
            raise ImportFailed(f"{path}: there is no file {file}")
    return manifest


def _from_file(path: Path) -> Manifest:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ImportFailed(f"cannot read {path}: {error}") from error
    if not isinstance(entries, list):
        raise ImportFailed(f"{path}: expected a list of entries, one a file")
    nodes: list[NodeFile] = []
    relationships: list[RelationshipFile] = []
    for number, entry in enumerate(entries, 1):
        found = _entry(entry, f"{path}: entry {number}")
        if isinstance(found, NodeFile):
            nodes.append(found)
        else:
            relationships.append(found)
    return Manifest(tuple(nodes), tuple(relationships))


def _entry(entry: Any, where: str) -> NodeFile | RelationshipFile:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise ImportFailed(f"{where}: expected an object with a `file`")
    types, rows = entry.get("types", {}), entry.get("rows")
    if not isinstance(types, dict) or not all(isinstance(kind, str) for kind in types.values()):
        raise ImportFailed(f"{where}: `types` must map columns to types")
    if rows is not None and not isinstance(rows, int):
        raise ImportFailed(f"{where}: `rows` must be a number")
    labels = entry.get("labels")
    if isinstance(labels, list) and labels and all(isinstance(label, str) for label in labels):
        return NodeFile(file=entry["file"], labels=tuple(labels), types=types, rows=rows)
    ends = [str(entry.get(part) or "") for part in ("type", "startLabel", "endLabel")]
    if not all(ends):
        raise ImportFailed(f"{where}: expected `labels`, or `startLabel`, `type` and `endLabel`")
    type_, start, end = ends
    return RelationshipFile(
        file=entry["file"], type=type_, start_label=start, end_label=end, types=types, rows=rows
    )


def _from_names(folder: Path) -> Manifest:
    nodes = tuple(
        NodeFile(file=f"nodes/{path.name}", labels=(path.stem,), types={})
        for path in sorted(folder.glob("nodes/*.csv"))
    )
    relationships = tuple(
        _relationship_file(f"{name}/{path.name}", path.stem)
        for name in _RELATIONSHIP_FOLDERS
        for path in sorted(folder.glob(f"{name}/*.csv"))
    )
    if not nodes:
        raise ImportFailed(f"{folder} has neither a {MANIFEST} nor any nodes/*.csv")
    return Manifest(nodes, relationships)


def _relationship_file(file: str, name: str) -> RelationshipFile:
    match = _RELATIONSHIP_NAME.fullmatch(name)
    if match is None:
        raise ImportFailed(f"{file}: expected a name such as Person_KNOWS_Person.csv")
    start, type_, end = match.groups()
    return RelationshipFile(file=file, type=type_, start_label=start, end_label=end, types={})
