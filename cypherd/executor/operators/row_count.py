"""The number that SKIP or LIMIT gives, evaluated once a run."""

from __future__ import annotations

from cypherd.batch.columns import SINGLE_ROW
from cypherd.errors import CypherSyntaxError
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Expression


def row_count(expression: Expression, context: ExecutionContext, clause: str) -> int:
    """Raises CypherSyntaxError (NegativeIntegerArgument, InvalidArgumentType: openCypher's
    names) for what is no number of rows."""
    [value] = expression(SINGLE_ROW, context).to_list()
    if type(value) is not int:
        raise _at_run_time(f"{clause} takes an integer, not {value!r}", "InvalidArgumentType")
    if value < 0:
        raise _at_run_time(f"{clause} cannot be negative: {value}", "NegativeIntegerArgument")
    return value


def _at_run_time(message: str, detail: str) -> CypherSyntaxError:
    error = CypherSyntaxError(message, detail=detail)
    error.compile_time = False
    return error
