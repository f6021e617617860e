"""Checks of joins: other columns than the keys, no condition, unused tables, repeated rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.expressions import (
    JoinInput,
    ScopedExpression,
    join_inputs,
    key_places,
    select_blocks,
)
from sqljury.faults.query import Query, shown
from sqljury.faults.wording import name_stems
from sqljury.schema import Column, Schema
from sqljury.sql.names import names_of
from sqljury.trees.conditions import conjuncts
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Filter,
    Join,
    JoinKind,
    Ref,
    Relation,
    Scan,
)
from sqljury.trees.properties import properties
from sqljury.trees.types import has_one_row
from sqljury.trees.walk import columns_read, expressions, outer_references, width


def _conditions(relation: Relation, start: int = 0) -> Iterator[tuple[frozenset[int], bool]]:
    """Per condition of FROM and WHERE, the places of the columns that it reads in the joined row,
    and whether they belong to several tables."""
    if not isinstance(relation, Filter | Join):
        return
    items = join_inputs(relation.input if isinstance(relation, Filter) else relation)
    for part in conjuncts(relation.condition):
        read = columns_read(part)
        tables = sum(bool(read & set(item.columns)) for item in items)
        yield frozenset(start + column for column in read), tables > 1
    if isinstance(relation, Filter):
        yield from _conditions(relation.input, start)
    else:
        if relation.lateral:  # UNNEST(t.list) belongs to its row of t
            base = width(relation.left)
            outside = {i for level, i in outer_references(relation.right) if level == 1}
            own = range(base, base + width(relation.right))
            yield frozenset(start + column for column in (*outside, *own)), True
        yield from _conditions(relation.left, start)
        yield from _conditions(relation.right, start + width(relation.left))


@check("AU408", sees=Sees.TREE, read=(5, 5))
def cross_product(query: Query) -> Iterator[Finding]:
    """Tables are joined without a condition: every row is combined with every other."""
    for source, _ in select_blocks(query.tree):
        items = join_inputs(source)
        apart = _connected(items, _conditions(source)) if len(items) > 1 else []
        if len(apart) > 1:
            names = [" and ".join(item.table or "a subquery" for item in group) for group in apart]
            reason = f"nothing connects {' with '.join(names)}: every row meets every other."
            yield Finding(reason=reason, part="FROM")


def _connected(
    items: list[JoinInput], conditions: Iterable[tuple[frozenset[int], bool]]
) -> list[list[JoinInput]]:
    """The tables in groups that are connected by conditions; tables of one row are left out."""
    group = {item.start: item.start for item in items}
    for read, _ in conditions:
        merged = {group[item.start] for item in items if read & set(item.columns)}
        group = {s: min(merged) if g in merged else g for s, g in group.items()}
    rest = [item for item in items if not has_one_row(item.relation)]
    return [
        [item for item in rest if group[item.start] == g]
        for g in sorted({group[item.start] for item in rest})
    ]


Place = tuple[str, Column]


@check("AU406", sees=Sees.TREE, read=(4, 4))
def wrong_join_key(query: Query) -> Iterator[Finding]:
    """Two tables are joined by other columns than the foreign key that is declared between them."""
    schema = query.context.schema
    for site in query.expressions:
        pairs = list(_pairs(site)) if isinstance(site.relation, Join | Filter) else []
        for left, right in pairs:
            declared = _declared(schema, left[0], right[0])
            # A condition in addition to the declared key is fine; only one in its place is not.
            beside = [pair for pair in pairs if {pair[0][0], pair[1][0]} == {left[0], right[0]}]
            if declared and not any(_same_thing(schema, *pair) for pair in beside):
                yield Finding(
                    reason=f"{_full(left)} is joined with {_full(right)}; the declared key is "
                    f"{declared[0]}.",
                    part=f"{left[1].name} = {right[1].name}",
                    evidence={"joined": [_full(left), _full(right)], "declared": declared},
                )


@check("AU407", sees=Sees.TREE)
def unrelated_join_key(query: Query) -> Iterator[Finding]:
    """Two tables that no foreign key connects are joined by their own row numbers (id)."""
    for site in query.expressions:
        for left, right in _pairs(site) if isinstance(site.relation, Join) else ():
            if _are_own_keys(query.context.schema, left, right):
                reason = f"{_full(left)} and {_full(right)} number the rows of different tables."
                yield Finding(reason=reason, part=f"{left[1].name} = {right[1].name}")


def _pairs(site: ScopedExpression) -> Iterator[tuple[Place, Place]]:
    """The pairs of columns of different tables that a condition requires to be equal."""
    for part in conjuncts(site.expression) if site.expression is not None else ():
        if isinstance(part, Call) and part.name == "=":
            left, right = (site.column(one) for one in part.operands)
            if left is not None and right is not None and left[0] != right[0]:
                yield left, right


def _full(place: Place) -> str:
    return f"{place[0]}.{place[1].name}"


def _declared(schema: Schema, one: str, other: str) -> list[str]:
    """The foreign keys between two tables as texts: ``table.column = table.column``."""
    return [
        f"{table.name}.{column} = {key.target_table}.{target}"
        for table in schema.tables
        for key in table.foreign_keys
        if {table.name.lower(), key.target_table.lower()} == {one.lower(), other.lower()}
        for column, target in zip(key.columns, key.target_columns, strict=False)
    ]


def _same_thing(schema: Schema, left: Place, right: Place) -> bool:
    """True if foreign keys make two columns equal, or they have the same telling name."""
    merged = names_of(schema).merged
    names = [_full(left).lower(), _full(right).lower()]
    if merged.get(names[0], names[0]) == merged.get(names[1], names[1]):
        return True
    same_name = left[1].name.lower() == right[1].name.lower()
    return same_name and left[1].name.lower() not in ("id", "name")


def _are_own_keys(schema: Schema, left: Place, right: Place) -> bool:
    """True if a table's own row number is compared with a column that does not refer to it."""
    if _declared(schema, left[0], right[0]) or _same_thing(schema, left, right):
        return False
    if left[1].name.lower() == right[1].name.lower() == "id":
        return True
    for (name, column), (_, other) in ((left, right), (right, left)):
        table = schema.table(name)
        numbers_rows = column.name.lower() == "id" and table is not None
        # A column author_id refers to the table authors by its name.
        is_about = set(name_stems(other.name)) & set(name_stems(name))
        if numbers_rows and table and table.primary_key == (column.name,) and not is_about:
            return True
    return False


