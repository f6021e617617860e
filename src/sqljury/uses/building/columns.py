"""Questions that ask for a column: of the same database, of another one, or of none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sqljury.schema import Schema
from sqljury.uses.building.chance import place
from sqljury.uses.building.entities import (
    DATE,
    NUMBER,
    TEXT,
    Attribute,
    Entity,
    above,
    attributes,
    below,
    entities,
    is_telling,
    vocabulary,
)
from sqljury.uses.building.kinds import RELATED, SURFACE, UNRELATED, Unanswerable
from sqljury.uses.building.wording import near_words, stems, word_set

_ANY = (
    "What is the {column} of each {one}?",
    "List the {column} of all {many}.",
    "Show all {many} together with their {column}.",
    "Sort the {many} by {column}.",
    "Which {many} have no {column} on record?",
    "Give me a table of the {many} and the {column} of each.",
    "I need the {column} for every {one}.",
)
_OF_KIND = {
    TEXT: (
        "Count the {many} for each {column}.",
        "Which {column} is the most common among the {many}?",
        "Which {many} share the same {column}?",
        "How many {many} are there per {column}?",
    ),
    NUMBER: (
        "What is the average {column} of the {many}?",
        "Which {one} has the highest {column}?",
        "Find the {one} with the lowest {column}.",
        "List the {many} whose {column} is above the average.",
        "What are the smallest and the largest {column} among the {many}?",
    ),
    DATE: (
        "Which {one} has the earliest {column}?",
        "List the {many} from the latest {column} to the earliest.",
        "Which {many} share the same {column}?",
    ),
}

_OWN = (
    "What is each {one}'s own {column}?",
    "List every {one} together with its own {column}.",
    "For each {one}, show the {one}'s own {column}.",
)
_OWN_OF_KIND = {
    TEXT: ("Which {many} share the same {column} of their own?",),
    NUMBER: ("What is the average of the {many}' own {column}?",),
    DATE: ("Sort the {many} by their own {column}, the latest first.",),
}


def own_templates(kind: str) -> tuple[str, ...]:
    """Templates for a column of some kind that leave no doubt whose it is."""
    return _OWN + _OWN_OF_KIND[kind]


def column_templates(kind: str) -> tuple[str, ...]:
    """The templates for a column of some kind."""
    return _ANY + _OF_KIND[kind]


def asked(template: str, entity: Entity, column: str) -> str:
    """A template about a column of an entity."""
    return template.format(column=column, one=entity.one, many=entity.many)


# ------------------------------------------------------------
# column-surface: columns that another table of the same database has.
# A question counts only if it cannot be meant as one about another table's rows. So the
# column must not be in reach upwards: neither the same word nor a near one may be in the
# table or in any that its rows belong to. Of what belongs to the rows only things of another
# sort lend their columns, and the question then asks for the row's own.

_THINGS = word_set("person animal building vehicle product work plant")
"""Classes whose attributes nobody takes for those of what they belong to: a dog's weight is not
its owner's. An order's date may well be its customer's, and a country's language its player's."""
_SUMMED = word_set(
    "sale revenue profit attendance vote score earning point rank ranking result income expense "
    "count number quantity amount total cost price value goal win loss rating money payment salary"
)
"""What is had by all that has a part which has it."""


def surface(db_id: str, schemas: Mapping[str, Schema], seed: int) -> Iterator[Unanswerable]:
    """Questions for another table's column, for every pair that leaves no doubt."""
    schema = schemas[db_id]
    named = stems(table.name for table in schema.tables)
    lent = [
        one
        for table in schema.tables
        for one in attributes(table)
        # "Album title" asks for an album, whoever is said to have it.
        if is_telling(one) and not one.words & named
    ]
    for entity in entities(schema):
        reach = _Reach.of(schema, entity)
        for attribute in lent:
            if not reach.has(attribute):
                own = attribute.table in reach.below
                yield _asked_of(db_id, entity, attribute, seed, own=own)


@dataclass(frozen=True, slots=True)
class _Reach:
    """What a question about an entity may be understood to mean."""

    words: frozenset[str]
    below: frozenset[str]
    closed: frozenset[str]
    """Tables below that lend nothing."""

    @classmethod
    def of(cls, schema: Schema, entity: Entity) -> _Reach:
        up, down = above(schema, entity.table), below(schema, entity.table)
        tables = [table for table in schema.tables if table.name in up]
        things = {
            other.table.name
            for other in entities(schema)
            if class_of(other) in _THINGS and class_of(entity) not in ("", class_of(other))
        }
        names = stems(column.name for table in tables for column in table.columns)
        return cls(names, down, down - things)

    def has(self, attribute: Attribute) -> bool:
        return (
            bool(near_words(attribute.words) & self.words)
            or attribute.table in self.closed
            or (attribute.table in self.below and bool(attribute.words & _SUMMED))
        )


