"""The five kinds of questions that a database cannot answer, and those without SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Final

from sqljury.schema import Schema
from sqljury.sql.names import singular
from sqljury.uses.building.chance import place
from sqljury.uses.building.entities import NUMBER, TEXT, Entity, attributes, entities, vocabulary
from sqljury.uses.building.wording import stems, with_article

# ------------------------------------------------------------
# The five kinds of questions that a database cannot answer.
# Source: TrustSQL (Lee et al. 2024), section 3.3.

SURFACE: Final = "column-surface"
RELATED: Final = "column-related"
UNRELATED: Final = "column-unrelated"
NON_SQL: Final = "non-sql"
OUT_OF_DOMAIN: Final = "out-of-domain"

KINDS: Final = (SURFACE, RELATED, UNRELATED, NON_SQL, OUT_OF_DOMAIN)
"""In the order in which a benchmark lists them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswerable:
    """A question that its database cannot answer, and how it came about."""

    kind: str
    db_id: str
    question: str
    template: str = ""
    """What the question was made from; empty where somebody wrote it."""
    table: str = ""
    column: str = ""
    """The column that the question asks for and the table has not, in words."""
    borrowed_from: str = ""
    """Where that column stands in truth: ``table.column``, or ``database.table.column``."""
    written_by: str = ""
    """The model that wrote it, before a person accepted it."""


_TEMPLATES = (
    "Draw a pie chart of the {many} by {text}.",
    "Plot a histogram of the {number} of all {many}.",
    "Make a bar chart of the {number} of each {one}.",
    "Draw a box plot of the {number} of the {many}.",
    "Predict the {number} of a new {one}.",
    "Forecast how the number of {many} will develop over the coming years.",
    "How would the {number} of the {many} change if we had twice as many of them?",
    "Why do some {many} have a higher {number} than others?",
    "What causes the {number} of {a_one} to rise?",
    "Write a short article about the {many} for our newsletter.",
    "Translate the {text} of every {one} into French.",
    "E-mail me the list of {many}.",
    "Which {one} would you recommend to a friend of mine?",
    "Train a model that guesses the {text} of {a_one}.",
    "Check the spelling of the {text} of each {one}.",
    "Print the list of {many} on coloured paper.",
    "Back up the table of {many} every night.",
    "Call me as soon as a new {one} is added.",
    "Read the {text} of each {one} out to me.",
    "Explain to me what the {number} of {a_one} tells about it.",
    "Find out on the web whether the {text} of each {one} is still right.",
    "Summarise in your own words what is special about our {many}.",
    "Use a neural network to find {many} that look alike.",
    "Make a slide deck that presents the {many} by {text}.",
    "How should we change the {number} of our {many} to please everybody?",
    "Turn the {text} of each {one} into a rhyme.",
)


def non_sql(db_id: str, schemas: Mapping[str, Schema], seed: int) -> Iterator[Unanswerable]:
    """Every template about every thing that has the columns it needs."""
    for entity in entities(schemas[db_id]):
        for template in _TEMPLATES:
            values = _values(entity, template, seed, db_id)
            if values is not None:
                yield Unanswerable(
                    kind=NON_SQL,
                    db_id=db_id,
                    question=template.format(**values),
                    template=template,
                    table=entity.table.name,
                )


def _values(entity: Entity, template: str, seed: int, db_id: str) -> dict[str, str] | None:
    """What fills a template; None where the table has no column of the kind."""
    out = {"one": entity.one, "many": entity.many, "a_one": with_article(entity.one)}
    itself = stems((entity.one,))
    needed = {name for _, name, _, _ in Formatter().parse(template) if name}
    for name, kind in (("text", TEXT), ("number", NUMBER)):
        if name in needed:
            found = [
                one.phrase
                for one in attributes(entity.table)
                if one.kind == kind and not one.words <= itself
            ]
            if not found:
                return None
            key = (db_id, entity.one, template)
            out[name] = min(found, key=lambda phrase: place(seed, *key, phrase))
    return out


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
