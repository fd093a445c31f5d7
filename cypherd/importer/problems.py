"""Bad rows: told by file, line and what is wrong, up to a limit."""

from __future__ import annotations

from dataclasses import dataclass, field

from cypherd.errors import ImportFailed


@dataclass(slots=True)
class Problems:
    """Bad rows so far. `limit`: how many are listed; `tolerance`: how many may be left out before
    nothing is imported. Skipped ones (`skip`) do not count against it."""

    limit: int
    tolerance: int = 0
    bad: int = 0
    skipped: int = 0
    found: list[str] = field(default_factory=list)

    def add(self, file: str, line: int | None, what: str) -> None:
        """Raises ImportFailed when there are enough of them to stop reading."""
        self.bad += 1
        self._list(file, line, what)
        if self.bad > self.tolerance and len(self.found) >= max(1, self.limit):
            self.raise_if_any()

    def skip(self, file: str, line: int | None, what: str) -> None:
        self.skipped += 1
        self._list(file, line, what)

    def raise_if_any(self) -> None:
        if self.bad > self.tolerance:
            more = " (and perhaps more)" if self.bad + self.skipped >= self.limit else ""
            title = f"nothing was imported: {self.bad:,} bad row{'s' * (self.bad > 1)}{more}"
            raise ImportFailed("\n  ".join([title, *self.found]))

    def _list(self, file: str, line: int | None, what: str) -> None:
        if len(self.found) < max(1, self.limit):
            self.found.append(f"{file}:{line}: {what}" if line is not None else f"{file}: {what}")
