"""What the prompts about abstaining have in common: demonstrations and a schema style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.judges.abstention.choosing import DemonstrationChoice
from sqljury.judges.abstention.demonstrations import Demonstration, Wanted
from sqljury.judges.asking import ModelJudge
from sqljury.judges.dossier import PromptSection


@dataclass(frozen=True)
class AbstentionPrompt(ModelJudge):
    """A judge that asks a model whether to answer.

    Args:
        demos: a file of cases to demonstrate with.
        positives: how many demonstrations that can be answered are shown, of each database.
        negatives: how many that cannot; of `verbal`, how many with SQL that answers another.
        pick: which are shown: ``fixed``, ``similar`` or ``dense``.
        retriever: folder or name of the sentence model that ``dense`` compares questions by.
        databases: of how many other databases the demonstrations are; 0: of the case's own.
        schemas: where the schemas of those are: a folder of databases, whose values are shown,
            or a file of schemas.
        seed: of what is drawn among the demonstrations.
        style: how the schema is written.
    """

    sees_failures: ClassVar[bool] = True

    demos: str = ""
    positives: int = 8
    negatives: int = 8
    pick: str = "similar"
    retriever: str = ""
    databases: int = 0
    schemas: str = ""
    seed: int = 0
    style: str = "create"

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.choice  # a file that is not there is an error when the judge is made

    @cached_property
    def choice(self) -> DemonstrationChoice:
        """The demonstrations and schemas that are shown."""
        return DemonstrationChoice(
            demos=self.demos,
            wanted=self.wanted,
            pick=self.pick,
            retriever=self.retriever,
            databases=self.databases,
            schemas=self.schemas,
            seed=self.seed,
            style=self.style,
        )

    @property
    def wanted(self) -> Wanted:
        """How many demonstrations of each kind."""
        return Wanted(self.positives, self.negatives)

    def said(self, shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
        """Demonstrations as questions and what the model should have said."""
        raise NotImplementedError

    def signature_fields(self) -> dict[str, Json]:
        """The model, the prompt, and digests of the demonstrations and their schemas."""
        return {**super().signature_fields(), **self.choice.digests()}

    def before_the_question(self, case: Case, evidence: Evidence) -> list[PromptSection]:
        """The demonstrations for a case, and its schema."""
        return self.choice.sections(case, evidence, self.said)


def asked(case: Case) -> list[PromptSection]:
    """The question, with its hint if there is one."""
    sections = [
        PromptSection("Question", case.question or ""),
        PromptSection("Hint", case.hint or ""),
    ]
    return [section for section in sections if section.text.strip()]
