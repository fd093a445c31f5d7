"""`/metrics` for Prometheus, by its client library, in the format that `Accept` asks for.

Nothing is counted here: what the front has counted, and what the store and the pools are at that
moment, is put in the library's form when somebody asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from cypherd.processes.limits import memory_of
from cypherd.queries.metrics import Histogram
from cypherd.queries.runner import Runner
from cypherd.storage.protocols import StoreUsage


class MetricsEndpoint:
    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def show(self, request: Request) -> Response:
        """Raises StoreError where the store cannot be asked."""
        usage = await asyncio.to_thread(self._runner.usage)
        registry = CollectorRegistry()
        registry.register(_Collected(self._runner, usage))
        ProcessCollector(namespace="cypherd_front", registry=registry)
        encoder, content_type = choose_encoder(request.headers.get("accept", ""))
        return Response(
            encoder(registry), headers={"Content-Type": content_type, "Cache-Control": "no-store"}
        )


class _Collected(Collector):
    def __init__(self, runner: Runner, usage: StoreUsage) -> None:
        self._runner = runner
        self._usage = usage

    def collect(self) -> Iterator[Metric]:
        yield from self._queries()
        yield from self._processes()
        yield from self._store()

    def _queries(self) -> Iterator[Metric]:
        runner, metrics = self._runner, self._runner.metrics
        seconds = HistogramMetricFamily(
            "cypherd_query_seconds",
            "Time from a query's request to its last byte, by where it ran and how it ended.",
            labels=("place", "outcome"),
        )
        for labels, histogram in sorted(metrics.seconds.items()):
            _add(seconds, labels, histogram)
        yield seconds
        yield _counter("cypherd_errors", "Queries that failed, by code.", "code", metrics.errors)
        yield _counter(
            "cypherd_vetoes", "Queries that the guard stopped, by reason.", "reason", metrics.vetoes
        )
        yield _gauge("cypherd_queries", "Queries that run or wait.", len(runner.registry))
        waiting = GaugeMetricFamily("cypherd_queued", "Queries that wait.", labels=("queue",))
        for queue, length in runner.queues().items():
            waiting.add_metric((queue,), length)
        yield waiting
        yield _histogram("cypherd_commit_statements", "Statements in a commit.", metrics.groups)
        yield _histogram(
            "cypherd_commit_seconds", "Time of a commit, with its sync.", metrics.syncs
        )
        yield _histogram(
            "cypherd_loop_lag_seconds", "How late the event loop came to its timer.", metrics.lag
        )

    def _processes(self) -> Iterator[Metric]:
        processes = GaugeMetricFamily(
            "cypherd_processes", "Processes that run queries.", labels=("role",)
        )
        memory = GaugeMetricFamily(
            "cypherd_process_memory_bytes",
            "Memory that they hold by themselves, without pages of the store.",
            labels=("role",),
        )
        for role, pids in self._runner.pids().items():
            processes.add_metric((role,), len(pids))
            memory.add_metric((role,), sum(map(memory_of, pids)))
        yield processes
        yield memory
        yield _counter(
            "cypherd_lost_processes",
            "Processes that died or were killed, and were replaced.",
            "role",
            self._runner.metrics.lost,
        )

    def _store(self) -> Iterator[Metric]:
        usage = self._usage
        for name, help_text, value in (
            ("bytes", "Size of the store's file.", usage.file_bytes),
            ("used_bytes", "Bytes of it in use.", usage.used_bytes),
            ("free_bytes", "Bytes of it that are free for what comes.", usage.free_bytes),
            ("readers", "Snapshots that are open.", usage.readers),
            (
                "oldest_reader_commits",
                "How many commits have come since the oldest open snapshot began.",
                usage.oldest_reader,
            ),
        ):
            yield _gauge(f"cypherd_store_{name}", help_text, value)


def _counter(name: str, text: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=(label,))
    for key, count in sorted(counts.items()):
        family.add_metric((key,), count)
    return family


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _histogram(name: str, text: str, histogram: Histogram) -> Metric:
    family = HistogramMetricFamily(name, text, labels=())
    _add(family, (), histogram)
    return family


def _add(family: HistogramMetricFamily, labels: tuple[str, ...], histogram: Histogram) -> None:
    bounds = [*(f"{bound:g}" for bound in histogram.bounds), "+Inf"]
    counts = accumulate(histogram.counts)
    family.add_metric(labels, list(zip(bounds, counts, strict=True)), histogram.total)
