"""Questions that a chat model writes, and the queue in which people accept or reject them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from sqljury.benchmarks.text2sql import PLACEHOLDERS
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges.prompts.sections import PromptSection, create_table, message
from sqljury.llm import FENCE_RULE, Answer, Message, Model, Request
from sqljury.schema import Schema
from sqljury.sql.names import words
from sqljury.uses.building.corrections import template_of
from sqljury.uses.building.names import place, stems, vocabulary, word_set
from sqljury.uses.building.unanswerable import KINDS, NON_SQL, RELATED, Unanswerable, folded

TO_REVIEW: Final = "review"
ACCEPTED: Final = "accepted"
REJECTED: Final = "rejected"
PARAPHRASE: Final = "paraphrase"
"""The kind of a question that is a paraphrase of another one."""
STATUSES: Final = (TO_REVIEW, ACCEPTED, REJECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """A question for review; the reviewer changes ``status``, and may change other fields."""

    status: str = TO_REVIEW
    kind: str
    db_id: str
    question: str
    table: str = ""
    missing: str = ""
    """What the database does not have, in the writer's words."""
    why: str = ""
    doubts: tuple[str, ...] = ()
    """Reasons against it that rules found."""
    written_by: str = ""
    wording: str = ""
    """The question before review, so that a reworded one is not added again."""
    of: str = ""
    """For a paraphrase, the id of the original question, which has the same ``sql``."""
    sql: str = ""

    @property
    def written(self) -> str:
        """The question before review."""
        return self.wording or self.question


def merged(known: Sequence[ReviewItem], new: Iterable[ReviewItem]) -> list[ReviewItem]:
    """The queue with new questions added at its end; known ones stay as reviewed."""
    seen = {(one.db_id, folded(one.written)) for one in known}
    return [*known, *(one for one in new if (one.db_id, folded(one.written)) not in seen)]


def accepted(queue: Iterable[ReviewItem]) -> list[Unanswerable]:
    """The unanswerable questions that were accepted in review."""
    return [
        Unanswerable(
            kind=one.kind,
            db_id=one.db_id,
            question=one.question,
            table=one.table,
            column=one.missing,
            written_by=one.written_by,
        )
        for one in queue
        if one.status == ACCEPTED and one.kind in KINDS
    ]


def counts(queue: Iterable[ReviewItem]) -> dict[str, int]:
    """The number of questions by status."""
    found = Counter(one.status for one in queue)
    return {status: found[status] for status in STATUSES}


def to_lines(queue: Iterable[ReviewItem]) -> Iterator[str]:
    """A line of JSON per question, with the status, which a reviewer changes, first."""
    for one in queue:
        yield json.dumps(asdict(one), ensure_ascii=False)


