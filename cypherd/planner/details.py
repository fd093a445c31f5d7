"""The `details` of each operator in EXPLAIN: what it works on, in a line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cypherd.binder.expressions import BoundExpression
from cypherd.planner.formatting import show, variable
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator

_ARROWS = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}


def operator_name(operator: LogicalOperator) -> str:
    """Neo4j's name for what the operator does."""
    match operator:
        case ops.LogicalFilter():
            return "Filter"
        case ops.LogicalSemiApply(negated=True):
            return "AntiSemiApply"
        case ops.LogicalNodeCount():
            return "NodeCountFromCountStore"
        case ops.LogicalRelationshipCount():
            return "RelationshipCountFromCountStore"
        case ops.LogicalNodeIndexSeek(many=True):
            return "NodeIndexSeek"
        case ops.LogicalShortestPath(all=True):
            return "AllShortestPaths"
    return type(operator).__name__.removeprefix("Logical")


def _items(items: Iterable[tuple[str, BoundExpression]]) -> str:
    shown = []
    for name, value in items:
        text = show(value)
        shown.append(text if text == variable(name) else f"{text} as {variable(name)}")
    return ", ".join(shown)


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(variable, names))


def _keys(keys: Iterable[tuple[BoundExpression, bool]]) -> str:
    return ", ".join(f"{show(key)}{'' if ascending else ' desc'}" for key, ascending in keys)


def _types(types: tuple[str, ...]) -> str:
    return f":{'|'.join(types)}" if types else ""


def _walked(
    start: str, name: str, types: tuple[str, ...], direction: str, end: str, length: str = ""
) -> str:
    left, right = _ARROWS[direction]
    middle = f"[{variable(name)}{_types(types)}{length}]"
    return f"({variable(start)}){left}{middle}{right}({variable(end)})"


def _length(minimum: int, maximum: int | None) -> str:
    return f"*{minimum}..{'' if maximum is None else maximum}"


def _times(minimum: int, maximum: int | None) -> str:
    return f"{{{minimum},{'' if maximum is None else maximum}}}"


def details(operator: LogicalOperator) -> str:
    """One line about the operator; empty where its name says all."""
    return _access(operator) or _rows(operator) or _writes(operator)


def _access(operator: LogicalOperator) -> str:
    match operator:
        case ops.LogicalAllNodesScan(variable=name):
            return variable(name)
        case ops.LogicalNodeByLabelScan(variable=name, label=label):
            return f"{variable(name)}:{label}"
        case ops.LogicalUnionNodeByLabelsScan(variable=name, labels=labels):
            return f"{variable(name)}:{'|'.join(labels)}"
        case ops.LogicalNodeByIdSeek(variable=name, ids=ids):
            return f"id({variable(name)}) = {show(ids)}"
        case ops.LogicalNodeIndexSeek(variable=name, label=label, properties=keys):
            link = " in " if operator.many else " = "
            values = ", ".join(map(show, operator.values))
            return f"{variable(name)}:{label}({', '.join(keys)}){link}{values}"
        case ops.LogicalNodeIndexRangeSeek():
            return f"{variable(operator.variable)}:{operator.label}({_range(operator)})"
        case ops.LogicalNodeIndexPrefixSeek(variable=name, label=label, property=key):
            return f"{variable(name)}:{label}({key}) starts with {show(operator.prefix)}"
        case ops.LogicalRelationshipScan() | ops.LogicalRelationshipByIdSeek():
            of_types = operator.types if isinstance(operator, ops.LogicalRelationshipScan) else ()
            direction = "out" if operator.directed else "both"
            walked = _walked(
                operator.start, operator.relationship, of_types, direction, operator.end
            )
            if isinstance(operator, ops.LogicalRelationshipByIdSeek):
                return f"{walked} id = {show(operator.ids)}"
            return walked
        case ops.LogicalRelationshipIndexSeek(start=start, relationship=name, end=end):
            direction = "out" if operator.directed else "both"
            values = ", ".join(map(show, operator.values))
            on = ", ".join(operator.properties)
            walked = _walked(start, name, (operator.type,), direction, end)
            return f"{walked} ({on}) = {values}"
        case ops.LogicalNodeCount(variable=name, label=label):
            return f"{variable(name)}: nodes{_types((label,) if label else ())}"
        case ops.LogicalRelationshipCount(start_label=start, end_label=end, types=types):
            ends = [f"(:{label})" if label else "()" for label in (start, end)]
            return f"{variable(operator.variable)}: {ends[0]}-[{_types(types)}]->{ends[1]}"
        case ops.LogicalExpand() | ops.LogicalExpandInto():
            return _walked(
                operator.start,
                operator.relationship,
                operator.types,
                operator.direction,
                operator.end,
            )
        case ops.LogicalShortestPath(predicates=predicates) if predicates:
            where = " and ".join(show(predicate) for predicate in predicates)
            return f"{_access(replace(operator, predicates=()))} where {where}"
        case ops.LogicalVarLengthExpand(each=each) if each:
            where = " and ".join(show(predicate) for _, predicate in each)
            return f"{_access(replace(operator, each=()))} each where {where}"
        case ops.LogicalRepeat(start=start, end=end):
            part = f"(({variable(operator.inner_start)})--({variable(operator.inner_end)}))"
            repeats = _times(operator.minimum, operator.maximum)
            return f"({variable(start)}) {part}{repeats} ({variable(end)})"
        case ops.LogicalPathStep(inner_start=start, inner_end=end):
            if not operator.relationships:
                return f"({variable(start)})"
            repeats = "" if operator.single else _times(operator.minimum, operator.maximum)
            return f"(({variable(start)})--({variable(end)})){repeats}"
        case ops.LogicalSelectPaths(start=start, end=end):
            kind = " groups" if operator.groups else ""
            asked = " and ".join(map(show, operator.predicates))
            between = f"({variable(start)}) to ({variable(end)})"
            return f"{show(operator.count)}{kind} {between}{f' where {asked}' if asked else ''}"
        case ops.LogicalVarLengthExpand() | ops.LogicalShortestPath():
            return _walked(
                operator.start,
                operator.relationships,
                operator.types,
                operator.direction,
                operator.end,
                _length(operator.minimum, operator.maximum),
            )
    return ""


