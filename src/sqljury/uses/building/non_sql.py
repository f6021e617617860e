"""non-sql: questions about columns that are there, for what no query alone can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import Formatter

from sqljury.schema import Schema
from sqljury.uses.building.chance import place
from sqljury.uses.building.entities import (
    NUMBER,
    TEXT,
    Entity,
    attributes,
    entities,
)
from sqljury.uses.building.kinds import NON_SQL, Unanswerable
from sqljury.uses.building.wording import stems, with_article

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
