"""A queue for each client, served in turn.

    push a, a, a, b, a, c   -->   pop a, b, c, a, a, a

A client that asks for a thousand things makes itself wait, and nobody else. Who a client is says
the caller: here it is the host that a request comes from.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


def client_key(client: str) -> str:
    """The host of `host:port`."""
    return client.rpartition(":")[0]


class FairQueue(Generic[Item]):
    """Items compare by identity or are distinct."""

    __slots__ = ("_length", "_queues")

    def __init__(self) -> None:
        self._queues: OrderedDict[str, deque[Item]] = OrderedDict()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Item]:
        """Client by client."""
        for queue in self._queues.values():
            yield from queue

    def push(self, client: str, item: Item) -> None:
        queue = self._queues.get(client)
        if queue is None:
            queue = self._queues[client] = deque()
        queue.append(item)
        self._length += 1

    def peek(self) -> Item:
        """What `pop` would give. Raises IndexError when empty."""
        for queue in self._queues.values():
            return queue[0]
        raise IndexError("the queue is empty")

    def pop(self) -> Item:
        """The first of the client whose turn it is. Raises IndexError when empty."""
        for client, queue in self._queues.items():
            item = queue.popleft()
            self._length -= 1
            if queue:
                self._queues.move_to_end(client)
            else:
                del self._queues[client]
            return item
        raise IndexError("the queue is empty")

    def remove(self, client: str, item: Item) -> bool:
        """Whether it was there."""
        queue = self._queues.get(client)
        if queue is None or item not in queue:
            return False
        queue.remove(item)
        self._length -= 1
        if not queue:
            del self._queues[client]
        return True

    def make_room(self, client: str) -> Item | None:
        """Take out the last item of the client with the most, to let in one of `client`; None if
        that is the one with the most, or has as many."""
        if not self._queues:
            return None
        most = max(self._queues, key=lambda name: len(self._queues[name]))
        if len(self._queues[most]) <= len(self._queues.get(client, ())) + 1:
            return None
        item = self._queues[most].pop()
        self._length -= 1
        return item
