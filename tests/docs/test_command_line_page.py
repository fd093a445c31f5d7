"""docs/command-line.md has a section for every command that names each of its options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from cypherd.cli import application, options
from cypherd.cli.query import FORMATS
from cypherd.cli.shell import _COMMANDS
from cypherd.render.registry import RENDERERS
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    for child, found in getattr(command, "commands", {}).items():
        yield f"{name} {child}", found
        yield from _commands(found, f"{name} {child}")


COMMANDS = dict(_commands(typer.main.get_command(application), "cypherd"))


def _section(name: str) -> str:
    match = re.search(rf"^(#+) `{name}`\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert match is not None, f"there is no section for {name}"
    return match[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option(name: str) -> None:
    section = _section(name)
    for option in COMMANDS[name].params:
        if option.param_type_name == "option":
            for spelling in option.opts:
                assert f"`{spelling}`" in section, spelling


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_in_its_help(name: str) -> None:
    command = COMMANDS[name]
    assert getattr(command, "commands", None) or f"Example: {name}" in command.help


def test_every_exit_code() -> None:
    codes = {value for name, value in vars(options).items() if name.startswith("EXIT_")}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)} == {0, *codes}


@pytest.mark.parametrize("command", _COMMANDS)
def test_every_command_of_the_shell(command: str) -> None:
    assert f"`{command}" in PAGE


def test_the_formats_are_those_that_there_are() -> None:
    assert tuple(renderer.name for renderer in RENDERERS) == FORMATS
    assert all(f"`{name}`" in _section("cypherd query") for name in FORMATS)
