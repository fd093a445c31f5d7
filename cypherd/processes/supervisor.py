"""The supervisor: binds the address, makes the template and the front, passes signals on.

It stays without threads and without an event loop, so it can fork at any time: a template that
dies is replaced at once (the control pair outlives it, the front sees only its workers end), and
a front that crashes is started again a few times. When the supervisor itself is killed,
PR_SET_PDEATHSIG ends template and front, the template's death ends its children, and the closed
lifeline tells whoever the signal missed.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import os
import signal
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from cypherd.errors import CypherdError
from cypherd.processes import links
from cypherd.processes.context import (
    SHARED_BYTES,
    ChildContext,
    FrontResources,
    OpenStore,
    Roles,
    SideResources,
)
from cypherd.processes.limits import die_with_parent, require_single_thread
from cypherd.processes.template import Template, send_message
from cypherd.processes.warmup import import_late, warm_up
from cypherd.settings import Settings

FrontMain = Callable[[Settings, FrontResources], int]
SideMain = Callable[[Settings, SideResources], int]

EXIT_ADDRESS = 2
_BACKLOG = 2048
_PR_SET_CHILD_SUBREAPER = 36
# A process that dies more often than this many times in that many seconds will go on dying.
_RESTARTS, _RESTART_WINDOW = 5, 60.0
# After shutdown_grace, running queries are cancelled and the last bytes sent: this long.
_STOP_MARGIN = 5.0
_ECHO = 0.5


def serve(
    settings: Settings,
    open_store: OpenStore,
    front_main: FrontMain,
    roles: Roles,
    side_main: SideMain,
) -> int:
    """Serve until a signal ends it; the exit code. 0: stopped as asked; 2: the address cannot
    be bound; anything else: the front's own code, or 1 when it or the template kept dying."""
    try:
        listeners = bind_all(settings)
    except OSError as error:
        reason = error.strerror or str(error)
        print(
            f"cypherd: cannot listen on {settings.host} port {settings.port}: {reason}",
            file=sys.stderr,
        )
        return EXIT_ADDRESS
    # Before the forks, so that it is done once and shared.
    import_late()
    require_single_thread()
    return Supervisor(settings, open_store, front_main, roles, listeners, side_main).run()


def bind_all(settings: Settings) -> list[socket.socket]:
    """A listening socket a front, all on one address: the system deals connections out."""
    if settings.fronts == 1:
        return [bind(settings, settings.port)]
    # Another server that shares its port would let us share it too: only who does not ask to
    # share is told that a port is taken.
    with bind(settings, settings.port) as probe:
        port = probe.getsockname()[1]
    listeners: list[socket.socket] = []
    try:
        while len(listeners) < settings.fronts:
            listeners.append(bind(settings, port, shared=True))
    except BaseException:
        for listener in listeners:
            listener.close()
        raise
    return listeners