@check("AU409", sees=Sees.TREE | Sees.QUESTION, read=(3, 5))
def unused_table(query: Query) -> Iterator[Finding]:
    """A joined table is not mentioned in the question, and repeats or drops rows of the others."""
    for item, single, alone in _unused(query):
        # With two tables the join may test for existence: "students who have a dog".
        if not single and not alone:
            reason = f"nothing of {item.table} is used but the join, which repeats and drops rows."
            yield Finding(reason=reason, part=item.table)


@check("AU411", sees=Sees.TREE | Sees.QUESTION, weak=True, read=(0, 4))
def needless_table(query: Query) -> Iterator[Finding]:
    """A joined table is not mentioned in the question, and changes nothing if foreign keys hold."""
    for item, single, _ in _unused(query):
        if single:
            reason = f"nothing of {item.table} is used but the join itself."
            yield Finding(reason=reason, part=item.table)


def _unused(query: Query) -> Iterator[tuple[JoinInput, bool, bool]]:
    """The tables of which only one join condition reads columns.

    Each with True if every row has at most one partner in it, and True if there is only one other
    table."""
    for source, above in select_blocks(query.tree):
        items = join_inputs(source)
        conditions = list(_conditions(source))
        used = {column for read, joins in conditions if not joins for column in read}
        for relation in above[-1:]:
            used |= {column for e in expressions(relation) for column in columns_read(e)}
            if isinstance(relation, Aggregate) and any(
                not call.operands for call in relation.calls
            ):
                used |= set(range(width(source)))  # COUNT(*) counts the joined rows
        for item in items:
            own = set(item.columns)
            near = [read & own for read, joins in conditions if joins and read & own]
            is_unused = item.table and not used & own and len(near) == 1
            if is_unused and not query.said.names(item.table):
                key = {column - item.start for column in near[0]}
                single = properties(item.relation, query.context).unique(key)
                yield item, single, len(items) == 2


_ALL = r"each|every|including those"
_FEWEST = r"fewest|the least|smallest number|lowest number|at most|less than|fewer than|zero"
_ONLY_SOME = r"(?:who|that|which) (?:have|has|had|own|owns|participated)|with some|at least"


@check("AU405", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, weak=True, read=(0, 4))
def join_drops_rows(query: Query) -> Iterator[Finding]:
    """All things or the fewest are asked for, and an inner join drops those without a match."""
    fewest = query.wording.says(_FEWEST)
    if not fewest and (not query.wording.says(_ALL) or query.wording.says(_ONLY_SOME)):
        return
    # With LIMIT or HAVING, empty groups would probably not be in the result anyway.
    args = {} if query.syntax is None else query.syntax.args
    if query.syntax is None or (not fewest and (args.get("limit") or "having" in args)):
        return
    for relation in query.aggregates:
        for item in _counted_for(query, relation):
            own = tuple(Ref(k.index - item.start) for k in relation.keys if isinstance(k, Ref))
            kept = set(query.rows_of(Aggregate(relation.input, relation.keys, ())) or ())
            every = query.rows_of(Aggregate(item.relation, own, ())) or []
            dropped = [row for row in every if row not in kept]
            if dropped and kept:
                yield Finding(
                    reason=f"{len(dropped)} of {len(every)} groups of {item.table} have no "
                    "partner and are left out.",
                    part="JOIN",
                    evidence={"left_out": shown(dropped, 3)},
                )


