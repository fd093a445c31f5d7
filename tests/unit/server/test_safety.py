"""Pages of other sites, and names that are not ours."""

from __future__ import annotations

import pytest

from cypherd.errors import Forbidden, InvalidFormat, SettingError
from cypherd.server.safety import Gate, require_safe_address
from cypherd.settings import Settings


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:7475", "127.0.0.1:1", "[::1]:7475", "LOCALHOST", "my.name:80"]
)
def test_own_names_are_answered(host: str) -> None:
    Gate(Settings(allowed_hosts=("my.name",))).check_host({"host": host})


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.x", "[", "evil@localhost", "localhost/x",
     "localhost#.evil.example", "localhost\\.evil.example", "localhost evil.example"],
)  # fmt: skip
def test_other_names_are_refused(host: str) -> None:
    with pytest.raises(Forbidden, match="allowed_hosts"):
        Gate(Settings()).check_host({"host": host})


@pytest.mark.parametrize("headers", [{}, {"host": ""}, {"host": "localhost, localhost"}], ids=str)
def test_one_host_is_needed(headers: dict[str, str]) -> None:
    with pytest.raises(InvalidFormat, match="one header Host"):
        Gate(Settings()).check_host(headers)


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="a program"),
        pytest.param({"origin": "http://localhost:7475"}, id="own page"),
        pytest.param({"sec-fetch-site": "same-origin"}, id="own page without origin"),
        pytest.param({"sec-fetch-site": "none"}, id="typed in"),
        pytest.param({"origin": "https://friend.example"}, id="allowed"),
    ],
)
def test_own_pages_may_ask(headers: dict[str, str]) -> None:
    gate = Gate(Settings(allowed_origins=("https://friend.example",)))
    gate.check_origin({"host": "localhost:7475", **headers})


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"origin": "http://evil.example"}, id="other site"),
        pytest.param({"origin": "null"}, id="sandboxed"),
        pytest.param({"origin": "http://localhost:9999"}, id="other port"),
        pytest.param({"sec-fetch-site": "cross-site"}, id="cross-site"),
        pytest.param({"sec-fetch-site": "same-site"}, id="same-site"),
    ],
)
def test_other_pages_may_not(headers: dict[str, str]) -> None:
    with pytest.raises(Forbidden, match="allowed_origins"):
        Gate(Settings()).check_origin({"host": "localhost:7475", **headers})


def test_cors_answers_only_allowed_origins() -> None:
    gate = Gate(Settings(allowed_origins=("https://friend.example",)))
    allowed = dict(gate.preflight_headers({"origin": "https://friend.example"}))
    assert allowed[b"access-control-allow-origin"] == b"https://friend.example"
    assert gate.preflight_headers({"origin": "https://evil.example"}) == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_a_public_address_needs_a_word(host: str) -> None:
    with pytest.raises(SettingError, match="insecure-public"):
        require_safe_address(Settings(host=host))
    require_safe_address(Settings(host=host, insecure_public=True))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_is_safe(host: str) -> None:
    require_safe_address(Settings(host=host))
