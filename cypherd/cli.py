"""The command line: the one place that chooses a store."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cypherd import __version__
from cypherd.errors import CypherdError, SettingError

if TYPE_CHECKING:
    from cypherd.settings import Settings
    from cypherd.storage.protocols import GraphStore

EXIT_FAILED, EXIT_USAGE = 1, 2
# Snapshots that are open at once besides the pool's: fronts, planner, writer, tools.
_EXTRA_READERS = 64
# The processes of a server that was killed take a moment to notice.
_LOCK_WAIT = 5.0

application = typer.Typer(
    help="A Cypher server: a graph database over plain HTTP whose queries can always be stopped.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Store = Annotated[Path | None, typer.Option("--store", help="Folder of the graph store.")]
Config = Annotated[Path | None, typer.Option("--config", help="TOML file with settings.")]


def main() -> None:
    """Run the command line; errors are one line, the exit code says which kind."""
    # Before NumPy is imported anywhere: a thread pool must not exist when the server forks.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    try:
        application()
    except SettingError as error:
        _fail(error, EXIT_USAGE)
    except CypherdError as error:
        _fail(error, EXIT_FAILED)


def _fail(error: CypherdError, code: int) -> None:
    print(f"cypherd: {error.message}", file=sys.stderr)
    sys.exit(code)


def _show_version(value: bool) -> None:
    if value:
        print(f"cypherd {__version__}")
        raise typer.Exit


@application.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    return


@application.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    epilog="Every other setting is an option too, as --max-rows 1000; docs/settings.md has all.",
)
def serve(
    context: typer.Context,
    store: Store = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0: any free one.")] = None,
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
    from cypherd.storage.lmdb.lock import StoreLock

    given = {
        "store": store,
        "host": host,
        "port": port,
        "workers": workers,
        "root_path": root_path,
        "insecure_public": insecure_public,
    }
    settings = _settings(config, **given, **_more_settings(context.args))
    require_safe_address(settings)
    _print_settings(settings)
    if not settings.store.exists():
        _open_store(settings, create=True).close()
    lock = StoreLock(settings.store, f"http://{settings.host}:{settings.port}")
    lock.acquire(wait=_LOCK_WAIT)
    # A store that cannot be opened is told here, before anything is forked.
    _open_store(settings, create=True).close()
    code = serve_processes(settings, partial(_open_store, settings), run_front, ROLES)
    lock.release()
    raise typer.Exit(code)


@application.command("import")
def import_(
    folder: Annotated[Path, typer.Argument(help="Folder of CSV files with a manifest.json.")],
    store: Store = None,
    max_errors: Annotated[int, typer.Option(help="Bad rows that are listed.")] = 20,
    config: Config = None,
) -> None:
    """Load a folder of CSV files into a new store: all of it, or nothing.

    Example: cypherd import --store data/graph path/to/folder
    """
    from cypherd.importer import import_folder

    settings = _settings(config, store=store)
    report = _with_progress(
        partial(
            import_folder,
            folder,
            settings.store,
            map_size=settings.map_size,
            max_errors=max_errors,
        )
    )
    print(
        f"{report.nodes:,} nodes, {report.relationships:,} relationships, "
        f"{report.properties:,} properties and {report.indexes} indexes "
        f"in {report.seconds:.1f} s"
    )


@application.command()
def generate(
    store: Store = None,
    persons: Annotated[int, typer.Option(min=1, help="How many persons.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same graph.")] = 1,
    config: Config = None,
) -> None:
    """Make a social network: persons, who they know, where they live, study and work.

    Example: cypherd generate --store data/sample --persons 1000
    """
    from cypherd.generator.social_network import generate_social_network

    settings = _settings(config, store=store)
    report = _with_progress(
        partial(
            generate_social_network,
            settings.store,
            persons=persons,
            seed=seed,
            map_size=settings.map_size,
        )
    )
    print(f"{report.nodes:,} nodes and {report.relationships:,} relationships")


@application.command()
def info(
    store: Store = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    config: Config = None,
) -> None:
    """Show what a store holds: labels, types, counts and indexes.

    Example: cypherd info --store data/graph
    """
    settings = _settings(config, store=store)
    with _open_store(settings, create=False).read() as transaction:
        schema, counts = transaction.schema, transaction.counts
        found: dict[str, Any] = {
            "nodes": counts.nodes(),
            "relationships": counts.relationships(),
            "labels": {name: counts.nodes(schema.label_id(name)) for name in schema.label_names()},
            "types": {
                name: counts.relationships(schema.type_id(name)) for name in schema.type_names()
            },
            "indexes": [index.name for index in schema.indexes],
        }
    if as_json:
        print(json.dumps(found))
        return
    print(f"nodes {found['nodes']:,}\nrelationships {found['relationships']:,}")
    for title in ("labels", "types"):
        for name, count in found[title].items():
            print(f"  {title[:-1]} {name}: {count:,}")
    for name in found["indexes"]:
        print(f"  index {name}")


def _settings(config: Path | None, **overrides: Any) -> Settings:
    from cypherd.settings import load_settings

    environment = os.environ
    if config is None and "CYPHERD_CONFIG" in environment:
        config = Path(environment["CYPHERD_CONFIG"])
    return load_settings(overrides, config=config)


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


def _open_store(settings: Settings, *, create: bool = False) -> GraphStore:
    from cypherd.queries.runner import worker_count
    from cypherd.storage.lmdb.store import open_store

    readers = settings.max_readers or worker_count(settings) * 4 + _EXTRA_READERS
    return open_store(
        settings.store, map_size=settings.map_size, max_readers=readers, create=create
    )


def _with_progress(run: Callable[..., Any]) -> Any:
    """Run with a bar on standard error that follows `progress(stage, done, total)`."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    tasks: dict[str, Any] = {}

    def follow(stage: str, done: int, total: int) -> None:
        if stage not in tasks:
            tasks[stage] = bar.add_task(stage, total=total)
        bar.update(tasks[stage], completed=done, total=total)

    with bar:
        return run(progress=follow)
