"""What the files of a folder are: from its manifest.json, their headers, or their names.

The manifest is a list of entries: `file`, `types` (of columns), `rows` (if known), and `labels`
or `startLabel`, `type`, `endLabel`. A file whose header says what its columns are (`:ID`,
`:START_ID`) needs no more than `labels` or `type`, and no entry where its name is enough:

    Person.csv                   nodes with the label Person
    Person_WORK_AT_Company.csv   relationships, `startId` and `endId` being keys of nodes
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cypherd.errors import ImportFailed
from cypherd.importer.columns import (
    END,
    KEY,
    START,
    Columns,
    Space,
    from_manifest,
    is_marked,
    plain,
)
from cypherd.importer.groups import (
    Groups,
    ImportOptions,
    NodeGroup,
    RelationshipGroup,
    marked_layout,
)
from cypherd.importer.problems import Problems
from cypherd.importer.reading import CsvFile, Table

MANIFEST = "manifest.json"
_NODE_FOLDER = "nodes"
_RELATIONSHIP_FOLDERS = ("rels", "relationships")
_ENDINGS = (".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zip")
_RELATIONSHIP_NAME = re.compile(r"([A-Za-z][A-Za-z0-9]*)_(.+)_([A-Za-z][A-Za-z0-9]*)")


def groups_of_folder(folder: Path, options: ImportOptions) -> Groups:
    """Raises ImportFailed where the folder, its manifest or a header is not as described."""
    if not folder.is_dir():
        raise ImportFailed(f"there is no folder {folder}")
    path = folder / MANIFEST
    return _from_file(folder, path) if path.exists() else _from_names(folder, options)


# --- the manifest ---


@dataclass(frozen=True, slots=True)
class _ManifestLayout:
    """Columns as the manifest types them, unless the header itself says what they are."""

    types: Mapping[str, str]
    keys: Mapping[str, Space]
    nodes: bool
    """Nodes may have no key; where they have one, it is a property too."""

    def __call__(self, file: str, names: list[str], options: ImportOptions) -> Columns:
        if is_marked(names):
            return marked_layout(file, names, options)
        if not self.nodes and not self.keys:
            raise ImportFailed(f"{file}:1: the manifest needs `startLabel` and `endLabel` for it")
        keys = self.keys
        if self.nodes and KEY not in names:
            keys = {}
        return from_manifest(file, names, self.types, keys, key_is_property=self.nodes)


def _from_file(folder: Path, path: Path) -> Groups:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ImportFailed(f"cannot read {path}: {error}") from error
    if not isinstance(entries, list):
        raise ImportFailed(f"{path}: expected a list of entries, one a file")
    nodes: list[NodeGroup] = []
    relationships: list[RelationshipGroup] = []
    for number, entry in enumerate(entries, 1):
        found = _entry(folder, entry, f"{path}: entry {number}")
        if isinstance(found, NodeGroup):
            nodes.append(found)
        else:
            relationships.append(found)
    return Groups(tuple(nodes), tuple(relationships))


def _entry(folder: Path, entry: Any, where: str) -> NodeGroup | RelationshipGroup:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise ImportFailed(f"{where}: expected an object with a `file`")
    types, rows = entry.get("types", {}), entry.get("rows")
    if not isinstance(types, dict) or not all(isinstance(kind, str) for kind in types.values()):
        raise ImportFailed(f"{where}: `types` must map columns to types")
    if rows is not None and not isinstance(rows, int):
        raise ImportFailed(f"{where}: `rows` must be a number")
    file = CsvFile(entry["file"], folder / entry["file"])
    if not file.path.is_file():
        raise ImportFailed(f"{where}: there is no file {file.name}")
    labels = entry.get("labels")
    if isinstance(labels, list) and all(isinstance(label, str) for label in labels):
        return _node_group(file, tuple(labels), types, rows)
    type_, start, end = (entry.get(part) for part in ("type", "startLabel", "endLabel"))
    named = all(isinstance(part, str) and part for part in (start, end))
    if not isinstance(type_, str) or not type_ or not (named or start is end is None):
        raise ImportFailed(f"{where}: expected `labels`, or `startLabel`, `type` and `endLabel`")
    referred = (str(start), str(end)) if named else ()
    return _relationship_group(file, type_, referred, types, rows)


def _node_group(
    file: CsvFile, labels: tuple[str, ...], types: Mapping[str, str], rows: int | None
) -> NodeGroup:
    keys = {KEY: Space(labels[0], label=True)} if labels else {}
    layout = _ManifestLayout(types, keys, nodes=True)
    return NodeGroup(files=(file,), labels=labels, layout=layout, rows=rows, by_label=True)


def _relationship_group(
    file: CsvFile,
    type_: str,
    referred: tuple[str, ...],
    types: Mapping[str, str],
    rows: int | None,
) -> RelationshipGroup:
    keys = {
        name: Space(label, label=True)
        for name, label in zip((START, END), referred, strict=bool(referred))
    }
    layout = _ManifestLayout(types, keys, nodes=False)
    return RelationshipGroup(files=(file,), type=type_, layout=layout, rows=rows, referred=referred)


# --- names and headers ---


@dataclass(frozen=True, slots=True)
class _PlainLayout:
    keys: Mapping[str, Space]

    def __call__(self, file: str, names: list[str], options: ImportOptions) -> Columns:
        if is_marked(names):
            return marked_layout(file, names, options)
        return plain(file, names, options.dialect.array_delimiter, self.keys)


def _from_names(folder: Path, options: ImportOptions) -> Groups:
    nodes: list[NodeGroup] = []
    relationships: list[RelationshipGroup] = []
    for inner in (None, _NODE_FOLDER, *_RELATIONSHIP_FOLDERS):
        place = folder / inner if inner else folder
        for path in sorted(place.glob("*")):
            stem = _stem(path)
            if stem is None or not path.is_file():
                continue
            file = CsvFile(f"{inner}/{path.name}" if inner else path.name, path)
            found = _recognised(file, stem, inner, options)
            if isinstance(found, NodeGroup):
                nodes.append(found)
            else:
                relationships.append(found)
    if not nodes:
        raise ImportFailed(
            f"{folder} has neither a {MANIFEST} nor any CSV file of nodes: one with a column :ID, "
            "or Label.csv with a column id"
        )
    return Groups(tuple(nodes), tuple(relationships))


def _stem(path: Path) -> str | None:
    """The name without its ending; None where it is not one of a CSV file."""
    for ending in _ENDINGS:
        if path.name.lower().endswith(ending):
            return path.name[: -len(ending)]
    return None


def _type_of(stem: str, folder: Path) -> str:
    """KNOWS for KNOWS.csv, and for Person_KNOWS_Person.csv beside Person.csv: a type alone, such
    as IS_PART_OF, can look like that too."""
    match = _RELATIONSHIP_NAME.fullmatch(stem)
    if match is None:
        return stem
    places = (folder, folder.parent / _NODE_FOLDER)
    stems = {_stem(path) for place in places for path in place.glob("*")}
    return match[2] if {match[1], match[3]} <= stems else stem


def _recognised(
    file: CsvFile, stem: str, inner: str | None, options: ImportOptions
) -> NodeGroup | RelationshipGroup:
    names = Table((file,), options.dialect, Problems(1, 1)).header() or []
    plain_names = {name.partition(":")[0].strip() for name in names}
    match = _RELATIONSHIP_NAME.fullmatch(stem)
    if is_marked(names):
        columns = marked_layout(file.name, names, options)
        if columns.starts or columns.ends:
            type_ = "" if columns.types else _type_of(stem, file.path.parent)
            return RelationshipGroup(files=(file,), type=type_, layout=marked_layout)
        labels = () if columns.labels else (stem,)
        return NodeGroup(files=(file,), labels=labels, layout=marked_layout)
    if inner in _RELATIONSHIP_FOLDERS or (inner is None and {START, END} <= plain_names):
        if match is None:
            raise ImportFailed(f"{file.name}: expected a name such as Person_KNOWS_Person.csv")
        ends = {START: Space(match[1], label=True), END: Space(match[3], label=True)}
        return RelationshipGroup(
            files=(file,), type=match[2], layout=_PlainLayout(ends), referred=(match[1], match[3])
        )
    if inner is None and KEY not in plain_names:
        raise ImportFailed(
            f"{file.name}: cannot tell what it holds. Nodes have a column id (or :ID), "
            "relationships startId and endId (or :START_ID and :END_ID); --nodes and "
            "--relationships say it file by file"
        )
    keys = {KEY: Space(stem, label=True)} if KEY in plain_names else {}
    return NodeGroup(files=(file,), labels=(stem,), layout=_PlainLayout(keys), by_label=True)
