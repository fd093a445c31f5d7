"""Texts without end against parser, binder, planner and executor.

    python -m tests.fuzz --minutes 60 --seed 1

A child process tries texts; this one watches it. A text that takes more than its share of
processor time, or with which the child ends, is a fault as much as a wrong exception. Faults are
told apart by where they come from; the shortest text of each is written to a folder, with what is
known of it. Ends with 1 if there was any.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.report import Report
from tests.fuzz.watch import Watched


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=5.0, help="processor seconds of one text")
    parser.add_argument("--faults", type=Path, default=Path("data/fuzz"), help="where texts go")
    arguments = parser.parse_args()
    report = Report(arguments.faults, arguments.limit)
    end = time.monotonic() + 60 * arguments.minutes
    seed = arguments.seed
    next_word = time.monotonic() + 60
    while time.monotonic() < end:
        with Watched(seed, arguments.limit) as watched:
            for text, outcome in watched.outcomes(end):
                report.add(text, outcome)
                if time.monotonic() > next_word:
                    print(report.line(), flush=True)
                    next_word += 60
        # The child is gone after a fault of the worst kind: go on behind that text.
        seed += 1_000_003
    print(report.summary(arguments.seed, arguments.minutes))
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
