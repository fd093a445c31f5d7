"""Where settings come from, what beats what, and what is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cypherd.errors import SettingError
from cypherd.settings import (
    Settings,
    format_duration,
    format_size,
    load_settings,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("64KiB", 65536),
        ("1 gib", 1 << 30),
        ("500MB", 500_000_000),
        ("1.5KiB", 1536),
        ("7b", 7),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "x", "-1", "1 parsec", "KiB", "1e3"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(ValueError, match="size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("30s", 30.0), ("2m", 120.0), ("1h", 3600.0), ("1.5s", 1.5), ("10us", 1e-5)],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "5", "5 minutes", "-1s", "s", "1s2"])
def test_no_durations(text: str) -> None:
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 1536, 1 << 20, 3 << 30, 1 << 40, 10**9])
def test_sizes_are_shown_as_they_are_read(size: int) -> None:
    assert parse_size(format_size(size)) == size


@pytest.mark.parametrize("seconds", [0.0, 0.00025, 0.001, 0.025, 0.5, 1.0, 1.5, 120.0, 3600.0])
def test_durations_are_shown_as_they_are_read(seconds: float) -> None:
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds)


def test_the_stronger_source_wins(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('port = 1\nworkers = 1\nmax_rows = 1\nallowed_hosts = ["a", "b"]\n')
    environment = {"CYPHERD_PORT": "2", "CYPHERD_WORKERS": "2", "OTHER": "x"}
    settings = load_settings({"port": 3, "host": None}, config=file, environment=environment)
    assert (settings.port, settings.workers, settings.max_rows) == (3, 2, 1)
    assert settings.host == Settings().host
    assert settings.allowed_hosts == ("a", "b")


def test_a_file_in_the_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings(environment={}) == Settings()
    Path("cypherd.toml").write_text('max_timeout = "2h"\n')
    assert load_settings(environment={}).max_timeout == 7200.0


def test_kinds() -> None:
    environment = {
        "CYPHERD_HIDE_QUERIES": "yes",
        "CYPHERD_ALLOWED_ORIGINS": "https://a.example, https://b.example,",
        "CYPHERD_MAX_BODY": "1MiB",
        "CYPHERD_DEFAULT_TIMEOUT": "5s",
        "CYPHERD_STORE": "some/where",
    }
    settings = load_settings(environment=environment)
    assert settings.hide_queries is True
    assert settings.allowed_origins == ("https://a.example", "https://b.example")
    assert settings.max_body == 1 << 20
    assert settings.default_timeout == 5.0
    assert settings.store == Path("some/where")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "many"),
        ("port", "70000"),
        ("port", "-1"),
        ("max_body", "0"),
        ("max_body", "1 parsec"),
        ("default_timeout", "5"),
        ("default_timeout", "2h"),
        ("hide_queries", "perhaps"),
        ("batch_size", "0"),
        ("queue_limit", "1.5"),
    ],
)
def test_a_wrong_value_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingError, match=name):
        load_settings(environment={f"CYPHERD_{name.upper()}": value})


@pytest.mark.parametrize(
    ("overrides", "environment", "told"),
    [
        ({"colour": "red"}, {}, "the command line"),
        ({}, {"CYPHERD_COLOUR": "red"}, "CYPHERD_COLOUR"),
    ],
)
def test_an_unknown_setting_names_its_source(
    overrides: dict[str, Any], environment: dict[str, str], told: str
) -> None:
    with pytest.raises(SettingError, match=told) as caught:
        load_settings(overrides, environment=environment)
    assert "'colour'" in caught.value.message


@pytest.mark.parametrize("content", ["port = ", "colour = 1", b"\xff", None])
def test_a_wrong_file_is_named(tmp_path: Path, content: str | bytes | None) -> None:
    file = tmp_path / "wrong.toml"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SettingError, match=r"wrong\.toml"):
        load_settings(config=file, environment={})


def test_what_is_shown_can_be_read_again() -> None:
    changed = load_settings(
        {"max_body": "1MiB", "hide_queries": True, "allowed_hosts": "a,b"}, environment={}
    )
    shown = {name: (text, differs) for name, text, differs in changed.shown()}
    assert shown["max_body"] == ("1MiB", True)
    assert shown["port"] == ("7475", False)
    again = load_settings({name: text for name, (text, _) in shown.items()}, environment={})
    assert again == changed
