"""The faults that checks find in the prediction and in the reference."""

from __future__ import annotations

from collections.abc import Mapping
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

_CAUSES: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "constant": (
        "kind of constant that its column never has",
        frozenset({"AU101", "AU102", "AU103"}),
    ),
    "text_order": (
        "comparison of numbers or dates that are stored as texts",
        frozenset({"AU301"}),
    ),
    "join": (
        "kind of doubtful join",
        frozenset({"AU401", "AU402", "AU406", "AU407", "AU408", "AU409", "AU410"}),
    ),
    "dropped": ("kind of join that drops some of the things asked for", frozenset({"AU405"})),
    "tie": ("LIMIT that cuts a tie", frozenset({"AU204"})),
    "repeat": ("kind of repeated row", frozenset({"AU206", "AU207"})),
    "nothing": ("kind of result without a value", frozenset({"AU202", "AU203"})),
}
"""Kinds of fault that have one effect on the rows, with the codes of their checks."""
_HARMLESS: Final = _CAUSES["tie"][1] | _CAUSES["repeat"][1]
"""Faults that leave the answer right for most readers."""
_EACH: Final = r"each|every|per|all|respectively|different|corresponding"


@feature_group(
    "faults",
    *on_both_sides("strong", "", -1, "kind of fault"),
    *on_both_sides("hints", "", -1, "kind of hint"),
    *(
        one
        for name, (noun, _) in _CAUSES.items()
        for one in on_both_sides(name, "", 0 if name in ("tie", "repeat") else -1, noun)
    ),
    *on_both_sides("question", "", -1, "kind of conflict with the question or the hint"),
    *on_both_sides("likely", "probability that its likeliest fault is one", -1),
    *on_both_sides(
        "inner_count",
        "1 if it counts for each of some things and drops those that have none",
        -1,
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
    for name in ("strong", "hints", *_CAUSES, "question", "likely"):
        sides = (None if one is None else one.value(name) for one in (prediction, reference))
        found |= both_sides(name, *sides)
    found |= both_sides("inner_count", *_inner_counts(pair))
    if prediction is not None and reference is not None:
        one, other = prediction.strong, reference.strong
        found["shared"] = float(len(one & other))
        found["only_prediction"] = float(len(one - other))
        found["only_reference"] = float(len(other - one))
    return found


def _inner_counts(pair: Pair) -> tuple[float | None, float | None]:
    """Of prediction and reference, 1 if it counts per group over an inner join, so that a thing
    without partners is not counted as 0, although the question asks for each thing.

    With a LIMIT or HAVING groups are chosen, and empty ones would hardly be among them."""
    from sqljury.trees.nodes import Aggregate, Filter, Join, JoinKind, Limit, Unreadable
    from sqljury.trees.walk import relations

    wording = pair.wording
    if wording is None:
        return None, None

    def drops(sql: str | None) -> float | None:
        tree = None if sql is None else pair.evidence.tree(sql)
        if tree is None or isinstance(tree, Unreadable):
            return None
        if not wording.says(_EACH):
            return 0.0
        parts = list(relations(tree))
        having = (isinstance(one, Filter) and isinstance(one.input, Aggregate) for one in parts)
        if any(isinstance(one, Limit) for one in parts) or any(having):
            return 0.0
        return float(any(
            isinstance(one, Aggregate)
            and one.keys
            and any(call.name in ("COUNT", "SUM") for call in one.calls)
            and any(isinstance(join, Join) and join.kind is JoinKind.INNER
                    for join in (one.input, getattr(one.input, "input", None)))
            for one in parts
        ))  # fmt: skip

    return drops(pair.prediction), drops(pair.reference)


class _FaultCodes:
    """The codes of the faults that were found in a query, and of the checks that were skipped."""

    def __init__(self, verdict: Verdict) -> None:
        told = faults_of(verdict.evidence)
        findings = told["findings"]
        self.strong = {one["code"] for one in findings if not one["weak"]}
        self.hints = {one["code"] for one in findings if one["weak"]}
        self._skipped = frozenset(told["skipped"])

    def value(self, name: str) -> float | None:
        """The feature of this name; None if all its checks were skipped."""
        if name == "strong":
            return float(len(self.strong))
        if name == "hints":
            return float(len(self.hints))
        if name == "question":
            return float(sum(code.startswith("AU5") for code in self.strong))
        codes = self.strong | self.hints
        if name == "likely":
            return max((_likely(code) for code in codes - _HARMLESS), default=0.0)
        checks = _CAUSES[name][1]
        return None if checks <= self._skipped else float(len(codes & checks))


def _likely(code: str) -> float:
    from sqljury.faults import all_checks

    return next(one.likely for one in all_checks() if one.code == code)


def _found(verdict: Verdict | None) -> _FaultCodes | None:
    known = verdict is not None and verdict.outcome in (Outcome.CORRECT, Outcome.INCORRECT)
    return _FaultCodes(verdict) if known and verdict is not None else None
