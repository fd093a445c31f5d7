"""The name of the graph, and names that are spelled nearly alike, for the hints of errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

DATABASE = "neo4j"
"""The one graph there is, under the name that clients of Neo4j expect."""

_LONGEST = 100


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """A hint that names what is spelled nearly alike, if anything is."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name[:_LONGEST].lower(), by_lower, n=1, cutoff=0.7)
    return f"did you mean {by_lower[close[0]]}?" if close else None
