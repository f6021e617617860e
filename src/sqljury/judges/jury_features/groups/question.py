"""What the question asks for, how hard it is, and how well each query fits it."""

from __future__ import annotations

from math import log
from typing import Final

from sqljury.faults.wording import Wording
from sqljury.judges.jury_features.group import (
    Feature,
    Pair,
    Values,
    both_sides,
    counting,
    feature_group,
    on_both_sides,
)
from sqljury.sql import HARDNESS, features, hardness

# ------------------------------------------------------------
# Which clauses the words of a question ask for.

ASKS: Final = {
    "distinct": r"different|distinct|unique|without duplicates?|no duplicates?",
    "order": (
        r"(?:sort|order|rank)(?:s|ed|ing)? (?:\w+ ){0,4}?(?:by|in|from|according)|ascending|"
        r"descending|alphabetical\w*|chronological\w*"
    ),
    "limit": (
        r"top|first|last|highest|lowest|largest|smallest|biggest|oldest|youngest|longest|shortest|"
        r"most|least|best|worst|earliest|latest|fewest|greatest|maximum|minimum|max|min"
    ),
    "group": r"each|every|per|by (?:the )?\w+ (?:of|and)|respectively",
    "count": r"how many|number of|count|total number",
    "share": r"percent\w*|ratio|proportion|rate|average|mean",
    "negation": r"not|no|never|without|none|neither|except|excluding",
    "all": r"all|both|only|list",
}
"""By the thing that is asked for, a pattern of the words that ask for it."""


def asks_for(wording: Wording, what: str) -> bool:
    """True if a question asks for one of :data:`ASKS`."""
    return wording.says(ASKS[what])


# ------------------------------------------------------------
# What the words of the question ask for.


@feature_group(
    "question",
    *(
        Feature(f"asks_{one}", f"1 if the question has words that ask for: {one}", alone=True)
        for one in ASKS
    ),
    counting("numbers", "number in the question", alone=True),
    counting("quoted", "quoted text in the question", alone=True),
    Feature("has_hint", "1 if there is a hint", alone=True),
)
def question(pair: Pair) -> Values:
    """What the words of the question ask for."""
    if pair.wording is None:
        return {}
    wording = pair.wording
    return {
        **{f"asks_{one}": float(asks_for(wording, one)) for one in ASKS},
        "numbers": float(len(wording.numbers)),
        "quoted": float(len(wording.quoted)),
        "has_hint": float(bool(pair.case.hint)),
    }


# ------------------------------------------------------------
# How hard the question and the queries are.

_STATED = {
    "easy": 0,
    "simple": 0,
    "medium": 1,
    "moderate": 1,
    "hard": 2,
    "challenging": 2,
    "extra": 3,
}
_QUERY_PARTS = ("aggregate", "distinct", "grouping", "having", "limit", "ordering", "set_operation")
_DEPTHS = {"joins:0": 0, "joins:1": 1, "joins:2": 2, "joins:3+": 3}
_NESTING = {"nesting:0": 0, "nesting:1": 1, "nesting:2+": 2}


@feature_group(
    "difficulty",
    Feature("stated", "the benchmark's own difficulty: 0 easy or simple to 3 extra"),
    Feature("question", "logarithm of 1 + the words of the question"),
    Feature("hint", "logarithm of 1 + the words of the hint"),
    counting("schema", "table of the schema"),
    *on_both_sides("hardness", "Spider's hardness, from 0 easy to 3 extra"),
    *on_both_sides("length", "logarithm of 1 + its characters"),
    *on_both_sides("joins", "joins, 3 for more"),
    *on_both_sides("nesting", "depth of subqueries, 2 for more"),
    *(f for one in _QUERY_PARTS for f in on_both_sides(one, f"1 if it has the part `{one}`")),
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
        return found | dict.fromkeys(("joins", "nesting", *_QUERY_PARTS))
    found["joins"] = float(max(_DEPTHS.get(one, 0) for one in parts))
    found["nesting"] = float(max(_NESTING.get(one, 0) for one in parts))
    return found | {one: float(one in parts) for one in _QUERY_PARTS}


# ------------------------------------------------------------
# How well the columns, tables and values of each query fit question and hint.

_PARTS: Final = {
    "regret_shape": ("how much likelier another shape of query is, all parts", -1, ""),
    "regret_worst": ("how much likelier another shape is, the worst part", -1, ""),
    "regret_columns": ("how much likelier other columns are, all roles", -1, ""),
    "tables_regret": ("how much likelier other tables are", -1, ""),
    "named_used": ("how well its columns are named, on average", 1, ""),
    "named_unused": ("", -1, "fully named column that is not used"),
    "missed_anywhere": ("probability of the likeliest column that it does not use", -1, ""),
    "more_items": ("", 0, "output column beyond those expected"),
    "more_conditions": ("", 0, "condition beyond those expected"),
    "texts_unsaid": ("", -1, "compared text that neither question nor hint has"),
    "numbers_unsaid": ("", -1, "compared number that neither question nor hint has"),
    "numbers_unused": ("", -1, "number of the question that the query lacks"),
    "quoted_unused": ("", -1, "quoted text that the query lacks"),
    "missing_values": ("", -1, "compared value that its column lacks"),
    "hits_unused": ("", -1, "stored value of the question that the query lacks"),
    "hits_elsewhere": ("", -1, "value from another column than the compared one"),
}
_OF_ROWS: Final = ("missing_values", "hits_unused", "hits_elsewhere")
"""Features that are -1 without a database."""


@feature_group("linking", *(f for k, said in _PARTS.items() for f in on_both_sides(k, *said)))
def linking(pair: Pair) -> Values:
    """Schema linking: how well each query's columns, tables and values fit question and hint."""
    prediction, reference = (_parts(pair, of_reference=side) for side in (False, True))
    found: dict[str, float | None] = {}
    for name in _PARTS:
        found |= both_sides(name, prediction.get(name), reference.get(name))
    return found


def _parts(pair: Pair, *, of_reference: bool) -> dict[str, float]:
    found = pair.verifier_features(of_reference=of_reference) if pair.case.question else None
    if found is None:
        return {}
    return {k: v for k, v in found.items() if not (k in _OF_ROWS and v < 0)}


# ------------------------------------------------------------
# The scores that the verifier, which needs no reference, gives to prediction and reference.

_LEAST = 1e-3


@feature_group("verifier", *on_both_sides("odds", "log-odds that it answers the question", 1))
def verifier(pair: Pair) -> Values:
    """How well each query answers the question, judged without the other one."""
    prediction = pair.verifier_score()
    reference = pair.verifier_score(of_reference=True)
    return both_sides("odds", _odds(prediction), _odds(reference))


def _odds(probability: float | None) -> float | None:
    if probability is None:
        return None
    kept = min(max(probability, _LEAST), 1 - _LEAST)
    return log(kept / (1 - kept))
