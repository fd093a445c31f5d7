"""What one front counts is added to what another has counted, each thing once."""

from __future__ import annotations

from cypherd.errors import QueryCancelled
from cypherd.queries.metrics import SIZES, Histogram, Metrics


def _counted() -> Metrics:
    metrics = Metrics()
    metrics.ended("inline", "finished", 0.0002)
    metrics.ended("worker 3", "failed", 2.0)
    metrics.failed(QueryCancelled("cancelled"))
    metrics.lost["worker"] += 1
    metrics.groups.observe(7)
    metrics.syncs.observe(0.004)
    metrics.lag.observe(0.001)
    return metrics


def test_what_is_taken_and_added_is_what_was_counted() -> None:
    counted = _counted()
    taken = counted.take()
    assert counted.take() == Metrics()
    assert taken == _counted()


def test_added_twice_is_twice() -> None:
    metrics = _counted()
    metrics.add(_counted())
    assert sum(metrics.seconds["inline", "finished"].counts) == 2
    assert metrics.seconds["worker", "failed"].total == 4.0
    assert metrics.vetoes == {"cancel": 2}
    assert metrics.lost == {"worker": 2}
    assert (metrics.groups.total, metrics.syncs.total, metrics.lag.total) == (14, 0.008, 0.002)


def test_a_histogram_counts_up_to_and_with_each_bound() -> None:
    histogram = Histogram(SIZES)
    for value in (1, 2, 3, 4, 5000):
        histogram.observe(value)
    assert histogram.counts == [1, 1, 2, *[0] * 9, 1]
    histogram.clear()
    assert histogram.counts == [0] * 13
    assert histogram.total == 0
