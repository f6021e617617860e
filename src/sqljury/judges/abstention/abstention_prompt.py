"""The common parts of judges that ask a model whether to answer: demonstrations and schemas."""

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
        demos: a file of cases to be shown as demonstrations.
        positives: how many answerable demonstrations are shown, per database.
        negatives: how many unanswerable ones; for `verbal`, how many with SQL that answers another
            question.
        pick: how they are chosen: ``fixed``, ``similar`` or ``dense``.
        retriever: folder or name of the sentence model that ``dense`` compares questions by.
        databases: from how many other databases the demonstrations are; 0: from the case's own.
        schemas: for these databases, a folder of databases, whose values are shown, or a file of
            schemas.
        seed: of the random choice of demonstrations.
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
        """The questions of demonstrations, each with the model's ideal answer."""
        raise NotImplementedError

    def signature_fields(self) -> dict[str, Json]:
        """The model, the prompt, and digests of the demonstrations and their schemas."""
        return {**super().signature_fields(), **self.choice.digests()}

    def sections(self, conversation: Conversation) -> list[PromptSection]:
        """The demonstrations for a case, its schema and its question."""
        case, evidence = conversation.case, conversation.evidence
        shown = self.choice.sections(case, evidence, self.answers)
        return [*shown, *Dossier(case, evidence).question(criteria=False)]
