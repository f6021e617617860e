"""Checks of groups and sets: ungrouped columns, ambiguous names, repeated rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.expressions import ScopedExpression, join_inputs, key_places, select_blocks
from sqljury.faults.query import Query, Row, shown
from sqljury.faults.wording import name_stems
from sqljury.schema import Column
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Distinct,
    Expression,
    Filter,
    Literal,
    Project,
    Ref,
    Relation,
    SetKind,
    SetOperation,
    Type,
)
from sqljury.trees.properties import properties
from sqljury.trees.walk import columns_read, relations


def _columns(
    query: Query, relation: Relation, row: Relation, expressions: Sequence[Expression]
) -> list[tuple[str, Column] | None]:
    """Per expression, its table and column; None for one that is not a table's column."""
    scope = ScopedExpression(None, relation, row, (), query.context)
    return [scope.column(one) for one in expressions]


@check("AU404", sees=Sees.TREE, read=(5, 5))
def bare_column(query: Query) -> Iterator[Finding]:
    """A column that is not grouped has several values in a group, and an arbitrary one is shown."""
    # DISTINCT with ORDER BY another expression is a grouping in the tree, but not in the text.
    args = {} if query.syntax is None else query.syntax.args
    if query.syntax is None or (args.get("distinct") and args.get("order")):
        return
    for relation in query.aggregates:
        if sum(call.name in ("MIN", "MAX") for call in relation.calls) == 1:
            continue  # SQLite takes bare columns from the row of the only MIN or MAX
        bare = [call for call in relation.calls if call.name == "BARE"]
        loose = [call for call in bare if not _is_fixed(query, relation, call)]
        found = [one for call in loose if (one := _with_several_values(query, relation, call))]
        yield from found[:1]


def _is_fixed(query: Query, aggregate: Aggregate, call: AggregateCall) -> bool:
    """True if keys and foreign keys imply that a column has one value per group."""
    known = properties(aggregate.input, query.context)
    keys = {key.index for key in aggregate.keys if isinstance(key, Ref)}
    read = columns_read(call.operands[0])
    by_key = (read <= determined for given, determined in known.dependencies if given <= keys)
    return known.unique(keys) or read <= known.closure(keys) or any(by_key)


def _with_several_values(query: Query, aggregate: Aggregate, call: AggregateCall) -> Finding | None:
    reason = "a column that is neither grouped by nor aggregated is shown beside an aggregate"
    part = "GROUP BY" if aggregate.keys else ""
    if query.returned is None:
        expressions = (call.operands[0], *aggregate.keys)
        column, *keys = _columns(query, aggregate, aggregate.input, expressions)
        # Another grouped column of the same table is probably its key or name and fixes this one.
        if column is not None and any(key is not None and key[0] == column[0] for key in keys):
            return None
        return Finding(reason=f"{reason}.", part=part)
    rows = query.rows_of(_groups_with_several(aggregate, call.operands[0]))
    if not rows:
        return None
    return Finding(
        reason=f"{reason}, and it has up to {max(row[-1] for row in rows)} values in a group.",
        part=part,
        evidence={"group_and_number_of_values": shown(rows)},
    )


def _groups_with_several(aggregate: Aggregate, counted: Expression) -> Relation:
    """The groups in which an expression has more than one value."""
    count = AggregateCall("COUNT", (counted,), distinct=True)
    grouped = Aggregate(aggregate.input, aggregate.keys, (count,))
    number = Ref(len(aggregate.keys))
    return Filter(grouped, Call(">", (number, Literal(1, Type.INTEGER))))


_NAMES = frozenset(("name", "title", "fullname"))
_PERSON = (frozenset(("firstname", "lastname")), frozenset(("fname", "lname")))
_OF_NAMES = (
    r"(?:each|every|different|distinct|common|popular|same|how many|number of)(?: \w+){0,2} names?"
)
"""Questions about the names themselves, for which grouping by name is right."""


@check("AU403", sees=Sees.TREE | Sees.ROWS, weak=True, read=(1, 4))
def groups_by_name(query: Query) -> Iterator[Finding]:
    """Rows are grouped by a name that several rows of a table have."""
    if query.wording.says(_OF_NAMES):
        return
    for relation in query.aggregates:
        named = _named(query, relation) if relation.keys else None
        rows = query.rows_of(_groups_with_several(relation, Ref(named[2]))) if named else None
        if named and rows:
            yield Finding(
                reason=f"rows of {named[0]} with different {named[1]} have one name "
                "and become one group.",
                part="GROUP BY",
                evidence={"name_and_number_of_rows": shown(rows)},
            )


