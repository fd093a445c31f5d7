"""Records as they are read by the checks: one that cannot be decoded is a finding, no end."""

from __future__ import annotations

from typing import Any

import msgpack

from cypherd.storage.lmdb.checking.findings import Findings
from cypherd.storage.lmdb.layout import unpackb


def decoded(table: str, what: str, data: bytes, parts: int, findings: Findings) -> Any:
    """The list of `parts` parts that a record is; None, and a finding, where it is not."""
    try:
        record = unpackb(data)
    except (msgpack.UnpackException, ValueError, TypeError, OverflowError) as error:
        findings.add(table, f"{what} cannot be decoded: {error}")
        return None
    if not isinstance(record, list) or len(record) != parts:
        findings.add(table, f"{what} is no record of {parts} parts")
        return None
    return record
