"""Sockets that come from elsewhere than from accepting, served by the event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable


async def adopt(protocol: Callable[[], asyncio.Protocol], sock: socket.socket) -> None:
    """Serve a connected socket in uvloop, which closes it from here on. Raises OSError.

    uvloop notes the object that owns the descriptor only after `connection_made`. When the
    transport is closed before, the object would close the descriptor a second time as it is freed,
    and by then that number may be another client's. So it gives the descriptor away here."""
    try:
        await asyncio.get_running_loop().connect_accepted_socket(protocol, sock)
    finally:
        sock.detach()
