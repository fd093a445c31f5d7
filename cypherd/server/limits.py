"""What a front sets for its own process."""

from __future__ import annotations

import gc
import resource

_CONNECTIONS = 65_536
_YOUNG = 5000


def collect_seldom() -> None:
    """Ten thousand connections are half a million objects, and looking at all of them for cycles
    takes 200 ms. What is young is looked at as ever; all of it when the front says so."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 20, 1_000_000)


def allow_many_connections() -> None:
    """A connection is a descriptor, and the usual limit of 1,024 can be raised by anyone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS if hard == resource.RLIM_INFINITY else min(hard, _CONNECTIONS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
