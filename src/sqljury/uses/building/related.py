"""column-related: columns that would fit a table well, and that no table of its database has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sqljury.schema import Schema
from sqljury.uses.building.asking import asked, column_templates
from sqljury.uses.building.chance import place
from sqljury.uses.building.entities import Entity, entities, vocabulary
from sqljury.uses.building.kinds import RELATED, Unanswerable
from sqljury.uses.building.wording import stems, word_set

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
