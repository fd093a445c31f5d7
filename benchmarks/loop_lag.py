"""The lag of a server's event loops over a while, from its own histogram at /metrics.

A loop looks every 10 ms, so a while of less than ten seconds tells the worst of its looks, and not
what 99.9% of them were below.
"""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from benchmarks.client import request


class LoopLag:
    """From when it is made."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._before = _counts(port)

    def below(self, share: float = 0.999) -> float:
        """The histogram's bound, in seconds, below which that share of the looks lies so far."""
        after = _counts(self._port)
        grown = {bound: after[bound] - self._before[bound] for bound in after}
        wanted = share * max(grown.values())
        return min(bound for bound, count in grown.items() if count >= wanted)


def _counts(port: int) -> dict[float, float]:
    """The cumulative buckets by their bounds in seconds."""
    text = request(port, "GET", "/metrics").body.decode()
    return {
        float(sample.labels["le"]): sample.value
        for family in text_string_to_metric_families(text)
        if family.name == "cypherd_loop_lag_seconds"
        for sample in family.samples
        if sample.name.endswith("_bucket")
    }