def _counted_for(query: Query, aggregate: Aggregate) -> Iterator[JoinInput]:
    """The table by whose columns the rows are grouped, if it is joined with one other table and
    rows are counted."""
    join = aggregate.input
    counts = any(call.name == "COUNT" for call in aggregate.calls)
    if not isinstance(join, Join) or join.kind is not JoinKind.INNER or not counts:
        return
    items = join_inputs(join)
    keys = [key.index for key in aggregate.keys if isinstance(key, Ref)]
    for item in items if len(items) == 2 and keys else ():
        own = isinstance(item.relation, Scan) and all(key in item.columns for key in keys)
        if own and query.wording.names(item.table):
            yield item


@check("AU401", sees=Sees.TREE | Sees.ROWS)
def counts_repeated_rows(query: Query) -> Iterator[Finding]:
    """COUNT of a table's key counts the same row again wherever a join repeats it."""
    before = query.returned
    for item in _counted(query):
        proposal = query.edited(_count_distinct)
        after = None if proposal is None or before is None else query.rows(proposal)
        if before is None or after is None:
            continue
        if sorted(map(repr, after)) != sorted(map(repr, before)):
            reason = f"the join repeats rows of {item.table}, which COUNT counts again."
            rows = {"rows": shown(before), "each_once": shown(after)}
            yield Finding(reason=reason, part="COUNT", evidence=rows, proposal=proposal)


@check("AU410", sees=Sees.TREE, weak=True, read=(2, 4))
def may_count_repeated_rows(query: Query) -> Iterator[Finding]:
    """COUNT of a table's key over a join that may repeat its rows; without data to verify it."""
    for item in _counted(query) if query.returned is None else ():
        reason = f"the join may repeat rows of {item.table}, which COUNT would count again."
        yield Finding(reason=reason, part="COUNT", proposal=query.edited(_count_distinct))


@check("AU402", sees=Sees.TREE, weak=True, read=(1, 4))
def sums_repeated_rows(query: Query) -> Iterator[Finding]:
    """SUM or AVG uses a table's value several times where a join repeats its row."""
    for aggregate, call, item in _over_joins(query, "SUM", "AVG"):
        key = tuple(map(Ref, key_places(item, query.context)))
        by_row: Relation = Aggregate(
            aggregate.input, (*aggregate.keys, *key), (AggregateCall("COUNT"),)
        )
        rows = query.rows_of(by_row)
        if rows is None or any(row[-1] > 1 for row in rows):
            reason = f"the join repeats rows of {item.table}, whose values {call.name} takes again."
            yield Finding(reason=reason, part=call.name)


def _counted(query: Query) -> Iterator[JoinInput]:
    """The tables whose keys are counted although the join may repeat their rows."""
    for _, call, item in _over_joins(query, "COUNT"):
        # "How many users" asks for the number of rows of the table users.
        counted = not query.question or query.wording.counted & set(name_stems(item.table))
        (operand,) = call.operands
        is_key = isinstance(operand, Ref) and key_places(item, query.context) == (operand.index,)
        if counted and is_key:
            yield item


def _over_joins(query: Query, *names: str) -> Iterator[tuple[Aggregate, AggregateCall, JoinInput]]:
    """Aggregates of a plain column over a join that may repeat the rows of the column's table.

    That is, the table has a key, and no key implies that each of its rows occurs at most once per
    group. Yields the aggregation, the call and the table."""
    for relation in query.aggregates:
        items = join_inputs(relation.input)
        for call in relation.calls if len(items) > 1 else ():
            if call.name not in names or call.distinct or len(call.operands) != 1:
                continue
            operand = call.operands[0]
            for item in items:
                of_item = isinstance(operand, Ref) and operand.index in item.columns
                if not of_item or not item.table:
                    continue
                key = key_places(item, query.context)
                grouped = {one.index for one in relation.keys if isinstance(one, Ref)}
                known = properties(relation.input, query.context)
                if key and not known.unique({*key, *grouped}):
                    yield relation, call, item


def _count_distinct(tree: object) -> bool:
    from sqlglot import exp

    assert isinstance(tree, exp.Expr)
    found = [n for n in tree.find_all(exp.Count) if isinstance(n.this, exp.Column)]
    found = [n for n in found if not isinstance(n.this.this, exp.Star)]
    for node in found:
        node.set("this", exp.Distinct(expressions=[node.this.copy()]))
    return bool(found)
