"""Groups by a name that several things share."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, shown
from sqljury.faults.sites import Site, leaves
from sqljury.faults.wording import name_stems
from sqljury.schema import Table
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Filter,
    Literal,
    Ref,
    Relation,
    Scan,
    Type,
)
from sqljury.trees.walk import relations

_NAMES = frozenset(("name", "title", "fullname"))
_PERSON = (frozenset(("firstname", "lastname")), frozenset(("fname", "lname")))
_OF_NAMES = (
    r"(?:each|every|different|distinct|common|popular|same|how many|number of)(?: \w+){0,2} names?"
)
"""The question is about names themselves."""


@check("AU403", sees=Sees.TREE | Sees.ROWS, weak=True, read=(1, 4))
def groups_by_name(query: Query) -> Iterator[Finding]:
    """Rows are grouped by a name that several things of a table share."""
    for relation in relations(query.tree):
        if not isinstance(relation, Aggregate) or not relation.keys:
            continue
        if query.wording.says(_OF_NAMES):
            continue
        named = _named(query, relation)
        if named is None:
            continue
        table, key = named
        several = _several(relation, key)
        rows = query.rows_of(several)
        if rows:
            yield Finding(
                reason=f"rows of {table.name} with different {table.primary_key[0]} have one name "
                "and become one group.",
                part="GROUP BY",
                evidence={"name_and_number_of_rows": shown(rows)},
            )


def _named(query: Query, aggregate: Aggregate) -> tuple[Table, int] | None:
    """The table whose names the groups are of, and the place of its key in the row."""
    site = Site(None, aggregate, aggregate.input, (), query.context)
    found = [site.column(key) for key in aggregate.keys]
    origins = {None if one is None else one[0] for one in found}
    names = {"".join(name_stems(one[1].name)) for one in found if one is not None}
    whole = all(one is not None and _is_name(one[1].name, one[0]) for one in found)
    if len(origins) != 1 or None in origins or not (whole or names in _PERSON):
        return None
    assert query.schema is not None
    table = query.schema.table(str(origins.pop()))
    return None if table is None else _with_key(aggregate, table)


def _with_key(aggregate: Aggregate, table: Table) -> tuple[Table, int] | None:
    if len(table.primary_key) != 1:
        return None
    for leaf in leaves(aggregate.input):
        if leaf.table == table.name and isinstance(leaf.relation, Scan):
            names = [name.casefold() for name in leaf.relation.columns]
            if table.primary_key[0].casefold() in names:
                return table, leaf.start + names.index(table.primary_key[0].casefold())
    return None


def _is_name(column: str, table: str) -> bool:
    stems = name_stems(column)
    own = name_stems(table)
    joined = "".join(stems)
    return joined in _NAMES or (stems[-1:] == ["name"] and stems[:-1] == own)


def _several(aggregate: Aggregate, key: int) -> Relation:
    """The groups in which the key has more than one value."""
    number = len(aggregate.keys)
    counted = AggregateCall("COUNT", (Ref(key),), distinct=True)
    grouped = Aggregate(aggregate.input, aggregate.keys, (counted,))
    return Filter(grouped, Call(">", (Ref(number), Literal(1, Type.INTEGER))))
