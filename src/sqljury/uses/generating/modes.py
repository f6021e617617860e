"""What a model is to write for a question: SQL, SQL or that there is none, SQL and a mark.

Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), sections 4.1 and 4.2: SQLPROMPT,
SQLPROMPT[DEMO] and SQLPROMPT[VERBAL].
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from sqljury.case import Json
from sqljury.declining import NOT_ANSWERABLE, abstention_in
from sqljury.extraction import sql_in, without_thoughts
from sqljury.judges.abstention.verbal import marked
from sqljury.judges.prompts import Prompt
from sqljury.judges.prompts.demonstrations import Demonstration, Said, Wanted
from sqljury.uses.generating.din_sql import CLASSES, GENERIC, GENTLE, LINKING, WRITING

Read = Callable[[str], dict[str, Json]]
"""What a candidate is, by a model's text: ``sql`` (null: it abstains), and what else it says."""

_MARK = re.compile(r"\s*;?\s*(?:#|--)\s*(correct|incorrect)\W*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mode:
    """What is asked for, and how the answer is read.

    Args:
        prompt: the instructions where there are no demonstrations.
        demonstrated: the instructions where there are some.
        counts: how many demonstrations of each kind.
        said: what the demonstrations answer.
        read: the candidate in an answer.
        correction: the prompt of DIN-SQL's last call; None where one call writes the query.
    """

    prompt: Prompt
    demonstrated: Prompt
    counts: Wanted
    said: Said
    read: Read
    correction: Prompt | None = None

    @property
    def instructions(self) -> str:
        """All that is asked in the mode, where it is asked in several calls."""
        asked = (LINKING, CLASSES, *WRITING.values(), self.correction)
        return "\n".join(prompt.text for prompt in asked if prompt is not None)

    def wanted(self, positives: int | None, negatives: int | None) -> Wanted:
        """How many demonstrations, where the mode's own counts are replaced."""
        first = self.counts.positives if positives is None else positives
        if self.counts.mismatched:
            return Wanted(first, 0, self.counts.mismatched if negatives is None else negatives)
        return Wanted(first, self.counts.negatives if negatives is None else negatives)


def _answers(shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
    return [(one.question, one.sql or NOT_ANSWERABLE) for one in shown]


def _marks(shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
    return [(one.question, marked(one)) for one in shown]


def plain_sql(text: str) -> dict[str, Json]:
    """The query, or null where the model says that there is none; then ``abstained`` says how.

    >>> plain_sql("The question is not answerable: no table holds the weather.")
    {'sql': None, 'abstained': 'in words'}
    """
    sql = sql_in(text)
    if sql is not None:
        return {"sql": sql}
    return {"sql": None, "abstained": abstention_in(without_thoughts(text))}


def marked_sql(text: str) -> dict[str, Json]:
    """The query if it is not marked as incorrect; else null, and the query is ``withheld``.

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
        "verbal": Mode(_VERBAL, _VERBAL, Wanted(8, 0, 8), _marks, marked_sql),
        "din_sql": Mode(LINKING, LINKING, Wanted(8, 0), _answers, plain_sql, GENTLE),
        "din_sql_generic": Mode(LINKING, LINKING, Wanted(8, 0), _answers, plain_sql, GENERIC),
    }
)
