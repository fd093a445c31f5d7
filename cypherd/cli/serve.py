"""`cypherd serve`."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from cypherd.cli.options import Config, Store, settings_from
from cypherd.cli.stores import open_store_of
from cypherd.errors import SettingError

if TYPE_CHECKING:
    from cypherd.settings import Settings

# The processes of a server that was killed take a moment to notice.
_LOCK_WAIT = 5.0


def serve(
    context: typer.Context,
    store: Store = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0: any free one.")] = None,
    fronts: Annotated[int | None, typer.Option(help="Processes that answer connections.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes for long reads.")] = None,
    root_path: Annotated[str | None, typer.Option(help="Path under which a proxy serves.")] = None,
    insecure_public: Annotated[
        bool | None,
        typer.Option("--insecure-public", help="Allow another host than loopback."),
    ] = None,
    config: Config = None,
) -> None:
    """Serve a graph over HTTP.

    Example: cypherd serve --store data/graph --port 7475
    """
    from cypherd.processes.supervisor import serve as serve_processes
    from cypherd.queries.roles import ROLES
    from cypherd.server.front import run_front
    from cypherd.server.safety import require_safe_address
    from cypherd.server.side_front import run_side_front
    from cypherd.storage.lmdb.lock import StoreLock

    given = {
        "store": store,
        "host": host,
        "port": port,
        "fronts": fronts,
        "workers": workers,
        "root_path": root_path,
        "insecure_public": insecure_public,
    }
    settings = settings_from(config, **given, **_more_settings(context.args))
    require_safe_address(settings)
    _print_settings(settings)
    if not settings.store.exists():
        open_store_of(settings, create=True).close()
    lock = StoreLock(settings.store, f"http://{settings.host}:{settings.port}")
    lock.acquire(wait=_LOCK_WAIT)
    # A store that cannot be opened is told here, before anything is forked.
    open_store_of(settings, create=True).close()
    code = serve_processes(
        settings, partial(open_store_of, settings), run_front, ROLES, run_side_front
    )
    lock.release()
    raise typer.Exit(code)


def _more_settings(arguments: list[str]) -> dict[str, str]:
    """`--max-rows 1000`, `--max-rows=1000` and `--hide-queries`. Raises SettingError."""
    found: dict[str, str] = {}
    waiting = list(reversed(arguments))
    while waiting:
        option, separator, value = waiting.pop().partition("=")
        if not option.startswith("--"):
            raise SettingError(f"unexpected argument {option!r}")
        if not separator:
            follows = bool(waiting) and not waiting[-1].startswith("--")
            value = waiting.pop() if follows else "true"
        found[option.removeprefix("--").replace("-", "_")] = value
    return found


def _print_settings(settings: Settings) -> None:
    """What is in force, a line each; * marks what differs from the default."""
    print("cypherd: settings in force (* changed)", file=sys.stderr)
    for name, value, changed in settings.shown():
        print(f"  {'*' if changed else ' '} {name} = {value}", file=sys.stderr)
