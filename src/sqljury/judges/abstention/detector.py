"""A trained detector that says whether to answer (TrustSQL's RF and RF*, and a successor)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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
    from sqljury.learning.detector import DistanceDetector, TrainedDetector


@register
@dataclass(frozen=True)
class Detector(Judge):
    """A trained detector's probability that answering is right; an answer at `threshold`.

    A detector that reads questions only decides before any SQL is written (the paper's RF); one
    that also reads the SQL decides afterwards (RF*).

    Args:
        model: a file that ``sqljury train detector`` wrote.
        threshold: the lowest probability that means to answer.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.2.
    """

    name: ClassVar[str] = "detector"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.QUESTION
    batch_size: ClassVar[int] = 64

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
        """True: detectors may embed texts by a network."""
        return True

    @property
    def one_process(self) -> bool:
        """True if the detector has a large network, which is loaded only once per machine."""
        return self._model.vectors is not None and self._model.vectors.is_large

    def signature_fields(self) -> dict[str, Json]:
        """The kind of detector, what it reads, and a digest of its file."""
        digest = hashlib.sha256(Path(self.model).read_bytes()).hexdigest()[:8]
        return {"detector": f"{self._model.kind}/{self._model.reads}/{digest}"}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the score of the question, or of question and SQL."""
        return self.judge_many([(case, evidence)])[0]

    def judge_many(self, asked: Sequence[tuple[Case, Evidence]]) -> list[Verdict]:
        """The verdicts on several cases; a network reads all texts together."""
        from sqljury.learning.detector import text_of

        reads = self._model.reads
        texts = [
            text_of(case.question, str(case.predicted_sql), reads) if case.question else None
            for case, _ in asked
        ]
        known = [text for text in texts if text is not None]
        scores = iter(self._model.scores(known) if known else ())
        return [self._verdict(None if text is None else next(scores)) for text in texts]

    def _verdict(self, yes: float | None) -> Verdict:
        if yes is None:
            return Verdict(outcome=Outcome.UNKNOWN, reason="the case has no question")
        reason = f"probability {yes:.3f}"
        verdict = Verdict.correct(reason) if yes >= self.threshold else Verdict.incorrect(reason)
        return verdict.with_score(yes)
