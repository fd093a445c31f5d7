"""`cypherd generate`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from cypherd.cli.options import Config, Store, settings_from
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
    config: Config = None,
) -> None:
    """Make a social network: persons, who they know, where they live, study and work.

    Example: cypherd generate --store data/sample --persons 1000
    """
    from cypherd.generator.social_network import generate_social_network

    settings = settings_from(config, store=store)
    report = with_progress(
        partial(
            generate_social_network,
            settings.store,
            persons=persons,
            seed=seed,
            knows=knows,
            map_size=settings.map_size,
        )
    )
    print(f"{report.nodes:,} nodes and {report.relationships:,} relationships")