def from_lines(lines: Iterable[str], where: str) -> list[ReviewItem]:
    """The queue in the lines of a file; ``where`` is the file's name for errors.

    Raises:
        InputError: SJ561: a line is not a question for review.
    """
    return [
        _candidate(line, f"{where}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


_NAMES = frozenset(field.name for field in fields(ReviewItem))
_HINT = "A review changes `status` to accepted or rejected, and may reword the question."


def _candidate(line: str, where: str) -> ReviewItem:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError("SJ561", f"broken JSON: {error}.", where=where, hint=_HINT) from None
    if not isinstance(found, dict) or not {"kind", "db_id", "question", "status"} <= set(found):
        raise InputError(
            "SJ561", "a line needs kind, db_id, question and status.", where=where, hint=_HINT
        )
    known = {name: value for name, value in found.items() if name in _NAMES}
    doubts = known.pop("doubts", ())
    if not all(isinstance(value, str) for value in known.values()) or not isinstance(
        doubts, list | tuple
    ):
        raise InputError(
            "SJ561", "every field must be text, and doubts a list.", where=where, hint=_HINT
        )
    if known["status"] not in STATUSES:
        raise InputError(
            "SJ561",
            f"the question's status is {known['status']!r}, which does not exist.",
            where=where,
            hint=f"One of {', '.join(STATUSES)}.",
        )
    if known["kind"] not in (*KINDS, PARAPHRASE) or not known["question"].strip():
        raise InputError(
            "SJ561", "the kind is unknown or the question empty.", where=where, hint=_HINT
        )
    return ReviewItem(**known, doubts=tuple(map(str, doubts)))


# ------------------------------------------------------------
# Paraphrases of questions that a chat model writes, for review.
# Source: TrustSQL (Lee et al. 2024), appendix G: ten for each SQL query, reviewed by hand.
# The prompt is ours.

_LONGEST = 300
_PARAPHRASES: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
    "additionalProperties": False,
}


def first_of_each_query(cases: Iterable[Case]) -> list[Case]:
    """The first question of each query; queries of one template count as one query."""
    found: dict[tuple[str, str], Case] = {}
    for case in cases:
        if case.question and case.reference_sqls:
            template = template_of(case)
            sql = case.reference_sqls[0] if template is None else template.sql
            found.setdefault((case.db_id, sql), case)
    return list(found.values())


def paraphrase_request(case: Case, count: int, schema: Schema, model: Model) -> Request:
    """The request to a model for ``count`` paraphrases of a question."""
    sections = [
        PromptSection("Wanted", "", f"how many: {count}"),
        PromptSection("Database schema", "\n".join(create_table(schema, None))),
        PromptSection("Question", case.question or ""),
        PromptSection("SQL", case.reference_sqls[0]),
    ]
    messages = (Message("system", _prompt("paraphrase.md")), Message("user", message(sections)))
    return Request(model=model, messages=messages, schema=_PARAPHRASES)


def paraphrases_in(
    answer: Answer, case: Case, count: int, model: Model, taken: set[str]
) -> Iterator[ReviewItem]:
    """The usable paraphrases in a model's answer; they are added to ``taken``."""
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
    """The values of the original question that the paraphrase does not contain."""
    template = template_of(case)
    values = re.findall(r"\d+(?:\.\d+)?", case.question or "")
    if template is not None:
        values = [value for name, value in template.values.items() if name in template.question]
    return [value for value in dict.fromkeys(values) if value.casefold() not in question.casefold()]


def accepted_paraphrases(queue: Iterable[ReviewItem], cases: Sequence[Case]) -> list[Case]:
    """The accepted paraphrases as cases with the reference of their original question."""
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
def _prompt(name: str) -> str:
    text = files("sqljury.uses.building").joinpath(name).read_text("utf-8")
    return f"{text}\n{FENCE_RULE}\n"


# ------------------------------------------------------------
# Unanswerable questions that a chat model writes, for review.
# Source: TrustSQL (Lee et al. 2024), section 3.3, where people write them. The prompt is
# ours.

WRITTEN_KINDS: Final = (RELATED, NON_SQL)
"""The kinds that a model writes; the others are made by rules only."""

Ask = Callable[[Request, str], Answer]
"""Sends a request to a model; the text names its subject, for error messages."""

_SPARE = 2
"""Questions to request per question wanted, as review rejects some."""
_AT_ONCE = 10
_CONNECTING = word_set("of the a an on to in for by and or number name")
_TEXT = {"type": "string"}
_UNANSWERABLE: Mapping[str, Any] = {
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
    """A number of questions of one kind to be written about one database."""

    kind: str
    db_id: str
    count: int


def orders(wanted: Mapping[str, int], db_ids: Iterable[str], seed: int) -> list[Order]:
    """The orders to a model, for about twice as many questions as are wanted.

    There is one order per kind and database, or fewer if there are more databases than questions.
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
    """The request to a model for the questions of an order."""
    task = f"kind: {order.kind}\nhow many: {order.count}"
    shown = "\n".join(create_table(schema, None))
    sections = [PromptSection("Wanted", "", task), PromptSection("Database schema", shown)]
    return Request(
        model=model,
        messages=(
            Message("system", _prompt("unanswerable_question.md")),
            Message("user", message(sections)),
        ),
        schema=_UNANSWERABLE,
    )


def candidates(
    order: Order, schema: Schema, answer: Answer, model: Model, taken: set[str]
) -> Iterator[ReviewItem]:
    """The usable questions in a model's answer, with doubts for the reviewer.

    The questions are added to ``taken``; none is accepted yet.
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
