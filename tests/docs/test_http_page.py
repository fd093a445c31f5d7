"""docs/http.md names every endpoint, control, format and error status."""

from __future__ import annotations

import pytest

from cypherd import errors
from cypherd.render.registry import RENDERERS
from cypherd.render.renderer import Renderer
from cypherd.server.app import ENDPOINTS
from cypherd.server.requests import ACCEPT_POST, CONTROLS
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
FORMATS = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("method", "path", "_does"), ENDPOINTS)
def test_every_endpoint(method: str, path: str, _does: str) -> None:
    assert f"`{method} {path}`" in PAGE


@pytest.mark.parametrize("name", CONTROLS)
def test_every_control(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("renderer", RENDERERS, ids=lambda renderer: renderer.name)
def test_every_format(renderer: Renderer) -> None:
    assert f"`{renderer.name}`" in PAGE
    assert f"`{renderer.media_types[0]}`" in PAGE
    row = next(line for line in FORMATS.splitlines() if line.startswith(f"| `{renderer.name}` |"))
    named = [media_type for media_type in renderer.media_types if f"`{media_type}`" in row]
    assert named == list(renderer.media_types) or "by name only" in row
    assert f"format={renderer.name}" in FORMATS or f"Accept: {renderer.media_types[0]}" in FORMATS


@pytest.mark.parametrize("media_type", ACCEPT_POST[1].decode().split(", "))
def test_every_request_type(media_type: str) -> None:
    assert f"`{media_type}`" in PAGE


def _statuses(kind: type[errors.CypherdError]) -> set[int]:
    found = {kind.status}
    return found.union(*map(_statuses, kind.__subclasses__()))


def test_every_status() -> None:
    missing = [status for status in _statuses(errors.RequestError) if str(status) not in PAGE]
    assert not missing
    for kind in (errors.StatementError, errors.QueryCancelled, errors.DeadlinePassed,
                 errors.MemoryLimitExceeded, errors.Unavailable, errors.StorageFull):  # fmt: skip
        assert str(kind.status) in PAGE
