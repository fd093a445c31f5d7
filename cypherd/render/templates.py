"""The Jinja environment of all pages."""

from __future__ import annotations

import functools

from jinja2 import Environment, FunctionLoader

from cypherd import __version__
from cypherd.resources import resource_text


@functools.cache
def environment() -> Environment:
    """With autoescape: what a template puts into a page is text unless it says otherwise."""
    made = Environment(
        loader=FunctionLoader(lambda name: resource_text(f"templates/{name}")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["version"] = __version__
    return made
