"""What a model is shown to write a query: GradeSQL's stage 1 and TrustSQL's SQLPROMPT."""

from __future__ import annotations

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.prompts.demonstrations import DemonstrationChoice, Said
from sqljury.judges.prompts.sections import SERIALIZED, PromptSection, message, serialized
from sqljury.llm import Message


def question_messages(
    case: Case, evidence: Evidence, choice: DemonstrationChoice, said: Said, system: str
) -> list[Message]:
    """The instructions, then demonstrations if any, the schema, the question and its hint.

    In the style ``serialized`` the question and the schema in one line, and nothing else: what a
    sequence-to-sequence model was trained on.

    Args:
        choice: which demonstrations, and how schemas are written.
        said: what the demonstrations answer.
        system: the instructions.

    Source: GradeSQL (2025), section 3.2, stage 1; the schema with values as in appendix A.
    TrustSQL (2024), section 4.1.
    """
    if choice.style == SERIALIZED and (asked := serialized_question(case, evidence)) is not None:
        return [Message("user", asked)]
    sections = [
        *choice.sections(case, evidence, said),
        PromptSection("Question", case.question or ""),
        PromptSection("Hint", case.hint or ""),
    ]
    shown = message(section for section in sections if section.text.strip())
    return [Message("system", system), Message("user", shown)]


def serialized_question(case: Case, evidence: Evidence) -> str | None:
    """The question, its hint and the schema in one line; None without a schema."""
    schema = evidence.schema()
    if schema is None:
        return None
    asked = (case.question or "", case.hint or "", *serialized(schema, evidence))
    return " | ".join(filter(None, asked))
