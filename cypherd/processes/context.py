"""What the supervisor hands to the processes that it makes."""

from __future__ import annotations

import mmap
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cypherd.settings import Settings
from cypherd.storage.protocols import GraphStore

SHARED_BYTES = 9 << 16
"""Size of the anonymous shared map; queries/slots.py divides it."""

OpenStore = Callable[[], GraphStore]


@dataclass(frozen=True, slots=True)
class ChildContext:
    """A child of the template: `channel` is its end of the pair whose other end the front has."""

    settings: Settings
    shared: mmap.mmap
    open_store: OpenStore
    channel: socket.socket


Role = Callable[[ChildContext], None]
Roles = Mapping[str, Role]


@dataclass(frozen=True, slots=True)
class FrontResources:
    """What a front runs on. `listener` is bound and listens; `template` is the front's end of
    the pair to the template; `lifeline` reads end-of-file when the supervisor has gone.
    `sides`: the ends of the pairs to the fronts beside it."""

    listener: socket.socket
    template: socket.socket
    shared: mmap.mmap
    open_store: OpenStore
    lifeline: int
    sides: tuple[socket.socket, ...] = ()


@dataclass(frozen=True, slots=True)
class SideResources:
    """What a front beside the first one runs on: `link` is its end of their pair (links.py),
    `number` counts from 1."""

    number: int
    listener: socket.socket
    link: socket.socket
    open_store: OpenStore
    lifeline: int
