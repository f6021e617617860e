"""A join along other columns than the keys that are declared."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import Site
from sqljury.faults.wording import name_stems
from sqljury.schema import Column, Schema
from sqljury.sql.names import names_of
from sqljury.trees.conditions import conjuncts
from sqljury.trees.nodes import Call, Expression, Filter, Join

Place = tuple[str, Column]


@check("AU406", sees=Sees.TREE, read=(4, 4))
def wrong_join_key(query: Query) -> Iterator[Finding]:
    """Two tables are joined by other columns than the foreign key that is declared between them."""
    for site in query.sites:
        if not isinstance(site.relation, Join | Filter) or site.expression is None:
            continue
        pairs = [pair for part in conjuncts(site.expression) if (pair := _pair(site, part))]
        for left, right in pairs:
            declared = _declared(query.context.schema, left[0], right[0])
            if declared and not _is_good(query.context.schema, left, right, pairs):
                yield Finding(
                    reason=f"{_full(left)} is joined with {_full(right)}; the declared key is "
                    f"{declared[0]}.",
                    part=f"{left[1].name} = {right[1].name}",
                    evidence={"joined": [_full(left), _full(right)], "declared": declared},
                )


@check("AU407", sees=Sees.TREE)
def unrelated_join_key(query: Query) -> Iterator[Finding]:
    """Two tables that no foreign key connects are joined by the numbers of their own rows."""
    for site in query.sites:
        if not isinstance(site.relation, Join) or site.expression is None:
            continue
        for part in conjuncts(site.expression):
            pair = _pair(site, part)
            if pair and _are_own_keys(query.context.schema, *pair):
                left, right = pair
                reason = f"{_full(left)} and {_full(right)} number the rows of different tables."
                yield Finding(reason=reason, part=f"{left[1].name} = {right[1].name}")


def _pair(site: Site, part: Expression) -> tuple[Place, Place] | None:
    """The columns of two different tables that a condition finds equal."""
    if not isinstance(part, Call) or part.name != "=":
        return None
    left, right = (site.column(one) for one in part.operands)
    if left is None or right is None or left[0] == right[0]:
        return None
    return left, right


def _full(place: Place) -> str:
    return f"{place[0]}.{place[1].name}"


def _declared(schema: Schema, one: str, other: str) -> list[str]:
    """The foreign keys between two tables, as texts."""
    return [
        f"{table.name}.{column} = {key.target_table}.{target}"
        for table in schema.tables
        for key in table.foreign_keys
        if {table.name.lower(), key.target_table.lower()} == {one.lower(), other.lower()}
        for column, target in zip(key.columns, key.target_columns, strict=False)
    ]


def _is_good(schema: Schema, left: Place, right: Place, pairs: list[tuple[Place, Place]]) -> bool:
    """Whether the columns are the same thing, or a second condition beside the declared key."""
    if _same_thing(schema, left, right):
        return True
    tables = {left[0], right[0]}
    beside = [pair for pair in pairs if {pair[0][0], pair[1][0]} == tables]
    return any(_same_thing(schema, *pair) for pair in beside)


def _same_thing(schema: Schema, left: Place, right: Place) -> bool:
    merged = names_of(schema).merged
    names = [_full(left).lower(), _full(right).lower()]
    if merged.get(names[0], names[0]) == merged.get(names[1], names[1]):
        return True
    same_name = left[1].name.lower() == right[1].name.lower()
    return same_name and left[1].name.lower() not in ("id", "name")


def _are_own_keys(schema: Schema, left: Place, right: Place) -> bool:
    """Whether a table's own number is joined with a column that has nothing to do with it."""
    if _declared(schema, left[0], right[0]) or _same_thing(schema, left, right):
        return False
    if left[1].name.lower() == right[1].name.lower() == "id":
        return True
    return any(
        _is_number_of_rows(schema, one) and not _is_about(other, one)
        for one, other in ((left, right), (right, left))
    )


def _is_number_of_rows(schema: Schema, place: Place) -> bool:
    table = schema.table(place[0])
    return (
        place[1].name.lower() == "id"
        and table is not None
        and table.primary_key == (place[1].name,)
    )


def _is_about(place: Place, other: Place) -> bool:
    """Whether a column's name says the other table: ``author_id`` of ``authors``."""
    return bool(set(name_stems(place[1].name)) & set(name_stems(other[0])))
