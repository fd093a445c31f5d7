"""Draws a sweep over concurrency: throughput on a linear, latency on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from benchmarks.jmeter import Run

_LATENCIES = (("median", "median", "o"), ("90%", "p90", "s"), ("99%", "p99", "^"))


def draw_sweep(title: str, runs: Sequence[Run], path: Path) -> list[Path]:
    """Writes `path`.png and `path`.svg; each kind of request in the plan has its own lines."""
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 7), layout="constrained")
    labels = list(dict.fromkeys(run.label for run in runs))
    for label in labels:
        mine = sorted((run for run in runs if run.label == label), key=lambda run: run.threads)
        threads = [run.threads for run in mine]
        above.plot(threads, [run.rate for run in mine], marker="o", label=label)
        _latencies(below, threads, mine, "" if len(labels) == 1 else f"{label}, ")
    above.set(title=title, ylabel="requests a second")
    above.set_ylim(bottom=0)
    below.set(xlabel="connections", ylabel="latency, ms", yscale="log", xscale="log")
    below.set_xticks(ticks := sorted({run.threads for run in runs}), [str(tick) for tick in ticks])
    below.minorticks_off()
    for axes in (above, below):
        axes.grid(alpha=0.3)
        axes.legend()
    written = [path.with_name(f"{path.name}.{kind}") for kind in ("png", "svg")]
    for file in written:
        figure.savefig(file, dpi=110)
    plt.close(figure)
    return written


def _latencies(axes: Any, threads: list[int], runs: Sequence[Run], prefix: str) -> None:
    for name, field, marker in _LATENCIES:
        # JMeter measures whole milliseconds: what it calls 0 is less than one.
        values = [max(0.5, getattr(run, field)) for run in runs]
        axes.plot(threads, values, marker=marker, label=f"{prefix}{name}")
