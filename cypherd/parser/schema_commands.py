"""Grammar rules of statements and schema commands -> AST, in the new and the old forms."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.clauses import ClauseRules, check_ending
from cypherd.parser.lexer import Token
from cypherd.parser.literals import name_text
from cypherd.parser.paths import Children

Entity: TypeAlias = Literal["node", "relationship"]
Kind: TypeAlias = Literal["uniqueness", "existence", "key"]


class _Owner(NamedTuple):
    """What an index or a constraint is for: `(n:L)` or `()-[r:T]-()`."""

    variable: str
    kind: Entity
    name: str


class _PropertyReference(NamedTuple):
    variable: str
    key: str
    at: int


class _ConstraintKind(NamedTuple):
    """`only`: the kind of entity that was named, if one was."""

    kind: Kind
    only: Entity | None
    properties: tuple[_PropertyReference, ...]
    at: int


_KINDS: dict[str, tuple[Kind, Entity | None]] = {
    "UNIQUE": ("uniqueness", None),
    "NODE UNIQUE": ("uniqueness", "node"),
    "RELATIONSHIP UNIQUE": ("uniqueness", "relationship"),
    "REL UNIQUE": ("uniqueness", "relationship"),
    "KEY": ("key", None),
    "NODE KEY": ("key", "node"),
    "RELATIONSHIP KEY": ("key", "relationship"),
    "REL KEY": ("key", "relationship"),
}
"""What may stand behind IS, and the one kind of entity that it is for."""


class StatementRules(ClauseRules):
    def start(self, children: Children) -> Any:
        return children[0]

    def statement(self, children: Children) -> ast.Statement:
        mode_token, body = children
        mode: Any = None if mode_token is None else mode_token.type.lower()
        if isinstance(body, ast.Query):
            check_ending(body)
        if mode is not None and not isinstance(body, ast.Query):
            raise CypherSyntaxError(
                f"{mode_token.type} takes a query, not a schema command.",
                detail="UnexpectedSyntax",
                offset=mode_token.at,
            )
        at = body.at if mode_token is None else mode_token.at
        return ast.Statement(body, mode, at=at)

    # --- indexes ------------------------------------------------------------------------

    def create_index(self, children: Children) -> ast.CreateIndex:
        token, name, if_not_exists, path, references = children
        owner = _owner(path)
        properties = _properties(references, owner)
        return ast.CreateIndex(
            _optional_name(name),
            owner.kind,
            owner.name,
            properties,
            if_not_exists is not None,
            at=token.at,
        )

    def create_old_index(self, children: Children) -> ast.CreateIndex:
        token, label, *keys = children
        return ast.CreateIndex(None, "node", name_text(label), _names(keys), False, at=token.at)

    def drop_index(self, children: Children) -> ast.DropIndex:
        token, name, if_exists = children
        return ast.DropIndex(name_text(name), None, (), if_exists is not None, at=token.at)

    def drop_old_index(self, children: Children) -> ast.DropIndex:
        token, label, *keys = children
        return ast.DropIndex(None, name_text(label), _names(keys), False, at=token.at)

    # --- constraints --------------------------------------------------------------------

    def create_constraint(self, children: Children) -> ast.CreateConstraint:
        token, name, if_not_exists, path, constraint = children
        owner = _constrained(path, constraint)
        return ast.CreateConstraint(
            _optional_name(name),
            constraint.kind,
            owner.kind,
            owner.name,
            _properties(constraint.properties, owner),
            if_not_exists is not None,
            at=token.at,
        )

    def named_kind(self, children: Children) -> _ConstraintKind:
        """`IS UNIQUE`, `IS NODE KEY` and their like."""
        properties, *words = children
        kind = _KINDS.get(" ".join(word.text.upper() for word in words))
        if kind is None:
            raise CypherSyntaxError(
                f"A constraint that a property IS {words[0].text.upper()} is not known.",
                detail="UnexpectedSyntax",
                offset=words[0].at,
                expected=("NODE KEY", "NOT NULL", "RELATIONSHIP KEY", "UNIQUE"),
            )
        return _ConstraintKind(*kind, properties, words[0].at)

    def required(self, children: Children) -> _ConstraintKind:
        properties = children[0]
        if len(properties) > 1:
            raise CypherSyntaxError(
                "An existence constraint is for one property.",
                detail="UnexpectedSyntax",
                offset=properties[1].at,
            )
        return _ConstraintKind("existence", None, properties, properties[0].at)

    def required_old(self, children: Children) -> _ConstraintKind:
        return _ConstraintKind("existence", None, (children[0],), children[0].at)

    def drop_constraint(self, children: Children) -> ast.DropConstraint:
        token, name, if_exists = children
        return ast.DropConstraint(
            name_text(name), None, None, None, (), if_exists is not None, at=token.at
        )

    def drop_old_constraint(self, children: Children) -> ast.DropConstraint:
        token, path, constraint = children
        owner = _constrained(path, constraint)
        properties = _properties(constraint.properties, owner)
        return ast.DropConstraint(
            None, constraint.kind, owner.kind, owner.name, properties, False, at=token.at
        )

    # --- parts --------------------------------------------------------------------------

    def property_list(self, children: Children) -> tuple[_PropertyReference, ...]:
        return tuple(children)

    def property_reference(self, children: Children) -> _PropertyReference:
        variable, key = children
        return _PropertyReference(name_text(variable), name_text(key), variable.at)

    def if_not_exists(self, _: Children) -> bool:
        return True

    def if_exists(self, _: Children) -> bool:
        return True

    # --- what can be shown --------------------------------------------------------------

    def show_all(self, children: Children) -> ast.Query:
        token, *words, ids, where = children
        show = ast.Show(tuple(words), None, (), None, None, where, ids or (), at=token.at)
        return ast.Query(((show,),), at=token.at)

    def show_some(self, children: Children) -> ast.Query:
        *shown, returned = children
        return _in_a_row(_show(shown), returned)

    def show_and_terminate(self, children: Children) -> ast.Query:
        *shown, terminate, returned = children
        return _in_a_row(_show(shown), terminate, returned)

    def show_ids(self, children: Children) -> tuple[ast.Expression, ...]:
        return tuple(children)

    # --- what can be ended --------------------------------------------------------------

    def terminate(self, children: Children) -> ast.Query:
        return _in_a_row(*children)

    def terminate_all(self, children: Children) -> ast.Terminate:
        token, noun, *ids = children
        _check_transactions(noun)
        return ast.Terminate(tuple(ids), None, (), None, None, None, at=token.at)

    def terminate_some(self, children: Children) -> ast.Terminate:
        token, noun, *ids, yields, order, skip, limit, where = children
        _check_transactions(noun)
        return ast.Terminate(tuple(ids), yields, order or (), skip, limit, where, at=token.at)

    def show_word(self, children: Children) -> str:
        return str(children[0].text).upper()


def _show(children: Children) -> ast.Show:
    token, *words, ids, yields, order, skip, limit, where = children
    return ast.Show(tuple(words), yields, order or (), skip, limit, where, ids or (), at=token.at)


def _in_a_row(*clauses: ast.Clause | None) -> ast.Query:
    there = tuple(clause for clause in clauses if clause is not None)
    return ast.Query((there,), at=there[0].at)


def _check_transactions(noun: Token) -> None:
    if noun.text.upper() not in ("TRANSACTION", "TRANSACTIONS"):
        raise CypherSyntaxError(
            f"Unexpected {noun.text}; TERMINATE is for TRANSACTIONS.",
            detail="UnexpectedSyntax",
            offset=noun.at,
            expected=("TRANSACTION", "TRANSACTIONS"),
        )


def _optional_name(token: Token | None) -> str | None:
    return None if token is None else name_text(token)


def _names(tokens: list[Token]) -> tuple[str, ...]:
    return tuple(name_text(token) for token in tokens)


def _owner(path: ast.PathPattern) -> _Owner:
    """Raises CypherSyntaxError unless the pattern is `(n:L)` or `()-[r:T]-()`."""
    if path.where is not None:
        raise _no_owner(path)
    if len(path.elements) == 1:
        node = path.elements[0]
        assert isinstance(node, ast.NodePattern)
        if node.variable and len(node.labels) == 1 and _is_plain(node):
            return _Owner(node.variable, "node", node.labels[0])
    elif len(path.elements) == 3:
        start, relationship, end = path.elements
        if not isinstance(relationship, ast.RelationshipPattern):
            raise _no_owner(path)
        empty = ast.NodePattern(None, (), None)
        named = relationship.variable and len(relationship.types) == 1
        fixed = relationship.length is None and _is_plain(relationship)
        if named and fixed and start == end == empty:
            return _Owner(str(relationship.variable), "relationship", relationship.types[0])
    raise _no_owner(path)


def _no_owner(path: ast.PathPattern) -> CypherSyntaxError:
    return CypherSyntaxError(
        "An index or a constraint is for (n:Label) or ()-[r:TYPE]-().",
        detail="UnexpectedSyntax",
        offset=path.at,
    )


def _constrained(path: ast.PathPattern, constraint: _ConstraintKind) -> _Owner:
    """The owner; a NODE KEY is not for relationships."""
    owner = _owner(path)
    if constraint.only not in (None, owner.kind):
        raise CypherSyntaxError(
            f"A {str(constraint.only).upper()} constraint cannot be on a {owner.kind}.",
            detail="UnexpectedSyntax",
            offset=constraint.at,
        )
    return owner


def _is_plain(part: ast.NodePattern | ast.RelationshipPattern) -> bool:
    return part.properties is None and part.where is None and part.matching is None


def _properties(references: tuple[_PropertyReference, ...], owner: _Owner) -> tuple[str, ...]:
    """The property names; each must be of the owner's variable."""
    for reference in references:
        if reference.variable != owner.variable:
            raise CypherSyntaxError(
                f"Variable `{reference.variable}` is not defined: the properties are those "
                f"of `{owner.variable}`.",
                detail="UndefinedVariable",
                offset=reference.at,
            )
    return tuple(reference.key for reference in references)
