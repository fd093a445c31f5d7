"""Time-outs, formats and the other controls, and what a client says it accepts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.hostile.wire import Case, ask, check, get

OK = (200,)
BAD = (400,)
NONE = (406,)


def _timeout(value: object, statuses: tuple[int, ...] = BAD, says: bytes = b"") -> Case:
    return Case(f"timeout {value!r}"[:40], ask("RETURN 1", timeout=value), statuses, says)


def _accept(value: str, statuses: tuple[int, ...] = OK, says: bytes = b"") -> Case:
    return Case(f"Accept {value!r}"[:40], ask("RETURN 1", f"Accept: {value}"), statuses, says)


def _coding(value: str, statuses: tuple[int, ...] = OK) -> Case:
    return Case(
        f"Accept-Encoding {value!r}"[:50], ask("RETURN 1", f"Accept-Encoding: {value}"), statuses
    )


_TIMEOUTS = [
    *(_timeout(value) for value in (
        "0ms", "0s", "-1s", "1", "", " ", "s", "1e999", "1e3s", "inf", "nan", "NaNs", "1 year",
        "1s2ms", "1,5s", "0x10s", "1s\x00", "9" * 400 + "s", "9" * 5_000 + "h", "1d", "½s", "∞s",
        "1_0s", "+1s", ".5s", "5.s")),
    _timeout("99999h", BAD, b"max_timeout"),
    _timeout(5, BAD, b"not a string"),
    _timeout(None, OK),
    _timeout(["1s"], BAD, b"not a string"),
    _timeout(True, BAD, b"not a string"),
    _timeout("0.000001us", (200, 400, 504)),
    _timeout("1us", (200, 504)),
    _timeout(" 10 s ", OK),
    _timeout("0." + "0" * 400 + "1s", (400, 504)),
    Case("timeout in a header", ask("RETURN 1", "Cypher-Timeout: never"), BAD, b"timeout"),
    Case("timeout header twice", ask("RETURN 1", "Cypher-Timeout: 1s", "Cypher-Timeout: 2s"), BAD),
    Case("timeout in two places", ask("RETURN 1", "Cypher-Timeout: 1s", timeout="2s"), BAD),
]  # fmt: skip

_ODD: tuple[Any, ...] = ("", "ARRAYS", "x" * 50_000, 1, [], "string\n")
_FORMATS = [
    *(Case(f"format {value!r}"[:40], ask("RETURN 1", format=value), statuses)
      for value, statuses in (
          ("", NONE), ("xlsx", NONE), ("JSON", (200, 406)), ("json\n", NONE), ("../json", NONE),
          ("json,csv", NONE), ("x" * 50_000, NONE), ("\x00", NONE), (7, BAD), ({}, BAD), ([],
          BAD))),
    *(Case(f"{name} {value!r}"[:40], ask("RETURN 1", **{name: value}), BAD)
      for name in ("rows", "integers")
      for value in _ODD),
]  # fmt: skip

_ACCEPTS = [
    _accept(""),
    _accept(","),
    _accept("*/*"),
    _accept("*", (200, 406)),
    _accept("json", NONE),
    _accept("image/png", NONE, b"there are"),
    _accept("application/json;q=0", NONE),
    _accept("*/*;q=0", NONE),
    _accept("application/json;q=1.5"),
    _accept("application/json;q=-1", NONE),
    _accept("application/json;q=nan", (200, 406)),
    _accept("application/json;q=inf", (200, 406)),
    _accept("application/json;q=1e400", (200, 406)),
    _accept("application/json;q=rubbish", NONE),
    _accept("application/json;q=", NONE),
    _accept("application/json;q=0.1;q=0.9"),
    _accept("application/json;;;;", OK),
    _accept("application/json; charset=utf-16"),
    _accept("application/json;q=" + "9" * 10_000),
    _accept("APPLICATION/JSON"),
    _accept("application/json," * 3_000 + "text/csv"),
    _accept(",".join(f"a/{i}" for i in range(6_000)) + ",application/json"),
    _accept(",".join(f"a/{i}" for i in range(10_000)), (406, 431)),
    _accept("text/html, application/xml;q=0.9, */*;q=0.8", OK, b"<!doctype html"),
    _accept("\xff\xfe/\xff", NONE),
    Case("Accept 1,000 times", ask("RETURN 1", *["Accept: application/json"] * 1_000), OK),
    Case("a page of an error with a bad q", get("/none", "Accept: text/html;q=x"), (404,)),
]  # fmt: skip

_CODINGS = [
    _coding(""),
    _coding("gzip;q=nan"),
    _coding("br"),
    _coding("identity;q=0, *;q=0", NONE),
    _coding("identity;q=0, gzip;q=0", NONE),
    _coding("*;q=0", NONE),
    _coding("gzip" + ",gzip" * 10_000),
    _coding("gzip;q=1e999"),
    _coding("gzip;;;=,;,"),
    _coding("\xe9"),
    _coding(",".join(f"c{i}" for i in range(5_000))),
]

CASES = [*_TIMEOUTS, *_FORMATS, *_ACCEPTS, *_CODINGS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_control(hostile_port: int, case: Case) -> None:
    check(hostile_port, case)
