"""What the prompts about abstaining have in common: demonstrations and a schema style."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sqljury.case import Case, Json
from sqljury.judges.abstention.demonstrations import Demonstration, Demonstrations
from sqljury.judges.abstention.schema_text import STYLES
from sqljury.judges.asking import ModelJudge
from sqljury.judges.dossier import Section


@dataclass(frozen=True)
class AbstentionPrompt(ModelJudge):
    """A judge that asks a model whether to answer.

    `demos` is a file of cases to demonstrate with, `positives` and `negatives` how many of each
    kind are shown, `pick` which (`fixed`, `similar`), `style` how the schema is written.
    """

    demos: str = ""
    positives: int = 8
    negatives: int = 8
    pick: str = "similar"
    seed: int = 0
    style: str = "create"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.style not in STYLES:
            raise ValueError(f"style={self.style}: one of {', '.join(STYLES)}")
        if self.positives < 0 or self.negatives < 0:
            raise ValueError("positives and negatives are counts")
        if self.known is not None:
            _ = self.known.digest  # a file that is not there is an error when the judge is made

    @cached_property
    def known(self) -> Demonstrations | None:
        """What can be demonstrated; None without a file."""
        return Demonstrations(self.demos, self.pick, self.seed) if self.demos else None

    def signature_fields(self) -> dict[str, Json]:
        """The model, the prompt, and a digest of the demonstrations."""
        fields = super().signature_fields()
        return fields if self.known is None else {**fields, "demos": self.known.digest}

    def shown(self, case: Case) -> list[Demonstration]:
        """The demonstrations for a case."""
        if self.known is None:
            return []
        return self.known.chosen(case, self.positives, self.negatives)


def asked(case: Case) -> list[Section]:
    """The question, with its hint if there is one."""
    sections = [Section("Question", case.question or ""), Section("Hint", case.hint or "")]
    return [section for section in sections if section.text.strip()]
