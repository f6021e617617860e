"""Paraphrases that a chat model writes of questions, for somebody to look through.

Source: TrustSQL (Lee et al. 2024), appendix G: ten for each SQL query, reviewed by hand. The prompt
is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from sqljury.benchmarks.text2sql import PLACEHOLDERS
from sqljury.case import Case
from sqljury.judges.abstention.schema_text import create_table
from sqljury.judges.dossier import PromptSection, message
from sqljury.llm import FENCE_RULE, Answer, Message, Model, Request
from sqljury.schema import Schema
from sqljury.uses.building.placeholders import template_of
from sqljury.uses.building.review import ACCEPTED, PARAPHRASE, ReviewItem
from sqljury.uses.building.unanswerable import folded

_LONGEST = 300
_ANSWER: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
    "additionalProperties": False,
}


def first_of_each_query(cases: Iterable[Case]) -> list[Case]:
    """The first question of each query, queries with placeholders taken as such."""
    found: dict[tuple[str, str], Case] = {}
    for case in cases:
        if case.question and case.reference_sqls:
            template = template_of(case)
            sql = case.reference_sqls[0] if template is None else template.sql
            found.setdefault((case.db_id, sql), case)
    return list(found.values())


def paraphrase_request(case: Case, count: int, schema: Schema, model: Model) -> Request:
    """The question to the model."""
    sections = [
        PromptSection("Wanted", "", f"how many: {count}"),
        PromptSection("Database schema", "\n".join(create_table(schema, None))),
        PromptSection("Question", case.question or ""),
        PromptSection("SQL", case.reference_sqls[0]),
    ]
    messages = (Message("system", _prompt()), Message("user", message(sections)))
    return Request(model=model, messages=messages, schema=_ANSWER)


def paraphrases_in(
    answer: Answer, case: Case, count: int, model: Model, taken: set[str]
) -> Iterator[ReviewItem]:
    """What the model wrote, less what cannot be used; ``taken`` grows by it."""
    for text in (answer.value or {}).get("questions", ())[:count]:
        question = " ".join(text.split())
        if not question or len(question) > _LONGEST or folded(question) in taken:
            continue
        taken.add(folded(question))
        yield ReviewItem(
            kind=PARAPHRASE,
            db_id=case.db_id,
            question=question,
            of=case.id,
            sql=case.reference_sqls[0],
            why=case.question or "",
            written_by=str(model),
            wording=question,
            doubts=tuple(f"{value!r} is not said" for value in _unsaid(case, question)),
        )


def _unsaid(case: Case, question: str) -> list[str]:
    """The values of the given question that a paraphrase does not say."""
    template = template_of(case)
    values = re.findall(r"\d+(?:\.\d+)?", case.question or "")
    if template is not None:
        values = [value for name, value in template.values.items() if name in template.question]
    return [value for value in dict.fromkeys(values) if value.casefold() not in question.casefold()]


def accepted_paraphrases(queue: Iterable[ReviewItem], cases: Sequence[Case]) -> list[Case]:
    """The paraphrases that passed review, as questions with the reference of what they repeat."""
    known = {(case.db_id, case.id): case for case in cases}
    found = []
    for number, one in enumerate(queue):
        case = known.get((one.db_id, one.of))
        if one.kind == PARAPHRASE and one.status == ACCEPTED and case is not None:
            extra = {key: value for key, value in case.extra.items() if key != PLACEHOLDERS}
            own = f"{case.id}-paraphrase-{number}"
            found.append(replace(case, id=own, question=one.question, extra=extra))
    return found


@cache
def _prompt() -> str:
    text = files("sqljury.uses.building").joinpath("paraphrase.md").read_text("utf-8")
    return f"{text}\n{FENCE_RULE}\n"
