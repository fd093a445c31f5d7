"""SchemaCommand: indexes and constraints made and dropped. Gives no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Mapping as Arguments
from dataclasses import dataclass
from typing import Any, TypeAlias

from cypherd.batch.columns import Batch, EntityKind
from cypherd.errors import SchemaRuleExists, SchemaRuleNotFound
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.planner.logical.operators import LogicalSchemaCommand
from cypherd.storage.protocols import (
    ConstraintDescriptor,
    IndexDescriptor,
    Schema,
    WriteTransaction,
)

Command: TypeAlias = Callable[[ExecutionContext, "Arguments[str, Any]"], None]


@dataclass(slots=True, kw_only=True)
class SchemaCommand(Operator):
    command: str
    arguments: Arguments[str, Any]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        _COMMANDS[self.command](context, self.arguments)
        yield from ()


def _create_index(context: ExecutionContext, arguments: Arguments[str, Any]) -> None:
    writer = context.writer()
    kind: EntityKind = arguments["kind"]
    owner = _owner_token(writer, kind, arguments["owner"])
    properties = tuple(map(writer.property_token, arguments["properties"]))
    name = arguments["name"]
    same = [
        index
        for index in writer.schema.indexes
        if (index.kind, index.owner, index.properties) == (kind, owner, properties)
        or (name is not None and index.name == name)
    ]
    if same and arguments["if_not_exists"]:
        return
    if same:
        raise SchemaRuleExists(f"There is an index of that name or shape: {same[0].name}")
    writer.create_index(name, kind, owner, properties)
    context.stats.indexes_added += 1


def _drop_index(context: ExecutionContext, arguments: Arguments[str, Any]) -> None:
    writer = context.writer()
    index = _named_index(writer.schema, arguments)
    if index is None:
        if arguments["if_exists"]:
            return
        raise SchemaRuleNotFound(f"There is no index {_described(arguments)}")
    owners = [rule for rule in writer.schema.constraints if rule.index_id == index.id]
    if owners:
        raise SchemaRuleExists(
            f"The index {index.name} belongs to the constraint {owners[0].name}; drop that"
        )
    writer.drop_index(index.id)
    context.stats.indexes_removed += 1


def _create_constraint(context: ExecutionContext, arguments: Arguments[str, Any]) -> None:
    writer = context.writer()
    entity: EntityKind = arguments["entity"]
    kind, name = arguments["kind"], arguments["name"]
    owner = _owner_token(writer, entity, arguments["owner"])
    properties = tuple(map(writer.property_token, arguments["properties"]))
    same = [
        rule
        for rule in writer.schema.constraints
        if (rule.kind, rule.entity, rule.owner, rule.properties)
        == (kind, entity, owner, properties)
        or (name is not None and rule.name == name)
    ]
    if same and arguments["if_not_exists"]:
        return
    if same:
        raise SchemaRuleExists(f"There is a constraint of that name or shape: {same[0].name}")
    writer.create_constraint(name, kind, entity, owner, properties)
    context.stats.constraints_added += 1


def _drop_constraint(context: ExecutionContext, arguments: Arguments[str, Any]) -> None:
    writer = context.writer()
    rule = _named_constraint(writer.schema, arguments)
    if rule is None:
        if arguments["if_exists"]:
            return
        raise SchemaRuleNotFound(f"There is no constraint {_described(arguments)}")
    writer.drop_constraint(rule.id)
    context.stats.constraints_removed += 1


def _owner_token(writer: WriteTransaction, kind: EntityKind, owner: str) -> int:
    return writer.label_token(owner) if kind == "node" else writer.type_token(owner)


def _named_index(schema: Schema, arguments: Arguments[str, Any]) -> IndexDescriptor | None:
    for index in schema.indexes:
        if _is_meant(schema, index.name, (index.kind, index.owner, index.properties), arguments):
            return index
    return None


def _named_constraint(
    schema: Schema, arguments: Arguments[str, Any]
) -> ConstraintDescriptor | None:
    for rule in schema.constraints:
        if arguments["kind"] not in (None, rule.kind):
            continue
        if _is_meant(schema, rule.name, (rule.entity, rule.owner, rule.properties), arguments):
            return rule
    return None


def _is_meant(
    schema: Schema,
    name: str,
    shape: tuple[EntityKind, int, tuple[int, ...]],
    arguments: Arguments[str, Any],
) -> bool:
    """By name, or by the old form's label (or type) and properties; DROP INDEX ON is for nodes."""
    if arguments["name"] is not None:
        return bool(arguments["name"] == name)
    kind, owner, properties = shape
    if kind != arguments.get("entity", "node"):
        return False
    owner_name = schema.label_name(owner) if kind == "node" else schema.type_name(owner)
    names = tuple(map(schema.property_name, properties))
    return owner_name == arguments["owner"] and names == tuple(arguments["properties"])


def _described(arguments: Arguments[str, Any]) -> str:
    if arguments["name"] is not None:
        return str(arguments["name"])
    return f"on :{arguments['owner']}({', '.join(arguments['properties'])})"


_COMMANDS: dict[str, Command] = {
    "create index": _create_index,
    "drop index": _drop_index,
    "create constraint": _create_constraint,
    "drop constraint": _drop_constraint,
}


def map_schema_command(plan: LogicalSchemaCommand, number: int, mapping: Mapping) -> Operator:
    return SchemaCommand(number=number, command=plan.command, arguments=dict(plan.arguments))
