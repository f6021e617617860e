"""What the prompts about abstaining have in common: demonstrations and a schema style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sqljury.benchmarks import fingerprint
from sqljury.case import Case, Json
from sqljury.databases import Schemas, read_schemas
from sqljury.evidence import Evidence
from sqljury.judges.abstention.demonstrations import Demonstration, Demonstrations, examples
from sqljury.judges.abstention.schema_text import STYLES, other_schema, schema_section
from sqljury.judges.asking import ModelJudge
from sqljury.judges.dossier import Section


@dataclass(frozen=True)
class AbstentionPrompt(ModelJudge):
    """A judge that asks a model whether to answer.

    `demos` is a file of cases to demonstrate with, `positives` and `negatives` how many of each
    kind are shown, `pick` which (`fixed`, `similar`, `dense`, by the sentence model `retriever`),
    `style` how the schema is written. With `databases=N` the examples are of N other databases,
    each under its schema out of the file `schemas`.
    """

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
        if self.style not in STYLES:
            raise ValueError(f"style={self.style}: one of {', '.join(STYLES)}")
        if self.positives < 0 or self.negatives < 0 or self.databases < 0:
            raise ValueError("positives, negatives and databases are counts")
        if bool(self.schemas) != bool(self.databases):
            raise ValueError("databases=N and schemas=FILE go together")
        if self.known is not None:
            _ = self.known.digest  # a file that is not there is an error when the judge is made
        if self.schemas:
            _ = self._schemas

    @cached_property
    def known(self) -> Demonstrations | None:
        """What can be demonstrated; None without a file."""
        if not self.demos:
            return None
        return Demonstrations(self.demos, self.pick, self.seed, self.retriever)

    @cached_property
    def _schemas(self) -> Schemas:
        return read_schemas(self.schemas)

    @property
    def wanted(self) -> tuple[int, int]:
        """How many demonstrations that can be answered, and that cannot."""
        return self.positives, self.negatives

    def said(self, shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
        """Demonstrations as questions and what the model should have said."""
        raise NotImplementedError

    def signature_fields(self) -> dict[str, Json]:
        """The model, the prompt, and digests of the demonstrations and their schemas."""
        fields = super().signature_fields()
        for name, file in (("demos", self.demos), ("schemas", self.schemas)):
            if file:
                fields[name] = fingerprint(file)[:8]
        return fields

    def before_the_question(self, case: Case, evidence: Evidence) -> list[Section]:
        """The demonstrations for a case, and its schema."""
        own = schema_section(evidence, self.style)
        if self.known is None:
            return own
        if not self.databases:
            return [*own, *examples(self.said(self.known.chosen(case, *self.wanted)))]
        elsewhere = self.known.elsewhere(case, *self.wanted, self.databases)
        sections: list[Section] = []
        for db_id, shown in elsewhere.items():
            schema = self._schemas.get(db_id)
            sections += [] if schema is None else other_schema(schema, self.style)
            sections += examples(self.said(shown))
        # Last, as in the paper, and next to the question that is asked of it.
        return [*sections, *own]


def asked(case: Case) -> list[Section]:
    """The question, with its hint if there is one."""
    sections = [Section("Question", case.question or ""), Section("Hint", case.hint or "")]
    return [section for section in sections if section.text.strip()]
