"""A panel of models that vote."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.judge_name import JudgeName
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.model_judge import ModelJudge, as_json, majority
from sqljury.judges.naming import make_judge
from sqljury.verdict import Verdict


@register
@dataclass(frozen=True)
class Panel(Judge):
    """Several models judge the same case, and the majority decides; a tie is `unknown`.

    The evidence has each member's vote. If they disagree, the verdict has the label
    `panel_disagrees`; the measure `agreement` is the majority's share of the votes.

    Args:
        models: two or more, as ``PROVIDER:A+PROVIDER:B+PROVIDER:C``.
        member: the judge that each model is used with.
        options: of that judge, joined by ``;``: ``match=bird;rows=10``.
        model_options: for all models, ``key=value`` joined by ``;``.

    Source: Verga et al. 2024, panels of model judges (arXiv:2404.18796).
    """

    name: ClassVar[str] = "panel"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS | Needs.LLM

    models: str = ""
    member: str = "rose"
    options: str = ""
    model_options: str = ""

    def __post_init__(self) -> None:
        # A panel needs what its members need.
        object.__setattr__(self, "needs", self.members[0].needs)

    @cached_property
    def members(self) -> tuple[ModelJudge, ...]:
        """One judge per model."""
        names = [name for name in self.models.split("+") if name]
        if len(names) < 2 or len(set(names)) < len(names):
            raise InputError(
                "SJ352",
                "a panel needs two or more different models.",
                hint="Write --judge panel,models=PROVIDER:A+PROVIDER:B+PROVIDER:C.",
            )
        return tuple(self._member(name) for name in names)

    def _member(self, model: str) -> ModelJudge:
        shared = {"model_options": self.model_options} if self.model_options else {}
        name = JudgeName.parse(f"{self.member};{self.options}".strip(";"), ";")
        member = make_judge(name.with_options(model=model, **shared))
        assert isinstance(member, ModelJudge)  # it took the option model
        return member

    def signature_fields(self) -> dict[str, Json]:
        """The members' versioned names, and their common prompts."""
        fields = [member.signature_fields() for member in self.members]
        return {**fields[0], "judge": "+".join(str(one["judge"]) for one in fields)}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The majority's verdict."""
        votes = {member.model: member.judge(case, evidence) for member in self.members}
        found = majority(list(votes.values()))
        shown = {model: as_json(vote) for model, vote in votes.items()}
        disagree = found.measures.get("agreement", 1.0) < 1.0
        labels = (*found.labels, "panel_disagrees") if disagree else found.labels
        cost = replace(found.cost, stages={model: vote.cost for model, vote in votes.items()})
        return replace(found, labels=labels, evidence={**found.evidence, "panel": shown}, cost=cost)
