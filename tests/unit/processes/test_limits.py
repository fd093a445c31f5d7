"""Limits act on a whole process: each is tried in a child."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from cypherd.processes.limits import MemoryGauge
from tests.unit.memory import private_memory


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_data_limit_is_a_memory_error() -> None:
    done = run(
        "from cypherd.processes.limits import limit_data\n"
        "limit_data(200 << 20)\n"
        "try: bytearray(400 << 20)\n"
        "except MemoryError: print('refused')\n"
    )
    assert done.stdout == "refused\n", done.stderr


def test_data_limit_allows_the_store_s_map() -> None:
    done = run(
        "import mmap, tempfile\n"
        "from cypherd.processes.limits import limit_data\n"
        "limit_data(200 << 20)\n"
        "file = tempfile.TemporaryFile(); file.truncate(1 << 40)\n"
        "mmap.mmap(file.fileno(), 1 << 40, mmap.MAP_SHARED, mmap.PROT_READ)\n"
        "print('mapped')\n"
    )
    assert done.stdout == "mapped\n", done.stderr


def test_gauge_counts_own_memory_and_not_files(tmp_path: object) -> None:
    gauge = MemoryGauge()
    before = gauge.read()
    # Not from the heap: what tests before this one have freed there would be used again.
    held = private_memory(64 << 20)
    grown = gauge.read() - before
    assert 60 << 20 < grown < 80 << 20
    held.close()


def test_gauge_does_not_count_mapped_files() -> None:
    done = run(
        "import mmap, tempfile\n"
        "from cypherd.processes.limits import MemoryGauge\n"
        "file = tempfile.TemporaryFile(); file.truncate(64 << 20)\n"
        "view = mmap.mmap(file.fileno(), 64 << 20, mmap.MAP_SHARED, mmap.PROT_READ)\n"
        "gauge = MemoryGauge(); before = gauge.read()\n"
        "sum(view[i] for i in range(0, 64 << 20, 4096))\n"
        "print(gauge.read() - before < 8 << 20)\n"
    )
    assert done.stdout == "True\n", done.stderr


def test_a_process_with_threads_is_not_forked() -> None:
    done = run(
        "import threading\n"
        "from cypherd.processes.limits import require_single_thread\n"
        "require_single_thread()\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "try: require_single_thread()\n"
        "except Exception as error: print(error)\n"
    )
    assert "2 threads" in done.stdout, done.stderr


def test_the_command_line_starts_no_numpy_threads() -> None:
    """NumPy's OpenBLAS makes a thread for each processor at import, unless told before."""
    done = run(
        "from cypherd import cli\n"
        "import sys\n"
        "sys.argv = ['cypherd', '--version']\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "import numpy\n"
        "from cypherd.processes.limits import thread_count\n"
        "print(thread_count())\n"
    )
    assert done.stdout.split()[-1] == "1", done.stderr


@pytest.mark.parametrize("after", ["asked", "before"], ids=["asked in time", "parent gone before"])
def test_a_child_dies_with_its_parent(after: str) -> None:
    """Also when the parent has gone before the child could ask for it."""
    early = "time.sleep(0.3)" if after == "before" else "pass"
    code = (
        "import os, time, sys\n"
        "from cypherd.processes.limits import die_with_parent\n"
        "parent = os.getpid()\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    os.close(1); os.close(2)\n"
        f"    {early}\n"
        "    die_with_parent(parent)\n"
        "    time.sleep(60)\n"
        "print(pid, flush=True)\n"
        "time.sleep(0.1)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = run(code)
    assert done.returncode == -signal.SIGKILL
    child = int(done.stdout)
    end = time.monotonic() + 10
    while _alive(child):
        assert time.monotonic() < end, "the child lives on"
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123
        return stat.read().rpartition(")")[2].split()[0] != "Z"
