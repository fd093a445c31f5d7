"""The front's view of the template: ask for a child, hold it, kill it, see it die."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import secrets
import signal
import socket
from dataclasses import dataclass, field
from typing import Any

from cypherd.processes.channel import FrontChannel
from cypherd.processes.template import receive_message, send_message


class ForkFailed(Exception):
    """The template did not answer in time: it is being replaced, or the machine is stuck."""


@dataclass(slots=True, eq=False)
class Child:
    """A forked process as the front knows it. `pidfd` stays valid after its death."""

    role: str
    pid: int
    pidfd: int
    channel: FrontChannel
    _gone: asyncio.Event = field(default_factory=asyncio.Event)

    def kill(self) -> None:
        if self.pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    async def dead(self) -> None:
        """Until the process has ended and its locks are free, then forget it."""
        if self.pidfd < 0:
            await self._gone.wait()
            return
        pidfd, self.pidfd = self.pidfd, -1
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        loop.add_reader(pidfd, _set_done, ended)
        try:
            await ended
        finally:
            loop.remove_reader(pidfd)
            os.close(pidfd)
            self._gone.set()


class Forks:
    """One for each front. Must be made inside the running loop."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._loop = asyncio.get_running_loop()
        # A former front's unread answers may still be in the pair: numbers must not repeat.
        self._numbers = itertools.count(secrets.randbits(48))
        self._asked: dict[int, asyncio.Future[tuple[int, int]]] = {}
        self._loop.add_reader(control.fileno(), self._on_answer)

    async def fork(self, role: str, timeout: float = 5.0) -> Child:
        """A new child in `role`. Raises ForkFailed."""
        ours, theirs = socket.socketpair()
        number = next(self._numbers)
        answer: asyncio.Future[tuple[int, int]] = self._loop.create_future()
        self._asked[number] = answer
        try:
            with theirs:
                message = {"number": number, "role": role}
                if not send_message(self._control, message, theirs.fileno()):
                    raise ForkFailed("the template takes no more requests")
            async with asyncio.timeout(timeout):
                pid, pidfd = await answer
        except TimeoutError:
            ours.close()
            raise ForkFailed(f"the template did not fork a {role} in {timeout:g} s") from None
        except BaseException:
            # The child, if there is one, reads end-of-file and ends.
            ours.close()
            raise
        finally:
            del self._asked[number]
        return Child(role, pid, pidfd, FrontChannel(ours, self._loop))

    def close(self) -> None:
        self._loop.remove_reader(self._control.fileno())

    def _on_answer(self) -> None:
        while True:
            messages, descriptors = receive_message(self._control)
            if not messages:
                return
            self._settle(messages[0], descriptors)

    def _settle(self, message: dict[str, Any], descriptors: list[int]) -> None:
        answer = self._asked.get(message.get("number", -1))
        if answer is not None and not answer.done() and descriptors:
            answer.set_result((message["pid"], descriptors[0]))
            return
        for descriptor in descriptors:
            os.close(descriptor)


def _set_done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
