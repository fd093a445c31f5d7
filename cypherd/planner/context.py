"""What planning may look at: the schema, the counts, and what the binder found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cypherd.storage.protocols import Counts, IndexDescriptor, Schema
from cypherd.values.types import CypherType


@dataclass(frozen=True, slots=True)
class PlanContext:
    """`types`: by bound name. Labels, types and keys are given and asked for by name; a name
    that the store does not know has no entities."""

    schema: Schema
    counts: Counts
    types: Mapping[str, CypherType]

    def nodes(self, label: str | None = None) -> int:
        """How many nodes there are (with the label)."""
        if label is None:
            return self.counts.nodes()
        token = self.schema.label_id(label)
        return 0 if token is None else self.counts.nodes(token)

    def relationships(
        self, types: tuple[str, ...], *, start: str | None = None, end: str | None = None
    ) -> int:
        """How many relationships of the types (empty: any) there are, with the label at one
        of their ends."""
        label = start if end is None else end
        token = None if label is None else self.schema.label_id(label)
        if label is not None and token is None:
            return 0
        found = [self.schema.type_id(name) for name in types]
        tokens: list[int | None] = [t for t in found if t is not None] if types else [None]
        if start is not None:
            return sum(self.counts.relationships(t, start_label=token) for t in tokens)
        if end is not None:
            return sum(self.counts.relationships(t, end_label=token) for t in tokens)
        return sum(self.counts.relationships(t) for t in tokens)

    def node_indexes(self, label: str) -> list[IndexDescriptor]:
        return self._indexes("node", self.schema.label_id(label))

    def relationship_indexes(self, type_: str) -> list[IndexDescriptor]:
        return self._indexes("relationship", self.schema.type_id(type_))

    def _indexes(self, kind: str, owner: int | None) -> list[IndexDescriptor]:
        if owner is None:
            return []
        return [i for i in self.schema.indexes if i.kind == kind and i.owner == owner]

    def keys(self, index: IndexDescriptor) -> tuple[str, ...]:
        """The names of an index's properties, in order."""
        return tuple(self.schema.property_name(token) for token in index.properties)
