"""The application: its commands, its errors."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from cypherd import __version__
from cypherd.cli.backup import backup, compact
from cypherd.cli.check import check
from cypherd.cli.export import export
from cypherd.cli.failures import QueryFailed, Unreachable, tell, tell_failure
from cypherd.cli.generate import generate
from cypherd.cli.importing import import_
from cypherd.cli.info import info
from cypherd.cli.options import EXIT_FAILED, EXIT_UNREACHABLE, EXIT_USAGE
from cypherd.cli.queries import queries
from cypherd.cli.query import query
from cypherd.cli.serve import serve
from cypherd.cli.status import status
from cypherd.errors import CypherdError, SettingError

application = typer.Typer(
    help="A Cypher server: a graph database over plain HTTP whose queries can always be stopped.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

application.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    epilog="Every other setting is an option too, as --max-rows 1000; docs/settings.md has all.",
)(serve)
application.command("import")(import_)
application.command()(export)
application.command()(generate)
application.command()(info)
application.command()(check)
application.command()(backup)
application.command()(compact)
application.command()(query)
application.add_typer(queries, name="queries")
application.command()(status)


def main() -> None:
    """Run the command line; errors are one line, the exit code says which kind."""
    # Before NumPy is imported anywhere: a thread pool must not exist when the server forks.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    try:
        application()
    except SettingError as error:
        tell(error.message)
        sys.exit(EXIT_USAGE)
    except CypherdError as error:
        tell(error.message)
        sys.exit(EXIT_FAILED)
    except QueryFailed as failure:
        tell_failure(failure.error)
        sys.exit(EXIT_FAILED)
    except Unreachable as error:
        tell(str(error))
        sys.exit(EXIT_UNREACHABLE)


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
