"""The faults that checks find in the prediction and in the reference."""

from __future__ import annotations

from typing import Final

from sqljury.evidence_shapes import faults_of
from sqljury.judges.jury_features.group import (
    Pair,
    Values,
    both_sides,
    counting,
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
    *on_both_sides("strong", "", -1, "kind of fault"),
    *on_both_sides("hints", "", -1, "kind of hint"),
    *(
        f
        for k, what in _FAMILIES.items()
        for f in on_both_sides(k, "", -1, f"kind of fault in {what}")
    ),
    counting("shared", "kind of fault that both have"),
    counting("only_prediction", "kind of fault that only the prediction has", -1),
    counting("only_reference", "kind of fault that only the reference has"),
)
def faults(pair: Pair) -> Values:
    """Faults of the prediction and of the reference, by text, question and data."""
    prediction = _found(pair.verdict("faults"))
    reference = _found(pair.verdict("faults", of_reference=True))
    found: dict[str, float | None] = {}
    for name in ("strong", "hints", *_FAMILIES):
        sides = (None if one is None else one.count(name) for one in (prediction, reference))
        found |= both_sides(name, *sides)
    if prediction is not None and reference is not None:
        one, other = prediction.strong, reference.strong
        found["shared"] = float(len(one & other))
        found["only_prediction"] = float(len(one - other))
        found["only_reference"] = float(len(other - one))
    return found


class _FaultCodes:
    """The codes of the faults that were found in a query, and of the checks that were skipped."""

    def __init__(self, verdict: Verdict) -> None:
        told = faults_of(verdict.evidence)
        findings = told["findings"]
        self.strong = {one["code"] for one in findings if not one["weak"]}
        self.hints = {one["code"] for one in findings if one["weak"]}
        self._skipped = frozenset(told["skipped"])

    def count(self, name: str) -> float | None:
        """The number of kinds of fault; None if all checks of the family were skipped."""
        from sqljury.faults import all_checks

        if name in ("strong", "hints"):
            return float(len(self.strong if name == "strong" else self.hints))
        family = (one.code for one in all_checks() if one.code.startswith(name))
        if all(code in self._skipped for code in family):
            return None
        return float(sum(code.startswith(name) for code in self.strong))


def _found(verdict: Verdict | None) -> _FaultCodes | None:
    known = verdict is not None and verdict.outcome in (Outcome.CORRECT, Outcome.INCORRECT)
    return _FaultCodes(verdict) if known and verdict is not None else None
