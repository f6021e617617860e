"""Keys that a schema implies: what a foreign key points at is unique."""

from __future__ import annotations

from dataclasses import replace

from sqljury.schema import Schema, Table
from sqljury.trees.catalog import BySchema


def _implied(schema: Schema) -> Schema:
    tables = tuple(_with_targets(table, schema) for table in schema.tables)
    return replace(schema, tables=tables)


def _with_targets(table: Table, schema: Schema) -> Table:
    name = table.name.casefold()
    targets = {
        key.target_columns
        for other in schema.tables
        for key in other.foreign_keys
        if key.target_table.casefold() == name and key.target_columns
    }
    known = {table.primary_key, *table.unique}
    new = tuple(sorted(targets - known))
    held = {column.casefold() for columns in new for column in columns}
    columns = tuple(
        replace(one, nullable=False) if one.name.casefold() in held else one
        for one in table.columns
    )
    return replace(table, unique=(*table.unique, *new), columns=columns)


with_implied_keys = BySchema(_implied)
"""The schema in which every target of a foreign key is unique and holds no NULL, as SQL has it."""
