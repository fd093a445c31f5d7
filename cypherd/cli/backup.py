"""`cypherd backup` and `cypherd compact`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cypherd.cli.options import Config, Store, settings_from
from cypherd.cli.progress import with_progress


def backup(
    destination: Annotated[Path, typer.Argument(help="Folder for the copy; must not hold one.")],
    store: Store = None,
    compact: Annotated[
        bool, typer.Option("--compact", help="Leave out free pages: smaller, and slower.")
    ] = False,
    config: Config = None,
) -> None:
    """Copy a store, also while it is served: what was acknowledged before is in the copy.

    The copy is a store: serve it to restore.

    Example: cypherd backup backups/monday --store data/graph
    """
    from cypherd.storage.lmdb.copying import back_up

    settings = settings_from(config, store=store)
    report = with_progress(
        partial(back_up, settings.store, destination, map_size=settings.map_size, compact=compact)
    )
    print(f"{report.after:,} bytes in {destination}")


def compact(store: Store = None, config: Config = None) -> None:
    """Write a store anew without the room that deletions left; it must not be in use.

    Example: cypherd compact --store data/graph
    """
    from cypherd.storage.lmdb.copying import compact_store

    settings = settings_from(config, store=store)
    report = with_progress(partial(compact_store, settings.store, map_size=settings.map_size))
    print(f"{report.before:,} bytes before, {report.after:,} after")
