"""Every error a client can meet: one tree, each class with its HTTP status and Neo4j code.

`type` and `detail` are the openCypher names (TCK: "a TYPE should be raised at PHASE: DETAIL").
`offset` is a character offset into the query text; `located(text)` turns it into line, column
and the line itself. An error crosses process boundaries as `to_dict()` / `from_dict()`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

STACK_SPENT = (
    "The query has too many clauses or conditions, or it or one of its values is nested too "
    "deeply (setting max_stack)."
)
"""What is said where Python's stack ends: a plan is as deep as it has operators in a row."""

_LONGEST_LINE = 10_000
"""Characters of a query's line that an error shows; answers should not grow with the question."""


class CypherdError(Exception):
    """Base of all errors that are answers, not accidents.

    Raised with a message; `detail` names the openCypher detail, `offset` the place in the text
    (0-based characters, None when the error has no place).
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "Neo.DatabaseError.General.UnknownError"
    type: ClassVar[str] = "DatabaseError"
    compile_time: bool = False

    def __init__(
        self,
        message: str,
        *,
        detail: str | None = None,
        offset: int | None = None,
        expected: tuple[str, ...] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.offset = offset
        self.expected = expected
        self.hint = hint
        self.line: int | None = None
        self.column: int | None = None
        self.query_line: str | None = None

    def located(self, text: str) -> Self:
        """Fill line, column (both from 1) and query_line from `offset` in `text`; a very long
        line is nothing to look at and is left out."""
        if self.offset is None or self.line is not None:
            return self
        offset = min(self.offset, len(text))
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", offset)
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - start + 1
        end = end if end >= 0 else len(text)
        if end - start <= _LONGEST_LINE:
            self.query_line = text[start:end].rstrip("\r")
        return self

    def note_commits(self, count: int) -> None:
        """Add to the message what was committed before a statement failed, if anything was."""
        if count:
            these = "1 transaction" if count == 1 else f"{count:,} transactions"
            were = "was" if count == 1 else "were"
            self.message += f" ({these} of the statement {were} committed before and will stay)"
            self.args = (self.message,)

    def to_dict(self) -> dict[str, Any]:
        """The error as the body of HTTP.md shows it; absent parts are left out."""
        body: dict[str, Any] = {"code": self.code, "message": self.message, "type": self.type}
        optional = {
            "detail": self.detail,
            "line": self.line,
            "column": self.column,
            "query_line": self.query_line,
            "expected": list(self.expected) or None,
            "hint": self.hint,
        }
        body.update({key: value for key, value in optional.items() if value is not None})
        return body

    def to_wire(self) -> dict[str, Any]:
        """`to_dict()` plus what another process needs to raise the same class again."""
        return {
            **self.to_dict(),
            "class": type(self).__name__,
            "offset": self.offset,
            "compile_time": self.compile_time,
        }

    @staticmethod
    def from_wire(wire: dict[str, Any]) -> CypherdError:
        """The error that `to_wire()` described; an unknown class becomes an InternalError."""
        kind = _CLASSES.get(wire["class"], InternalError)
        error = kind(
            wire["message"],
            detail=wire.get("detail"),
            offset=wire.get("offset"),
            expected=tuple(wire.get("expected", ())),
            hint=wire.get("hint"),
        )
        error.line = wire.get("line")
        error.column = wire.get("column")
        error.query_line = wire.get("query_line")
        error.compile_time = wire.get("compile_time", False)
        return error


# --- the statement is wrong -------------------------------------------------------------


class StatementError(CypherdError):
    status = 400


class CypherSyntaxError(StatementError):
    """Syntax, and everything openCypher calls a SyntaxError (undefined variables ...)."""

    code = "Neo.ClientError.Statement.SyntaxError"
    type = "SyntaxError"
    compile_time = True


class SemanticError(StatementError):
    code = "Neo.ClientError.Statement.SemanticError"
    type = "SemanticError"


class ParameterMissing(StatementError):
    code = "Neo.ClientError.Statement.ParameterMissing"
    type = "ParameterMissing"


class CypherTypeError(StatementError):
    code = "Neo.ClientError.Statement.TypeError"
    type = "TypeError"


class ArgumentError(StatementError):
    code = "Neo.ClientError.Statement.ArgumentError"
    type = "ArgumentError"


class CypherArithmeticError(StatementError):
    """Division of integers by zero, 64-bit overflow."""

    code = "Neo.ClientError.Statement.ArithmeticError"
    type = "ArithmeticError"


class EntityNotFound(StatementError):
    code = "Neo.ClientError.Statement.EntityNotFound"
    type = "EntityNotFound"


class PropertyNotFound(StatementError):
    code = "Neo.ClientError.Statement.PropertyNotFound"
    type = "PropertyNotFound"


class ProcedureError(StatementError):
    code = "Neo.ClientError.Procedure.ProcedureNotFound"
    type = "ProcedureError"


class ExternalResourceFailed(StatementError):
    """A file that LOAD CSV names: not allowed, not there, or not CSV."""

    code = "Neo.ClientError.Statement.ExternalResourceFailed"
    type = "ExternalResourceFailed"


class UnsupportedOperation(StatementError):
    """Something that Cypher has and cypherd refuses by name."""

    code = "Neo.ClientError.Statement.UnsupportedOperationError"
    type = "UnsupportedOperationError"


# --- the data forbids it ----------------------------------------------------------------


class ConstraintVerificationFailed(CypherdError):
    """The statement breaks a rule of the data: deleting a node that has relationships."""

    status = 409
    code = "Neo.ClientError.Statement.ConstraintVerificationFailed"
    type = "ConstraintVerificationFailed"


class ConstraintValidationFailed(CypherdError):
    """A uniqueness, existence or key constraint is violated."""

    status = 409
    code = "Neo.ClientError.Schema.ConstraintValidationFailed"
    type = "ConstraintValidationFailed"


class SchemaRuleExists(CypherdError):
    status = 409
    code = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
    type = "SchemaError"


class SchemaRuleNotFound(CypherdError):
    status = 400
    code = "Neo.ClientError.Schema.IndexNotFound"
    type = "SchemaError"


# --- the query was stopped --------------------------------------------------------------


class QueryStopped(CypherdError):
    """Raised by a guard's check; the subclasses say why."""


