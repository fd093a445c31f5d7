"""`cypherd export`."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cypherd.cli.options import AsJson, Config, Store, settings_from
from cypherd.cli.progress import with_progress


def export(
    folder: Annotated[Path, typer.Argument(help="New folder for the files.")],
    store: Store = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Write a store as CSV files, also while it is served: a file for each set of labels and each
    type, which `cypherd import` takes again.

    Example: cypherd export files --store data/graph
    """
    from cypherd.exporter import export_store

    settings = settings_from(config, store=store)
    report = with_progress(
        partial(export_store, settings.store, folder, map_size=settings.map_size)
    )
    if as_json:
        print(json.dumps(dataclasses.asdict(report)))
    else:
        print(
            f"{report.nodes:,} nodes and {report.relationships:,} relationships in "
            f"{report.files:,} files, in {report.seconds:.1f} s"
        )
