"""`cypherd generate`."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cypherd.cli.options import AsJson, Config, Store, settings_from
from cypherd.cli.progress import with_progress


def generate(
    store: Store = None,
    persons: Annotated[int, typer.Option(min=1, help="How many persons.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same graph.")] = 1,
    knows: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=500,
            help="Mean KNOWS of a person, both directions together: 2 * KNOWS / persons.",
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write CSV files into this new folder, not a store."),
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Make a social network: persons, who they know, where they live, study and work.

    Example: cypherd generate --store data/sample --persons 1000

    With --csv, files for `cypherd import` are written instead.
    """
    from cypherd.generator import generate_social_network, write_social_network

    if csv is not None and store is not None:
        raise typer.BadParameter("give --store or --csv, not both")
    if csv is not None:
        run = partial(write_social_network, csv)
    else:
        settings = settings_from(config, store=store)
        run = partial(generate_social_network, settings.store, map_size=settings.map_size)
    report = with_progress(partial(run, persons=persons, seed=seed, knows=knows))
    if as_json:
        print(json.dumps(dataclasses.asdict(report)))
    else:
        print(f"{report.nodes:,} nodes and {report.relationships:,} relationships")
