"""How hard the question and the queries are."""

from __future__ import annotations

from math import log

from sqljury.judges.jury_features.group import (
    Feature,
    Values,
    both_sides,
    feature_group,
    on_both_sides,
)
from sqljury.judges.jury_features.pair import Pair
from sqljury.sql import HARDNESS, features, hardness

_STATED = {
    "easy": 0,
    "simple": 0,
    "medium": 1,
    "moderate": 1,
    "hard": 2,
    "challenging": 2,
    "extra": 3,
}
_PARTS = ("aggregate", "distinct", "grouping", "having", "limit", "ordering", "set_operation")
_DEPTHS = {"joins:0": 0, "joins:1": 1, "joins:2": 2, "joins:3+": 3}
_NESTING = {"nesting:0": 0, "nesting:1": 1, "nesting:2+": 2}


@feature_group(
    "difficulty",
    Feature("stated", "the benchmark's own difficulty: 0 easy or simple to 3 extra"),
    Feature("question", "logarithm of 1 + the words of the question"),
    Feature("hint", "logarithm of 1 + the words of the hint"),
    Feature("schema", "tables of the schema"),
    *on_both_sides("hardness", "Spider's hardness, from 0 easy to 3 extra"),
    *on_both_sides("length", "logarithm of 1 + its characters"),
    *on_both_sides("joins", "joins, 3 for more"),
    *on_both_sides("nesting", "depth of subqueries, 2 for more"),
    *(f for one in _PARTS for f in on_both_sides(one, f"1 if it has the part `{one}`")),
)
def difficulty(pair: Pair) -> Values:
    """How hard the question and the queries are, and which parts the queries have."""
    schema = pair.evidence.schema()
    stated = _STATED.get((pair.case.difficulty or "").lower())
    prediction, reference = _of_query(pair.prediction, pair), _of_query(pair.reference, pair)
    found: dict[str, float | None] = {
        "stated": None if stated is None else float(stated),
        "question": _words(pair.case.question),
        "hint": _words(pair.case.hint or ""),
        "schema": None if schema is None else float(len(schema.tables)),
    }
    for name, value in prediction.items():
        found |= both_sides(name, value, reference.get(name))
    return found


def _words(text: str | None) -> float | None:
    return None if text is None else log(1 + len(text.split()))


def _of_query(sql: str | None, pair: Pair) -> Values:
    if sql is None:
        return {}
    level = hardness(sql, pair.evidence.dialect)
    parts = features(sql, pair.evidence.dialect)
    found: dict[str, float | None] = {
        "hardness": None if level is None else float(HARDNESS.index(level)),
        "length": log(1 + len(" ".join(sql.split()))),
    }
    if not parts:
        return found | dict.fromkeys(("joins", "nesting", *_PARTS))
    found["joins"] = float(max(_DEPTHS.get(one, 0) for one in parts))
    found["nesting"] = float(max(_NESTING.get(one, 0) for one in parts))
    return found | {one: float(one in parts) for one in _PARTS}
