"""What travels between the front and its children: jobs down, frames up.

All of it is pickled: both ends are forks of one program. What comes hundreds of times in a frame is
a named tuple, which pickle takes apart and puts together several times as fast as a frozen
dataclass. Kinds of frames:

    front -> worker   JOB        ReadJob
    worker -> front   PLANNED    Planned; `stops` says that nothing follows
                      CHUNK      bytes of the answer
                      END        Ended
                      ASK        Question, in the middle of a job
    front -> worker   TOLD       Told, the answer to it
    writer -> front   READY      (last sequence number, statements) of the store's last commit
    front -> writer   GROUP      WriteGroup
    writer -> front   WRITTEN    sequence number (!Q), then bytes of the answer
                      DONE       [Done] of statements that have ended, before the commit
                      COMMITTED  Settlement
                      YIELDED    between two transactions of a statement: a GROUP may come
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from cypherd.planner.plan import Plan
from cypherd.queries.guard import Limits
from cypherd.queries.load_records import LoadBatch
from cypherd.render.renderer import RenderOptions

JOB, PLANNED, CHUNK, END = 1, 2, 3, 4
GROUP, WRITTEN, DONE, COMMITTED, READY = 5, 6, 7, 8, 9
ASK, TOLD = 10, 11
YIELDED = 12

SEQUENCE = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan as the front keeps it: what decides where it runs, and the plan itself pickled."""

    kind: Literal["read", "write", "schema"]
    inline: bool
    schema_version: int
    data: bytes
    stops: bool = False
    urgent: bool = False
    commits: bool = False

    @staticmethod
    def of(plan: Plan, *, stops: bool = False) -> Planned:
        kind = place_kind(plan)
        inline = plan.inline and kind == "read"
        data = pickle.dumps(plan, 5)
        return Planned(kind, inline, plan.schema_version, data, stops, plan.urgent, plan.commits)


def place_kind(plan: Plan) -> Literal["read", "write", "schema"]:
    """Where a plan belongs: one that only explains itself writes nothing."""
    return "read" if plan.mode == "explain" else plan.kind


class ReadJob(NamedTuple):
    """`clock`: when the statement began, seconds since the epoch, wherever it was tried before.
    `data` is a pickled plan for `schema_version`, None: plan the text. `plan_only`: stop at
    PLANNED."""

    query: int
    slot: int
    text: str
    data: bytes | None
    schema_version: int
    parameters: dict[str, Any]
    format: str
    options: RenderOptions
    limits: Limits
    clock: float
    plan_only: bool = False


class WriteJob(NamedTuple):
    """`options` and `text` should be the same objects in all jobs of a group, where they are
    equal: they are then pickled once. `load`: a batch of a bulk load, in place of a statement.
    `shares`: how many of its group's shares it may take."""

    sequence: int
    query: int
    slot: int
    text: str
    parameters: dict[str, Any]
    format: str
    options: RenderOptions
    limits: Limits
    clock: float
    load: LoadBatch | None = None
    shares: int = 1


@dataclass(frozen=True, slots=True)
class WriteGroup:
    """Statements to run in one transaction, in order, and the plans by text that the writer has
    not been given before. `share` is what each may take, None: it is alone and may go on."""

    jobs: tuple[WriteJob, ...]
    plans: dict[str, Planned]
    share: float | None


class Ended(NamedTuple):
    """How a statement ended. `error` is CypherdError.to_wire(); `told`: the body itself says so
    in its errors part. `resident`: anonymous memory of the process afterwards."""

    rows: int = 0
    peak: int = 0
    stats: dict[str, int] | None = None
    error: dict[str, Any] | None = None
    told: bool = False
    resident: int = 0
    planned: Planned | None = None


class Done(NamedTuple):
    """How a statement of a group ended, and the last of its bytes; WRITTEN had those before."""

    sequence: int
    ended: Ended
    tail: bytes


@dataclass(frozen=True, slots=True)
class Settlement:
    """What one transaction came to: `settled` statements have their final outcome (committed, or
    failed by themselves); `returned` did not take effect and run again, those of `alone` by
    themselves, those of `spent` with a larger share than they had, or alone. `sync`: seconds that
    the commit took, None: there was none."""

    settled: tuple[int, ...]
    returned: tuple[int, ...] = ()
    spent: tuple[int, ...] = ()
    alone: tuple[int, ...] = ()
    sync: float | None = None


def pack(value: object) -> bytes:
    return pickle.dumps(value, 5)


def unpack(data: bytes) -> Any:
    return pickle.loads(data)
