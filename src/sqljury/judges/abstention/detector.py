"""RF, RF* and their successor: a trained detector says whether to answer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.learning.detector import TrainedDetector
    from sqljury.learning.distance import DistanceDetector


@register
@dataclass(frozen=True)
class Detector(Judge):
    """A trained detector's probability that answering is right; an answer at `threshold`.

    One that reads questions is asked before there is any SQL (the paper's RF), one that reads SQL
    too with it (RF*).

    Args:
        model: a file that ``sqljury train detector`` wrote.
        threshold: the probability from which on the question is answered.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.2.
    """

    name: ClassVar[str] = "detector"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.QUESTION

    model: str = ""
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if not self.model:
            raise InputError(
                "SJ356",
                "the judge detector needs a model.",
                hint="Write --judge detector,model=PATH.",
            )
        if self._model.reads == "sql":
            object.__setattr__(self, "needs", Needs.NOTHING)

    @cached_property
    def _model(self) -> TrainedDetector | DistanceDetector:
        from sqljury.learning.detector import load_detector

        return load_detector(self.model)

    @property
    def runs_network(self) -> bool:
        """Detectors may embed texts."""
        return True

    def signature_fields(self) -> dict[str, Json]:
        """What kind of detector, and a digest of its file."""
        digest = hashlib.sha256(Path(self.model).read_bytes()).hexdigest()[:8]
        return {"detector": f"{self._model.kind}/{self._model.reads}/{digest}"}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:  # noqa: ARG002 - a judge's shape
        """Score the question, or the question and the SQL."""
        from sqljury.learning.masking import text_of

        if not case.question:
            return Verdict(outcome=Outcome.UNKNOWN, reason="the case has no question")
        text = text_of(case.question, str(case.predicted_sql), self._model.reads)
        (yes,) = self._model.scores([text])
        reason = f"probability {yes:.3f}"
        verdict = Verdict.correct(reason) if yes >= self.threshold else Verdict.incorrect(reason)
        return verdict.with_score(yes)
