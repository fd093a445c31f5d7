"""Clauses that write: CREATE, MERGE, SET, REMOVE, DELETE, FOREACH."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cypherd.binder import expressions as bound
from cypherd.binder.changing import is_update
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind
from cypherd.binder.patterns import bind_entries
from cypherd.binder.query import (
    BoundClause,
    BoundCreate,
    BoundDelete,
    BoundForeach,
    BoundMerge,
    BoundSet,
    Change,
    LabelsChange,
    NewNode,
    NewRelationship,
    PatternGraph,
    PatternNode,
    PatternRelationship,
    PropertiesChange,
    PropertyChange,
)
from cypherd.binder.scopes import Environment, Scope, Symbol, look_up, syntax_error
from cypherd.binder.traversal import substitute
from cypherd.binder.types import UNKNOWN, element_type, require
from cypherd.parser import ast
from cypherd.values.types import CypherType as T

ENTITIES = frozenset({T.NODE, T.RELATIONSHIP})


# --- CREATE and MERGE -------------------------------------------------------------------


@dataclass(slots=True)
class _NewGraph:
    """What a CREATE or MERGE makes. `matched` and `predicates` are for MERGE's own search."""

    environment: Environment
    scope: dict[str, Symbol]
    merge: bool
    nodes: list[NewNode] = field(default_factory=list)
    relationships: list[NewRelationship] = field(default_factory=list)
    paths: list[tuple[str, bound.PathOf]] = field(default_factory=list)
    matched_nodes: dict[str, PatternNode] = field(default_factory=dict)
    matched: list[PatternRelationship] = field(default_factory=list)
    predicates: list[BoundExpression] = field(default_factory=list)

    def here(self) -> Environment:
        """What a property map may see: all that was declared so far."""
        return replace(self.environment, scope=self.scope)


def _already_bound(name: str | None, at: int) -> Exception:
    return syntax_error("VariableAlreadyBound", f"variable `{name}` is bound already", at)


def _check_no_where(graph: _NewGraph, pattern: ast.NodePattern | ast.RelationshipPattern) -> None:
    if pattern.where is not None:
        clause = "MERGE" if graph.merge else "CREATE"
        message = f"a pattern to {clause} takes no WHERE"
        raise syntax_error("UnexpectedSyntax", message, pattern.at)


def _given_names(
    graph: _NewGraph, pattern: ast.NodePattern | ast.RelationshipPattern
) -> tuple[BoundExpression, ...]:
    """The expressions of `$(...)`. Raises UnexpectedSyntax for other forms of label expressions."""
    if pattern.matching is None:
        return ()
    matching = pattern.matching
    parts = matching.operands if isinstance(matching, ast.LabelAnd) else (matching,)
    names = []
    for part in parts:
        if not isinstance(part, ast.LabelDynamic) or part.any:
            clause = "MERGE" if graph.merge else "CREATE"
            message = f"{clause} takes the labels one by one (:A:B) and a single type"
            raise syntax_error("UnexpectedSyntax", message, part.at)
        name = bind(part.names, graph.here())
        require(name, frozenset({T.STRING, T.LIST}), "a string or a list of strings")
        names.append(name)
    return tuple(names)


def _must_have(
    graph: _NewGraph, symbol: Symbol, names: Sequence[BoundExpression]
) -> Iterator[BoundExpression]:
    """What MERGE looks for."""
    for name in names:
        variable = symbol.at(name.at)
        yield bound.HasDynamicLabels(variable, name, False, type=T.BOOLEAN, at=name.at)


def _check_is_plain(pattern: ast.PathPattern) -> None:
    if pattern.selector is not None:
        message = "what is made is no selection of paths; leave out SHORTEST, ANY or ALL"
        raise syntax_error("UnexpectedSyntax", message, pattern.selector.at)
    if pattern.where is not None:
        message = "a pattern to create takes no WHERE"
        raise syntax_error("UnexpectedSyntax", message, pattern.where.at)
    for element in pattern.elements:
        if isinstance(element, ast.PathGroup):
            message = "what is made has no quantified parts"
            raise syntax_error("UnexpectedSyntax", message, element.at)


def _add_path(graph: _NewGraph, pattern: ast.PathPattern) -> None:
    if pattern.shortest is not None:
        raise syntax_error("UnexpectedSyntax", f"{pattern.shortest} cannot be made", pattern.at)
    _check_is_plain(pattern)
    alone = len(pattern.elements) == 1
    columns = [_add_node(graph, pattern.elements[0], alone)]
    for position in range(1, len(pattern.elements), 2):
        relationship, node = pattern.elements[position : position + 2]
        end = _add_node(graph, node, False)
        columns += [_add_relationship(graph, relationship, columns[-1], end), end]
    if pattern.variable is None:
        return
    if pattern.variable in graph.scope:
        raise _already_bound(pattern.variable, pattern.at)
    symbol = graph.environment.names.declare(pattern.variable, T.PATH)
    graph.scope[pattern.variable] = symbol
    path = bound.PathOf(tuple(c.at(pattern.at) for c in columns), type=T.PATH, at=pattern.at)
    graph.paths.append((symbol.name, path))


