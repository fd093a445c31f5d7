"""Names of a plan looked up in the snapshot it runs in.

Looked up for every batch, since a query that writes may make a name while it runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from cypherd.batch.columns import EntityKind
from cypherd.storage.protocols import IndexDescriptor, Schema


def type_tokens(schema: Schema, types: Sequence[str]) -> list[int] | None:
    """Ids of relationship types: None for "any" (no names), an empty list if none exists."""
    if not types:
        return None
    found = (schema.type_id(name) for name in dict.fromkeys(types))
    return [token for token in found if token is not None]


def find_index(
    schema: Schema, kind: EntityKind, owner: str, properties: Sequence[str]
) -> IndexDescriptor | None:
    """The index on exactly these properties, in this order."""
    token = schema.label_id(owner) if kind == "node" else schema.type_id(owner)
    if token is None:
        return None
    keys = tuple(schema.property_id(name) for name in properties)
    for index in schema.indexes:
        if index.owner == token and index.kind == kind and index.properties == keys:
            return index
    return None
