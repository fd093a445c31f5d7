"""Grammar rules of clauses and queries -> AST. One method a rule, named as the rule."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.batching import BatchOption, error_option, expect_words, in_transactions
from cypherd.parser.expressions import ExpressionRules
from cypherd.parser.labels import listed_labels
from cypherd.parser.lexer import Token
from cypherd.parser.literals import name_text, string_value
from cypherd.parser.paths import Children, misplaced

_START_KINDS: dict[str, Literal["node", "relationship"]] = {
    "node": "node",
    "relationship": "relationship",
    "rel": "relationship",
}
_ENDING = (
    ast.Return, ast.Finish, ast.CallProcedure, ast.CallSubquery, ast.Show, ast.Terminate
)  # fmt: skip
_WRITING = (ast.Create, ast.Merge, ast.Set, ast.Remove, ast.Delete, ast.Foreach)


class ClauseRules(ExpressionRules):
    # --- queries ------------------------------------------------------------------------

    def query(self, children: Children) -> ast.Query:
        uses = tuple(use for use, _ in children[::2] if use is not None)
        parts = tuple(clauses for _, clauses in children[::2])
        return ast.Query(parts, tuple(children[1::2]), uses, at=parts[0][0].at)

    def use(self, children: Children) -> ast.Use:
        word, *names = children
        return ast.Use(".".join(map(name_text, names)), at=word.at)

    def union(self, children: Children) -> Literal["all", "distinct"]:
        return "distinct" if children[0] is None else "all"

    def single_query(self, children: Children) -> tuple[ast.Use | None, tuple[ast.Clause, ...]]:
        use, *clauses = children
        for clause, following in pairwise(clauses):
            if isinstance(clause, ast.Return | ast.Finish):
                word = type(clause).__name__.upper()
                raise _composition(f"{word} ends a query: nothing can come after it", following)
            if isinstance(clause, ast.CallProcedure) and clause.yields == "*":
                raise CypherSyntaxError(
                    "YIELD * is for a CALL that stands alone.",
                    detail="UnexpectedSyntax",
                    offset=clause.at,
                    hint="name the columns: YIELD a, b",
                )
        return use, tuple(clauses)

    # --- reading ------------------------------------------------------------------------

    def match_clause(self, children: Children) -> ast.Match:
        token, patterns, *_hints, where = children
        return ast.Match(patterns, token.type == "OPTIONAL", where, at=token.at)

    def hint(self, _: Children) -> None:
        """The planner knows its indexes."""

    def start_clause(self, children: Children) -> ast.Start:
        token, *items, where = children
        return ast.Start(tuple(items), where, at=token.at)

    def start_by_ids(self, children: Children) -> ast.StartItem:
        variable, kind, ids = children
        return ast.StartItem(
            name_text(variable), _start_kind(kind), ids, None, None, None, None, at=variable.at
        )

    def start_ids(self, children: Children) -> tuple[ast.Expression, ...] | Literal["*"]:
        return "*" if isinstance(children[0], Token) else tuple(children)

    def start_by_index(self, children: Children) -> ast.StartItem:
        """`node:person(firstName = {x})`, or with a query: `node:person('firstName:Bob')`."""
        variable, kind, index, lookup = children
        key: str | None = None
        value: ast.Expression | None = None
        if isinstance(lookup, ast.Comparison) and lookup.operators == ("=",):
            target, value = lookup.operands
            key = _lookup_key(target)
        return ast.StartItem(
            name_text(variable),
            _start_kind(kind),
            None,
            name_text(index),
            key,
            value,
            lookup if key is None else None,
            at=variable.at,
        )

    def unwind_clause(self, children: Children) -> ast.Unwind:
        token, expression, name = children
        return ast.Unwind(expression, name_text(name), at=token.at)

    def load_csv_clause(self, children: Children) -> ast.LoadCsv:
        load, csv, headers, from_, source, name, terminator_word, terminator = children
        for token, word in (
            (csv, "CSV"),
            (headers, "HEADERS"),
            (from_, "FROM"),
            (terminator_word, "FIELDTERMINATOR"),
        ):
            if token is not None and token.text.upper() != word:
                raise misplaced(token.at, f'Unexpected "{token.text}"; expected {word}')
        character = "," if terminator is None else string_value(terminator)
        if len(character) != 1 or character in '"\r\n':
            raise misplaced(terminator.at, "FIELDTERMINATOR takes one character")
        return ast.LoadCsv(source, name_text(name), headers is not None, character, at=load.at)

    def with_clause(self, children: Children) -> ast.With:
        token, projection, where = children
        return ast.With(projection, where, at=token.at)

    def return_clause(self, children: Children) -> ast.Return:
        token, projection = children
        return ast.Return(projection, at=token.at)

    def finish_clause(self, children: Children) -> ast.Finish:
        return ast.Finish(at=children[0].at)

    def projection(self, children: Children) -> ast.Projection:
        distinct, (star, items), order, skip, limit = children
        at = star.at if star is not None else items[0].at
        return ast.Projection(
            distinct is not None, star is not None, items, order or (), skip, limit, at=at
        )

    def some_items(self, children: Children) -> tuple[Token | None, tuple[Any, ...]]:
        star, *items = children
        return star, tuple(items)

    def star_only(self, children: Children) -> tuple[Token, tuple[Any, ...]]:
        return children[0], ()

    def projection_item(self, children: Children) -> ast.ProjectionItem:
        start, expression, end, alias = children
        name = None if alias is None else name_text(alias)
        return ast.ProjectionItem(expression, name, self.text[start:end], at=start)

    def order(self, children: Children) -> tuple[ast.SortItem, ...]:
        return tuple(children)

    def sort_item(self, children: Children) -> ast.SortItem:
        start, expression, direction = children
        ascending = direction is None or direction.type.startswith("ASC")
        return ast.SortItem(expression, ascending, at=start)

    # --- writing ------------------------------------------------------------------------

    def create_clause(self, children: Children) -> ast.Create:
        token, patterns = children
        return ast.Create(patterns, at=token.at)

    def merge_clause(self, children: Children) -> ast.Merge:
        token, pattern, *actions = children
        on_create = [item for kind, items in actions if kind == "CREATE" for item in items]
        on_match = [item for kind, items in actions if kind == "MATCH" for item in items]
        return ast.Merge(pattern, tuple(on_create), tuple(on_match), at=token.at)

    def merge_action(self, children: Children) -> tuple[str, tuple[ast.SetItem, ...]]:
        token, items = children
        return token.type, items

    def set_clause(self, children: Children) -> ast.Set:
        token, items = children
        return ast.Set(items, at=token.at)

    def set_items(self, children: Children) -> tuple[ast.SetItem, ...]:
        return tuple(children)

    def set_one(self, children: Children) -> ast.SetItem:
        target, value = children
        if isinstance(target, ast.Property):
            return ast.SetProperty(target, value, at=target.at)
        if isinstance(target, ast.Subscript):
            entity = _variable(target.source, "SET")
            return ast.SetDynamicProperty(entity, target.index, value, at=target.at)
        return ast.SetProperties(_variable(target, "SET"), value, True, at=target.at)

    def set_added(self, children: Children) -> ast.SetProperties:
        target, _, value = children
        return ast.SetProperties(_variable(target, "SET"), value, False, at=target.at)

    def set_labels(self, children: Children) -> ast.SetLabels:
        target, labels = children
        plain, names = listed_labels(labels, "SET", target.at)
        return ast.SetLabels(_variable(target, "SET"), plain, names, at=target.at)

    def remove_clause(self, children: Children) -> ast.Remove:
        token, *items = children
        return ast.Remove(tuple(items), at=token.at)

    def remove_item(
        self, children: Children
    ) -> ast.RemoveProperty | ast.RemoveDynamicProperty | ast.RemoveLabels:
        target, labels = children
        if labels is not None:
            plain, names = listed_labels(labels, "REMOVE", target.at)
            return ast.RemoveLabels(_variable(target, "REMOVE"), plain, names, at=target.at)
        if isinstance(target, ast.Subscript):
            entity = _variable(target.source, "REMOVE")
            return ast.RemoveDynamicProperty(entity, target.index, at=target.at)
        if isinstance(target, ast.Property):
            return ast.RemoveProperty(target, at=target.at)
        raise CypherSyntaxError(
            "REMOVE takes a property (n.name) or labels (n:Label).",
            detail="UnexpectedSyntax",
            offset=target.at,
        )

    def delete_clause(self, children: Children) -> ast.Delete:
        detach, delete, *expressions = children
        first = delete if detach is None else detach
        return ast.Delete(tuple(expressions), detach is not None, at=first.at)

    def foreach_clause(self, children: Children) -> ast.Foreach:
        token, name, source, *updates = children
        return ast.Foreach(name_text(name), source, tuple(updates), at=token.at)

    # --- procedures ---------------------------------------------------------------------

    def call_clause(self, children: Children) -> ast.CallProcedure:
        token, name, arguments, yields, where = children
        return ast.CallProcedure(name, arguments, yields, where, at=token.at)

    def procedure(self, children: Children) -> str:
        return ".".join([name_text(token) for token in children])

    def call_arguments(self, children: Children) -> tuple[ast.Expression, ...]:
        return tuple([argument for argument in children if argument is not None])

    def yield_all(self, _: Children) -> Literal["*"]:
        return "*"

    def yields(self, children: Children) -> tuple[ast.YieldItem, ...]:
        return tuple(children)

    def yield_item(self, children: Children) -> ast.YieldItem:
        name, alias = children
        text = None if alias is None else name_text(alias)
        return ast.YieldItem(name_text(name), text, at=name.at)

    # --- subqueries ---------------------------------------------------------------------

    def subquery_call(self, children: Children) -> ast.CallSubquery:
        optional, call, imports, query, transactions = children
        check_ending(query)
        first = call if optional is None else optional
        return ast.CallSubquery(query, imports, optional is not None, transactions, at=first.at)

    def in_transactions(self, children: Children) -> ast.InTransactions:
        return in_transactions(children)

    def of_rows(self, children: Children) -> BatchOption:
        word, number, rows = children
        expect_words((word,), ("OF",))
        if rows.text.upper() != "ROW":
            expect_words((rows,), ("ROWS",))
        if isinstance(number, Token):
            number = self.integer_literal([number])
        return BatchOption("OF", number, word.at)

    def on_error(self, children: Children) -> BatchOption:
        return error_option(*children)

    def report_status(self, children: Children) -> BatchOption:
        report, status, name = children
        expect_words((report, status), ("REPORT", "STATUS"))
        return BatchOption("REPORT", ast.Variable(name_text(name), at=name.at), report.at)

    def no_variables(self, _: Children) -> tuple[ast.Variable, ...]:
        return ()

    def every_variable(self, _: Children) -> Literal["*"]:
        return "*"

    def some_variables(self, children: Children) -> tuple[ast.Variable, ...]:
        return tuple([ast.Variable(name_text(token), at=token.at) for token in children])

    def subquery(self, children: Children) -> ast.SubqueryExpression:
        token, query = children
        return ast.SubqueryExpression(token.text.lower(), query, at=token.at)

    def pattern_subquery(self, children: Children) -> ast.SubqueryExpression:
        """`exists { (a)-->(b) WHERE p }` is the query `MATCH (a)-->(b) WHERE p`."""
        token, patterns, where = children
        match = ast.Match(patterns, False, where, at=patterns[0].at)
        query = ast.Query(((match,),), at=match.at)
        return ast.SubqueryExpression(token.text.lower(), query, at=token.at)


def check_ending(query: ast.Query) -> None:
    """A query that stands alone ends with RETURN, a CALL or a clause that writes.

    Raises CypherSyntaxError (InvalidClauseComposition)."""
    for part in query.parts:
        if not isinstance(part[-1], _ENDING + _WRITING):
            raise _composition(
                "A query ends with RETURN or with a clause that writes, not with "
                f"{type(part[-1]).__name__.upper()}",
                part[-1],
                hint="add RETURN",
            )


def _composition(message: str, clause: ast.Clause, hint: str | None = None) -> CypherSyntaxError:
    return CypherSyntaxError(
        f"{message}.", detail="InvalidClauseComposition", offset=clause.at, hint=hint
    )


def _start_kind(token: Token) -> Literal["node", "relationship"]:
    kind = _START_KINDS.get(name_text(token).lower())
    if kind is None:
        raise CypherSyntaxError(
            f"START reads node(...) or relationship(...), not {token.text}(...).",
            detail="UnexpectedSyntax",
            offset=token.at,
        )
    return kind


def _lookup_key(target: ast.Expression) -> str:
    if isinstance(target, ast.Variable):
        return target.name
    if isinstance(target, ast.Constant) and isinstance(target.value, str):
        return target.value
    raise CypherSyntaxError(
        "An index lookup is a property name, = and a value.",
        detail="UnexpectedSyntax",
        offset=target.at,
    )


def _variable(target: ast.Expression, clause: str) -> ast.Variable:
    if isinstance(target, ast.Variable):
        return target
    raise CypherSyntaxError(
        f"{clause} takes a variable here.", detail="UnexpectedSyntax", offset=target.at
    )
