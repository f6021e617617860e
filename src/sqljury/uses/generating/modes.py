"""Modes of generation: SQL; SQL or an abstention; SQL marked correct or incorrect; DIN-SQL.

Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), sections 4.1 and 4.2: SQLPROMPT,
SQLPROMPT[DEMO] and SQLPROMPT[VERBAL]; GradeSQL (2025), stage 1. DIN-SQL writes a query in four
calls: Pourreza and Rafiei 2023 (arXiv:2304.11015), section 4; its prompts are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from sqljury.case import Case, Json
from sqljury.declining import NOT_ANSWERABLE, abstention_in
from sqljury.evidence import Evidence
from sqljury.extraction import sql_in, without_thoughts
from sqljury.judges.abstention.verbal import marked
from sqljury.judges.prompts import Prompt
from sqljury.judges.prompts.demonstrations import Demonstration, DemonstrationChoice, Said, Wanted
from sqljury.judges.prompts.sections import (
    SERIALIZED,
    PromptSection,
    fitting_schema,
    message,
    serialized,
)
from sqljury.llm import Message
from sqljury.uses.generating.samplers import Sample, Sampler

LINKING: Final = Prompt("din_sql_linking", {})
CLASSES: Final = Prompt("din_sql_classes", {})
WRITING: Final = {
    "easy": Prompt("din_sql_easy", {}),
    "non-nested": Prompt("din_sql_joined", {}),
    "nested": Prompt("din_sql_nested", {}),
}
"""The prompt by the class of the question."""
GENTLE: Final = Prompt("din_sql_gentle", {})
GENERIC: Final = Prompt("din_sql_generic", {})
_CLASS = re.compile(r"\b(easy|non[ _-]?nested|nested)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DinSqlSampler:
    """Schema linking, classification, generation by class, self-correction.

    Args:
        sampler: is called four times per text.
        correction: the prompt of the last call: :data:`GENTLE` or :data:`GENERIC`.
    """

    sampler: Sampler
    correction: Prompt

    @property
    def per_call(self) -> int:
        """One: each text has calls of its own."""
        return 1

    def sample(
        self, messages: Sequence[Message], first: int, count: int, case: str
    ) -> list[Sample]:
        """The corrected queries; the uncorrected one if the correction has none."""
        data = messages[-1].content
        return [self._one(data, number, case) for number in range(first, first + count)]

    def _one(self, data: str, number: int, case: str) -> Sample:
        def ask(prompt: Prompt, *found: PromptSection) -> Sample:
            added = message(section for section in found if section.text.strip())
            shown = "\n\n".join(filter(None, (data, added)))
            asked = [Message("system", prompt.text), Message("user", shown)]
            (sample,) = self.sampler.sample(asked, number, 1, case)
            return sample

        links = PromptSection("Links", without_thoughts(ask(LINKING).text))
        decomposed = without_thoughts(ask(CLASSES, links).text)
        kind = class_in(decomposed)
        parts = [PromptSection("Sub-questions", decomposed)] if kind == "nested" else []
        written = ask(WRITING[kind], links, *parts)
        sql = sql_in(written.text)
        if not sql:  # nothing to correct
            return written
        corrected = ask(self.correction, PromptSection("SQL query", sql))
        return corrected if sql_in(corrected.text) else written


def class_in(text: str) -> str:
    """The class that an answer names last; ``nested``, the most general one, if it names none.

    >>> class_in("No query inside, not NESTED.\\nClass: NON-NESTED"), class_in("I do not know.")
    ('non-nested', 'nested')
    """
    found = _CLASS.findall(text)
    said = found[-1].lower() if found else "nested"
    return "non-nested" if said.startswith("non") else said


Read = Callable[[str], dict[str, Json]]
"""Reads a model's text: returns ``sql`` (null: it abstains) and other fields."""
_MARK = re.compile(r"\s*;?\s*(?:#|--)\s*(correct|incorrect)\W*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode: its prompts, demonstrations, and how the answer is read.

    Args:
        prompt: the instructions without demonstrations.
        demonstrated: the instructions with demonstrations.
        counts: the number of demonstrations of each kind.
        said: returns the demonstrations' answers.
        read: returns the candidate in a model's answer.
        correction: the prompt of DIN-SQL's last call; None if one call writes the query.
    """

    prompt: Prompt
    demonstrated: Prompt
    counts: Wanted
    said: Said
    read: Read
    correction: Prompt | None = None

    @property
    def instructions(self) -> str:
        """The prompts of all calls of DIN-SQL."""
        asked = (LINKING, CLASSES, *WRITING.values(), self.correction)
        return "\n".join(prompt.text for prompt in asked if prompt is not None)

    def wanted(self, positives: int | None, negatives: int | None) -> Wanted:
        """The number of demonstrations of each kind; None keeps the mode's own number."""
        first = self.counts.positives if positives is None else positives
        if self.counts.mismatched:
            return Wanted(first, 0, self.counts.mismatched if negatives is None else negatives)
        return Wanted(first, self.counts.negatives if negatives is None else negatives)


def _answers(shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
    return [(one.question, one.sql or NOT_ANSWERABLE) for one in shown]


def plain_sql(text: str) -> dict[str, Json]:
    """The query, or null if the model says that there is none; ``abstained`` says how it did.

    >>> plain_sql("The question is not answerable: no table holds the weather.")
    {'sql': None, 'abstained': 'in words'}
    """
    sql = sql_in(text)
    if sql is not None:
        return {"sql": sql}
    return {"sql": None, "abstained": abstention_in(without_thoughts(text))}


def marked_sql(text: str) -> dict[str, Json]:
    """The query, or null if the model marked it as incorrect; then ``withheld`` has the query.

    >>> marked_sql("```sql\\nSELECT 1 # incorrect\\n```")
    {'sql': None, 'mark': 'incorrect', 'withheld': 'SELECT 1'}
    """
    sql = sql_in(text)
    if not sql:
        return plain_sql(text)
    mark = _MARK.search(sql) or _MARK.search(without_thoughts(text).rstrip().removesuffix("```"))
    if mark is None:
        return {"sql": sql}
    bare, said = _MARK.sub("", sql), mark[1].lower()
    if said == "correct":
        return {"sql": bare, "mark": said}
    return {"sql": None, "mark": said, "withheld": bare}


_VERBAL = Prompt("generate_verbal", {})
_DEMO = Prompt("generate_demo", {})
MODES: Final[Mapping[str, Mode]] = MappingProxyType(
    {
        "sql": Mode(
            Prompt("generate", {}), Prompt("sqlprompt", {}), Wanted(8, 0), _answers, plain_sql
        ),
        "demo": Mode(_DEMO, _DEMO, Wanted(8, 8), _answers, plain_sql),
        "verbal": Mode(
            _VERBAL,
            _VERBAL,
            Wanted(8, 0, 8),
            lambda shown: [(one.question, marked(one)) for one in shown],
            marked_sql,
        ),
        "din_sql": Mode(LINKING, LINKING, Wanted(8, 0), _answers, plain_sql, GENTLE),
        "din_sql_generic": Mode(LINKING, LINKING, Wanted(8, 0), _answers, plain_sql, GENERIC),
    }
)


def question_messages(
    case: Case, evidence: Evidence, choice: DemonstrationChoice, said: Said, system: str
) -> list[Message]:
    """The prompt: instructions, demonstrations if any, schema, question and hint.

    In the style ``serialized`` it has only the question and the schema on one line, as
    sequence-to-sequence models were trained on.

    Args:
        choice: selects demonstrations, and the style of schemas.
        said: returns the demonstrations' answers.
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
    """The question, its hint and the schema on one line; None without a schema."""
    schema = evidence.schema()
    if schema is None:
        return None
    fitting, _ = fitting_schema(schema, evidence, SERIALIZED)
    asked = (case.question or "", case.hint or "", *serialized(fitting, evidence))
    return " | ".join(filter(None, asked))