def _range(operator: ops.LogicalNodeIndexRangeSeek) -> str:
    low = high = ""
    if operator.low is not None:
        low = f"{show(operator.low)} <{'=' if operator.low_inclusive else ''} "
    if operator.high is not None:
        high = f" <{'=' if operator.high_inclusive else ''} {show(operator.high)}"
    return f"{low}{operator.property}{high}"


def _rows(operator: LogicalOperator) -> str:
    match operator:
        case ops.LogicalArgument(variables=names) | ops.LogicalDistinct(variables=names):
            return _names(names)
        case ops.LogicalFilter(predicate=predicate):
            return show(predicate)
        case ops.LogicalProject(items=items) | ops.LogicalExtend(items=items):
            return _items(items)
        case ops.LogicalProcedureCall(procedure=name, arguments=arguments, results=results):
            given = f" -> {_names(made for _, made in results)}" if results else ""
            return f"{name}({', '.join(map(show, arguments))}){given}"
        case ops.LogicalLoadCsv(url=url, variable=name):
            return f"{show(url)} as {variable(name)}"
        case ops.LogicalUnwind(expression=expression, variable=name):
            return f"{show(expression)} as {variable(name)}"
        case ops.LogicalEagerAggregation(keys=keys, aggregates=aggregates):
            return _items((*keys, *aggregates))
        case ops.LogicalSort(keys=order):
            return _keys(order)
        case ops.LogicalTop(keys=order, limit=limit):
            return f"{_keys(order)} limit {show(limit)}"
        case ops.LogicalSkip(count=count) | ops.LogicalLimit(count=count):
            return show(count)
        case ops.LogicalEager(reason=reason):
            return reason
        case (
            ops.LogicalOptional(variables=names)
            | ops.LogicalApply(variables=names)
            | ops.LogicalReimport(variables=names)
        ):
            return _names(names)
        case ops.LogicalTransactionApply(rows=rows, on_error=on_error):
            return f"of {show(rows)} rows, on error {on_error}"
        case ops.LogicalLetSemiApply(variable=name):
            return variable(name)
        case ops.LogicalRollUpApply(variable=name, value=value):
            return f"collect({variable(value)}) as {variable(name)}"
        case ops.LogicalFold(variable=name, accumulator=total, element=element):
            begun = f"{variable(total)} = {show(operator.initial)}"
            each = f"{variable(element)} in {show(operator.expression)}"
            return f"reduce({begun}, {each}) as {variable(name)}"
        case ops.LogicalForeach(variable=name, expression=expression):
            return f"{variable(name)} in {show(expression)}"
        case ops.LogicalValueHashJoin(left_key=left, right_key=right):
            return f"{show(left)} = {show(right)}"
        case ops.LogicalNodeHashJoin(variables=names, imports=imports):
            return f"{_names(names)} for each {_names(imports)}" if imports else _names(names)
        case ops.LogicalProduceResults(columns=columns):
            return ", ".join(name for name, _ in columns)
    return ""


def _writes(operator: LogicalOperator) -> str:
    match operator:
        case ops.LogicalCreate(nodes=nodes, relationships=relationships):
            return _made(nodes, relationships)
        case ops.LogicalMerge(nodes=nodes, relationships=relationships):
            return _made(nodes, relationships)
        case ops.LogicalSet(items=items):
            return ", ".join(map(_set_item, items))
        case ops.LogicalDelete(expressions=expressions, detach=detach):
            shown = ", ".join(map(show, expressions))
            return f"detach {shown}" if detach else shown
        case ops.LogicalSchemaCommand(command=command):
            return command
        case ops.LogicalShow(what=what, kinds=kinds, columns=columns, ids=ids):
            chosen = "" if kinds is None else f" of type {' or '.join(map(str, kinds))}"
            chosen += f" {', '.join(map(show, ids))}" if ids else ""
            return f"{what}{chosen}: {', '.join(variable(name) for _, name in columns)}"
    return ""


def _made(
    nodes: tuple[ops.CreateNode, ...], relationships: tuple[ops.CreateRelationship, ...]
) -> str:
    shown = [
        f"({variable(node.variable)}{''.join(f':{label}' for label in node.labels)}"
        f"{''.join(f':$({show(name)})' for name in node.names)}"
        f"{_map(node.properties)})"
        for node in nodes
    ]
    shown += [
        f"({variable(made.start)})-[{variable(made.variable)}:"
        f"{made.type if made.name is None else f'$({show(made.name)})'}"
        f"{_map(made.properties)}]->({variable(made.end)})"
        for made in relationships
    ]
    return ", ".join(shown)


def _map(properties: BoundExpression | None) -> str:
    return "" if properties is None else f" {show(properties)}"


def _set_item(item: ops.SetItem) -> str:
    if isinstance(item, ops.SetPropertyItem):
        return f"{show(item.entity)}.{item.key} = {show(item.value)}"
    if isinstance(item, ops.SetPropertiesItem):
        return f"{variable(item.variable)} {'=' if item.replace else '+='} {show(item.value)}"
    labels = "".join(f":{label}" for label in item.labels)
    if isinstance(item, ops.RemoveLabelsItem):
        return f"remove {variable(item.variable)}{labels}"
    return f"{variable(item.variable)}{labels}"
