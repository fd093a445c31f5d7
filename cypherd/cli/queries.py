"""`cypherd queries`: what a server runs, and stopping it."""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cypherd.cli.options import DEFAULT_URL, EXIT_FAILED, AsJson, Url

if TYPE_CHECKING:
    from cypherd.cli.interrupts import Interrupts
    from cypherd.cli.server_target import Server

queries = typer.Typer(
    help="Queries of a server: list, watch, cancel.", no_args_is_help=True, add_completion=False
)

All = Annotated[bool, typer.Option("--all", help="Also those that have ended, latest first.")]
_CANCEL_SECONDS = 10.0
_CANCEL_PAUSE = 0.02


@queries.command("list")
def list_(url: Url = DEFAULT_URL, all_: All = False, as_json: AsJson = False) -> None:
    """List the queries that run: id, state, where, since when.

    Example: cypherd queries list --all
    """
    from cypherd.cli.server_target import Server

    found = Server(url).queries()
    if as_json:
        print(json.dumps(found if all_ else {"running": found["running"]}))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(_lines(_chosen(found, all_), width))


@queries.command()
def watch(
    url: Url = DEFAULT_URL,
    all_: All = False,
    interval: Annotated[float, typer.Option(min=0.05, help="Seconds between two looks.")] = 1.0,
    count: Annotated[int, typer.Option(min=0, help="Looks to take; 0: until Ctrl-C.")] = 0,
) -> None:
    """Show the queries that run, again and again.

    Example: cypherd queries watch --interval 0.5
    """
    from cypherd.cli.interrupts import noting
    from cypherd.cli.server_target import Server

    with contextlib.suppress(KeyboardInterrupt), noting() as interrupts:
        looks = _looks(Server(url), all_, interval, count, interrupts)
        if not sys.stdout.isatty():
            for entries in looks:
                print(_lines(entries, None), flush=True)
            return
        _watch_live(looks)


def _looks(
    server: Server, all_: bool, interval: float, count: int, interrupts: Interrupts
) -> Iterator[list[dict[str, Any]]]:
    for look in itertools.count(1):
        yield _chosen(server.queries(), all_)
        if look == count:
            return
        interrupts.pause(interval)
        if interrupts.came:
            return


def _watch_live(looks: Iterable[list[dict[str, Any]]]) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console()
    with Live(console=console, auto_refresh=False) as live:
        for entries in looks:
            live.update(Text(_lines(entries, console.width), no_wrap=True), refresh=True)


@queries.command()
def cancel(
    ids: Annotated[list[str], typer.Argument(help="Ids, as `cypherd queries list` shows them.")],
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Cancel queries and wait until each has ended.

    Example: cypherd queries cancel 6a1f0c2e-17
    """
    from cypherd.cli.failures import QueryFailed, tell
    from cypherd.cli.server_target import Server

    server = Server(url)
    ended: list[dict[str, Any]] = []
    failed = False
    for query_id in ids:
        try:
            entry, was_running = _cancelled(server, query_id)
        except QueryFailed as failure:
            tell(str(failure))
            failed = True
            continue
        ended.append(entry)
        failed = failed or entry["ended"] is None
        if not as_json:
            print(_outcome(entry, was_running))
    if as_json:
        print(json.dumps(ended))
    if failed:
        raise typer.Exit(EXIT_FAILED)


def _cancelled(server: Server, query_id: str) -> tuple[dict[str, Any], bool]:
    """The query's entry once it has ended, or as it is after ten seconds; whether it ran."""
    entry = server.cancel(query_id)
    # One that had ended before was not asked to: nothing was measured of that.
    was_running = entry["ended"] is None or entry["cancel_ms"] is not None
    end = time.monotonic() + _CANCEL_SECONDS
    while entry["ended"] is None and time.monotonic() < end:
        time.sleep(_CANCEL_PAUSE)
        entry = server.query(query_id)
    return entry, was_running


def _outcome(entry: dict[str, Any], was_running: bool) -> str:
    if entry["ended"] is None:
        return f"{entry['id']} has not ended yet: {entry['state']}"
    if not was_running:
        return f"{entry['id']} had already ended: {entry['state']}"
    after = entry["cancel_ms"]
    return f"{entry['id']} {entry['state']}" + ("" if after is None else f" after {after:g} ms")


def _chosen(found: dict[str, list[dict[str, Any]]], all_: bool) -> list[dict[str, Any]]:
    return found["running"] + (found["finished"] if all_ else [])


def _lines(entries: list[dict[str, Any]], width: int | None) -> str:
    """A line a query. Only the text of the query gives way to `width`: ids are there to be
    copied."""
    if not entries:
        return "no query runs"
    rows = [("id", "state", "where", "elapsed", "rows", "query"), *map(_row, entries)]
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    room = None if width is None else max(20, width - sum(widths) - 2 * len(widths))
    shown = []
    for *fields, text in rows:
        if room is not None and len(text) > room:
            text = f"{text[: room - 3]}..."
        left = [field.ljust(size) for field, size in zip(fields[:3], widths, strict=False)]
        right = [field.rjust(size) for field, size in zip(fields[3:], widths[3:], strict=True)]
        shown.append("  ".join([*left, *right, text]))
    return "\n".join(shown)


def _row(entry: dict[str, Any]) -> tuple[str, ...]:
    text = " ".join(entry["query"].split())
    place, rows = entry["place"] or "", f"{entry['rows']:,}"
    return entry["id"], entry["state"], place, _elapsed(entry["elapsed_ms"]), rows, text


def _elapsed(milliseconds: float) -> str:
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} m {seconds % 60:02.0f} s"
