"""Groups and sets: bare columns, names that several things share, rows listed more than once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, Row, edited, shown
from sqljury.faults.sites import Site, blocks, key_places, leaves
from sqljury.faults.wording import name_stems
from sqljury.schema import Table
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Distinct,
    Filter,
    Literal,
    Project,
    Ref,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    Type,
)
from sqljury.trees.properties import properties
from sqljury.trees.walk import columns_read, relations

if TYPE_CHECKING:
    from sqlglot import exp


@check("AU404", sees=Sees.TREE, read=(5, 5))
def bare_column(query: Query) -> Iterator[Finding]:
    """A column beside an aggregate has several values in a group, and any one of them is shown."""
    if query.syntax is None or _is_sorted_distinct(query.syntax):
        return
    for relation in relations(query.tree):
        if not isinstance(relation, Aggregate) or _follows_extreme(relation):
            continue
        bare = [call for call in relation.calls if call.name == "BARE"]
        loose = [call for call in bare if not _is_fixed(query, relation, call)]
        found = [one for call in loose if (one := _with_several_values(query, relation, call))]
        yield from found[:1]


def _is_sorted_distinct(syntax: exp.Query) -> bool:
    """DISTINCT in an order of something else is no group that anybody wrote."""
    return bool(syntax.args.get("distinct") and syntax.args.get("order"))


def _follows_extreme(aggregate: Aggregate) -> bool:
    """SQLite takes bare columns from the row of the only MIN or MAX."""
    return sum(call.name in ("MIN", "MAX") for call in aggregate.calls) == 1


def _is_fixed(query: Query, aggregate: Aggregate, call: AggregateCall) -> bool:
    known = properties(aggregate.input, query.context)
    keys = {key.index for key in aggregate.keys if isinstance(key, Ref)}
    read = columns_read(call.operands[0])
    return known.unique(keys) or read <= known.closure(keys) or _by_key(query, aggregate, read)


def _by_key(query: Query, aggregate: Aggregate, read: frozenset[int]) -> bool:
    """Whether a key of the column's own table is among the groups' keys."""
    known = properties(aggregate.input, query.context)
    keys = {key.index for key in aggregate.keys if isinstance(key, Ref)}
    return any(read <= determined for given, determined in known.dependencies if given <= keys)


def _is_of_named(query: Query, aggregate: Aggregate, call: AggregateCall) -> bool:
    """Whether the groups are of names of the column's own table, which are likely its own."""
    site = Site(None, aggregate, aggregate.input, (), query.context)
    column = site.column(call.operands[0])
    keys = [site.column(key) for key in aggregate.keys]
    return any(key is not None and column is not None and key[0] == column[0] for key in keys)


def _with_several_values(query: Query, aggregate: Aggregate, call: AggregateCall) -> Finding | None:
    reason = "a column that is neither grouped by nor aggregated is shown beside an aggregate"
    if query.result.table is None:
        if _is_of_named(query, aggregate, call):
            return None
        return Finding(reason=f"{reason}.", part="GROUP BY" if aggregate.keys else "")
    number = len(aggregate.keys)
    counted = AggregateCall("COUNT", call.operands, distinct=True)
    grouped = Aggregate(aggregate.input, aggregate.keys, (counted,))
    several: Relation = Filter(grouped, Call(">", (Ref(number), Literal(1, Type.INTEGER))))
    rows = query.rows_of(several)
    if not rows:
        return None
    return Finding(
        reason=f"{reason}, and it has up to {max(row[-1] for row in rows)} values in a group.",
        part="GROUP BY" if aggregate.keys else "",
        evidence={"group_and_number_of_values": shown(rows)},
    )


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
        several = _shared(relation, key)
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


def _shared(aggregate: Aggregate, key: int) -> Relation:
    """The groups in which the key has more than one value."""
    number = len(aggregate.keys)
    counted = AggregateCall("COUNT", (Ref(key),), distinct=True)
    grouped = Aggregate(aggregate.input, aggregate.keys, (counted,))
    return Filter(grouped, Call(">", (Ref(number), Literal(1, Type.INTEGER))))


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


_LISTS = r"which|list|what are|find|show|give|name|who|tell"
_DIFFERENT = r"different|distinct|unique"


@check("AU206", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, weak=True, read=(1, 4))
def repeated_rows(query: Query) -> Iterator[Finding]:
    """A join lists the same thing more than once, and the question asks which things there are."""
    rows = query.result.table.rows if query.result.table is not None else []
    found = list(blocks(query.tree))
    if len(found) != 1 or len(leaves(found[0][0])) < 2:
        return
    if any(isinstance(one, Aggregate | Distinct) for one in found[0][1]):
        return
    counts = Counter(repr(row) for row in rows)
    if query.wording.says(_LISTS) and len(counts) < len(rows):
        often = max(counts.values())
        first = next(row for row in rows if counts[repr(row)] == often)
        yield Finding(
            reason=f"{len(rows)} rows are {len(counts)} different ones.",
            part="SELECT",
            evidence={"row": shown([first]), "times": often},
            proposal=edited(query.sql, query.dialect, _distinct),
        )


@check("AU207", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, read=(1, 2))
def different_without_distinct(query: Query) -> Iterator[Finding]:
    """The question asks for different things, and the result has some of them twice."""
    rows = query.result.table.rows if query.result.table is not None else []
    counts = Counter(repr(row) for row in rows)
    if query.wording.says(_DIFFERENT) and len(counts) < len(rows):
        first = next(row for row in rows if counts[repr(row)] > 1)
        yield Finding(
            reason=f"{len(rows)} rows are {len(counts)} different ones.",
            part="SELECT",
            evidence={"row": shown([first]), "times": counts[repr(first)]},
            proposal=edited(query.sql, query.dialect, _distinct),
        )


def _distinct(tree: object) -> bool:
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return False
    tree.distinct(copy=False)
    return True
