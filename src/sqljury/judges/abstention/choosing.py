"""Which demonstrations a prompt shows, in which schemas: one value for judges and generating."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.judges.abstention.demonstrations import (
    Demonstration,
    Demonstrations,
    Wanted,
    examples,
)
from sqljury.judges.abstention.other_databases import OtherDatabases
from sqljury.judges.abstention.schema_text import STYLES, schema_section
from sqljury.judges.dossier import PromptSection

Said = Callable[[Sequence[Demonstration]], list[tuple[str, str]]]
"""Demonstrations as questions and what the model should have said."""


@dataclass(frozen=True)
class DemonstrationChoice:
    """Which demonstrations are shown before a question, and how schemas are written.

    Args:
        demos: a file of cases; none: no demonstrations.
        wanted: how many of each kind, of each database.
        pick: ``fixed``, ``similar`` or ``dense``.
        retriever: folder or name of the sentence model that ``dense`` compares questions by.
        databases: of how many other databases the demonstrations are; 0: of the case's own.
        schemas: where the schemas of those are.
        seed: of what is drawn.
        style: how schemas are written.

    Raises:
        ValueError: settings that do not go together.
    """

    demos: str = ""
    wanted: Wanted = Wanted()  # noqa: RUF009 - a frozen value
    pick: str = "similar"
    retriever: str = ""
    databases: int = 0
    schemas: str = ""
    seed: int = 0
    style: str = "create"

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"style={self.style}: one of {', '.join(STYLES)}")
        if min(self.wanted.positives, self.wanted.negatives, self.databases) < 0:
            raise ValueError("positives, negatives and databases are counts")
        if bool(self.schemas) != bool(self.databases):
            raise ValueError("databases=N and schemas=PLACE go together")
        _ = self._elsewhere, self.known  # a place that is not there is an error at once
        if self.known is not None:
            _ = self.known.digest

    @cached_property
    def known(self) -> Demonstrations | None:
        """What can be demonstrated; None without a file."""
        if not self.demos:
            return None
        return Demonstrations(self.demos, self.pick, self.seed, self.retriever)

    @cached_property
    def _elsewhere(self) -> OtherDatabases | None:
        return OtherDatabases(self.schemas, self.style) if self.schemas else None

    def digests(self) -> dict[str, Json]:
        """Of the demonstrations, and of the databases that they are of."""
        if self.known is None:
            return {}
        found: dict[str, Json] = {"demos": self.known.digest}
        if self._elsewhere is not None:
            found["schemas"] = self._elsewhere.digest(self.known.db_ids)
        return found

    def sections(self, case: Case, evidence: Evidence, said: Said) -> list[PromptSection]:
        """The demonstrations for a case, and its schema."""
        own = schema_section(evidence, self.style)
        if self.known is None:
            return own
        if self._elsewhere is None:
            return [*own, *examples(said(self.known.chosen(case, self.wanted)))]
        sections: list[PromptSection] = []
        for db_id, shown in self.known.elsewhere(case, self.wanted, self.databases).items():
            sections += [*self._elsewhere.section(db_id), *examples(said(shown))]
        # Last, as in the paper, and next to the question that is asked of it.
        return [*sections, *own]
