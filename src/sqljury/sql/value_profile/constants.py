"""The constants that stand in expressions."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqljury.value_profile import Constant

NO_CONSTANT: Final = object()
"""Told apart from NULL."""

_LONGEST = 1000
"""Characters of a constant that is still worth a row."""


def constant_of(node: exp.Expr) -> Constant | object:
    """The value of a literal, a negated or cast one, or of ``date('…')``; else NO_CONSTANT."""
    while isinstance(node, exp.Paren | exp.Cast | exp.Date | exp.TsOrDsToDate | exp.Collate):
        inner = node.this
        if inner is None or node.args.get("expressions"):
            return NO_CONSTANT
        node = inner
    if isinstance(node, exp.Literal):
        return _literal(node)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        value = _literal(node.this)
        return -value if isinstance(value, int | float) else NO_CONSTANT
    if isinstance(node, exp.Boolean):
        return int(bool(node.this))
    if isinstance(node, exp.Null):
        return None
    return NO_CONSTANT


def _literal(node: exp.Literal) -> Constant | object:
    text = str(node.this)
    if node.is_string:
        return text if len(text) <= _LONGEST else NO_CONSTANT
    return number_of(text)


def number_of(text: str) -> Constant | object:
    """The number that a text spells, if SQLite can hold it."""
    try:
        whole = int(text)
        return whole if abs(whole) < 2**62 else NO_CONSTANT
    except ValueError:
        pass
    try:
        number = float(text)
        return number if abs(number) < 1e300 else NO_CONSTANT
    except ValueError:
        return NO_CONSTANT
