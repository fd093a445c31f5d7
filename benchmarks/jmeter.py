"""Runs the load plans of jmeter/ with a real JMeter, over a sweep of thread counts.

    python -m benchmarks.jmeter                                  every plan, 8 threads, 10 seconds
    python -m benchmarks.jmeter --plan point-read --threads 1,8,32,128 --duration 10 --chart

A graph of --persons people is made and served unless --port names a server. Results go to
jmeter/results/: a line of JSON a run, and with --chart a drawing of the sweep as PNG and SVG.
`--fetch` gets JMeter and does nothing else.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles

from benchmarks.client import Server
from benchmarks.jmeter_home import ROOT, NoJMeter, jmeter_command
from cypherd.generator import generate_social_network
from cypherd.settings import GIB

PLANS = (
    "load-test", "point-read", "mixed", "create", "batch-nodes", "batch-relationships",
)  # fmt: skip
FOLDER = ROOT / "jmeter"
RESULTS = FOLDER / "results"
# Seconds that JMeter may take to start and to end, beside the duration of the plan.
AROUND = 120.0


@dataclass(frozen=True, slots=True)
class Run:
    """One plan at one number of threads; latencies in ms, of the requests named `label`."""

    plan: str
    label: str
    threads: int
    requests: int
    errors: int
    rate: float
    median: float
    p90: float
    p99: float
    slowest: float
    first_error: str | None = None


def run_plan(
    plan: str,
    port: int,
    *,
    threads: int = 8,
    duration: int = 10,
    host: str = "127.0.0.1",
    properties: Mapping[str, object] | None = None,
    skip: float = 0.0,
) -> list[Run]:
    """Run `jmeter/<plan>.jmx`; a Run for each kind of request in it. What began in the first
    `skip` seconds does not count.

    Raises NoJMeter, and RuntimeError with what JMeter said when it failed."""
    given = {
        "threads": threads,
        "duration": duration,
        "host": host,
        "port": port,
        **(properties or {}),
    }
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "samples.csv"
        command = [
            *jmeter_command(), "-n", "-t", str(FOLDER / f"{plan}.jmx"), "-l", str(samples),
            "-j", str(Path(folder) / "jmeter.log"),
            "-Jjmeter.save.saveservice.output_format=csv",
            *(f"-J{name}={value}" for name, value in given.items()),
        ]  # fmt: skip
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=duration + AROUND,
            check=False,
        )
        if done.returncode or not samples.exists():
            raise RuntimeError(f"JMeter failed on {plan}: {(done.stdout + done.stderr)[-2000:]}")
        with samples.open(newline="", encoding="utf-8") as file:
            samples_made = list(csv.DictReader(file))
        first = min(int(sample["timeStamp"]) for sample in samples_made) + skip * 1000
        counted = [one for one in samples_made if int(one["timeStamp"]) >= first]
        return _summaries(plan, threads, counted)


def _summaries(plan: str, threads: int, samples: list[dict[str, str]]) -> list[Run]:
    labels = dict.fromkeys(sample["label"] for sample in samples)
    return [
        _summary(plan, threads, label, [one for one in samples if one["label"] == label])
        for label in labels
    ]


def _summary(plan: str, threads: int, label: str, samples: list[dict[str, str]]) -> Run:
    begun = [int(sample["timeStamp"]) for sample in samples]
    elapsed = sorted(int(sample["elapsed"]) for sample in samples)
    ended = max(
        start + int(sample["elapsed"]) for start, sample in zip(begun, samples, strict=True)
    )
    wrong = [sample for sample in samples if sample["success"] != "true"]
    seconds = max(0.001, (ended - min(begun)) / 1000)
    cuts = quantiles(elapsed, n=100) if len(elapsed) > 1 else [float(elapsed[0])] * 99
    return Run(
        plan,
        label,
        threads,
        requests=len(samples),
        errors=len(wrong),
        rate=round(len(samples) / seconds, 1),
        median=cuts[49],
        p90=cuts[89],
        p99=cuts[98],
        slowest=elapsed[-1],
        first_error=f"{wrong[0]['responseCode']} {wrong[0]['failureMessage']}" if wrong else None,
    )


@contextmanager
def served(persons: int) -> Iterator[int]:
    """The port of a server on a fresh sample graph."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        generate_social_network(store, persons=persons, map_size=16 * GIB)
        with Server(store, settings={"map_size": "16GiB"}) as server:
            yield server.port


def sweep(
    plans: Iterable[str], counts: Iterable[int], port: int, args: argparse.Namespace
) -> list[Run]:
    runs = []
    for plan in plans:
        for threads in counts:
            for run in run_plan(
                plan, port, threads=threads, duration=args.duration, host=args.host,
                properties={"lastPerson": args.persons - 1, "ramp": args.ramp},
            ):  # fmt: skip
                print(json.dumps(asdict(run)), flush=True)
                runs.append(run)
    return runs


def _keep(runs: list[Run], chart: bool) -> None:
    RESULTS.mkdir(exist_ok=True)
    for plan in dict.fromkeys(run.plan for run in runs):
        mine = [run for run in runs if run.plan == plan]
        lines = "".join(f"{json.dumps(asdict(run))}\n" for run in mine)
        (RESULTS / f"{plan}.ndjson").write_text(lines, encoding="utf-8")
        if chart:
            from benchmarks.charts import draw_sweep  # matplotlib takes a second to load.

            draw_sweep(plan, mine, RESULTS / plan)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--plan", action="append", choices=PLANS, help="one of the plans; default: all"
    )
    parser.add_argument("--threads", default="8", help="numbers of threads, with commas between")
    parser.add_argument("--duration", type=int, default=10, help="seconds a run")
    parser.add_argument(
        "--ramp", type=int, default=1, help="seconds until all threads have started"
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, help="a server that runs; default: one of its own")
    parser.add_argument("--persons", type=int, default=1000, help="people in the graph")
    parser.add_argument("--chart", action="store_true", help="draw each sweep")
    parser.add_argument("--fetch", action="store_true", help="get JMeter, and no more")
    args = parser.parse_args()
    try:
        command = jmeter_command()
    except NoJMeter as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    if args.fetch:
        print(" ".join(command))
        return 0
    counts = [int(part) for part in args.threads.split(",")]
    plans = args.plan or PLANS
    if args.port is not None:
        runs = sweep(plans, counts, args.port, args)
    else:
        with served(args.persons) as port:
            runs = sweep(plans, counts, port, args)
    _keep(runs, args.chart)
    return 1 if any(run.errors for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
