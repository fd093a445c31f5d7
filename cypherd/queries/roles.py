"""What children of the template can become."""

from __future__ import annotations

from cypherd.processes.context import Roles
from cypherd.queries.worker import run_planner, run_worker
from cypherd.queries.writer import run_writer

ROLES: Roles = {"worker": run_worker, "planner": run_planner, "writer": run_writer}
