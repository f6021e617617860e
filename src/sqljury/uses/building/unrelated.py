"""column-unrelated: columns of other databases, of which this one has not a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqljury.schema import Schema
from sqljury.uses.building.asking import asked, column_templates
from sqljury.uses.building.chance import place
from sqljury.uses.building.entities import (
    Attribute,
    Entity,
    attributes,
    entities,
    is_telling,
    vocabulary,
)
from sqljury.uses.building.kinds import UNRELATED, Unanswerable
from sqljury.uses.building.related import all_phrases, class_of
from sqljury.uses.building.synonyms import near_words

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
            yield _asked_of(db_id, entity, origin, attribute, seed)


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


def _asked_of(
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
