"""`cypherd check`."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from cypherd.cli.options import EXIT_FAILED, AsJson, Config, Store, settings_from
from cypherd.cli.progress import with_progress


def check(
    store: Store = None,
    most: Annotated[int, typer.Option(min=1, help="Faults that are listed of each table.")] = 20,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Hold every table of a store against the others; works while the store is served.

    Exits with 1 if anything is wrong. Example: cypherd check --store data/graph
    """
    from cypherd.storage.lmdb.store import open_store

    settings = settings_from(config, store=store)
    opened = open_store(settings.store, map_size=settings.map_size, readonly=True)
    report = with_progress(lambda progress: opened.check(most=most, progress=progress))
    opened.close()
    if as_json:
        print(json.dumps({**dataclasses.asdict(report), "sound": report.sound}))
    else:
        for finding in report.findings:
            print(f"{finding.table}: {finding.message}")
        more = report.total - len(report.findings)
        if more:
            print(f"and {more:,} more")
        print(
            f"{report.nodes:,} nodes and {report.relationships:,} relationships: "
            + ("sound" if report.sound else f"{report.total:,} faults")
        )
    if not report.sound:
        raise typer.Exit(EXIT_FAILED)