def _properties(
    graph: _NewGraph, properties: ast.Expression | None, variable: Symbol
) -> BoundExpression | None:
    """The map to create with; for MERGE its entries are also predicates of the search."""
    if properties is None:
        return None
    environment = graph.here()
    if not graph.merge:
        value = bind(properties, environment)
        require(value, frozenset({T.MAP}) | ENTITIES, "a map")
        return value
    entries = bind_entries(properties, environment)
    for key, value in entries:
        held = bound.Property(variable.at(value.at), key, at=value.at)
        graph.predicates.append(bound.Call("=", (held, value), type=T.BOOLEAN, at=value.at))
    keys, values = tuple(k for k, _ in entries), tuple(v for _, v in entries)
    return bound.MapOf(keys, values, type=T.MAP, at=properties.at)


def _add_node(graph: _NewGraph, pattern: ast.Node, alone: bool) -> Symbol:
    assert isinstance(pattern, ast.NodePattern)
    _check_no_where(graph, pattern)
    given = _given_names(graph, pattern)
    name = pattern.variable
    symbol = graph.scope.get(name) if name is not None else None
    if symbol is not None:
        if alone or pattern.labels or given or pattern.properties is not None:
            raise _already_bound(name, pattern.at)
        if symbol.type is not T.NODE and symbol.type not in UNKNOWN:
            message = f"variable `{name}` is a {symbol.type.value}, not a Node"
            raise syntax_error("VariableTypeConflict", message, pattern.at)
        graph.matched_nodes.setdefault(symbol.name, PatternNode(symbol.name, ()))
        return symbol
    names = graph.environment.names
    symbol = names.anonymous("node", T.NODE) if name is None else names.declare(name, T.NODE)
    properties = _properties(graph, pattern.properties, symbol)
    if name is not None:
        graph.scope[name] = symbol
    labels = tuple(dict.fromkeys(pattern.labels))
    graph.nodes.append(NewNode(symbol.name, labels, properties, given))
    graph.predicates.extend(_must_have(graph, symbol, given))
    graph.matched_nodes[symbol.name] = PatternNode(symbol.name, labels)
    return symbol


def _check_new_relationship(graph: _NewGraph, pattern: ast.RelationshipPattern) -> None:
    _check_no_where(graph, pattern)
    clause = "MERGE" if graph.merge else "CREATE"
    if pattern.variable is not None and pattern.variable in graph.scope:
        raise _already_bound(pattern.variable, pattern.at)
    if pattern.length is not None:
        message = f"{clause} cannot make a relationship of variable length"
        raise syntax_error("CreatingVarLength", message, pattern.at)
    if len(pattern.types) + (pattern.matching is not None) != 1:
        message = f"a relationship to {clause} needs exactly one type"
        raise syntax_error("NoSingleRelationshipType", message, pattern.at)
    if pattern.direction == "both" and not graph.merge:
        message = "a relationship to CREATE needs a direction"
        raise syntax_error("RequiresDirectedRelationship", message, pattern.at)


def _add_relationship(graph: _NewGraph, pattern: ast.Node, left: Symbol, right: Symbol) -> Symbol:
    assert isinstance(pattern, ast.RelationshipPattern)
    _check_new_relationship(graph, pattern)
    given = _given_names(graph, pattern)
    names = graph.environment.names
    name = pattern.variable
    if name is None:
        symbol = names.anonymous("relationship", T.RELATIONSHIP)
    else:
        symbol = names.declare(name, T.RELATIONSHIP)
    properties = _properties(graph, pattern.properties, symbol)
    if name is not None:
        graph.scope[name] = symbol
    start, end = (right, left) if pattern.direction == "in" else (left, right)
    type_, given_type = (None, given[0]) if given else (pattern.types[0], None)
    graph.relationships.append(
        NewRelationship(symbol.name, start.name, end.name, type_, properties, given_type)
    )
    graph.predicates.extend(_must_have(graph, symbol, given))
    graph.matched.append(
        PatternRelationship(
            symbol.name,
            start.name,
            end.name,
            "both" if pattern.direction == "both" else "out",
            () if type_ is None else (type_,),
        )
    )
    return symbol


def bind_create(clause: ast.Create, environment: Environment) -> tuple[BoundCreate, Scope]:
    """CREATE. Raises VariableAlreadyBound, NoSingleRelationshipType, CreatingVarLength,
    RequiresDirectedRelationship."""
    graph = _NewGraph(environment, dict(environment.scope), merge=False)
    for pattern in clause.patterns:
        _add_path(graph, pattern)
    created = BoundCreate(tuple(graph.nodes), tuple(graph.relationships), tuple(graph.paths))
    return created, graph.scope


