"""From a statement's AST to a finished plan.

bind -> build (order patterns by cost) -> rewrite by rules -> Eager -> estimate -> Plan
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from cypherd.binder.binder import bind_statement
from cypherd.errors import STACK_SPENT, CypherdError, UnsupportedOperation
from cypherd.parser import ast
from cypherd.planner.builder import Builder
from cypherd.planner.cardinality import estimate
from cypherd.planner.context import PlanContext
from cypherd.planner.eagerness import separate_reads_and_writes
from cypherd.planner.effects import finds_in_graph, subtree_effects
from cypherd.planner.inline import may_run_inline
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import walk
from cypherd.planner.notifications import notifications, notifications_of_command
from cypherd.planner.plan import Plan
from cypherd.planner.rules import RULES, Rule
from cypherd.procedures.registry import BUILT_IN, Procedures
from cypherd.storage.protocols import ReadTransaction

_COMMANDS: dict[type[ast.Node], str] = {
    ast.CreateIndex: "create index",
    ast.DropIndex: "drop index",
    ast.CreateConstraint: "create constraint",
    ast.DropConstraint: "drop constraint",
}


def plan_statement(
    text: str,
    statement: ast.Statement,
    transaction: ReadTransaction,
    *,
    rules: Sequence[Rule] = RULES,
    procedures: Procedures = BUILT_IN,
) -> Plan:
    """The plan of a statement for the snapshot's schema and counts.

    Raises the binder's errors (CypherSyntaxError and others with `compile_time` set), located
    in `text`.
    """
    try:
        return _plan(text, statement, transaction, rules, procedures)
    except RecursionError:
        error = UnsupportedOperation(STACK_SPENT)
        error.compile_time = True
        raise error from None
    except CypherdError as error:
        error.compile_time = True
        error.located(text)
        raise


def _plan(
    text: str,
    statement: ast.Statement,
    transaction: ReadTransaction,
    rules: Sequence[Rule],
    procedures: Procedures,
) -> Plan:
    body = statement.body
    if isinstance(body, ast.Query):
        return _plan_query(text, body, statement, transaction, rules, procedures)
    arguments = tuple((field.name, getattr(body, field.name)) for field in fields(body))
    command = ops.LogicalSchemaCommand(
        command=_COMMANDS[type(body)],
        arguments=tuple(pair for pair in arguments if pair[0] != "at"),
        estimated_rows=0.0,
    )
    root = ops.LogicalEmptyResult(source=command, estimated_rows=0.0)
    return Plan(
        text=text,
        root=root,
        columns=(),
        kind="schema",
        inline=False,
        mode=statement.mode,
        parameters=frozenset(),
        schema_version=transaction.schema.version,
        notifications=notifications_of_command(text, statement),
    )


def _plan_query(
    text: str,
    query: ast.Query,
    statement: ast.Statement,
    transaction: ReadTransaction,
    rules: Sequence[Rule],
    procedures: Procedures,
) -> Plan:
    bound = bind_statement(query, procedures)
    context = PlanContext(transaction.schema, transaction.counts, bound.names.types)
    root: LogicalOperator = Builder(context, bound.names).query(bound.query)
    for rule in rules:
        root = rule(root, context)
    writes = bool(subtree_effects(root, bound.names.types).changes)
    if writes:
        root = separate_reads_and_writes(root, context, bound.names.types)
    root = estimate(root, context)
    return Plan(
        text=text,
        root=root,
        columns=tuple(name for name, _ in bound.query.parts[0].columns),
        kind="write" if writes else "read",
        inline=not writes and may_run_inline(root, context),
        mode=statement.mode,
        parameters=bound.parameters,
        schema_version=transaction.schema.version,
        commits=writes and any(isinstance(o, ops.LogicalTransactionApply) for o in walk(root)),
        urgent=not writes and _asks_the_server_only(root),
        notifications=notifications(text, statement, bound.query, root, context),
    )


def _asks_the_server_only(root: LogicalOperator) -> bool:
    operators = list(walk(root))
    asking = ops.LogicalShow | ops.LogicalProcedureCall
    return any(isinstance(operator, asking) for operator in operators) and not any(
        map(finds_in_graph, operators)
    )
