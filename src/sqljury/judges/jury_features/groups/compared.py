"""The types of the columns that the prediction compares with constants."""

from __future__ import annotations

from typing import Final

from sqljury.judges.jury_features.group import Pair, Values, counting, feature_group
from sqljury.judges.verifier_features.facts import facts_of
from sqljury.trees.nodes import Type
from sqljury.trees.types import column_type

_FAMILIES: Final = {
    **dict.fromkeys((Type.INTEGER, Type.DECIMAL, Type.REAL, Type.SINGLE), "number"),
    Type.TEXT: "text",
    Type.BOOLEAN: "truth",
    **dict.fromkeys((Type.DATE, Type.TIME, Type.TIMESTAMP, Type.INSTANT), "time"),
}
"""Families of types; all others, and what has no type, are ``other``."""
_KINDS: Final = {
    f"{family}_with_{constant}": f"comparison of a {family} column with a {constant}"
    for family in ("number", "text", "truth", "time", "other")
    for constant in ("number", "text")
}


@feature_group("compared", *(counting(name, noun, alone=True) for name, noun in _KINDS.items()))
def compared(pair: Pair) -> Values:
    """The types of columns that the prediction compares with numbers and texts."""
    schema = pair.evidence.schema()
    facts = None if schema is None else facts_of(pair.prediction, pair.evidence.dialect, schema)
    if schema is None or facts is None:
        return {}
    found = dict.fromkeys(_KINDS, 0.0)
    for block in facts.blocks:
        for one in (*block.where, *block.having):
            name, _, column_name = one.item.column.partition(".")
            table = schema.table(name)
            column = None if table is None else table.column(column_name)
            if column is None or not one.values or one.item.function:
                continue
            family = _FAMILIES.get(column_type(column.type, schema.dialect), "other")
            found[f"{family}_with_{'text' if one.is_text else 'number'}"] += 1
    return found
