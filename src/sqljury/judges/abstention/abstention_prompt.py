"""What the prompts about abstaining have in common: demonstrations and a schema style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar

from sqljury.case import Json
from sqljury.judges.model_judge import Conversation, ModelJudge
from sqljury.judges.prompts.demonstrations import Demonstration, DemonstrationChoice, Wanted
from sqljury.judges.prompts.sections import Dossier, PromptSection


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
        names = (field.name for field in fields(DemonstrationChoice) if field.name != "wanted")
        return DemonstrationChoice(
            wanted=self.wanted, **{name: getattr(self, name) for name in names}
        )

    @property
    def wanted(self) -> Wanted:
        """How many demonstrations of each kind."""
        return Wanted(self.positives, self.negatives)

    def answers(self, shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
        """Demonstrations as questions and what the model should have said."""
        raise NotImplementedError

    def signature_fields(self) -> dict[str, Json]:
        """The model, the prompt, and digests of the demonstrations and their schemas."""
        return {**super().signature_fields(), **self.choice.digests()}

    def sections(self, conversation: Conversation) -> list[PromptSection]:
        """The demonstrations for a case, its schema and its question."""
        case, evidence = conversation.case, conversation.evidence
        shown = self.choice.sections(case, evidence, self.answers)
        return [*shown, *Dossier(case, evidence).question(criteria=False)]
