"""Faults that the audit's checks find in the prediction, and in the reference itself."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqljury.evidence_shapes import faults_of
from sqljury.judges.jury_features.group import (
    Feature,
    Pair,
    Values,
    both_sides,
    feature_group,
    on_both_sides,
)
from sqljury.verdict import Outcome, Verdict

_FAMILIES: Final = {
    "AU1": "values that are compared",
    "AU2": "what the query returns",
    "AU3": "sorting and arithmetic",
    "AU4": "joins and groups",
    "AU5": "what the question and the hint ask for",
}


@feature_group(
    "faults",
    *on_both_sides("strong", "kinds of fault found, hints left out", -1),
    *on_both_sides("hints", "kinds of fault found by weak checks", -1),
    *(
        f
        for k, what in _FAMILIES.items()
        for f in on_both_sides(k, f"kinds of fault in {what}", -1)
    ),
    Feature("shared", "kinds of fault that both have"),
    Feature("only_prediction", "kinds of fault that only the prediction has", -1),
    Feature("only_reference", "kinds of fault that only the reference has"),
)
def faults(pair: Pair) -> Values:
    """Faults of the prediction and of the reference, by text, question and data."""
    prediction = _found(pair.verdict("faults"))
    reference = _found(pair.verdict("faults", of_reference=True))
    found: dict[str, float | None] = {}
    for name in ("strong", "hints", *_FAMILIES):
        sides = (None if one is None else one.count(name) for one in (prediction, reference))
        found |= both_sides(name, *sides)
    return {**found, **_against(prediction, reference)}


class _FaultCodes:
    """The kinds of fault that were found in a query, and those that were looked for."""

    def __init__(self, verdict: Verdict) -> None:
        told = faults_of(verdict.evidence)
        findings = told["findings"]
        self.strong = {one["code"] for one in findings if not one["weak"]}
        self.hints = {one["code"] for one in findings if one["weak"]}
        self._skipped = frozenset(told["skipped"])

    def count(self, name: str) -> float | None:
        """How many kinds; None where no check of a family could look."""
        if name in ("strong", "hints"):
            kinds: Collection[str] = getattr(self, name)
            return float(len(kinds))
        if all(code in self._skipped for code in _codes(name)):
            return None
        return float(sum(code.startswith(name) for code in self.strong))


def _codes(family: str) -> list[str]:
    from sqljury.faults import all_checks

    return [one.code for one in all_checks() if one.code.startswith(family)]


def _found(verdict: Verdict | None) -> _FaultCodes | None:
    known = verdict is not None and verdict.outcome in (Outcome.CORRECT, Outcome.INCORRECT)
    return _FaultCodes(verdict) if known and verdict is not None else None


def _against(prediction: _FaultCodes | None, reference: _FaultCodes | None) -> Values:
    if prediction is None or reference is None:
        return {}
    one, other = prediction.strong, reference.strong
    return {
        "shared": float(len(one & other)),
        "only_prediction": float(len(one - other)),
        "only_reference": float(len(other - one)),
    }
