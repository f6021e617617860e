"""The probability, found without a reference, that a query answers its question."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.language_model_verifier import LanguageModelVerifier, is_language_model
from sqljury.verdict import Verdict

if TYPE_CHECKING:
    from sqljury.judges.verifier_features import Observer
    from sqljury.learning.small_verifier import SmallVerifier, Weigher

_SAID = 3
"""At most so many unlikely parts are in the reason; all are in the evidence."""


@register
@dataclass(frozen=True)
class Verifier(Judge):
    """The probability that the prediction answers the question; correct from `threshold` on.

    Without ``model`` a small one that is shipped with sqljury is used: decision trees over
    features of question, schema, SQL and rows.

    Args:
        model: a file that was trained like the small one, a folder with a language model that
            answers Yes or No, or ``PROVIDER:MODEL`` of an endpoint.
        model_options: ``key=value`` joined by ``;``: options of the endpoint, or how the model of
            a folder is loaded (``device_map=auto;four_bit=true``).
        prompt: for a language model: ``sql``, ``data``, ``data+sql`` or ``instruction``.
        threshold: the lowest probability that is ``correct``.
        raw: for a language model: the score is P(Yes) among all words, as in the paper, instead of
            the calibrated P(Yes) among Yes and No.
        served: ``PROVIDER:MODEL`` of an endpoint that serves the model of the folder; prompt and
            temperature are still those of the folder.

    Source: GradeSQL (Tritto et al. 2026), section 3.3.
    """

    name: ClassVar[str] = "verifier"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.SCHEMA

    model: str = ""
    model_options: str = ""
    prompt: str = ""
    threshold: float = 0.5
    raw: bool = False
    served: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold={self.threshold} is no probability")
        if self._language_model is not None:
            object.__setattr__(self, "needs", self._language_model.needs)
        elif self.model_options or self.prompt or self.raw or self.served:
            raise ValueError(
                "model_options, prompt, raw and served are for language models: model=…"
            )
        else:
            _ = self._small  # a broken file is an error when the judge is made

    @cached_property
    def _language_model(self) -> LanguageModelVerifier | None:
        if not self.model or not is_language_model(self.model):
            return None
        return LanguageModelVerifier(
            self.model, self.model_options, self.prompt, self.threshold, self.raw, self.served
        )

    @cached_property
    def _small(self) -> SmallVerifier:
        from sqljury.learning.small_verifier import SHIPPED, load_small_verifier

        return load_small_verifier(self.model or SHIPPED)

    @cached_property
    def _observer(self) -> Observer:
        from sqljury.judges.verifier_features import Observer

        return Observer(self._small.expectations)

    @property
    def runs_network(self) -> bool:
        """True for a language model of a folder, unless an endpoint serves it."""
        return self.model != "" and not self.served and Path(self.model).is_dir()

    @property
    def batch_size(self) -> int:
        """64 for a language model of a folder, which computes the common part of a question's
        prompts once; else 1."""
        return 64 if self.runs_network else 1

    @property
    def one_process(self) -> bool:
        """True for a language model of a folder, which is loaded once per machine."""
        return self.runs_network

    def judge_many(self, asked: Sequence[tuple[Case, Evidence]]) -> list[Verdict]:
        """The verdicts on several cases; a language model of a folder judges those of a question
        together, each distinct query once."""
        if self._language_model is not None and self.runs_network:
            return self._language_model.judge_many(asked)
        return super().judge_many(asked)

    def signature_fields(self) -> dict[str, Json]:
        """The model, for the signature."""
        if self._language_model is not None:
            return self._language_model.signature_fields()
        from sqljury.learning.small_verifier import SHIPPED

        digest = hashlib.sha256(Path(self.model or SHIPPED).read_bytes()).hexdigest()[:8]
        return {"verifier": f"small/{digest}"}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the probability; with the small model the reason names unlikely parts."""
        if self._language_model is not None:
            return self._language_model.judge(case, evidence)
        yes = self.probability(case, self.features(case, evidence))
        verdict = Verdict.correct if yes >= self.threshold else Verdict.incorrect
        if not case.question:
            return verdict(f"probability {yes:.3f}, without the question").with_score(yes)
        odd = [one.text for one in self._observer.surprises(case, evidence)]
        reason = "; ".join([f"probability {yes:.3f}", *odd[:_SAID]])
        return verdict(reason, evidence={"unexpected": odd}).with_score(yes)

    def probability(self, case: Case, features: Mapping[str, float]) -> float:
        """The small verifier's probability for a case, from its :meth:`features`."""
        return self._weigher(case).probabilities([features])[0]

    def features(self, case: Case, evidence: Evidence) -> dict[str, float]:
        """The small verifier's features, by name, of a case with a prediction and a schema."""
        return self._observer.features(case, evidence)

    def _weigher(self, case: Case) -> Weigher:
        return self._small.asked if case.question else self._small.blind
