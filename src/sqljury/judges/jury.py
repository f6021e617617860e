"""The probability that a prediction is right, from all evidence together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, inf, log
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.evidence_shapes import reasons_text
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.jury_features import (
    FeatureGroup,
    Pair,
    all_groups,
    values_or_none,
)
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.judges.jurors import Juror
    from sqljury.learning.fusion import Fusion
    from sqljury.learning.jury import JuryModel

_LEAST: Final = 0.01
"""Features that move the log-odds by less are left out of the evidence."""
_OFFLINE: Final = "offline"
_SUREST: Final = 1e-6
"""Probabilities are kept this far from 0 and 1, so that their log-odds are finite."""


@dataclass(frozen=True, slots=True)
class _Trees:
    """A model, and the groups of features with one that it uses; only these are computed."""

    model: JuryModel
    groups: tuple[FeatureGroup, ...]

    @classmethod
    def load(cls, file: Path) -> _Trees:
        from sqljury.learning.jury import PENALTIES, load_jury

        model = load_jury(file)
        used = {*model.names, *PENALTIES}
        groups = (g for g in all_groups() if any(one.name in used for one in g.features))
        return cls(model, tuple(groups))


@register
@dataclass(frozen=True)
class Jury(Judge):
    """The probability that the prediction answers the question, from all evidence at hand.

    Decision trees weigh the features of `sqljury evaluate --features`: rows under each policy,
    differences by whether the question asks for them, faults of prediction and reference, schema
    linking, the verifier. Features of a missing database or question are left out. A reference
    that is a result table has trees of its own. Without a schema the trees cannot be used: only
    answers of models count, and without these the verdict is `unknown`.

    With models, these are asked if the trees are not sure enough. The next question is always the
    one whose answer is expected to be most informative for its price (ROSE's Prover and Refuter,
    FLEX, the unified prompt), until the probability reaches `target` or no answer could change the
    verdict.

    Args:
        models: the variant: `offline` asks no chat model; else `PROVIDER:A+PROVIDER:B`.
        threshold: the lowest probability that is `correct`.
        band: probabilities nearer to the threshold than this are `unknown`.
        like: the population whose predictions the trees were fitted to: `everyday` (answers of
            many systems to ordinary questions; the default without models) or `hard` (answers that
            experts were asked about; the default with models).
        sure: `unknown` for a probability at which fewer than 95 % of the verdicts are right, as
            estimated on databases left out in training. Without it such verdicts have the label
            `unsure`.
        reference: `false` judges by question, schema, rows and checks alone, with trees of their
            own.
        weights: a file that `sqljury train jury` wrote, instead of the one shipped for `like`.
        target: no further question is asked once either verdict has this probability; 1 asks every
            question of every model.
        max_calls: the most calls for one case; 0 for no limit.
        max_cost: the most US dollars for one case, by expected prices; 0 for no limit.
        review: ask first by the judge ``reviewer``: one call that is shown the trees' reasons.
            Its answers count as those of the unified prompt, until `sqljury agree --calibrate` has
            measured them.
        reliability: a file that `sqljury agree --calibrate` wrote; by default the one shipped with
            sqljury.
        recorded: a folder of recorded answers to use instead of asking the models.
        model_options: for all models, `key=value` joined by `;`.

    Source: docs/jury-judge.md.
    """

    name: ClassVar[str] = "jury"
    version: ClassVar[int] = 6
    needs: ClassVar[Needs] = Needs.REFERENCE
    takes_tables: ClassVar[bool] = True
    variant: ClassVar[str] = "models"

    models: str = _OFFLINE
    threshold: float = 0.5
    band: float = 0.0
    like: str = ""
    sure: bool = False
    reference: bool = True
    weights: str = ""
    target: float = 0.95
    max_calls: int = 0
    max_cost: float = 0.0
    review: bool = False
    reliability: str = ""
    recorded: str = ""
    model_options: str = ""

    def __post_init__(self) -> None:
        for name in ("threshold", "band", "target"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name}={value} is not between 0 and 1")
        if self.like not in ("", "everyday", "hard"):
            raise ValueError(f"like={self.like} is neither everyday nor hard")
        if self.max_calls < 0 or not 0 <= self.max_cost < inf:
            raise ValueError("max_calls and max_cost are limits, 0 for none")
        if self.review and (self.models == _OFFLINE or self.recorded):
            raise ValueError("review=true asks models; there are no recordings of its answers")
        if not self.reference:
            if self.models != _OFFLINE or self.like:
                raise ValueError("reference=false is for jury:offline without like")
            object.__setattr__(self, "needs", Needs.NOTHING)
        _ = self._trees, self._jurors  # a broken file is an error when the judge is made
        if self.sure and not (self._trees[0].model.sure and self.models == _OFFLINE):
            raise ValueError("sure=true needs jury:offline with trees of this version")
        if self._jurors and not self.recorded:
            object.__setattr__(self, "needs", Needs.REFERENCE | Needs.LLM)

    @cached_property
    def _jurors(self) -> tuple[Juror, ...]:
        from sqljury.judges.jurors import jurors_of

        if self.models == _OFFLINE:
            return ()
        models = list(dict.fromkeys(filter(None, self.models.split("+"))))
        return jurors_of(
            models, self._fusion, self.recorded, self.model_options, review=self.review
        )

    @cached_property
    def _fusion(self) -> Fusion:
        from sqljury.learning.fusion import load_fusion

        return load_fusion(self._fusion_file)

    @property
    def _fusion_file(self) -> Path:
        from sqljury.learning.fusion import SHIPPED

        return Path(self.reliability or SHIPPED)

    @cached_property
    def _trees(self) -> tuple[_Trees, _Trees]:
        """The trees for references that are queries (or none), and for those that are result
        tables."""
        first, second = map(_Trees.load, self._files)
        return first, second

    @property
    def _files(self) -> tuple[Path, Path]:
        from sqljury.learning.jury import SHIPPED

        if self.weights:
            return Path(self.weights), Path(self.weights)
        if not self.reference:
            return SHIPPED["unreferenced"], SHIPPED["unreferenced"]
        default = "everyday" if self.models == _OFFLINE else "hard"
        return SHIPPED[self.like or default], SHIPPED["rows"]

    def signature_fields(self) -> dict[str, Json]:
        """Digests of the trained files; with models, also one of models, questions and prompts."""
        own: dict[str, Json] = {"jury": _digest(*self._files)}
        if not self._jurors:
            return own
        asked = (f"{one.asked}{one.judge.signature_fields()}" for one in self._jurors)
        jurors = hashlib.sha256("".join(asked).encode()).hexdigest()[:8]
        return {**own, "reliability": _digest(self._fusion_file), "jurors": jurors}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if the probability reaches the threshold; the reason says what speaks for and
        against the prediction."""
        from sqljury.judges.jury_reasons import reasons

        if not self.reference:
            case = replace(case, reference_sqls=(), reference_tables=())
        unusable = "" if evidence.schema() is not None else f"no schema of {case.db_id!r}"
        if case.predicted_table is not None:
            unusable = "the prediction is a result table, and jury reads SQL"
        if unusable:
            offline = Verdict(outcome=Outcome.UNKNOWN, reason=unusable)
            return self._after_asking(offline, case, evidence) if self._jurors else offline
        trees = self._trees[bool(case.reference_tables) and not case.reference_sqls]
        pair = Pair(case, evidence)
        values: dict[str, float] = {}
        for group in trees.groups:
            values |= values_or_none(group, pair) or {}
        found = trees.model.weigh(values)
        weights = sorted(found.weights.items(), key=lambda one: (-abs(one[1]), one[0]))
        told: list[Json] = [
            {"feature": name, "value": values.get(name), "weight": round(weight, 4)}
            for name, weight in weights
            if abs(weight) >= _LEAST
        ]
        for_it = found.probability >= self.threshold
        spoken = reasons(pair, found.weights, values, correct=for_it)
        said = [reasons_text(spoken)] if spoken else []
        offline = self._verdict(found.probability, said, {"reasons": spoken, "weights": told})
        offline = self._marked(offline, trees.model, found.unfamiliar)
        return self._after_asking(offline, case, evidence) if self._jurors else offline

    def _marked(self, verdict: Verdict, model: JuryModel, unfamiliar: Sequence[str]) -> Verdict:
        """The verdict with the labels `unsure` and `unfamiliar`, or ``unknown`` if that is asked
        for.

        Args:
            unfamiliar: the features with values that no training case had.
        """
        labels = list(verdict.labels)
        assert verdict.score is not None
        low, high = model.sure or (1.0, 0.0)
        if low < verdict.score < high:
            if self.sure:
                verdict = replace(verdict, outcome=Outcome.UNKNOWN)
            labels.append("unsure")
        if unfamiliar:
            labels.append("unfamiliar")
            told: dict[str, Json] = {**verdict.evidence, "unfamiliar": list(unfamiliar)}
            verdict = replace(verdict, evidence=told)
        return replace(verdict, labels=tuple(labels))

    def _after_asking(self, offline: Verdict, case: Case, evidence: Evidence) -> Verdict:
        """The verdict after asking chat models, as far as that is needed.

        Args:
            offline: the verdict without them; ``unknown`` without a score if there is no schema.
        """
        from sqljury.judges.jurors import Asking, consult

        asking = Asking(self.target, self.max_calls, self.max_cost, _log_odds(self.threshold))
        odds = None if offline.score is None else _log_odds(offline.score)
        found = consult(self._jurors, self._fusion, odds, asking, case, evidence)
        if odds is None and not found.opinions:
            return replace(offline, cost=found.cost)
        probability = 1 / (1 + exp(-self._fusion.log_odds(odds, found.opinions)))
        said = [f"{one['question']} of {one['model'] or 'recordings'}: {one['answer']}"
                for one in found.told]  # fmt: skip
        known = f"without models: {offline.reason}"
        told = {
            **offline.evidence,
            "offline": offline.score,
            "asked": found.told,
            "calls": found.calls,
        }
        verdict = self._verdict(probability, [*said, known], told)
        return replace(verdict, labels=tuple(found.labels), cost=found.cost)

    def _verdict(self, probability: float, said: list[str], told: dict[str, Json]) -> Verdict:
        outcome = Outcome.CORRECT if probability >= self.threshold else Outcome.INCORRECT
        return Verdict(
            outcome=Outcome.UNKNOWN if abs(probability - self.threshold) < self.band else outcome,
            score=probability,
            reason="; ".join([f"probability {probability:.3f}", *said]),
            evidence=told,
        )


def _log_odds(probability: float) -> float:
    inside = min(max(probability, _SUREST), 1 - _SUREST)
    return log(inside / (1 - inside))


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(one.read_bytes() for one in files)).hexdigest()[:8]
