"""The command line: the one place that chooses a store. One module a command.

Nothing heavy is imported before a command runs, so that help comes at once.
"""

from cypherd.cli.application import application, main

__all__ = ["application", "main"]
