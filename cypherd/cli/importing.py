"""`cypherd import`."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cypherd.cli.options import AsJson, Config, Store, settings_from
from cypherd.cli.progress import with_progress

if TYPE_CHECKING:
    from cypherd.importer import ImportReport

_NAMED_CHARACTERS = {"TAB": "\t", "\\t": "\t", "none": ""}

IdType = Literal["string", "integer"]


def import_(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder of CSV files: with a manifest.json or without.")
    ] = None,
    nodes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[LABEL[:LABEL]...=]FILE[,FILE]...",
            help="Node files; the first line of the first is the header, `-` standard input.",
        ),
    ] = None,
    relationships: Annotated[
        list[str] | None,
        typer.Option(metavar="[TYPE=]FILE[,FILE]...", help="Relationship files, likewise."),
    ] = None,
    store: Store = None,
    index: Annotated[
        list[str] | None, typer.Option(metavar="LABEL(PROPERTY,...)", help="An index to make.")
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL(PROPERTY,...)", help="A uniqueness constraint to make."),
    ] = None,
    delimiter: Annotated[
        str, typer.Option(help="What stands between fields: a character, or TAB.")
    ] = ",",
    array_delimiter: Annotated[
        str, typer.Option(help="What stands between elements of lists, and between labels.")
    ] = ";",
    quote: Annotated[str, typer.Option(help="What fields are quoted with, or none.")] = '"',
    id_type: Annotated[
        IdType, typer.Option(help="What :ID columns hold where they do not say it.")
    ] = "string",
    ignore_empty_strings: Annotated[
        bool, typer.Option("--ignore-empty-strings", help='Let "" be an absent property, too.')
    ] = False,
    skip_duplicate_nodes: Annotated[
        bool, typer.Option("--skip-duplicate-nodes", help="Leave out nodes with an id again.")
    ] = False,
    skip_bad_relationships: Annotated[
        bool,
        typer.Option("--skip-bad-relationships", help="Leave out relationships without ends."),
    ] = False,
    bad_tolerance: Annotated[
        int, typer.Option(min=0, help="Other bad rows that may be left out.")
    ] = 0,
    max_errors: Annotated[int, typer.Option(min=1, help="Bad rows that are listed.")] = 20,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Load CSV files into a new store: all of it, or nothing.

    Either a folder, or files one by one with headers such as name:ID, :LABEL, :START_ID, :END_ID
    and age:int; also compressed (.gz, .bz2, .xz, .zip).

    Example: cypherd import --store data/graph path/to/folder

    Example: cypherd import --store data/graph --nodes Person=persons.csv
    --relationships KNOWS=header.csv,knows.csv.gz
    """
    from cypherd.importer import ImportOptions, import_files, import_folder
    from cypherd.importer.groups import rule_of
    from cypherd.importer.reading import Dialect

    if (folder is None) == (not nodes and not relationships):
        raise typer.BadParameter("give a folder, or --nodes and --relationships")
    options = ImportOptions(
        dialect=Dialect(
            delimiter=_character(delimiter, "--delimiter"),
            quote=_character(quote, "--quote", may_be_none=True),
            array_delimiter=_character(array_delimiter, "--array-delimiter"),
        ),
        integer_ids=id_type == "integer",
        skip_duplicate_nodes=skip_duplicate_nodes,
        skip_bad_relationships=skip_bad_relationships,
        bad_tolerance=bad_tolerance,
        max_errors=max_errors,
        ignore_empty_strings=ignore_empty_strings,
        indexes=tuple(map(rule_of, index or ())),
        constraints=tuple(map(rule_of, constraint or ())),
    )
    settings = settings_from(config, store=store)
    run = (
        partial(import_folder, folder)
        if folder is not None
        else partial(import_files, nodes or [], relationships or [])
    )
    report = with_progress(
        partial(run, store_path=settings.store, map_size=settings.map_size, options=options)
    )
    _tell(report, as_json=as_json)


def _character(text: str, option: str, *, may_be_none: bool = False) -> str:
    character = _NAMED_CHARACTERS.get(text, text)
    if len(character) != 1 and not (may_be_none and not character):
        raise typer.BadParameter(f"{option} must be a single character, or TAB")
    return character


def _tell(report: ImportReport, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(dataclasses.asdict(report)))
        return
    print(
        f"{report.nodes:,} nodes, {report.relationships:,} relationships, "
        f"{report.properties:,} properties and {report.indexes} indexes "
        f"in {report.seconds:.1f} s"
    )
    if report.skipped:
        print(f"{report.skipped:,} bad rows were left out:")
        for problem in report.problems:
            print(f"  {problem}")
        if report.skipped > len(report.problems):
            print(f"  and {report.skipped - len(report.problems):,} more")
    if report.nodes and not report.indexes:
        print("No index was made; for quick look-ups: CREATE INDEX FOR (n:Label) ON (n.property)")
