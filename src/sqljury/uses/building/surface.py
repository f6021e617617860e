"""column-surface: columns that another table of the same database has.

A question counts only if it cannot be meant as one about another table's rows. So the column must
not be in reach upwards: neither the same word nor a near one may be in the table or in any that its
rows belong to. Of what belongs to the rows only things of another sort lend their columns, and the
question then asks for the row's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqljury.schema import Schema
from sqljury.uses.building.asking import asked, column_templates, own_templates
from sqljury.uses.building.chance import place
from sqljury.uses.building.entities import Attribute, Entity, attributes, entities, is_telling
from sqljury.uses.building.kinds import SURFACE, Unanswerable
from sqljury.uses.building.neighbours import above, below
from sqljury.uses.building.related import class_of
from sqljury.uses.building.synonyms import near_words
from sqljury.uses.building.wording import stems, word_set

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
