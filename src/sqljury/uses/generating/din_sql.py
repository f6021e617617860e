"""DIN-SQL: a query in four calls, each with what the ones before it found.

The prompts are ours, written for the duties that the paper describes.

Source: Pourreza and Rafiei 2023, "DIN-SQL: Decomposed In-Context Learning of Text-to-SQL with
Self-Correction" (arXiv:2304.11015), section 4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqljury.extraction import sql_in, without_thoughts
from sqljury.judges.prompts import Prompt
from sqljury.judges.prompts.sections import PromptSection, message
from sqljury.llm import Message
from sqljury.uses.generating.samplers import Sample, Sampler

LINKING: Final = Prompt("din_sql_linking", {})
CLASSES: Final = Prompt("din_sql_classes", {})
WRITING: Final = {
    "easy": Prompt("din_sql_easy", {}),
    "non-nested": Prompt("din_sql_joined", {}),
    "nested": Prompt("din_sql_nested", {}),
}
"""By the class of the question."""
GENTLE: Final = Prompt("din_sql_gentle", {})
GENERIC: Final = Prompt("din_sql_generic", {})

_CLASS = re.compile(r"\b(easy|non[ _-]?nested|nested)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DinSqlSampler:
    """Schema linking, classification, generation by class, self-correction.

    Args:
        sampler: who is asked, four times for each text.
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
        """The corrected queries; the query before it where the correction holds none."""
        data = messages[-1].content
        return [self._one(data, number, case) for number in range(first, first + count)]

    def _one(self, data: str, number: int, case: str) -> Sample:
        def ask(prompt: Prompt, *found: PromptSection) -> Sample:
            asked = [Message("system", prompt.text), Message("user", _joined(data, found))]
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
    """The class that an answer names last; ``nested``, the most general one, where it names none.

    >>> class_in("No query inside, not NESTED.\\nClass: NON-NESTED"), class_in("I do not know.")
    ('non-nested', 'nested')
    """
    found = _CLASS.findall(text)
    said = found[-1].lower() if found else "nested"
    return "non-nested" if said.startswith("non") else said


def _joined(data: str, found: Sequence[PromptSection]) -> str:
    return "\n\n".join(filter(None, (data, message(one for one in found if one.text.strip()))))
