"""The queries that run: what SHOW and TERMINATE TRANSACTIONS and the old `dbms.*` see and do.

Each query is a transaction of its own. A server's queries are known to its front, which a worker
asks (queries/asking.py); in a process without one there is but the query that asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from cypherd.errors import CypherTypeError, UnsupportedOperation
from cypherd.procedures.signature import CallContext, Family, Field
from cypherd.values.description import type_of, type_text
from cypherd.values.lists import is_list
from cypherd.values.names import DATABASE
from cypherd.values.temporal.clock import shown_in
from cypherd.values.temporal.duration import Duration, duration_of
from cypherd.values.types import CypherType as T

FAMILY = Family()
procedure = FAMILY.procedure
Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = Iterable[tuple[Any, ...]]

_NANOS = 1_000_000_000


class RunningQuery(NamedTuple):
    """One query. `id` is that of Cypher-Query-Id, `number` counts the queries of a server;
    `started` is in seconds since 1970, `elapsed` in seconds, `peak_memory` in bytes."""

    number: int
    id: str
    text: str
    parameters: Mapping[str, Any]
    client: str
    user: str
    state: str
    waiting_for: str | None
    started: float
    elapsed: float
    peak_memory: int

    @property
    def transaction_id(self) -> str:
        return f"{DATABASE}-transaction-{self.number}"

    @property
    def query_id(self) -> str:
        return f"query-{self.number}"


class Terminated(NamedTuple):
    """What became of the wish to end a query; `user` None: there is none of that id."""

    id: str
    user: str | None


class RunningQueries(Protocol):
    """Those who know the queries. An id is a transaction's, a query's or that of a header."""

    def running(self) -> Sequence[RunningQuery]: ...
    def terminate(self, ids: Sequence[str]) -> Sequence[Terminated]: ...


@dataclass(frozen=True, slots=True)
class OnlyThis:
    """In a process without a server: the query that asks, which nothing else can end."""

    text: str
    parameters: Mapping[str, Any]
    started: float

    def running(self) -> Sequence[RunningQuery]:
        one = RunningQuery(
            1, "1", self.text, self.parameters, "", "", "running", None, self.started, 0.0, 0
        )
        return (one,)

    def terminate(self, ids: Sequence[str]) -> Sequence[Terminated]:
        return [Terminated(id, None) for id in ids]


@dataclass(frozen=True, slots=True)
class NotFromHere:
    """In the writer, which must not wait for the front."""

    def running(self) -> Sequence[RunningQuery]:
        raise self._refusal()

    def terminate(self, ids: Sequence[str]) -> Sequence[Terminated]:
        raise self._refusal()

    def _refusal(self) -> UnsupportedOperation:
        return UnsupportedOperation(
            "a statement that writes cannot ask about running queries or end them"
        )


# --- SHOW TRANSACTIONS ------------------------------------------------------------------

_STATUS = {"queued": "Blocked", "waiting": "Blocked", "cancelling": "Terminated"}
_QUERY_STATUS = {
    "queued": "waiting",
    "waiting": "waiting",
    "planning": "planning",
}
# What Neo4j has a column for and cypherd does not know.
_UNKNOWN = (
    "connectionId", "outerTransactionId", "runtime", "indexes", "requestUri", "activeLockCount",
    "currentQueryActiveLockCount", "cpuTime", "waitTime", "idleTime", "currentQueryCpuTime",
    "currentQueryWaitTime", "currentQueryIdleTime", "allocatedDirectBytes", "pageHits",
    "pageFaults", "currentQueryPageHits", "currentQueryPageFaults", "initializationStackTrace",
    "currentQueryProgress",
)  # fmt: skip


def transactions(context: CallContext) -> list[Row]:
    return [_transaction(query) for query in context.queries.running()]


def _transaction(query: RunningQuery) -> Row:
    start = shown_in(int(query.started * 1000) * 1_000_000)
    elapsed = _duration(query.elapsed)
    return {
        **dict.fromkeys(_UNKNOWN),
        "database": DATABASE,
        "transactionId": query.transaction_id,
        "currentQueryId": query.query_id,
        "clientAddress": query.client,
        "username": query.user,
        "currentQuery": query.text,
        "startTime": start,
        "status": _STATUS.get(query.state, "Running"),
        "elapsedTime": elapsed,
        "metaData": {"id": query.id},
        "parameters": dict(query.parameters),
        "planner": "COST",
        "currentQueryStartTime": start,
        "protocol": "http" if query.client else None,
        "currentQueryStatus": _QUERY_STATUS.get(query.state, "running"),
        "statusDetails": query.waiting_for or "",
        "resourceInformation": {},
        "currentQueryElapsedTime": elapsed,
        "currentQueryAllocatedBytes": query.peak_memory,
        "estimatedUsedHeapMemory": query.peak_memory,
    }


def _duration(seconds: float) -> Duration:
    return duration_of(0, 0, int(seconds * 1000) * (_NANOS // 1000))


# --- procedures -------------------------------------------------------------------------


def _texts(values: Any) -> Iterator[str]:
    """The ids in a list, which may hold lists; null is none. Raises CypherTypeError."""
    for value in values or ():
        if is_list(value):
            yield from _texts(value)
        elif isinstance(value, str):
            yield value
        elif value is not None:
            raise CypherTypeError(
                f"the id of a query is of type STRING, not {type_text(type_of(value))}",
                detail="InvalidArgumentType",
            )


_TERMINATED = (
    Field("transactionId", T.STRING),
    Field("username", T.STRING),
    Field("message", T.STRING),
)
TERMINATE = "dbms.killTransactions"


@procedure(
    TERMINATE,
    help="End transactions by their ids; TERMINATE TRANSACTIONS does the same.",
    arguments=(Field("ids", T.LIST, T.STRING),),
    results=_TERMINATED,
    mode="DBMS",
)
def kill_transactions(context: CallContext, ids: Any) -> Rows:
    for found in context.queries.terminate(list(dict.fromkeys(_texts(ids)))):
        ended = "Transaction not found." if found.user is None else "Transaction terminated."
        yield found.id, found.user, ended


@procedure(
    "dbms.killTransaction",
    help="End a transaction by its id; TERMINATE TRANSACTION does the same.",
    arguments=(Field("id", T.STRING),),
    results=_TERMINATED,
    mode="DBMS",
)
def kill_transaction(context: CallContext, id: str | None) -> Rows:
    return kill_transactions(context, [id])


_KILLED = (Field("queryId", T.STRING), Field("username", T.STRING), Field("message", T.STRING))


@procedure(
    "dbms.killQueries",
    help="End queries by their ids.",
    arguments=(Field("ids", T.LIST, T.STRING),),
    results=_KILLED,
    mode="DBMS",
)
def kill_queries(context: CallContext, ids: Any) -> Rows:
    for found in context.queries.terminate(list(dict.fromkeys(_texts(ids)))):
        message = "No Query found with this id" if found.user is None else "Query found"
        yield found.id, found.user, message


@procedure(
    "dbms.killQuery",
    help="End a query by its id.",
    arguments=(Field("id", T.STRING),),
    results=_KILLED,
    mode="DBMS",
)
def kill_query(context: CallContext, id: str | None) -> Rows:
    return kill_queries(context, [id])


@procedure(
    "dbms.listQueries",
    help="The queries that run; SHOW TRANSACTIONS says more.",
    results=(
        Field("queryId", T.STRING),
        Field("username", T.STRING),
        Field("metaData", T.MAP),
        Field("query", T.STRING),
        Field("parameters", T.MAP),
        Field("planner", T.STRING),
        Field("runtime", T.STRING),
        Field("indexes", T.LIST, T.MAP),
        Field("startTime", T.STRING),
        Field("protocol", T.STRING),
        Field("clientAddress", T.STRING),
        Field("requestUri", T.STRING),
        Field("status", T.STRING),
        Field("resourceInformation", T.MAP),
        Field("activeLockCount", T.INTEGER),
        Field("elapsedTimeMillis", T.INTEGER),
        Field("cpuTimeMillis", T.INTEGER),
        Field("waitTimeMillis", T.INTEGER),
        Field("idleTimeMillis", T.INTEGER),
        Field("allocatedBytes", T.INTEGER),
        Field("pageHits", T.INTEGER),
        Field("pageFaults", T.INTEGER),
        Field("connectionId", T.STRING),
        Field("database", T.STRING),
    ),
    mode="DBMS",
)
def list_queries(context: CallContext) -> Rows:
    for query in context.queries.running():
        row = _transaction(query)
        yield (
            query.query_id, query.user, row["metaData"], query.text, row["parameters"],
            row["planner"], None, None, str(row["startTime"]), row["protocol"], query.client,
            None, row["currentQueryStatus"], {}, None, int(query.elapsed * 1000), None, None,
            None, query.peak_memory, None, None, None, DATABASE,
        )  # fmt: skip
