"""`cypherd query`: one statement, a script, or a shell."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from cypherd.cli.options import (
    DEFAULT_URL,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_PIPE_CLOSED,
    EXIT_UNREACHABLE,
    EXIT_USAGE,
    Config,
    Store,
    settings_from,
)

if TYPE_CHECKING:
    from cypherd.cli.interrupts import Interrupts
    from cypherd.cli.target import Question, Target
    from cypherd.parser.script import ScriptStatement

FORMATS = ("json", "ndjson", "text", "csv", "csv-excel", "html", "msgpack", "msgpack-seq")
"""Those of the render registry; named here so that help needs no import of it."""
_BINARY = ("msgpack", "msgpack-seq")


def query(
    text: Annotated[
        str | None, typer.Argument(help="The statement, or several, each ended by a semicolon.")
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help=f"Server to ask; {DEFAULT_URL} by default.")
    ] = None,
    store: Store = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="File to read the script from; - is stdin.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", help="name=value; the value as JSON, else a string."),
    ] = None,
    params: Annotated[
        str | None, typer.Option("--params", help="JSON object, or a file that holds one.")
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"How to answer: {', '.join(FORMATS)}. By default text on a terminal, else json.",
        ),
    ] = None,
    rows: Annotated[
        str, typer.Option("--rows", help="Rows in JSON as arrays or as objects.")
    ] = "arrays",
    timeout: Annotated[
        str | None, typer.Option("--timeout", help="Deadline of each statement, as 500ms or 30s.")
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Refuse statements that write.")
    ] = False,
    config: Config = None,
) -> None:
    """Ask a server, or a store that nobody serves; without a query, in a shell of its own.

    A script runs statement by statement and stops at the first that fails. With --store, a store
    that is being served is asked through its server.

    Example: cypherd query "MATCH (p:Person {id: $id}) RETURN p.firstName" -p id=12

    Example: cypherd query --store data/graph --file movies.cypher
    """
    from cypherd.cli.parameters import parameters_from
    from cypherd.cli.target import Question

    if url is not None and store is not None:
        raise typer.BadParameter("--url and --store: only one of them can be asked")
    if rows not in ("arrays", "objects"):
        raise typer.BadParameter(f"--rows is {rows!r}; it can be arrays or objects")
    question = Question(
        text="",
        parameters=parameters_from(param or [], params),
        format=format_ or _default_format(),
        rows="objects" if rows == "objects" else "arrays",
        timeout=_seconds(timeout),
        read_only=read_only,
    )
    _require_utf8(str(question.parameters), "a parameter")
    script = _script(text, file)
    if script is None:
        from cypherd.cli.shell import run_shell

        raise typer.Exit(run_shell(_target(url, store, config, None), question))
    try:
        raise typer.Exit(_run_script(script, question, url, store, config))
    except KeyboardInterrupt:
        # Before the first statement, or a second time: nobody waits for the query.
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _default_format() -> str:
    return "text" if sys.stdout.isatty() else "json"


def _seconds(timeout: str | None) -> float | None:
    from cypherd.settings import parse_duration

    if timeout is None:
        return None
    try:
        seconds = parse_duration(timeout)
    except ValueError as error:
        raise typer.BadParameter(f"--timeout: {error}") from error
    if seconds <= 0:
        raise typer.BadParameter(f"--timeout: {timeout!r} is not above zero")
    return seconds


def _script(text: str | None, file: Path | None) -> str | None:
    """What to run; None: a shell is wanted."""
    if text is not None and file is not None:
        raise typer.BadParameter("a query and --file: only one of them can be run")
    if text is not None and text != "-":
        return _require_utf8(text, "the query")
    if file is None and text is None and sys.stdin.isatty():
        return None
    try:
        if file is None or str(file) == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        return file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"cannot read {file or 'standard input'}: {error}") from error


def _require_utf8(text: str, what: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise typer.BadParameter(f"{what} is not UTF-8") from None
    return text


def _run_script(
    script: str, question: Question, url: str | None, store: Path | None, config: Path | None
) -> int:
    """The exit code."""
    from cypherd.cli.failures import tell_failure
    from cypherd.cli.interrupts import cancelling
    from cypherd.errors import CypherSyntaxError
    from cypherd.parser.script import statements_of

    statements = statements_of(script)
    if not statements:
        raise typer.BadParameter("there is no statement to run")
    first = None if question.read_only else statements[0].text
    try:
        target = _target(url, store, config, first)
    except CypherSyntaxError as error:
        tell_failure(error.to_dict(), statements[0], script)
        return EXIT_FAILED
    try:
        with cancelling(target) as interrupts:
            for statement in statements:
                code = run_statement(target, question, statement, script, interrupts)
                if code:
                    _tell_place(statement, statements)
                    return code
    finally:
        target.close()
    return 0


def _target(url: str | None, store: Path | None, config: Path | None, first: str | None) -> Target:
    """`first`: the statement that a store may be made for."""
    from cypherd.cli.failures import tell
    from cypherd.cli.server_target import ServerTarget

    if store is None:
        return ServerTarget(url or DEFAULT_URL)
    from cypherd.cli.store_target import StoreServed, StoreTarget

    try:
        return StoreTarget(settings_from(config, store=store), first=first)
    except StoreServed as served:
        tell(f"{served.message}, which is asked instead")
        return ServerTarget(served.url)


def run_statement(
    target: Target,
    question: Question,
    statement: ScriptStatement,
    script: str,
    interrupts: Interrupts,
) -> int:
    """Ask one statement of a script, write its answer to standard output and what went wrong to
    standard error; within `cancelling`. The exit code."""
    from cypherd.cli.failures import FormatRefused, QueryFailed, Unreachable, tell, tell_failure

    if interrupts.came:
        return EXIT_INTERRUPTED
    asked = replace(question, text=statement.text)
    try:
        write_answer(target, asked, sys.stdout.buffer)
    except QueryFailed as failure:
        if not interrupts.came:
            tell_failure(failure.error, statement, script)
            return EXIT_USAGE if isinstance(failure, FormatRefused) else EXIT_FAILED
    except Unreachable as error:
        tell(str(error))
        return EXIT_INTERRUPTED if interrupts.came else EXIT_UNREACHABLE
    except BrokenPipeError:
        # What is left in the buffer of standard output can go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE_CLOSED
    except KeyboardInterrupt:
        pass
    else:
        if not interrupts.came:
            return 0
        tell("interrupted; the query had ended")
        return EXIT_INTERRUPTED
    tell("the query was cancelled")
    return EXIT_INTERRUPTED


def write_answer(target: Target, question: Question, out: BinaryIO) -> None:
    """Pieces go out as they come. An answer in text ends in a line's end. Raises what `ask` does,
    and BrokenPipeError."""
    last = b"\n"
    pieces: Any = target.ask(question)
    try:
        for piece in pieces:
            out.write(piece)
            out.flush()
            last = piece[-1:] or last
    finally:
        pieces.close()
        if last != b"\n" and question.format not in _BINARY:
            with contextlib.suppress(BrokenPipeError):
                out.write(b"\n")
                out.flush()


def _tell_place(statement: ScriptStatement, statements: list[ScriptStatement]) -> None:
    """Where a script has stopped, and what is done by then."""
    from cypherd.cli.failures import tell

    if len(statements) == 1:
        return
    before = statement.number - 1
    done = {0: "nothing was run before it", 1: "the one before it was run and stays done"}
    what = done.get(before, f"the {before} before it were run and stay done")
    place = f"statement {statement.number} of {len(statements)}, line {statement.line}"
    tell(f"the script stopped at {place}; {what}")
