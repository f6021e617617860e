"""What a verifying language model reads of a case, in the four variants of the paper.

The part that all candidates of a question share (task, schema, question) comes first, the
candidate's own (its SQL, its rows, the line that asks) last: so the first part is computed once.

Source: GradeSQL (Tritto et al. 2026), section 6 and Table 8, names the variants and does not print
them: SQL-Only shows the query, Data-Only the rows that it returned, Data + SQL both, Instruction
both under a list of duties. The texts are our own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.judges.prompts.sections import LAYOUT, Dossier, PromptSection, message, schema_section
from sqljury.llm import FENCE_RULE

VARIANTS = {
    "instruction": "verifier_instruction",
    "data": "verifier_data",
    "sql": "verifier_sql",
    "data+sql": "verifier_data_sql",
}
"""The variants, and the file of each."""

ROWS = 10
"""How many rows of a result are shown; their number always is."""


@dataclass(frozen=True, slots=True)
class VerifierPrompt:
    """One of the variants.

    Raises:
        InputError: SJ304: there is no such variant.
    """

    variant: str = "sql"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise InputError(
                "SJ304",
                f"there is no prompt {self.variant!r} for verifiers.",
                hint=f"Prompts: {', '.join(VARIANTS)}.",
            )

    @property
    def shows_rows(self) -> bool:
        """Whether the query has to be executed."""
        return self.variant != "sql"

    @property
    def fingerprint(self) -> str:
        """Eight characters that change with any word of the text."""
        whole = f"{_text(self.variant)!r}{FENCE_RULE}{LAYOUT}/{ROWS}"
        return hashlib.sha256(whole.encode()).hexdigest()[:8]

    def shared(self, case: Case, evidence: Evidence) -> str:
        """The task, the schema with values of each column, the question and its hint."""
        sections = schema_section(evidence, "create") + Dossier(case, evidence).question()
        return f"{_text(self.variant)[0]}\n{FENCE_RULE}\n\n{message(sections)}\n\n"

    def own(self, case: Case, evidence: Evidence) -> str:
        """The candidate, without comments, and the line that asks."""
        found = Dossier(case, evidence, ROWS).prediction(with_rows=self.shows_rows)
        sections = found[1:] or [_failed()] if self.variant == "data" else found
        return f"{message(sections)}\n\n{_text(self.variant)[1]}\nAnswer:"


def _failed() -> PromptSection:
    return PromptSection("Rows of the predicted SQL", "", "The query failed: there are none.")


@cache
def _text(variant: str) -> tuple[str, str]:
    """The beginning and the last line."""
    text = (files("sqljury.judges.prompts") / f"{VARIANTS[variant]}.md").read_text("utf-8")
    begin, _, end = text.partition("\n---\n")
    return begin.strip(), end.strip()
