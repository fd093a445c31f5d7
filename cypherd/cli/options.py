"""What several commands take, and the exit codes of all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from cypherd.settings import Settings

EXIT_FAILED, EXIT_USAGE, EXIT_UNREACHABLE = 1, 2, 3
EXIT_INTERRUPTED, EXIT_PIPE_CLOSED = 130, 141
"""What a shell gives a program that Ctrl-C ended, and one whose output nobody reads any more."""

DEFAULT_URL = "http://127.0.0.1:7475"

Store = Annotated[Path | None, typer.Option("--store", help="Folder of the graph store.")]
Config = Annotated[Path | None, typer.Option("--config", help="TOML file with settings.")]
Url = Annotated[str, typer.Option("--url", help="Address of the server.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]


def settings_from(config: Path | None, **overrides: Any) -> Settings:
    """Raises SettingError."""
    from cypherd.settings import load_settings

    environment = os.environ
    if config is None and "CYPHERD_CONFIG" in environment:
        config = Path(environment["CYPHERD_CONFIG"])
    return load_settings(overrides, config=config)
