"""Who may ask: a page of another site must not reach a local server, not even by DNS rebinding.

`Host` must name this server; a request that can change state must not come from elsewhere
(`Origin`, `Sec-Fetch-Site`). CORS answers come from the setting allowed_origins.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from cypherd.errors import Forbidden, InvalidFormat, SettingError
from cypherd.settings import Settings

Headers = list[tuple[bytes, bytes]]

# What urlsplit would take for the end of a host, or for a user before it, is in no Host.
_HOST = re.compile(r"[^\s/?#@\\]+")
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_EXPOSED = (
    b"Cypher-Query-Id, Cypher-Timeout, Cypher-Stats, Accept-Post, Allow, Content-Disposition, "
    b"Retry-After"
)


def require_safe_address(settings: Settings) -> None:
    """Raises SettingError for a public address without insecure_public."""
    if settings.insecure_public or _is_loopback(settings.host):
        return
    raise SettingError(
        f"setting host: {settings.host} can be reached from other machines, and there are no "
        "passwords yet; --insecure-public allows it all the same"
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Gate:
    """The checks of one server, made once from its settings."""

    def __init__(self, settings: Settings) -> None:
        self._any_origin = "*" in settings.allowed_origins
        self._origins = frozenset(settings.allowed_origins)
        self._hosts = _LOOPBACK_NAMES | {settings.host} | frozenset(settings.allowed_hosts)
        # Bound to every address, a server cannot know the names that lead to it.
        self._any_host = "*" in settings.allowed_hosts

    def check_host(self, headers: Mapping[str, str]) -> None:
        """Raises InvalidFormat without one Host (RFC 9112, 3.2), Forbidden for one not ours."""
        host = headers.get("host", "")
        if self._any_host or _host_name(host) in self._hosts:
            return
        if not host or "," in host:
            raise InvalidFormat("a request needs one header Host")
        raise Forbidden(
            f"Host {host!r} is not a name of this server; the setting allowed_hosts adds names"
        )

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Raises Forbidden for a request that another site's page makes."""
        origin = headers.get("origin")
        if origin is not None:
            if self._allows(origin) or _same_origin(origin, headers.get("host", "")):
                return
            raise Forbidden(f"a page from {origin!r} may not ask; see the setting allowed_origins")
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin") or self._any_origin:
            return
        raise Forbidden("another site's page may not ask; see the setting allowed_origins")

    def _allows(self, origin: str) -> bool:
        return self._any_origin or origin in self._origins

    def cors_headers(self, headers: Mapping[str, str]) -> Headers:
        """What every answer carries, errors too."""
        origin = headers.get("origin")
        if origin is None or not self._allows(origin):
            return []
        return [
            (
                b"access-control-allow-origin",
                b"*" if self._any_origin else origin.encode("latin-1"),
            ),
            (b"access-control-expose-headers", _EXPOSED),
        ]

    def preflight_headers(self, headers: Mapping[str, str]) -> Headers:
        answer = self.cors_headers(headers)
        if answer:
            answer += [
                (b"access-control-allow-methods", b"GET, HEAD, POST, DELETE, OPTIONS"),
                (
                    b"access-control-allow-headers",
                    b"Content-Type, Accept, Cypher-Query-Id, Cypher-Timeout",
                ),
                (b"access-control-max-age", b"600"),
            ]
        return answer


def _host_name(host: str) -> str:
    """The name in a Host header, without port and brackets, lower case; "" if malformed."""
    if not _HOST.fullmatch(host):
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "") if host else ""
    except ValueError:
        return ""


def _same_origin(origin: str, host: str) -> bool:
    return origin.partition("://")[2].lower() == host.lower() and bool(host)
