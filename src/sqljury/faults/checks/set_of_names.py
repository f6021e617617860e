"""Sets of names where things are meant, and sets that lose duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, Row, shown
from sqljury.faults.sites import Site, key_places, leaves
from sqljury.trees.nodes import Aggregate, Project, Ref, Relation, Scan, SetKind, SetOperation
from sqljury.trees.walk import relations


@check("AU516", sees=Sees.TREE | Sees.ROWS, weak=True, read=(1, 4))
def set_of_names(query: Query) -> Iterator[Finding]:
    """INTERSECT or EXCEPT compares names that several things share, which changes the rows."""
    for relation in relations(query.tree):
        if isinstance(relation, SetOperation) and relation.kind is not SetKind.UNION:
            wrong = _wrong_rows(query, relation)
            if wrong:
                yield Finding(
                    reason=f"by keys instead of names {relation.kind.value.upper()} decides "
                    f"otherwise of {len(wrong)} rows.",
                    part=relation.kind.value.upper(),
                    evidence={"decided_otherwise": shown(wrong)},
                )
                return


def _wrong_rows(query: Query, operation: SetOperation) -> list[Row]:
    """The names that are in the result, and by keys are not, or the other way round."""
    keyed = [_keyed(query, side) for side in operation.inputs]
    sides = tuple(side for _, side in filter(None, keyed))
    if len(sides) < len(keyed) or len({table for table, _ in filter(None, keyed)}) != 1:
        return []
    names = tuple(Ref(i) for i in range(len(sides[0].expressions) - 1))
    by_key = query.rows_of(Project(replace(operation, inputs=sides), names))
    by_name = query.rows_of(operation)
    if by_key is None or by_name is None:
        return []
    return sorted(set(by_key) ^ set(by_name), key=repr)


def _keyed(query: Query, side: Relation) -> tuple[str, Project] | None:
    """The table that a side's names are of, and the side with its key; None without names."""
    if not isinstance(side, Project):
        return None
    site = Site(None, side, side.input, (), query.context)
    columns = [site.column(one) for one in side.expressions]
    tables = {None if one is None else one[0] for one in columns}
    names = [one[1].name.lower() for one in columns if one is not None]
    if len(tables) != 1 or not all("name" in one or "title" in one for one in names):
        return None
    table = str(next(iter(tables)))
    key = _key_of(query, side, table)
    return None if key is None else (table, Project(side.input, (*side.expressions, Ref(key))))


def _key_of(query: Query, side: Project, table: str) -> int | None:
    """The place of the table's key in the rows below; None where the table is read twice."""
    found = [leaf for leaf in leaves(side.input) if leaf.table == table]
    places = key_places(found[0], query.context) if len(found) == 1 else ()
    return places[0] if len(places) == 1 and isinstance(found[0].relation, Scan) else None


@check("AU517", sees=Sees.TREE | Sees.QUESTION)
def union_drops_duplicates(query: Query) -> Iterator[Finding]:
    """UNION drops duplicates of what is then counted or summed up."""
    for relation in relations(query.tree):
        if not isinstance(relation, Aggregate) or not isinstance(relation.input, SetOperation):
            continue
        united = relation.input.kind is SetKind.UNION and not relation.input.all
        if united and any(call.name in ("SUM", "AVG") for call in relation.calls):
            yield Finding(reason="UNION drops equal rows before they are summed up.", part="UNION")
