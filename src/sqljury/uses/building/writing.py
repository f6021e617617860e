"""Unanswerable questions that a chat model writes, for somebody to look through.

Source: TrustSQL (Lee et al. 2024), section 3.3, where people write them. The prompt is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from sqljury.judges.abstention.schema_text import create_table
from sqljury.judges.dossier import PromptSection, message
from sqljury.llm import FENCE_RULE, Answer, Message, Model, Request
from sqljury.schema import Schema
from sqljury.sql.identifiers import words
from sqljury.uses.building.chance import place
from sqljury.uses.building.entities import vocabulary
from sqljury.uses.building.kinds import NON_SQL, RELATED
from sqljury.uses.building.review import ReviewItem
from sqljury.uses.building.unanswerable import folded
from sqljury.uses.building.wording import stems, word_set

WRITTEN_KINDS: Final = (RELATED, NON_SQL)
"""The kinds that a model writes; the others come by rules alone."""

Ask = Callable[[Request, str], Answer]
"""Asks a model; the text names what is asked about, for error messages."""

_SPARE = 2
"""Candidates for each question that is wanted: some do not pass review."""
_AT_ONCE = 10
_LONGEST = 300
_CONNECTING = word_set("of the a an on to in for by and or number name")
_TEXT = {"type": "string"}
_ANSWER: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "questions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"question": _TEXT, "table": _TEXT, "missing": _TEXT, "why": _TEXT},
                "required": ["question", "table", "missing", "why"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["questions"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Order:
    """So many questions of one kind about one database."""

    kind: str
    db_id: str
    count: int


def orders(wanted: Mapping[str, int], db_ids: Iterable[str], seed: int) -> list[Order]:
    """What a model is asked for, so that about twice as many questions come as are wanted.

    Each database is asked about once for each kind, unless there are more databases than questions.
    """
    listed = sorted(db_ids)
    out = []
    for kind in WRITTEN_KINDS:
        count = _SPARE * wanted.get(kind, 0)
        turn = sorted(listed, key=lambda db_id: place(seed, kind, db_id))[:count]
        for n, db_id in enumerate(turn):
            share = count // len(turn) + (n < count % len(turn))
            out.append(Order(kind, db_id, min(_AT_ONCE, share)))
    return out


def request_for(order: Order, schema: Schema, model: Model) -> Request:
    """The question to the model."""
    task = f"kind: {order.kind}\nhow many: {order.count}"
    shown = "\n".join(create_table(schema, None))
    sections = [PromptSection("Wanted", "", task), PromptSection("Database schema", shown)]
    return Request(
        model=model,
        messages=(Message("system", _prompt()), Message("user", message(sections))),
        schema=_ANSWER,
    )


def candidates(
    order: Order, schema: Schema, answer: Answer, model: Model, taken: set[str]
) -> Iterator[ReviewItem]:
    """What the model wrote, less what cannot be used; ``taken`` grows by it.

    Nothing is accepted here: doubts are noted for whoever reviews it.
    """
    for one in (answer.value or {}).get("questions", ())[: order.count]:
        question = " ".join(one["question"].split())
        if not question or len(question) > _LONGEST or folded(question) in taken:
            continue
        taken.add(folded(question))
        yield ReviewItem(
            kind=order.kind,
            db_id=order.db_id,
            question=question,
            table=one["table"],
            missing=one["missing"],
            why=one["why"],
            written_by=str(model),
            wording=question,
            doubts=tuple(_doubts(order.kind, one, schema)),
        )


def _doubts(kind: str, one: Mapping[str, str], schema: Schema) -> Iterator[str]:
    tables = {table.name.casefold() for table in schema.tables}
    if one["table"].casefold() not in tables:
        yield f"there is no table {one['table']!r}"
    if kind == RELATED:
        missing = stems((one["missing"],)) - _CONNECTING
        for table in schema.tables:
            for column in table.columns:
                if missing and missing <= stems((table.name, column.name)):
                    yield f"{table.name}.{column.name} may be it"
        if not missing & stems(words(one["question"])):
            yield "the question does not name what is missing"
        elif shared := sorted(missing & vocabulary(schema)):
            yield f"the schema knows {', '.join(shared)}"


@cache
def _prompt() -> str:
    folder = files("sqljury.uses.building")
    text = folder.joinpath("unanswerable_question.md").read_text("utf-8")
    return f"{text}\n{FENCE_RULE}\n"