def _asked_of(
    db_id: str, entity: Entity, attribute: Attribute, seed: int, *, own: bool
) -> Unanswerable:
    templates = own_templates(attribute.kind) if own else column_templates(attribute.kind)
    key = (db_id, entity.one, attribute.table, attribute.column)
    template = min(templates, key=lambda t: place(seed, *key, t))
    return Unanswerable(
        kind=SURFACE,
        db_id=db_id,
        question=asked(template, entity, attribute.phrase),
        template=template,
        table=entity.table.name,
        column=attribute.phrase,
        borrowed_from=f"{attribute.table}.{attribute.column}",
    )


_CONNECTING = word_set("of the on to number")


def related(db_id: str, schemas: Mapping[str, Schema], seed: int) -> Iterator[Unanswerable]:
    """Questions for columns that our list has for things of a table's class."""
    schema = schemas[db_id]
    known = vocabulary(schema)
    for entity in entities(schema):
        for phrase, kind, others in _attributes(class_of(entity)):
            # Any trace of the words anywhere in the database, and the question is not asked.
            if (stems((phrase,)) - _CONNECTING | stems(others.split())) & known:
                continue
            templates = column_templates(kind)
            template = min(templates, key=lambda t: place(seed, db_id, entity.one, phrase, t))
            yield Unanswerable(
                kind=RELATED,
                db_id=db_id,
                question=asked(template, entity, phrase),
                template=template,
                table=entity.table.name,
                column=phrase,
            )


def class_of(entity: Entity) -> str:
    """What sort of thing an entity is; empty where our list does not know it."""
    head = entity.one.removesuffix(" member").split()[-1]
    classes = _data()["classes"].items()
    return next((name for name, members in classes if head in members.split()), "")


def all_phrases() -> Iterator[tuple[str, str, str]]:
    """Every column of the list: class, phrase, kind."""
    for name, listed in _data()["attributes"].items():
        for phrase, kind, _ in listed:
            yield name, phrase, kind


def _attributes(name: str) -> list[tuple[str, str, str]]:
    return [(phrase, kind, others) for phrase, kind, others in _data()["attributes"].get(name, ())]


@cache
def _data() -> Mapping[str, Mapping[str, Any]]:
    text = files("sqljury.uses.building").joinpath("related_columns.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return found


_PER_TABLE = 20
"""Columns tried for a table; there may be thousands in the other databases."""


def unrelated(db_id: str, schemas: Mapping[str, Schema], seed: int) -> Iterator[Unanswerable]:
    """Questions for columns drawn at random; where there is no other database, from our list."""
    schema = schemas[db_id]
    known = vocabulary(schema)
    drawn = [
        (origin, one)
        for origin, one in (_lent(db_id, schemas) or _listed(schema))
        if not near_words(one.words) & known
    ]
    for entity in entities(schema):
        order = sorted(drawn, key=lambda pair: place(seed, db_id, entity.one, pair[0]))
        for origin, attribute in order[:_PER_TABLE]:
            yield _asked_of_foreign(db_id, entity, origin, attribute, seed)


def _lent(db_id: str, schemas: Mapping[str, Schema]) -> list[tuple[str, Attribute]]:
    """Telling columns of the other databases, each phrase once."""
    found: dict[str, tuple[str, Attribute]] = {}
    for other in sorted(schemas):
        if other == db_id:
            continue
        for table in schemas[other].tables:
            for one in filter(is_telling, attributes(table)):
                found.setdefault(one.phrase, (f"{other}.{one.table}.{one.column}", one))
    return list(found.values())


def _listed(schema: Schema) -> list[tuple[str, Attribute]]:
    classes = {class_of(entity) for entity in entities(schema)}
    return [
        (f"{name}.{phrase}", Attribute("", phrase, phrase, kind))
        for name, phrase, kind in all_phrases()
        if name not in classes
    ]


def _asked_of_foreign(
    db_id: str, entity: Entity, origin: str, attribute: Attribute, seed: int
) -> Unanswerable:
    templates = column_templates(attribute.kind)
    template = min(templates, key=lambda t: place(seed, db_id, entity.one, origin, t))
    return Unanswerable(
        kind=UNRELATED,
        db_id=db_id,
        question=asked(template, entity, attribute.phrase),
        template=template,
        table=entity.table.name,
        column=attribute.phrase,
        borrowed_from=origin,
    )