class QueryCancelled(QueryStopped):
    status = 409
    code = "Neo.ClientError.Transaction.Terminated"
    type = "Terminated"


class DeadlinePassed(QueryStopped):
    """Names which limit passed: the server's or the client's."""

    status = 504
    code = "Neo.ClientError.Transaction.TransactionTimedOut"
    type = "TransactionTimedOut"


class MemoryLimitExceeded(QueryStopped):
    status = 422
    code = "Neo.TransientError.General.TransactionMemoryLimit"
    type = "MemoryLimitExceeded"


class RowLimitExceeded(QueryStopped):
    status = 422
    code = "Neo.ClientError.Statement.RowLimitExceeded"
    type = "RowLimitExceeded"


class InlineBudgetSpent(QueryStopped):
    """Never reaches a client: the query starts again in a worker."""

    code = "Neo.TransientError.General.InlineBudgetSpent"
    type = "InlineBudgetSpent"


class GroupShareSpent(QueryStopped):
    """Never reaches a client: the write is aborted and runs alone."""

    code = "Neo.TransientError.General.GroupShareSpent"
    type = "GroupShareSpent"


# --- the request is wrong ---------------------------------------------------------------


class RequestError(CypherdError):
    status = 400
    code = "Neo.ClientError.Request.Invalid"
    type = "RequestError"


class InvalidFormat(RequestError):
    code = "Neo.ClientError.Request.InvalidFormat"


class Forbidden(RequestError):
    status = 403
    code = "Neo.ClientError.Security.Forbidden"


class NotFound(RequestError):
    status = 404


class MethodNotAllowed(RequestError):
    status = 405
    code = "Neo.ClientError.Statement.AccessMode"


class NotAcceptable(RequestError):
    status = 406


class RequestTimeout(RequestError):
    """The request came too slowly."""

    status = 408


class QueryIdInUse(RequestError):
    status = 409


class BodyTooLarge(RequestError):
    status = 413


class UnsupportedMediaType(RequestError):
    status = 415


class HeadTooLarge(RequestError):
    """The request's line and headers."""

    status = 431


# --- the server cannot ------------------------------------------------------------------


class Unavailable(CypherdError):
    """Queue full, server stopping, worker lost: worth another try after a while."""

    status = 503
    code = "Neo.TransientError.General.DatabaseUnavailable"
    type = "Unavailable"


class StorageFull(CypherdError):
    """The disk or the map is full; the transaction was rolled back, nothing is lost."""

    status = 507
    code = "Neo.TransientError.General.StorageFull"
    type = "StorageFull"


class StoreError(CypherdError):
    """The store cannot be opened: missing, not writable, locked, of another format, damaged."""

    code = "Neo.DatabaseError.General.StoreUnavailable"
    type = "StoreError"


class SettingError(CypherdError):
    """A setting has a value it cannot have; names the setting and where it came from."""

    code = "Neo.ClientError.General.InvalidArguments"
    type = "SettingError"


class ImportFailed(CypherdError):
    """A folder of files cannot be imported; lists the first bad rows by file and line."""

    status = 400
    code = "Neo.ClientError.General.InvalidArguments"
    type = "ImportFailed"


class InternalError(CypherdError):
    """A fault of cypherd's own; the log has the traceback."""


def _subclasses(kind: type[CypherdError]) -> dict[str, type[CypherdError]]:
    found = {kind.__name__: kind}
    for child in kind.__subclasses__():
        found.update(_subclasses(child))
    return found


_CLASSES = _subclasses(CypherdError)
