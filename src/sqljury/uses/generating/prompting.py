"""What a model is shown to write a query: GradeSQL's stage 1, in our words."""

from __future__ import annotations

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.abstention.schema_text import schema_section
from sqljury.judges.dossier import Section, message
from sqljury.judges.prompts import Prompt
from sqljury.llm import Message

GENERATE = Prompt("generate", {})
"""The bundled instructions."""


def question_messages(case: Case, evidence: Evidence, style: str, system: str) -> list[Message]:
    """The instructions, then the schema with values of its columns, the question and its hint.

    Args:
        style: how the schema is written: ``create`` (CREATE TABLE with three values of each
            column) or ``columns``.
        system: the instructions.

    Source: GradeSQL (2025), section 3.2, stage 1; the schema with values as in appendix A.
    """
    sections = [
        *schema_section(evidence, style),
        Section("Question", case.question or ""),
        Section("Hint", case.hint or ""),
    ]
    shown = message(section for section in sections if section.text.strip())
    return [Message("system", system), Message("user", shown)]