def _named(query: Query, aggregate: Aggregate) -> tuple[str, str, int] | None:
    """The table by whose names the rows are grouped, its key, and the key's place in the row.

    None if rows are not grouped by the names of one table with a single key column."""
    found = _columns(query, aggregate, aggregate.input, aggregate.keys)
    columns = [one for one in found if one is not None]
    tables = {table for table, _ in columns}
    names = {"".join(name_stems(column.name)) for _, column in columns}
    whole = all(_is_name(column.name, table) for table, column in columns)
    if len(columns) < len(found) or len(tables) != 1 or not (whole or names in _PERSON):
        return None
    table = query.context.schema.table(tables.pop())
    if table is None or len(table.primary_key) != 1:
        return None
    key = table.primary_key[0]
    for item in join_inputs(aggregate.input):
        if item.table == table.name and (places := key_places(item, query.context)):
            return table.name, key, places[0]
    return None


def _is_name(column: str, table: str) -> bool:
    stems = name_stems(column)
    return "".join(stems) in _NAMES or (stems[-1:] == ["name"] and stems[:-1] == name_stems(table))


@check("AU516", sees=Sees.TREE | Sees.ROWS, weak=True, read=(1, 4))
def set_of_names(query: Query) -> Iterator[Finding]:
    """INTERSECT or EXCEPT compares names that several rows have, which changes the result."""
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
    """The names that are either in the result by names or in the result by keys, but not both."""
    keyed = [found for side in operation.inputs if (found := _keyed(query, side))]
    sides = tuple(side for _, side in keyed)
    if len(sides) < len(operation.inputs) or len({table for table, _ in keyed}) != 1:
        return []
    names = tuple(Ref(i) for i in range(len(sides[0].expressions) - 1))
    by_key = query.rows_of(Project(replace(operation, inputs=sides), names))
    by_name = query.rows_of(operation)
    if by_key is None or by_name is None:
        return []
    return sorted(set(by_key) ^ set(by_name), key=repr)


def _keyed(query: Query, side: Relation) -> tuple[str, Project] | None:
    """The table whose names a side selects, and the side with the table's key as a further column.

    None if a side selects no names, or reads the table twice."""
    if not isinstance(side, Project):
        return None
    columns = _columns(query, side, side.input, side.expressions)
    tables = {None if one is None else one[0] for one in columns}
    names = [one[1].name.lower() for one in columns if one is not None]
    if len(tables) != 1 or not all("name" in one or "title" in one for one in names):
        return None
    table = str(tables.pop())
    items = [item for item in join_inputs(side.input) if item.table == table]
    places = key_places(items[0], query.context) if len(items) == 1 else ()
    if len(places) != 1:
        return None
    return table, Project(side.input, (*side.expressions, Ref(places[0])))


@check("AU517", sees=Sees.TREE | Sees.QUESTION)
def union_drops_duplicates(query: Query) -> Iterator[Finding]:
    """UNION drops equal rows that are then summed up or averaged."""
    for relation in query.aggregates:
        below = relation.input
        united = isinstance(below, SetOperation) and below.kind is SetKind.UNION and not below.all
        if united and any(call.name in ("SUM", "AVG") for call in relation.calls):
            yield Finding(reason="UNION drops equal rows before they are summed up.", part="UNION")


_LISTS = r"which|list|what are|find|show|give|name|who|tell"
_DIFFERENT = r"different|distinct|unique"


@check("AU206", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, weak=True, read=(1, 4))
def repeated_rows(query: Query) -> Iterator[Finding]:
    """A join returns the same row more than once, and the question asks for a list of things."""
    blocks = list(select_blocks(query.tree))
    if len(blocks) != 1 or len(join_inputs(blocks[0][0])) < 2:
        return
    if any(isinstance(one, Aggregate | Distinct) for one in blocks[0][1]):
        return
    if query.wording.says(_LISTS):
        yield from _repeated(query, lambda times, most: times == most)


@check("AU207", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, read=(1, 2))
def different_without_distinct(query: Query) -> Iterator[Finding]:
    """The question asks for different things, and the result has equal rows."""
    if query.wording.says(_DIFFERENT):
        yield from _repeated(query, lambda times, _: times > 1)


def _repeated(query: Query, is_shown: Callable[[int, int], bool]) -> Iterator[Finding]:
    """A finding if the query returns equal rows.

    Args:
        is_shown: True for the row to be shown as evidence, given how often it occurs and how often
            the most frequent row does.
    """
    rows = query.returned or []
    counts = Counter(map(repr, rows))
    if len(counts) < len(rows):
        most = max(counts.values())
        first = next(row for row in rows if is_shown(counts[repr(row)], most))
        yield Finding(
            reason=f"{len(rows)} rows are {len(counts)} different ones.",
            part="SELECT",
            evidence={"row": shown([first]), "times": counts[repr(first)]},
            proposal=query.edited(_distinct),
        )


def _distinct(tree: object) -> bool:
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return False
    tree.distinct(copy=False)
    return True
