"""out-of-domain: any questions, of which the database has not a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from sqljury.schema import Schema
from sqljury.sql.identifiers import singular
from sqljury.uses.building.entities import vocabulary
from sqljury.uses.building.kinds import OUT_OF_DOMAIN, Unanswerable

_WORD = re.compile("[^\\W\\d_]{3,}")


def out_of_domain(
    db_id: str, schemas: Mapping[str, Schema], questions: Sequence[str]
) -> Iterator[Unanswerable]:
    """The questions that share no word of three letters or more with a database's names."""
    known = vocabulary(schemas[db_id])
    for question in questions:
        if known.isdisjoint(map(singular, _WORD.findall(question.lower()))):
            yield Unanswerable(kind=OUT_OF_DOMAIN, db_id=db_id, question=question)


def questions_in(text: str) -> tuple[str, ...]:
    """One question a line; empty lines and those that begin with ``#`` are none."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))


@cache
def bundled_questions() -> tuple[str, ...]:
    """The questions that come along; written for sqljury."""
    path = files("sqljury.uses.building").joinpath("out_of_domain.txt")
    return questions_in(path.read_text("utf-8"))
