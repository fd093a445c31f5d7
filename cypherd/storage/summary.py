"""What is in a graph, for people: labels, relationship types, their properties and counts.

Counts are exact. Which properties a label's nodes have, and which labels a type connects, is
read off a sample: a graph has no schema that would say it, and reading all of it would take long.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.storage.protocols import Expansion, ReadTransaction

_NONE: IntArray = np.zeros(0, dtype=np.int64)
# Records looked at in all, and for one label or type at most.
_SAMPLE = 4_000
_SAMPLE_EACH = 100


@dataclass(frozen=True, slots=True)
class LabelSummary:
    name: str
    count: int
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypeSummary:
    """`ends` are (start label, end label) as the sample has them, the most frequent first."""

    name: str
    count: int
    properties: tuple[str, ...]
    ends: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """An index or a constraint; `kind` is "index", "uniqueness" or "existence"."""

    name: str
    kind: str
    entity: str
    owner: str
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphSummary:
    nodes: int
    relationships: int
    labels: tuple[LabelSummary, ...]
    types: tuple[TypeSummary, ...]
    property_keys: tuple[str, ...]
    rules: tuple[RuleSummary, ...]


_Counted = TypeVar("_Counted", LabelSummary, TypeSummary)


def summarize(transaction: ReadTransaction) -> GraphSummary:
    """The summary of one snapshot; labels and types by falling count."""
    schema, counts = transaction.schema, transaction.counts
    names = [*schema.label_names(), *schema.type_names()]
    each = max(1, min(_SAMPLE_EACH, _SAMPLE // max(1, len(names))))
    labels = [_label(transaction, name, each) for name in schema.label_names()]
    samples = _relationship_samples(transaction, each)
    types = [_type(transaction, name, samples[name]) for name in schema.type_names()]
    return GraphSummary(
        nodes=counts.nodes(),
        relationships=counts.relationships(),
        labels=_by_count(labels),
        types=_by_count(types),
        property_keys=tuple(sorted(schema.property_names())),
        rules=_rules(transaction),
    )


def _by_count(found: Iterable[_Counted]) -> tuple[_Counted, ...]:
    """Those that nothing has any more are left out: their names stay in the store."""
    there = [entry for entry in found if entry.count]
    return tuple(sorted(there, key=lambda entry: (-entry.count, entry.name)))


def _label(transaction: ReadTransaction, name: str, sample: int) -> LabelSummary:
    label = transaction.schema.label_id(name)
    assert label is not None
    count = transaction.counts.nodes(label)
    ids = next(iter(transaction.scan_nodes(label, sample)), _NONE)
    keys: Counter[int] = Counter()
    for record in transaction.node_records(ids):
        if record is not None:
            keys.update(record[1].keys())
    return LabelSummary(name, count, _key_names(transaction, keys))


@dataclass(slots=True)
class _Sample:
    """Of one relationship type: how often each property and each pair of labels was seen."""

    keys: Counter[int] = field(default_factory=Counter)
    ends: Counter[tuple[str, str]] = field(default_factory=Counter)


def _type(transaction: ReadTransaction, name: str, sample: _Sample) -> TypeSummary:
    type_ = transaction.schema.type_id(name)
    assert type_ is not None
    count = transaction.counts.relationships(type_)
    ends = tuple(pair for pair, _ in sample.ends.most_common()) or _counted_ends(transaction, type_)
    return TypeSummary(name, count, _key_names(transaction, sample.keys), ends)


def _counted_ends(transaction: ReadTransaction, type_: int) -> tuple[tuple[str, str], ...]:
    """Labels at either end of a type that no sample had, by the counts: each with each."""
    schema, count = transaction.schema, transaction.counts.relationships
    labels = [(name, schema.label_id(name)) for name in schema.label_names()]
    starts = [name for name, label in labels if count(type_, start_label=label)]
    ends = [name for name, label in labels if count(type_, end_label=label)]
    return tuple(itertools.product(starts or [""], ends or [""])) if count(type_) else ()


def _relationship_samples(transaction: ReadTransaction, each: int) -> defaultdict[str, _Sample]:
    """By type: the relationships that go out from the first nodes of each label.

    A scan by type would have to read past all others to come to a rare one."""
    samples: defaultdict[str, _Sample] = defaultdict(_Sample)
    owners = [transaction.schema.label_id(name) for name in transaction.schema.label_names()]
    for label in [*owners, None]:
        nodes = next(iter(transaction.scan_nodes(label, each)), _NONE)
        found = next(iter(transaction.expand(nodes, "out", None, each * 10)), None)
        if found is not None and len(found.row):
            _add(transaction, samples, nodes[found.row], found)
    return samples


def _add(
    transaction: ReadTransaction,
    samples: defaultdict[str, _Sample],
    starts: IntArray,
    found: Expansion,
) -> None:
    labels = zip(
        _labels_of(transaction, starts), _labels_of(transaction, found.neighbour), strict=True
    )
    records = transaction.relationship_records(found.relationship)
    for record, (start_labels, end_labels) in zip(records, labels, strict=True):
        if record is None:
            continue
        sample = samples[transaction.schema.type_name(record[0])]
        sample.keys.update(record[3].keys())
        sample.ends.update((start, end) for start in start_labels for end in end_labels)


def _labels_of(transaction: ReadTransaction, nodes: IntArray) -> list[list[str]]:
    """The labels of each node; "" stands for having none."""
    name = transaction.schema.label_name
    records = transaction.node_records(nodes)
    return [[name(label) for label in record[0]] if record and record[0] else [""]
            for record in records]  # fmt: skip


def _key_names(transaction: ReadTransaction, keys: Counter[int]) -> tuple[str, ...]:
    return tuple(transaction.schema.property_name(key) for key, _ in keys.most_common())


def _rules(transaction: ReadTransaction) -> tuple[RuleSummary, ...]:
    """Constraints, and the indexes that belong to none."""
    schema = transaction.schema
    backing = {constraint.index_id for constraint in schema.constraints}
    found = [
        (constraint.name, constraint.kind, constraint.entity, constraint)
        for constraint in schema.constraints
    ] + [
        (index.name, "index", index.kind, index)
        for index in schema.indexes
        if index.id not in backing
    ]  # fmt: skip
    return tuple(
        RuleSummary(
            name,
            kind,
            entity,
            schema.label_name(rule.owner) if entity == "node" else schema.type_name(rule.owner),
            tuple(schema.property_name(key) for key in rule.properties),
        )
        for name, kind, entity, rule in sorted(found, key=lambda rule: rule[0])
    )