def bind_merge(clause: ast.Merge, environment: Environment) -> tuple[BoundMerge, Scope]:
    """MERGE: as CREATE, but directions may be open and maps must be written out."""
    graph = _NewGraph(environment, dict(environment.scope), merge=True)
    _add_path(graph, clause.pattern)
    search = PatternGraph(
        tuple(graph.matched_nodes.values()),
        tuple(graph.matched),
        (),
        tuple(graph.paths),
        tuple(graph.predicates),
    )
    inner = graph.here()
    # The path is put together behind the MERGE; here it is what it is made of.
    paths: dict[str, BoundExpression] = dict(graph.paths)
    on_create, on_match = (
        tuple(_with_paths(change, paths) for change in bind_changes(items, inner))
        for items in (clause.on_create, clause.on_match)
    )
    merged = BoundMerge(search, tuple(graph.nodes), tuple(graph.relationships), on_create, on_match)
    return merged, graph.scope


def _with_paths(change: Change, paths: dict[str, BoundExpression]) -> Change:
    if not paths:
        return change
    if isinstance(change, LabelsChange):
        return replace(change, names=tuple(substitute(name, paths) for name in change.names))
    value = substitute(change.value, paths)
    if isinstance(change, PropertyChange):
        return replace(change, entity=substitute(change.entity, paths), value=value)
    return replace(change, value=value)


# --- SET, REMOVE, DELETE ----------------------------------------------------------------


_Item: TypeAlias = ast.SetItem | ast.RemoveProperty | ast.RemoveDynamicProperty | ast.RemoveLabels


def bind_changes(items: Sequence[_Item], environment: Environment) -> tuple[Change, ...]:
    """The items of SET and REMOVE, in order."""
    return tuple(_change(item, environment) for item in items)


def _change(item: _Item, environment: Environment) -> Change:
    if isinstance(item, ast.SetProperty | ast.RemoveProperty):
        entity = bind(item.target.source, environment)
        require(entity, ENTITIES, "a node or relationship")
        if isinstance(item, ast.SetProperty):
            value = bind(item.value, environment)
        else:
            value = bound.Constant(None, type=T.NULL, at=item.at)
        return PropertyChange(entity, item.target.key, value)
    symbol = look_up(environment.scope, item.target.name, item.target.at)
    target = symbol.at(item.target.at)
    if isinstance(item, ast.SetProperties):
        require(target, ENTITIES, "a node or relationship")
        value = bind(item.value, environment)
        require(value, frozenset({T.MAP}) | ENTITIES, "a map, node or relationship")
        return PropertiesChange(symbol.name, value, item.replace)
    if isinstance(item, ast.SetDynamicProperty | ast.RemoveDynamicProperty):
        return _dynamic_property(item, symbol, environment)
    require(target, frozenset({T.NODE}), "a node")
    names = tuple(bind(name, environment) for name in item.names)
    for name in names:
        require(name, frozenset({T.STRING, T.LIST}), "a string or a list of strings")
    return LabelsChange(symbol.name, item.labels, isinstance(item, ast.RemoveLabels), names)


def _dynamic_property(
    item: ast.SetDynamicProperty | ast.RemoveDynamicProperty,
    symbol: Symbol,
    environment: Environment,
) -> PropertiesChange:
    """`n[key] = value` is `n += {key: value}`."""
    require(symbol.at(item.target.at), ENTITIES, "a node or relationship")
    key = bind(item.key, environment)
    require(key, frozenset({T.STRING}), "the name of a property as a string")
    value: BoundExpression = bound.Constant(None, type=T.NULL, at=item.at)
    if isinstance(item, ast.SetDynamicProperty):
        value = bind(item.value, environment)
    entry = bound.Call("entry", (key, value), type=T.MAP, at=key.at)
    return PropertiesChange(symbol.name, entry, False)


def bind_set(clause: ast.Set | ast.Remove, environment: Environment) -> BoundSet:
    return BoundSet(bind_changes(clause.items, environment))


def bind_delete(clause: ast.Delete, environment: Environment) -> BoundDelete:
    """DELETE. Raises InvalidDelete for labels, InvalidArgumentType for what is no entity."""
    expressions = []
    for expression in clause.expressions:
        if isinstance(expression, ast.HasLabels):
            message = "DELETE takes entities; a label is taken away by REMOVE"
            raise syntax_error("InvalidDelete", message, expression.at)
        value = bind(expression, environment)
        require(value, ENTITIES | {T.PATH}, "a node, relationship or path")
        expressions.append(value)
    return BoundDelete(tuple(expressions), clause.detach)


def bind_foreach(clause: ast.Foreach, environment: Environment) -> BoundForeach:
    """FOREACH: its variable, and what its clauses create, end with it."""
    from cypherd.binder.clauses import bind_clause

    source = bind(clause.source, environment)
    require(source, frozenset({T.LIST}), "a list")
    element = element_type(source, environment.names)
    symbol = environment.names.declare(clause.variable, element)
    inner = replace(environment, scope={**environment.scope, clause.variable: symbol})
    updates: list[BoundClause] = []
    for update in clause.updates:
        if not is_update(update):
            message = "FOREACH can only hold clauses that write"
            raise syntax_error("InvalidClauseComposition", message, update.at)
        bound_clauses, scope = bind_clause(update, inner)
        updates.extend(bound_clauses)
        inner = replace(inner, scope=scope)
    return BoundForeach(symbol.name, source, tuple(updates))
