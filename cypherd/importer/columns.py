"""What to do with each column of a file: from its header line, or from the manifest.

    name:ID(Space)  :ID  :LABEL  :START_ID(Space)  :END_ID(Space)  :TYPE  :IGNORE
    name  name:int  name:string[]  name:datetime

A key is found in a *space*: the nodes of `:ID(Space)`, or those with a label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cypherd.errors import ImportFailed
from cypherd.importer.conversion import Convert, converter, header_converter

KEY, START, END = "id", "startId", "endId"
SECOND_LABEL = "STRING (second node label)"

_MARKED = re.compile(
    r"(.*?):(ID|LABEL|START_ID|END_ID|TYPE|IGNORE)(?:\((.*)\))?(\{.*\})?", re.DOTALL
)
_OPTIONS = re.compile(r"\{.*\}$", re.DOTALL)
_ID_TYPE = re.compile(r"id-type\s*:\s*\"?(\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Space:
    """Where keys are looked for: among nodes with `label`, or in the space `name` of a header."""

    name: str
    label: bool = False

    def missing(self, key: str) -> str:
        if self.label:
            return f"there is no {self.name} with {KEY} {key}"
        return f"there is no node with the id {key}{self._within()}"

    def several(self, key: str) -> str:
        return f"there are several {self.name} with {KEY} {key}"

    def twice(self, key: str) -> str:
        if self.label:
            return f"{KEY} {key} of {self.name} is there already"
        return f"the id {key} is there already{self._within()}"

    def without_nodes(self) -> str:
        if self.label:
            return f"no node file has keys of the label {self.name}"
        return f"no node file has ids{self._within()}"

    def _within(self) -> str:
        return f" in the space {self.name}" if self.name else ""


@dataclass(frozen=True, slots=True)
class Key:
    """A column of keys. `integers` matters where nodes have them: ends are read as these are."""

    position: int
    space: Space
    integers: bool = False


@dataclass(frozen=True, slots=True)
class Property:
    position: int
    name: str
    convert: Convert


@dataclass(slots=True)
class Columns:
    """The columns of one file, by what they are for."""

    width: int
    ids: list[Key] = field(default_factory=list)
    starts: list[Key] = field(default_factory=list)
    ends: list[Key] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    types: list[int] = field(default_factory=list)
    label_delimiter: str = ""
    """What stands between several labels of a field; empty where a field is one label."""
    properties: list[Property] = field(default_factory=list)
    id_property: str = ""
    """The property that the key is, too; empty if it is none."""

    def require_one(self, file: str, keys: Sequence[Key], what: str) -> Key:
        """Raises ImportFailed unless there is exactly one."""
        if len(keys) != 1:
            found = "no column" if not keys else f"{len(keys)} columns"
            raise ImportFailed(f"{file}:1: the header has {found} {what}")
        return keys[0]


def is_marked(names: Sequence[str]) -> bool:
    """Whether a header says itself what its columns are."""
    return any(_MARKED.fullmatch(name.strip()) for name in names)


def from_header(
    file: str, names: Sequence[str], array_delimiter: str, *, integer_ids: bool = False
) -> Columns:
    """`integer_ids`: what keys are where the header does not say it. Raises ImportFailed where
    the header is not understood."""
    columns = Columns(len(names), label_delimiter=array_delimiter)
    seen: set[str] = set()
    for position, whole in enumerate(map(str.strip, names)):
        match = _MARKED.fullmatch(whole)
        if match is not None:
            _mark(columns, position, match, integer_ids)
        else:
            columns.properties.append(_property(file, position, whole, array_delimiter))
        if (match is None or match[2] == "ID") and whole in seen:
            raise ImportFailed(f"{file}:1: the header repeats {whole!r}")
        seen.add(whole)
    return columns


def _mark(columns: Columns, position: int, match: re.Match[str], integer_ids: bool) -> None:
    name, role, space, options = match[1], match[2], match[3] or "", match[4] or ""
    if role in ("ID", "START_ID", "END_ID"):
        kind = _ID_TYPE.search(options)
        integers = kind[1].lower() != "string" if kind is not None else integer_ids
        key = Key(position, Space(space), integers)
        {"ID": columns.ids, "START_ID": columns.starts, "END_ID": columns.ends}[role].append(key)
        if role == "ID" and name:
            columns.id_property = name
            convert = converter("INTEGER" if integers else "STRING")
            columns.properties.append(Property(position, name, convert))
    elif role == "LABEL":
        columns.labels.append(position)
    elif role == "TYPE":
        columns.types.append(position)


def _property(file: str, position: int, whole: str, array_delimiter: str) -> Property:
    options = _OPTIONS.search(whole)
    name, colon, kind = _OPTIONS.sub("", whole).rpartition(":")
    if not colon:
        name, kind = kind, "string"
    if not name:
        raise ImportFailed(f"{file}:1: column {position + 1} of the header has no name")
    try:
        convert = header_converter(kind, array_delimiter, options[0] if options else "")
    except ValueError as error:
        raise ImportFailed(f"{file}:1: column {whole!r}: {error}") from error
    if convert is None:
        raise ImportFailed(f"{file}:1: column {whole!r}: there is no type {kind!r}")
    return Property(position, name, convert)


def from_manifest(
    file: str,
    names: list[str],
    types: Mapping[str, str],
    keys: Mapping[str, Space],
    *,
    key_is_property: bool,
) -> Columns:
    """`keys`: the columns that keys stand in. Raises ImportFailed where names, types and keys do
    not fit each other."""
    repeated = [name for name in names if names.count(name) > 1]
    missing = [name for name in (*keys, *types) if name not in names]
    if repeated or missing or "" in names:
        what = f"has no column {missing[0]}" if missing else "repeats or leaves out a name"
        raise ImportFailed(f"{file}:1: the header {what}")
    columns = Columns(len(names))
    for position, name in enumerate(names):
        kind = types.get(name, "STRING")
        if kind == SECOND_LABEL:
            columns.labels.append(position)
            continue
        if name in keys:
            key = Key(position, keys[name], kind == "INTEGER")
            {KEY: columns.ids, START: columns.starts, END: columns.ends}[name].append(key)
        if name not in keys or key_is_property:
            columns.properties.append(Property(position, name, _converter(file, kind)))
    columns.id_property = KEY if key_is_property and KEY in keys else ""
    return columns


def plain(file: str, names: list[str], array_delimiter: str, keys: Mapping[str, Space]) -> Columns:
    """For a file that only its name and the names `id`, `startId` and `endId` describe; the
    header may give types. Raises ImportFailed."""
    columns = from_header(file, names, array_delimiter)
    lists = {KEY: columns.ids, START: columns.starts, END: columns.ends}
    for name, space in keys.items():
        found = [item for item in columns.properties if item.name == name]
        if len(found) != 1:
            raise ImportFailed(f"{file}:1: the header has no column {name}")
        integers = found[0].convert is converter("INTEGER")
        lists[name].append(Key(found[0].position, space, integers))
        if name == KEY:
            columns.id_property = KEY
        else:
            columns.properties.remove(found[0])
    return columns


def _converter(file: str, kind: str) -> Convert:
    try:
        return converter(kind)
    except ValueError as error:
        raise ImportFailed(f"{file}: {error}") from error
