"""A batch of a bulk load in one writing transaction.

Nodes come before relationships. One question a label finds which of the keys are there; what is
not is created. If the store refuses what several records do together, they are halved until it is
clear which one it was: that one is left out and told of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.errors import CypherdError, QueryStopped, StorageFull
from cypherd.executor.context import Guard
from cypherd.queries.load_reading import read_batch
from cypherd.queries.load_records import (
    BadRecord,
    LoadBatch,
    LoadOptions,
    NodeRecord,
    RelationshipRecord,
)
from cypherd.storage.protocols import IndexDescriptor, WriteTransaction

_PIECE = 8192


@dataclass(slots=True)
class Outcome:
    """What a batch came to."""

    counts: Counter[str] = field(default_factory=Counter)
    errors: list[BadRecord] = field(default_factory=list)


def load(transaction: WriteTransaction, batch: LoadBatch, guard: Guard) -> dict[str, Any]:
    """Apply a batch and note in the store how far the load has got: its totals, with the errors
    of this batch. Raises what stops the whole batch: QueryStopped, StorageFull."""
    nodes, relationships, errors = read_batch(batch)
    outcome = Outcome(errors=errors)
    guard.check()
    _add_indexes(transaction, nodes, relationships, batch.options, outcome.counts)
    guard.check()
    for start in range(0, len(nodes), _PIECE):
        _apply(transaction, nodes[start : start + _PIECE], (), batch.options, outcome)
        guard.check()
    for start in range(0, len(relationships), _PIECE):
        piece = relationships[start : start + _PIECE]
        _apply(transaction, (), piece, batch.options, outcome)
        guard.check()
    totals = Counter(transaction.load_state(batch.id) or {})
    totals.update(outcome.counts)
    totals["errors"] += len(outcome.errors)
    totals["records"] = batch.first - 1 + batch.count
    totals["finished"] = int(batch.last)
    transaction.record_load(batch.id, dict(totals))
    return {**totals, "bad": sorted(outcome.errors)}


def _apply(
    transaction: WriteTransaction,
    nodes: Sequence[NodeRecord],
    relationships: Sequence[RelationshipRecord],
    options: LoadOptions,
    outcome: Outcome,
) -> None:
    """In a transaction of its own; halved where it fails."""
    child = transaction.child()
    counts: Counter[str] = Counter()
    errors: list[BadRecord] = []
    try:
        _Piece(child, options, counts, errors).write(nodes, relationships)
        child.end_statement()
        child.commit()
    except (QueryStopped, StorageFull):
        child.abort()
        raise
    except CypherdError as error:
        child.abort()
        records: Sequence[NodeRecord | RelationshipRecord] = nodes or relationships
        if len(records) == 1:
            outcome.errors.append(BadRecord(records[0].number, error.message))
            return
        middle = len(records) // 2
        _apply(transaction, nodes[:middle], relationships[:middle], options, outcome)
        _apply(transaction, nodes[middle:], relationships[middle:], options, outcome)
        return
    except BaseException:
        child.abort()
        raise
    outcome.counts.update(counts)
    outcome.errors.extend(errors)


def _add_indexes(
    transaction: WriteTransaction,
    nodes: Sequence[NodeRecord],
    relationships: Sequence[RelationshipRecord],
    options: LoadOptions,
    counts: Counter[str],
) -> None:
    """Keys are looked up in indexes: those that are not there are made."""
    labels = dict.fromkeys(node.labels[0] for node in nodes if node.key is not None)
    for record in relationships:
        labels[record.start[0]] = labels[record.end[0]] = None
    for label in labels:
        if _index(transaction, label, options) is None:
            owner = transaction.label_token(label)
            key = transaction.property_token(options.key_of(label))
            transaction.create_index(None, "node", owner, [key])
            counts["indexes_added"] += 1


def _index(
    transaction: WriteTransaction, label: str, options: LoadOptions
) -> IndexDescriptor | None:
    schema = transaction.schema
    owner, key = schema.label_id(label), schema.property_id(options.key_of(label))
    for index in schema.indexes:
        if (index.kind, index.owner, index.properties) == ("node", owner, (key,)):
            return index
    return None


Ends = tuple[Sequence[RelationshipRecord], IntArray, IntArray]
"""Relationships, the nodes where they start and where they end."""


class _Piece:
    """Records of a batch, written together."""

    def __init__(
        self,
        transaction: WriteTransaction,
        options: LoadOptions,
        counts: Counter[str],
        errors: list[BadRecord],
    ) -> None:
        self._transaction = transaction
        self._options = options
        self._counts = counts
        self._errors = errors
        self._tokens: dict[str, int] = {}

    def write(
        self, nodes: Sequence[NodeRecord], relationships: Sequence[RelationshipRecord]
    ) -> None:
        if nodes:
            self._write_nodes(nodes)
        if relationships:
            self._write_relationships(relationships)

    def _find(self, wanted: Mapping[str, dict[Any, None]]) -> dict[tuple[str, Any], int]:
        """The nodes that have the keys, by label and key; of several the oldest."""
        found: dict[tuple[str, Any], int] = {}
        for label, keys in wanted.items():
            firsts = self._transaction.index_firsts(self._index(label), list(keys))
            found.update([((label, key), node) for key, node in firsts.items()])
        return found

    def _index(self, label: str) -> IndexDescriptor:
        index = _index(self._transaction, label, self._options)
        assert index is not None, "it was made before"
        return index

    def _stored(self, properties: Mapping[str, Any]) -> dict[int, Any]:
        tokens = self._tokens
        try:
            return {tokens[name]: value for name, value in properties.items()}
        except KeyError:
            for name in properties:
                tokens[name] = self._transaction.property_token(name)
            return self._stored(properties)

    def _write_nodes(self, nodes: Sequence[NodeRecord]) -> None:
        wanted: dict[str, dict[Any, None]] = {}
        for node in nodes:
            if node.key is not None:
                wanted.setdefault(node.labels[0], {})[node.key] = None
        there = self._find(wanted)
        new: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        made: dict[tuple[str, Any], int] = {}
        for node in nodes:
            name = (node.labels[0], node.key) if node.key is not None else None
            if name is not None and (name in there or name in made):
                if self._options.existing == "update":
                    if name in there:
                        self._update(there[name], node)
                    else:
                        labels, properties = new[made[name]]
                        merged = tuple(dict.fromkeys((*labels, *node.labels)))
                        new[made[name]] = (merged, {**properties, **node.properties})
                    self._counts["nodes_updated"] += 1
                elif self._options.existing == "skip":
                    self._counts["nodes_skipped"] += 1
                else:
                    message = f"there is a node {node.labels[0]} with the key {node.key!r} already"
                    self._errors.append(BadRecord(node.number, message))
                continue
            if name is not None:
                made[name] = len(new)
            new.append((node.labels, node.properties))
        self._create(new)

    def _create(self, nodes: Sequence[tuple[tuple[str, ...], Mapping[str, Any]]]) -> list[int]:
        if not nodes:
            return []
        token = self._transaction.label_token
        tokens = {row: tuple(map(token, row)) for row in {labels for labels, _ in nodes}}
        ids = self._transaction.create_nodes(
            [tokens[labels] for labels, _ in nodes],
            [self._stored(properties) for _, properties in nodes],
            as_stored=True,
        )
        self._counts["nodes_created"] += len(nodes)
        made: list[int] = ids.tolist()
        return made

    def _update(self, id: int, node: NodeRecord) -> None:
        ids = np.array([id], dtype=np.int64)
        if node.properties:
            self._transaction.set_node_properties(ids, [self._stored(node.properties)])
        if len(node.labels) > 1:
            tokens = [self._transaction.label_token(label) for label in node.labels]
            self._transaction.add_labels(ids, tokens)

    def _write_relationships(self, relationships: Sequence[RelationshipRecord]) -> None:
        kept, starts, ends = self._integer_ends(relationships) or self._any_ends(relationships)
        if not kept:
            return
        token = self._transaction.type_token
        types = {name: token(name) for name in dict.fromkeys(record.type for record in kept)}
        self._transaction.create_relationships(
            [types[record.type] for record in kept],
            starts,
            ends,
            [self._stored(record.properties) for record in kept],
            as_stored=True,
        )
        self._counts["relationships_created"] += len(kept)

    def _integer_ends(self, relationships: Sequence[RelationshipRecord]) -> Ends | None:
        """By arrays, where all keys are integers. None: not so, or nodes that are to be there
        are not."""
        ends = [record.start for record in relationships]
        ends += [record.end for record in relationships]
        if {type(key) for _, key in ends} != {int}:
            return None
        keys = np.array([key for _, key in ends], dtype=np.int64)
        nodes = np.empty(len(keys), dtype=np.int64)
        labels = [label for label, _ in ends]
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        of = np.array([numbers[label] for label in labels], dtype=np.int64)
        create = self._options.missing == "create"
        for label, number in numbers.items():
            places = np.flatnonzero(of == number)
            index = self._index(label)
            wanted, rows = np.unique(keys[places], return_inverse=True)
            found = self._transaction.index_firsts_of_integers(index, wanted)
            missing = np.flatnonzero(found < 0)
            if len(missing):
                if not create:
                    return None
                found[missing] = self._create_ends([(label, k) for k in wanted[missing].tolist()])
            nodes[places] = found[rows]
        return relationships, nodes[: len(relationships)], nodes[len(relationships) :]

    def _any_ends(self, relationships: Sequence[RelationshipRecord]) -> Ends:
        wanted: dict[str, dict[Any, None]] = {}
        for record in relationships:
            for label, key in (record.start, record.end):
                wanted.setdefault(label, {})[key] = None
        ends = self._find(wanted)
        missing = [
            (label, key)
            for label, keys in wanted.items()
            for key in keys
            if (label, key) not in ends
        ]
        kept = relationships
        if self._options.missing == "create":
            ends.update(zip(missing, self._create_ends(missing), strict=True))
        elif missing:
            kept = self._with_ends(relationships, ends)
        starts = np.array([ends[record.start] for record in kept], dtype=np.int64)
        return kept, starts, np.array([ends[record.end] for record in kept], dtype=np.int64)

    def _create_ends(self, missing: Sequence[tuple[str, Any]]) -> list[int]:
        key_of = self._options.key_of
        return self._create([((label,), {key_of(label): key}) for label, key in missing])

    def _with_ends(
        self,
        relationships: Sequence[RelationshipRecord],
        ends: Mapping[tuple[str, Any], int],
    ) -> list[RelationshipRecord]:
        """Those both ends of which are there; of the others it is told."""
        kept = []
        for record in relationships:
            if record.start in ends and record.end in ends:
                kept.append(record)
            else:
                lost = record.end if record.start in ends else record.start
                message = f"there is no node {lost[0]} with the key {lost[1]!r}"
                self._errors.append(BadRecord(record.number, message))
        return kept
