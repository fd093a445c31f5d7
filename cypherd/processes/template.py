"""The template: a process that has everything imported and loaded, and forks on request.

    front --- {"number", "role"} + the child's end of a socketpair --->  template
          <-- {"number", "pid"} + a pidfd ------------------------------
          <-- {"died": pid, "status"} ----------------------------------
    supervisor --- {"end_children": true} (a front has died) ---------->

The control pair is SOCK_SEQPACKET, so a message and its descriptor stay together. The child's
end is closed here as soon as it has been forked for, hence no sibling inherits it and end-of-file
on it means that the front has gone. A pidfd names a child even after its number is used again.
"""

from __future__ import annotations

import array
import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from cypherd.processes.context import ChildContext, Roles
from cypherd.processes.limits import die_with_parent, ignore_stop_signals, require_single_thread

MAX_MESSAGE = 4096


class Template:
    """`make_context` wraps a channel for the child; `control` and `lifeline` are the template's
    own ends and are closed in its children."""

    def __init__(
        self,
        control: socket.socket,
        lifeline: int,
        roles: Roles,
        make_context: Callable[[socket.socket], ChildContext],
    ) -> None:
        self._control = control
        self._lifeline = lifeline
        self._roles = roles
        self._make_context = make_context
        self._children: set[int] = set()
        self._wakeup, self._wakeup_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def run(self) -> None:
        """Until the supervisor has gone. Everything must have been imported before."""
        ignore_stop_signals()
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakeup_write, warn_on_full_buffer=False)
        require_single_thread()
        gc.collect()
        # Frozen objects are never visited by the collector, so their pages stay shared.
        gc.freeze()
        poller = select.poll()
        for descriptor in (self._control.fileno(), self._lifeline, self._wakeup):
            poller.register(descriptor, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poller.poll()}
            if self._lifeline in ready:
                self._end_children()
                return
            if self._wakeup in ready:
                self._reap()
            if self._control.fileno() in ready:
                self._receive()

    def _receive(self) -> None:
        data, descriptors = receive_message(self._control)
        for message in data:
            if message.get("end_children"):
                self._end_children()
            elif descriptors:
                self._fork(message["number"], message["role"], socket.socket(fileno=descriptors[0]))

    def _fork(self, number: int, role: str, channel: socket.socket) -> None:
        own = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._become(own, role, channel)
        channel.close()
        self._children.add(pid)
        pidfd = os.pidfd_open(pid)
        try:
            send_message(self._control, {"number": number, "pid": pid}, pidfd)
        finally:
            os.close(pidfd)

    def _become(self, parent: int, role: str, channel: socket.socket) -> NoReturn:
        """The child: run its role and end, never returning into the template's loop."""
        status = 1
        try:
            die_with_parent(parent)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._control.close()
            for descriptor in (self._lifeline, self._wakeup, self._wakeup_write):
                os.close(descriptor)
            self._roles[role](self._make_context(channel))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wakeup, 512):
                pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._children.discard(pid)
            code = os.waitstatus_to_exitcode(status)
            send_message(self._control, {"died": pid, "status": code})

    def _end_children(self) -> None:
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)


def send_message(control: socket.socket, message: dict[str, Any], *descriptors: int) -> bool:
    """False when the other side's queue is full: whoever needs the message asks again."""
    data = json.dumps(message).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    try:
        control.sendmsg([data], rights if descriptors else [], socket.MSG_DONTWAIT)
    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
        return False
    return True


def receive_message(control: socket.socket) -> tuple[list[dict[str, Any]], list[int]]:
    """([message], its descriptors), or ([], []) when there is none now."""
    size = array.array("i").itemsize
    try:
        data, ancillary, _, _ = control.recvmsg(
            MAX_MESSAGE, socket.CMSG_SPACE(size), socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
        )
    except BlockingIOError:
        return [], []
    descriptors = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: len(payload) - len(payload) % size])
    return ([json.loads(data)] if data else []), list(descriptors)
