"""`cypherd status`: whether a server answers, and what it does."""

from __future__ import annotations

import json

import typer

from cypherd.cli.options import DEFAULT_URL, EXIT_FAILED, AsJson, Url


def status(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Say whether a server answers and how busy it is.

    Ends with 0 when it answers, 1 when it is stopping, 3 when it cannot be reached.

    Example: cypherd status --url http://127.0.0.1:7475
    """
    from cypherd.cli.server_target import Server

    server = Server(url)
    health = server.health()
    if as_json:
        print(json.dumps(health))
    else:
        print(f"{server.url}: {health['status']}")
        for name, value in health.items():
            if name != "status":
                print(f"  {name.replace('_', ' ')}: {value}")
    if health["status"] != "ok":
        raise typer.Exit(EXIT_FAILED)
