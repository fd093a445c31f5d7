"""`cypherd import`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cypherd.cli.options import Config, Store, settings_from
from cypherd.cli.progress import with_progress


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

    settings = settings_from(config, store=store)
    report = with_progress(
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
