"""Numbers as text, as toString() and string concatenation give them."""

from __future__ import annotations

import math


def float_text(value: float) -> str:
    """A float as Java (and so Neo4j) writes it: 1.0, 1.0E10, 1.5E-5, Infinity, NaN."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    text = repr(value)
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return text if "e" not in text else format(value, "f")
    return _scientific(text)


def _scientific(text: str) -> str:
    sign = "-" if text.startswith("-") else ""
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading_zeros = len(whole + fraction) - len(digits)
    power = len(whole) - 1 - leading_zeros + int(exponent or 0)
    rest = digits[1:].rstrip("0") or "0"
    return f"{sign}{digits[0]}.{rest}E{power}"


def number_text(value: float) -> str:
    return float_text(value) if isinstance(value, float) else str(value)
