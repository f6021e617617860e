"""What must be assumed for an expression to hold no NULL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sqljury.schema import Schema, Table
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Expression, Relation
from sqljury.trees.types import Row, fields, nullable

Assumed = frozenset[Assumption]
NOTHING: Assumed = frozenset()


def assumed_for_not_null(
    expressions: Iterable[Expression],
    relation: Relation,
    context: Context,
    outer: Sequence[Relation] = (),
) -> Assumed | None:
    """The least that makes all expressions over a relation's rows free of NULL.

    None where NULLs can occur whatever may be assumed, as beside an outer join. ``outer`` are
    the relations whose rows are around, nearest first.
    """
    wanted = tuple(expressions)

    def holds(known: Context) -> bool:
        around = tuple(fields(r, known) for r in outer)
        row = fields(relation, known, around)
        return not any(nullable(e, row, known, around) for e in wanted)

    return _least(holds, context)


def _least(holds: Callable[[Context], bool], context: Context) -> Assumed | None:
    if holds(context):
        return NOTHING
    keys, columns = _variants(context.schema)
    if context.may(Assumption.PRIMARY_KEY) and holds(replace(context, schema=keys)):
        return frozenset((Assumption.PRIMARY_KEY,))
    if context.may(Assumption.NOT_NULL) and holds(replace(context, schema=columns)):
        return frozenset((Assumption.NOT_NULL,))
    return None


_known: dict[int, tuple[Schema, Schema, Schema]] = {}
"""By identity, as hashing a schema takes longer than a rule; the schema is held, so that no other
one gets its identity."""
_MOST = 256


def _variants(schema: Schema) -> tuple[Schema, Schema]:
    """The schema with keys that are NOT NULL, and with nothing but NOT NULL."""
    found = _known.get(id(schema))
    if found is None:
        if len(_known) >= _MOST:
            _known.clear()
        found = (schema, _with(schema, _key_columns), _with(schema, _all_columns))
        _known[id(schema)] = found
    return found[1:]


def _with(schema: Schema, chosen: Callable[[Table], set[str]]) -> Schema:
    return replace(schema, tables=tuple(_not_null(t, chosen(t)) for t in schema.tables))


def _not_null(table: Table, names: set[str]) -> Table:
    columns = (
        replace(c, nullable=False) if c.name.casefold() in names else c for c in table.columns
    )
    return replace(table, columns=tuple(columns))


def _key_columns(table: Table) -> set[str]:
    return {name.casefold() for name in table.primary_key}


def _all_columns(table: Table) -> set[str]:
    return {column.name.casefold() for column in table.columns}


__all__ = ["NOTHING", "Assumed", "Row", "assumed_for_not_null"]
