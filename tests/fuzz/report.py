"""What a run has seen: outcomes by kind, the slowest texts, and faults, which go into files."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.trial import Outcome

_LONG = 1_000
# Processor seconds from which on planning is a fault. A pattern of sixty relationships that all
# lead to one node takes 0.7 s, which grows with its square up to the setting max_pattern.
_SLOW, _SLOW_CHARACTER = 2.0, 1e-4
_SHOWN = 300


@dataclass(slots=True)
class Report:
    """`limit`: processor seconds that planning a text may take, however long it is."""

    folder: Path
    limit: float
    kinds: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    shortest: dict[str, int] = field(default_factory=dict)
    slowest: dict[str, tuple[float, str]] = field(default_factory=dict)

    @property
    def inputs(self) -> int:
        return self.kinds.total()

    def add(self, text: str, outcome: Outcome) -> None:
        self.kinds[outcome.kind] += 1
        self._note_time("planned", outcome.planned, text)
        self._note_time("ran", outcome.ran, text)
        if len(text) >= _LONG:
            self._note_time("planned, a character", outcome.planned / len(text), text)
        if outcome.fault is not None:
            self._note_fault(text, outcome.signature, outcome.fault)
        elif outcome.planned > min(self.limit, _SLOW + _SLOW_CHARACTER * len(text)):
            self._note_fault(text, "slow plan", f"planned in {outcome.planned:.2f} s")

    def _note_time(self, what: str, seconds: float, text: str) -> None:
        if seconds > self.slowest.get(what, (0.0, ""))[0]:
            self.slowest[what] = (seconds, text)

    def _note_fault(self, text: str, signature: str, fault: str) -> None:
        self.faults[signature] += 1
        if len(text) >= self.shortest.get(signature, len(text) + 1):
            return
        self.shortest[signature] = len(text)
        self.folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(signature.encode("utf-8", "replace")).hexdigest()[:12]
        path = self.folder / name
        written = text.encode("utf-8", "surrogatepass")
        path.with_suffix(".cypher").write_bytes(written)
        path.with_suffix(".txt").write_text(f"{signature}\n\n{fault}\n", encoding="utf-8")

    def line(self) -> str:
        return f"{self.inputs:,} texts, {len(self.faults)} faults ({self.faults.total()} texts)"

    def summary(self, seed: int, minutes: float) -> str:
        lines = [f"seed {seed}, {minutes:g} minutes: {self.line()}", "outcomes:"]
        lines += [f"  {count:9,} {kind}" for kind, count in self.kinds.most_common()]
        lines.append("slowest:")
        for what, (seconds, text) in self.slowest.items():
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text):,})"
            lines.append(f"  {seconds * 1000:9.2f} ms {what}: {shown!r}")
        lines += ["faults:"] if self.faults else ["no faults"]
        lines += [f"  {count:9,} {signature}" for signature, count in self.faults.most_common()]
        return "\n".join(lines)
