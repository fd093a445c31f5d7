"""The pair between the first front and one beside it: messages, and connections handed over.

SOCK_SEQPACKET, so a message and its descriptor stay together. The supervisor keeps both ends: a
front that is started again gets the same.

    beside -> first   ("connection", (host, port)) + a socket    speak HTTP to this client
                      ("plan", text)                             is its plan known?
                      ("counted", metrics)                       since it last said so
                      ("ended", entries)                         what was answered there
    first -> beside   ("plan", text, planned or None)
"""

from __future__ import annotations

import array
import contextlib
import os
import pickle
import socket
from typing import Any

_LONGEST = 1 << 16


def link() -> tuple[socket.socket, socket.socket]:
    """(the end of the first front, the end of the one beside it)."""
    first, beside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (first, beside):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    return first, beside


def send(end: socket.socket, message: tuple[Any, ...], *descriptors: int) -> bool:
    """False where it could not be sent: too long, or the other side does not read."""
    data = pickle.dumps(message, 5)
    if len(data) > _LONGEST:
        return False
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    try:
        end.sendmsg([data], rights if descriptors else [], socket.MSG_DONTWAIT)
    except OSError:
        # Full; or the other side is being started again; or too many descriptors are on the way.
        return False
    return True


def receive(end: socket.socket) -> tuple[tuple[Any, ...] | None, int | None]:
    """The next message, and the descriptor that came with it; (None, None) when there is none."""
    size = array.array("i").itemsize
    try:
        data, ancillary, _, _ = end.recvmsg(
            _LONGEST, socket.CMSG_SPACE(size), socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
        )
    except BlockingIOError:
        return None, None
    found = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(payload[: len(payload) - len(payload) % size])
    for extra in found[1:]:
        with contextlib.suppress(OSError):
            os.close(extra)
    return (pickle.loads(data) if data else None), (found[0] if found else None)
