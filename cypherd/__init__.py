"""cypherd: a Cypher server whose queries can always be stopped."""

__version__ = "0.1.0"
