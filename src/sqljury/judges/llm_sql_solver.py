"""LLM-SQL-Solver: a model says whether two queries are equivalent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Json
from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation, ModelJudge
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.prompts.sections import Dossier
from sqljury.verdict import Verdict

SOLVER_STRICT = Prompt(
    "solver_strict",
    answer(miniature=TEXT, counterexample=TEXT, reason=TEXT, equivalent=YES_NO),
)
SOLVER_RELAXED = Prompt(
    "solver_relaxed", answer(first=TEXT, second=TEXT, reason=TEXT, equivalent=YES_NO)
)
_TASKS = {"strict": SOLVER_STRICT, "relaxed": SOLVER_RELAXED}


@register
@dataclass(frozen=True)
class LlmSqlSolver(ModelJudge):
    """A model says whether prediction and reference are equivalent; it sees the schema, no rows.

    With several references one that is equivalent is enough.

    Args:
        task: the variant. ``strict``: equal rows on every database (Miniature & Mull: the model
            works out both results on a small database, then searches for one on which they
            differ). ``relaxed``: the same except for minor differences (Explain & Compare).

    Source: Zhao et al. 2023, LLM-SQL-Solver (arXiv:2312.10321).
    """

    name: ClassVar[str] = "llm_sql_solver"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.LLM
    variant: ClassVar[str] = "task"
    reads_question: ClassVar[bool] = False
    title: ClassVar[str] = "LLM-SQL-Solver"
    prompts: ClassVar[tuple[Prompt, ...]] = (SOLVER_STRICT,)

    task: str = "strict"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.task not in _TASKS:
            raise ValueError(f"task={self.task}: one of {', '.join(_TASKS)}")
        object.__setattr__(self, "prompts", (_TASKS[self.task],))

    def once(self, conversation: Conversation) -> Verdict:
        """Asks about one reference after the other until one is equivalent."""
        dossier = Dossier(conversation.case, conversation.evidence)
        first: dict[str, Json] | None = None
        for number, reference in enumerate(conversation.case.reference_sqls, start=1):
            stage = "solver" if number == 1 else f"solver {number}"
            found = conversation.ask(
                stage,
                self.prompts[0],
                [
                    *dossier.schema([reference, dossier.predicted_sql]),
                    dossier.sql("First query", reference),
                    dossier.sql("Second query", dossier.predicted_sql),
                ],
            )
            if found is None or found["equivalent"]:
                return conversation.decided(found, "equivalent")
            first = first or found
        return conversation.decided(first, "equivalent")
