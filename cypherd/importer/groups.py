"""What is loaded: groups of files with one header, and how they say what is in them.

--nodes Label1:Label2=header.csv,part1.csv.gz     files that are named one by one
manifest.json                                     a list of files, with labels and types
a folder                                          by headers, or by names and columns
"""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cypherd.errors import ImportFailed
from cypherd.importer.columns import Columns, from_header
from cypherd.importer.reading import STANDARD_INPUT, CsvFile, Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """`bad_tolerance`: bad rows that are left out before nothing at all is imported; duplicate
    nodes and relationships without ends do not count where they are to be skipped."""

    dialect: Dialect = field(default_factory=Dialect)
    integer_ids: bool = False
    skip_duplicate_nodes: bool = False
    skip_bad_relationships: bool = False
    bad_tolerance: int = 0
    max_errors: int = 20
    ignore_empty_strings: bool = False
    indexes: tuple[Rule, ...] = ()
    constraints: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """An index or constraint to be made: `Label(property, ...)`."""

    label: str
    properties: tuple[str, ...]


Layout = Callable[[str, list[str], ImportOptions], Columns]
"""From a file's name and header to its columns. Raises ImportFailed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGroup:
    """Keys are unique in the space of the header; where `by_label`, they may also be looked for
    under each label of the nodes."""

    files: tuple[CsvFile, ...]
    labels: tuple[str, ...]
    layout: Layout
    rows: int | None = None
    by_label: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipGroup:
    """`referred`: labels whose keys the ends are, where they are."""

    files: tuple[CsvFile, ...]
    type: str
    layout: Layout
    rows: int | None = None
    referred: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Groups:
    """Nodes are loaded first: relationships refer to them."""

    nodes: tuple[NodeGroup, ...]
    relationships: tuple[RelationshipGroup, ...]


def marked_layout(file: str, names: list[str], options: ImportOptions) -> Columns:
    """For files whose header says it."""
    delimiter = options.dialect.array_delimiter
    return from_header(file, names, delimiter, integer_ids=options.integer_ids)


def groups_of_files(nodes: Iterable[str], relationships: Iterable[str]) -> Groups:
    """From `[Label[:Label]...=]file[,file]...` and `[TYPE=]file[,file]...`. Raises ImportFailed
    where there is no such file."""
    return Groups(
        tuple(
            NodeGroup(
                files=files, labels=tuple(filter(None, name.split(":"))), layout=marked_layout
            )
            for name, files in map(_named_files, nodes)
        ),
        tuple(
            RelationshipGroup(files=files, type=name, layout=marked_layout)
            for name, files in map(_named_files, relationships)
        ),
    )


def _named_files(text: str) -> tuple[str, tuple[CsvFile, ...]]:
    name, equals, files = text.partition("=")
    if not equals or "/" in name or Path(text.split(",")[0]).exists():
        name, files = "", text
    found = [file for part in files.split(",") for file in _matching(part.strip())]
    if not found:
        raise ImportFailed(f"{text!r} names no file")
    return name, tuple(found)


def _matching(text: str) -> list[CsvFile]:
    if text == STANDARD_INPUT:
        return [CsvFile(text, Path(text))]
    if not text:
        return []
    paths = [text] if Path(text).is_file() else sorted(glob.glob(text))  # noqa: PTH207
    files = [CsvFile(path, Path(path)) for path in paths if Path(path).is_file()]
    if not files:
        raise ImportFailed(f"there is no file {text}")
    return files


def rule_of(text: str) -> Rule:
    """From `Label(property, ...)`. Raises ImportFailed."""
    match = re.fullmatch(r"\s*:?(.+?)\s*\((.+)\)\s*", text)
    properties = tuple(part.strip() for part in match[2].split(",")) if match else ()
    if match is None or not all(properties):
        raise ImportFailed(f"{text!r} should be like Person(name) or Person(lastName, firstName)")
    return Rule(match[1], properties)