def bind(settings: Settings, port: int, *, shared: bool = False) -> socket.socket:
    """A listening socket; connections wait in its backlog until a front accepts them."""
    infos = socket.getaddrinfo(settings.host, port, type=socket.SOCK_STREAM)
    family, kind, protocol, _, address = infos[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


class _Side:
    """A front beside the first: what outlives its process."""

    def __init__(self, number: int, listener: socket.socket) -> None:
        self.number = number
        self.listener = listener
        self.first, self.beside = links.link()
        self.pid = 0


class Supervisor:
    def __init__(
        self,
        settings: Settings,
        open_store: OpenStore,
        front_main: FrontMain,
        roles: Roles,
        listeners: list[socket.socket],
        side_main: SideMain,
    ) -> None:
        self._settings = settings
        self._open_store = open_store
        self._front_main = front_main
        self._roles = roles
        self._listener = listeners[0]
        self._side_main = side_main
        self._sides = [_Side(n, one) for n, one in enumerate(listeners[1:], 1)]
        self._shared = mmap.mmap(-1, SHARED_BYTES)
        # Both ends stay open here, so that a new template or front gets the same pair.
        self._front_control, self._template_control = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET
        )
        self._lifeline, self._lifeline_write = os.pipe2(os.O_CLOEXEC)
        self._front = 0
        self._template = 0
        self._stopping_since: float | None = None
        self._deaths: deque[float] = deque(maxlen=_RESTARTS)

    def run(self) -> int:
        # Workers of a template that died become children of the supervisor, which reaps them.
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_stop)
        signal.signal(signal.SIGALRM, self._on_overdue)
        try:
            self._template = self._fork(self._be_template)
            self._front = self._fork(self._be_front)
            for side in self._sides:
                side.pid = self._fork(partial(self._be_side, side))
            return self._watch()
        finally:
            self._end_all()
            # The interpreter puts back the defaults on its way out: a late second signal would
            # turn a clean stop into a death by that signal.
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)

    # --- waiting ------------------------------------------------------------------------

    def _watch(self) -> int:
        while True:
            pid, status = os.wait()
            code = os.waitstatus_to_exitcode(status)
            if pid == self._front:
                self._front = 0
                if code >= 0 or self._stopping_since or not self._may_restart("front", code):
                    return self._exit_code(code)
                # Its workers and writer work for nobody now; the new front makes its own.
                send_message(self._front_control, {"end_children": True})
                self._front = self._fork(self._be_front)
            elif pid == self._template and not self._stopping_since:
                if not self._may_restart("template", code):
                    return 1
                self._template = self._fork(self._be_template)
            elif not self._stopping_since:
                for side in self._sides:
                    if pid == side.pid:
                        if not self._may_restart("side front", code):
                            return 1
                        side.pid = self._fork(partial(self._be_side, side))

    def _may_restart(self, name: str, code: int) -> bool:
        now = time.monotonic()
        often = len(self._deaths) == _RESTARTS and now - self._deaths[0] < _RESTART_WINDOW
        self._deaths.append(now)
        what = "giving up" if often else "starting another"
        print(f"cypherd: the {name} process ended ({_cause(code)}); {what}", file=sys.stderr)
        return not often

    def _exit_code(self, code: int) -> int:
        if code < 0:
            print(f"cypherd: the front process ended ({_cause(code)})", file=sys.stderr)
            return 1
        return code

    # --- signals ------------------------------------------------------------------------

    def _on_stop(self, number: int, _frame: object) -> None:
        """The first asks the front to drain, whatever its kind. A second Ctrl-C, not just an echo
        of the first, ends it at once; a second SIGTERM changes nothing, since whoever signals a
        process and then its group means one stop."""
        now = time.monotonic()
        first, self._stopping_since = self._stopping_since is None, self._stopping_since or now
        if not self._front:
            return
        if first:
            for side in self._sides:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(side.pid, signal.SIGTERM)
            os.kill(self._front, signal.SIGTERM)
            signal.setitimer(signal.ITIMER_REAL, self._settings.shutdown_grace + _STOP_MARGIN)
        elif number == signal.SIGINT and now - self._stopping_since > _ECHO:
            os.kill(self._front, signal.SIGKILL)

    def _on_overdue(self, _number: int, _frame: object) -> None:
        if self._front:
            os.kill(self._front, signal.SIGKILL)

    def _end_all(self) -> None:
        """Every process below this one ends before it does: the store is free when we exit."""
        for pid in (self._front, self._template, *(side.pid for side in self._sides)):
            if pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()

    # --- children -----------------------------------------------------------------------

    def _fork(self, run: Callable[[], int]) -> int:
        """Fork with stop signals blocked, so none is lost before the child's number is known."""
        blocked = {signal.SIGTERM, signal.SIGINT, signal.SIGALRM}
        parent = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
        pid = os.fork()
        if pid == 0:
            self._become(run, parent, blocked)
        # The handler that runs when the mask goes must find the new number in place.
        if run == self._be_front:
            self._front = pid
        signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked)
        return pid

    def _become(
        self, run: Callable[[], int], parent: int, blocked: set[signal.Signals]
    ) -> NoReturn:
        status = 1
        try:
            for number in blocked:
                signal.signal(number, signal.SIG_DFL)
            # Ctrl-C goes to the terminal's whole group; only the supervisor should hear it. A
            # group of its own does that; a session of its own would take the process out of the
            # scheduler's group, and nice with it.
            os.setpgid(0, 0)
            die_with_parent(parent)
            os.close(self._lifeline_write)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked)
            status = run()
        except CypherdError as error:
            print(f"cypherd: {error.message}", file=sys.stderr)
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    def _be_template(self) -> int:
        self._listener.close()
        for side in self._sides:
            side.listener.close()
            side.first.close()
            side.beside.close()
        self._front_control.close()
        warm_up()
        Template(self._template_control, self._lifeline, self._roles, self._child_context).run()
        return 0

    def _child_context(self, channel: socket.socket) -> ChildContext:
        return ChildContext(self._settings, self._shared, self._open_store, channel)

    def _be_front(self) -> int:
        self._template_control.close()
        gc.collect()
        gc.freeze()
        resources = FrontResources(
            self._listener, self._front_control, self._shared, self._open_store, self._lifeline,
            tuple(side.first for side in self._sides),
        )  # fmt: skip
        for side in self._sides:
            side.listener.close()
        return self._front_main(self._settings, resources)

    def _be_side(self, side: _Side) -> int:
        self._template_control.close()
        self._front_control.close()
        self._listener.close()
        for other in self._sides:
            if other is not side:
                other.listener.close()
                other.beside.close()
            other.first.close()
        resources = SideResources(
            side.number, side.listener, side.beside, self._open_store, self._lifeline
        )
        return self._side_main(self._settings, resources)


def _cause(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    return f"signal {signal.Signals(-code).name}"
