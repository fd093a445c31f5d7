"""Keys of all spaces, and how the fields of a column become keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cypherd.errors import ImportFailed
from cypherd.importer.columns import Space
from cypherd.importer.conversion import convert_column, converter
from cypherd.importer.keys import KeyMap, Keys

_INTEGER = converter("INTEGER")


@dataclass(slots=True)
class Spaces:
    _maps: dict[Space, KeyMap] = field(default_factory=dict)

    def of(self, space: Space, *, integers: bool) -> KeyMap:
        """The space's keys; it is made if need be."""
        if space not in self._maps:
            self._maps[space] = KeyMap(integers)
        return self._maps[space]

    def require(self, space: Space, file: str) -> KeyMap:
        """Raises ImportFailed where no node has a key in the space."""
        if space not in self._maps:
            raise ImportFailed(f"{file}: {space.without_nodes()}")
        return self._maps[space]


def keys_of(fields: Sequence[str], keys: KeyMap) -> Keys:
    """Raises ValueError where a field is no integer and the keys are."""
    if keys.integers:
        return convert_column(_INTEGER, fields)
    return fields


def key_fault(text: str, keys: KeyMap) -> str | None:
    """What is wrong with one field as a key; None if nothing."""
    if keys.integers:
        try:
            _INTEGER(text)
        except ValueError as error:
            return str(error)
    return None
