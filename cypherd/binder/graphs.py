"""USE: there is one graph, and it has one name."""

from __future__ import annotations

from cypherd.binder.scopes import suggestion, syntax_error
from cypherd.parser import ast
from cypherd.parser.nesting import nodes
from cypherd.values.names import DATABASE


def check_graphs(query: ast.Query) -> None:
    """Raises CypherSyntaxError (DatabaseNotFound) where a part or a subquery of the query names
    another graph. As in Neo4j, case does not matter."""
    for node in nodes(query):
        if isinstance(node, ast.Query):
            for use in node.uses:
                if use.graph.lower() != DATABASE:
                    raise syntax_error(
                        "DatabaseNotFound",
                        f"there is no graph `{use.graph}`; the one there is is `{DATABASE}`",
                        use.at,
                        suggestion(use.graph.lower(), (DATABASE,)),
                    )
