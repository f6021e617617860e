"""The differences between two queries by clause and kind, and whether the question names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sqljury.difference import Clause, Difference, DifferenceKind
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
from sqljury.judges.jury_features.groups.question import asks_for

_SIDES = ("missing", "extra", "changed")
_WEIGHED = {Clause.DISTINCT: "distinct", Clause.ORDER: "order", Clause.LIMIT: "limit"}
_COLUMN = re.compile(r"\b\w+\.(\w+)")
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_NUMBER = re.compile(r"(?<![\w.'])-?\d+(?:\.\d+)?(?![\w.'])")


def _name(clause: Clause) -> str:
    return clause.value.replace(" ", "_")


def _weighed() -> Iterator[Feature]:
    for what in _WEIGHED.values():
        for side in ("missing", "extra"):
            for asked, said in (("asked", "asks"), ("unasked", "does not ask")):
                meaning = f"1 if {what} is {side} and the question {said} for it"
                yield Feature(f"{what}_{side}_{asked}", meaning, -1)
    for side in ("missing", "extra"):
        for named, said in (("named", "names"), ("unnamed", "does not name")):
            noun = f"{side} output column that the question {said}"
            yield counting(f"column_{side}_{named}", noun, -1)


@feature_group(
    "differences",
    counting("total", "difference from the reference", -1),
    *(counting(f"kind_{one}", f"difference of kind `{one}`", -1) for one in DifferenceKind),
    *(
        counting(f"{_name(clause)}_{side}", f"{side} {clause}", -1)
        for clause in Clause
        for side in _SIDES
    ),
    *_weighed(),
    *on_both_sides(
        "said", "share of names and constants in differences that the question says", 1, alone=False
    ),
)
def typed_differences(pair: Pair) -> Values:
    """Typed differences of the canonical trees, weighed against the question."""
    if pair.differences is None:
        return {}
    # Rewriting changes constants and columns, so words of the question are searched in the
    # differences between the queries as written.
    found, written = pair.differences
    if pair.wording is None:
        return _counts(found)
    return {**_counts(found), **_beside(found, pair.wording), **_said(written, pair.wording)}


def _counts(found: Sequence[Difference]) -> dict[str, float | None]:
    out: dict[str, float | None] = {"total": float(len(found))}
    out |= {
        f"kind_{kind}": float(sum(one.kind is kind for one in found)) for kind in DifferenceKind
    }
    for clause in Clause:
        sides = [_side(one) for one in found if one.clause is clause]
        out |= {f"{_name(clause)}_{side}": float(sides.count(side)) for side in _SIDES}
    return out


def _side(difference: Difference) -> str:
    if difference.prediction is None:
        return "missing"
    return "extra" if difference.reference is None else "changed"


def _beside(found: Sequence[Difference], wording: Wording) -> Values:
    """Features of whether the question asks for a missing or added part."""
    out: dict[str, float] = {}
    for clause, what in _WEIGHED.items():
        asked = asks_for(wording, what)
        sides = {_side(one) for one in found if one.clause is clause}
        for side in ("missing", "extra"):
            out[f"{what}_{side}_asked"] = float(side in sides and asked)
            out[f"{what}_{side}_unasked"] = float(side in sides and not asked)
    columns = [one for one in found if one.clause is Clause.COLUMN]
    for side in ("missing", "extra"):
        named = [_named(one, wording) for one in columns if _side(one) == side]
        out[f"column_{side}_named"] = float(sum(named))
        out[f"column_{side}_unnamed"] = float(len(named) - sum(named))
    return out


def _named(difference: Difference, wording: Wording) -> bool:
    text = difference.prediction or difference.reference or ""
    return any(wording.names(name) for name in _COLUMN.findall(text))


def _said(found: Sequence[Difference], wording: Wording) -> Values:
    """Per query, the share of names and constants in its differences that the question has."""
    prediction = _share_said((one.prediction for one in found), wording)
    return both_sides("said", prediction, _share_said((one.reference for one in found), wording))


def _share_said(texts: Iterable[str | None], wording: Wording) -> float | None:
    said = [found for text in texts if text for found in _mentions(text, wording)]
    return sum(said) / len(said) if said else None


def _mentions(text: str, wording: Wording) -> Iterator[bool]:
    yield from (wording.mentions_text(one) for one in _TEXT.findall(text))
    plain = _TEXT.sub(" ", text)
    yield from (wording.names(name) for name in _COLUMN.findall(plain))
    yield from (float(number) in wording.numbers for number in _NUMBER.findall(plain))
