"""A queue for each client, served in turn: against a plain model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.queries.fair import FairQueue, client_key


def test_clients_are_served_in_turn() -> None:
    queue: FairQueue[str] = FairQueue()
    for item in ("a1", "a2", "a3", "b1", "a4", "c1"):
        queue.push(item[0], item)
    assert len(queue) == 6
    assert queue.peek() == "a1"
    assert [queue.pop() for _ in range(6)] == ["a1", "b1", "c1", "a2", "a3", "a4"]
    assert not queue
    with pytest.raises(IndexError):
        queue.pop()
    with pytest.raises(IndexError):
        queue.peek()


def test_the_one_with_most_gives_way() -> None:
    queue: FairQueue[str] = FairQueue()
    for item in ("a1", "a2", "a3", "b1"):
        queue.push(item[0], item)
    assert queue.make_room("a") is None
    assert queue.make_room("c") == "a3"
    assert queue.make_room("b") is None
    assert queue.make_room("c") == "a2"
    assert queue.make_room("c") is None
    assert list(queue) == ["a1", "b1"]
    assert FairQueue[str]().make_room("a") is None


@pytest.mark.parametrize(
    ("client", "key"), [("127.0.0.1:5", "127.0.0.1"), ("::1:5", "::1"), ("", "")]
)
def test_a_client_is_a_host(client: str, key: str) -> None:
    assert client_key(client) == key


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.sampled_from("abc")),
        st.tuples(st.just("pop"), st.just("")),
        st.tuples(st.just("remove"), st.integers(0, 30)),
    ),
    max_size=60,
)


@given(OPERATIONS)
def test_nothing_is_lost_and_nobody_waits_twice(operations: list[tuple[str, object]]) -> None:
    """What is popped was pushed, once, in order for each client; and between two pops of one
    client everybody who waited at the first has had one."""
    queue: FairQueue[tuple[str, int]] = FairQueue()
    waiting: list[tuple[str, int]] = []
    passed: dict[str, set[str]] = {}
    for number, (kind, argument) in enumerate(operations):
        if kind == "push":
            item = (str(argument), number)
            queue.push(item[0], item)
            waiting.append(item)
        elif kind == "remove":
            there = [item for item in waiting if item[1] == argument]
            for item in there:
                assert queue.remove(item[0], item)
                waiting.remove(item)
                if item[0] not in {client for client, _ in waiting}:
                    # Who has gone waits anew when it comes again.
                    for others in passed.values():
                        others.discard(item[0])
            assert not queue.remove("a", ("a", -1))
        elif waiting:
            item = queue.pop()
            client = item[0]
            assert item == next(other for other in waiting if other[0] == client)
            waiting.remove(item)
            still = {other for other, _ in waiting}
            assert not (passed.pop(client, set()) & still - {client})
            for others in passed.values():
                others.discard(client)
            passed[client] = still - {client}
        assert len(queue) == len(waiting)
        assert set(queue) == set(waiting)
