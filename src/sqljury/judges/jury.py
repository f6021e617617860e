"""What does all the evidence together say, and how likely is it?"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.jury_features import (
    Feature,
    FeatureGroup,
    Pair,
    all_groups,
    values_or_none,
)
from sqljury.judges.settled import failed_prediction
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.learning.jury import JuryModel, Weighed

_SAID: Final = 3
"""Reasons that are said; all are in the evidence."""
_LEAST: Final = 0.01
"""What moves the log-odds less is no reason."""
_OFFLINE: Final = "offline"


@register
@dataclass(frozen=True)
class Jury(Judge):
    """The probability that the prediction answers the question, from all evidence at hand.

    Trees weigh what `sqljury features` finds: rows under each policy, differences weighed against
    the question, faults of prediction and reference, schema linking, the verifier. A
    database or a question that is not there is missing evidence; without a schema it is `unknown`.

    Args:
        models: the variant: `offline` asks no chat model.
        threshold: the probability from which on the verdict is `correct`.
        band: probabilities nearer to the threshold than this are `unknown`.
        weights: a file that `sqljury train jury` wrote; by default the one that comes along.

    Source: docs/jury.md.
    """

    name: ClassVar[str] = "jury"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE
    variant: ClassVar[str] = "models"

    models: str = _OFFLINE
    threshold: float = 0.5
    band: float = 0.0
    weights: str = ""

    def __post_init__(self) -> None:
        if self.models != _OFFLINE:
            raise ValueError(f"models={self.models}: only {_OFFLINE} is known")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold={self.threshold} is no probability")
        if not 0 <= self.band <= 1:
            raise ValueError(f"band={self.band} is not between 0 and 1")
        _ = self._model  # a broken file is an error when the judge is made

    @cached_property
    def _model(self) -> JuryModel:
        from sqljury.learning.jury import load_jury

        return load_jury(self._file)

    @property
    def _file(self) -> Path:
        from sqljury.learning.jury import SHIPPED

        return Path(self.weights or SHIPPED)

    @cached_property
    def _groups(self) -> tuple[FeatureGroup, ...]:
        """The groups that the trees look at; others are not even found."""
        used = set(self._model.names)
        return tuple(g for g in all_groups() if any(one.name in used for one in g.features))

    @cached_property
    def _features(self) -> Mapping[str, Feature]:
        return {one.name: one for group in self._groups for one in group.features}

    def signature_fields(self) -> dict[str, Json]:
        """Which model."""
        return {"jury": hashlib.sha256(self._file.read_bytes()).hexdigest()[:8]}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Correct from the threshold on; the reason names what weighed most."""
        if evidence.has_database:
            run = evidence.rows(str(case.predicted_sql))
            if not run.ok:
                return failed_prediction(run)
        if evidence.schema() is None:
            return Verdict(outcome=Outcome.UNKNOWN, reason=f"no schema of {case.db_id!r}")
        pair = Pair(case, evidence)
        values: dict[str, float] = {}
        for group in self._groups:
            values |= values_or_none(group, pair) or {}
        found = self._model.weigh(values)
        return self._verdict(found, values)

    def _verdict(self, found: Weighed, values: Mapping[str, float]) -> Verdict:
        reasons = sorted(found.weights.items(), key=lambda one: (-abs(one[1]), one[0]))
        reasons = [(name, weight) for name, weight in reasons if abs(weight) >= _LEAST]
        said = [self._words(name, weight, values.get(name)) for name, weight in reasons[:_SAID]]
        return Verdict(
            outcome=self._outcome(found.probability),
            score=found.probability,
            reason="; ".join([f"probability {found.probability:.3f}", *said]),
            evidence={"weights": [_told(name, weight, values) for name, weight in reasons]},
        )

    def _outcome(self, probability: float) -> Outcome:
        if abs(probability - self.threshold) < self.band:
            return Outcome.UNKNOWN
        return Outcome.CORRECT if probability >= self.threshold else Outcome.INCORRECT

    def _words(self, name: str, weight: float, value: float | None) -> str:
        side = "for" if weight > 0 else "against"
        return f"{side} ({weight:+.2f}): {_in_words(self._features[name], value)}"


def _in_words(feature: Feature, value: float | None) -> str:
    """What a feature's value says: ``rows are equal under `intent```, ``words of the hint: 12``."""
    group = feature.name.partition("_")[0]
    meaning = feature.meaning
    if value is None:
        return f"not known: {meaning} [{group}]"
    if meaning.startswith("1 if "):
        fact = meaning.removeprefix("1 if ").removesuffix(", else 0")
        return f"{fact} [{group}]" if value >= 1 else f"not so: {fact} [{group}]"
    return f"{meaning}: {value:.3g} [{group}]"


def _told(name: str, weight: float, values: Mapping[str, float]) -> Json:
    return {"feature": name, "value": values.get(name), "weight": round(weight, 4)}
