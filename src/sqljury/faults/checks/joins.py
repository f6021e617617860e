"""Tables: joined along other columns than their keys, not joined, not used, or repeating rows."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, edited, shown
from sqljury.faults.sites import Leaf, Site, blocks, key_places, leaves
from sqljury.faults.wording import name_stems
from sqljury.schema import Column, Schema
from sqljury.sql.names import names_of
from sqljury.trees.conditions import conjuncts
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Join,
    JoinKind,
    Ref,
    Relation,
    Scan,
)
from sqljury.trees.properties import properties
from sqljury.trees.types import has_one_row
from sqljury.trees.walk import columns_read, expressions, relations, width


@check("AU408", sees=Sees.TREE, read=(5, 5))
def cross_product(query: Query) -> Iterator[Finding]:
    """Tables are put together without a condition: every row meets every other."""
    for source, _ in blocks(query.tree):
        found = leaves(source)
        if len(found) < 2:
            continue
        apart = _apart(found, list(_conditions(source, 0)))
        if len(apart) > 1:
            names = [" and ".join(leaf.table or "a subquery" for leaf in group) for group in apart]
            reason = f"nothing connects {' with '.join(names)}: every row meets every other."
            yield Finding(reason=reason, part="FROM")


def _conditions(relation: Relation, start: int) -> Iterator[frozenset[int]]:
    """The columns of the whole row that each condition reads."""
    if isinstance(relation, Filter):
        yield from _reads(relation.condition, start)
        yield from _conditions(relation.input, start)
    elif isinstance(relation, Join):
        yield from _reads(relation.condition, start)
        yield from _conditions(relation.left, start)
        yield from _conditions(relation.right, start + width(relation.left))


def _reads(condition: Expression, start: int) -> Iterator[frozenset[int]]:
    for part in conjuncts(condition):
        yield frozenset(start + column for column in columns_read(part))


def _apart(found: list[Leaf], conditions: list[frozenset[int]]) -> list[list[Leaf]]:
    """The tables in groups that conditions connect; those of one row belong to any."""
    group = {leaf.start: leaf.start for leaf in found}
    for read in conditions:
        met = [leaf.start for leaf in found if read & set(leaf.columns)]
        merged = {group[start] for start in met}
        group = {s: min(merged) if g in merged else g for s, g in group.items()} if met else group
    single = [leaf for leaf in found if has_one_row(leaf.relation)]
    rest = [leaf for leaf in found if leaf not in single]
    return [
        [leaf for leaf in rest if group[leaf.start] == g]
        for g in sorted({group[leaf.start] for leaf in rest})
    ]


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


@check("AU409", sees=Sees.TREE | Sees.QUESTION, read=(3, 5))
def unused_table(query: Query) -> Iterator[Finding]:
    """A table that nothing is said of is joined, and repeats or drops rows of the others."""
    for leaf, single, alone in _unused(query):
        # Of two tables the other may be there to ask for a row at all: "students who have a dog".
        if not single and not alone:
            reason = f"nothing of {leaf.table} is used but the join, which repeats and drops rows."
            yield Finding(reason=reason, part=leaf.table)


@check("AU411", sees=Sees.TREE | Sees.QUESTION, weak=True, read=(0, 4))
def needless_table(query: Query) -> Iterator[Finding]:
    """A table that nothing is said of is joined, to no effect where foreign keys hold."""
    for leaf, single, _ in _unused(query):
        if single:
            reason = f"nothing of {leaf.table} is used but the join itself."
            yield Finding(reason=reason, part=leaf.table)


def _unused(query: Query) -> Iterator[tuple[Leaf, bool, bool]]:
    """Tables that are read in one join only; whether each row meets one of theirs at most, and
    whether there is only one other table."""
    for source, above in blocks(query.tree):
        found = leaves(source)
        joins = [set(read) for read in _joined(source, 0)]
        used = _used(source, above)
        for leaf in found:
            near = [read for read in joins if read & set(leaf.columns)]
            loose = leaf.table and not used & set(leaf.columns) and len(near) == 1
            if loose and not _said(query, leaf):
                own = {column - leaf.start for column in near[0] & set(leaf.columns)}
                single = properties(leaf.relation, query.context).unique(own)
                yield leaf, single, len(found) == 2


def _said(query: Query, leaf: Leaf) -> bool:
    return query.said.names(leaf.table)


def _joined(relation: Relation, start: int) -> Iterator[frozenset[int]]:
    """The columns that each condition between tables reads."""
    if isinstance(relation, Filter):
        yield from _between(relation, relation.input, start)
        yield from _joined(relation.input, start)
    elif isinstance(relation, Join):
        yield from _between(relation, relation, start)
        yield from _joined(relation.left, start)
        yield from _joined(relation.right, start + width(relation.left))


def _between(relation: Filter | Join, row: Relation, start: int) -> Iterator[frozenset[int]]:
    for part in conjuncts(relation.condition):
        read = columns_read(part)
        if sum(bool(read & set(leaf.columns)) for leaf in leaves(row)) > 1:
            yield frozenset(start + column for column in read)


def _used(source: Relation, above: tuple[Relation, ...]) -> set[int]:
    """The columns that conditions on one table, or the operator above, read."""
    used = set(_filtered(source, 0))
    for relation in above[-1:]:
        used |= {column for e in expressions(relation) for column in columns_read(e)}
        if isinstance(relation, Aggregate) and any(not call.operands for call in relation.calls):
            used |= set(range(width(source)))  # COUNT(*) counts what the join makes
    return used


def _filtered(relation: Relation, start: int) -> Iterator[int]:
    if isinstance(relation, Filter | Join):
        row = relation.input if isinstance(relation, Filter) else relation
        for part in conjuncts(relation.condition):
            read = columns_read(part)
            if sum(bool(read & set(leaf.columns)) for leaf in leaves(row)) < 2:
                yield from (start + column for column in read)
    if isinstance(relation, Filter):
        yield from _filtered(relation.input, start)
    elif isinstance(relation, Join):
        yield from _filtered(relation.left, start)
        yield from _filtered(relation.right, start + width(relation.left))


_ALL = r"each|every|including those"
_FEWEST = r"fewest|the least|smallest number|lowest number|at most|less than|fewer than|zero"
_ONLY_SOME = r"(?:who|that|which) (?:have|has|had|own|owns|participated)|with some|at least"


@check("AU405", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, weak=True, read=(0, 4))
def join_drops_rows(query: Query) -> Iterator[Finding]:
    """Each thing is asked for, or the fewest, and an inner join drops those that have none."""
    fewest = query.wording.says(_FEWEST)
    if not fewest and (not query.wording.says(_ALL) or query.wording.says(_ONLY_SOME)):
        return
    for relation in relations(query.tree):
        if not isinstance(relation, Aggregate) or not _is_shown(query, fewest):
            continue
        for leaf in _counted_for(query, relation):
            yield from _dropped(query, relation, leaf)


def _is_shown(query: Query, fewest: bool) -> bool:
    """Whether groups of none would be in the result: not where only the largest are taken."""
    syntax = query.syntax
    return syntax is not None and (
        fewest or not (syntax.args.get("limit") or "having" in syntax.args)
    )


def _counted_for(query: Query, aggregate: Aggregate) -> Iterator[Leaf]:
    """The table that the groups are of, where it is joined with one other and that is counted."""
    join = aggregate.input
    counts = any(call.name == "COUNT" for call in aggregate.calls)
    if not isinstance(join, Join) or join.kind is not JoinKind.INNER or not counts:
        return
    found = leaves(join)
    for leaf in found if len(found) == 2 else ():
        keys = [key.index for key in aggregate.keys if isinstance(key, Ref)]
        own = keys and all(key in leaf.columns for key in keys)
        if own and isinstance(leaf.relation, Scan) and query.wording.names(leaf.table):
            yield leaf


def _dropped(query: Query, aggregate: Aggregate, leaf: Leaf) -> Iterator[Finding]:
    own = tuple(Ref(key.index - leaf.start) for key in aggregate.keys if isinstance(key, Ref))
    kept = query.rows_of(Aggregate(aggregate.input, aggregate.keys, ()))
    every = query.rows_of(Aggregate(leaf.relation, own, ()))
    dropped = [row for row in every or () if row not in set(kept or ())]
    if dropped and kept:
        yield Finding(
            reason=f"{len(dropped)} of {len(every or ())} groups of {leaf.table} have no partner "
            "and are left out.",
            part="JOIN",
            evidence={"left_out": shown(dropped, 3)},
        )


@check("AU401", sees=Sees.TREE | Sees.ROWS)
def counts_repeated_rows(query: Query) -> Iterator[Finding]:
    """COUNT of a table's key counts the same row again wherever a join repeats it."""
    for leaf in _counted(query):
        proposal = edited(query.sql, query.dialect, _count_distinct)
        differs = _differs(query, proposal)
        if differs is not None:
            reason = f"the join repeats rows of {leaf.table}, which COUNT counts again."
            yield Finding(reason=reason, part="COUNT", evidence=differs, proposal=proposal)


@check("AU410", sees=Sees.TREE, weak=True, read=(2, 4))
def may_count_repeated_rows(query: Query) -> Iterator[Finding]:
    """COUNT of a table's key over a join that may repeat its rows; there are no rows to see it."""
    for leaf in _counted(query) if query.result.table is None else ():
        reason = f"the join may repeat rows of {leaf.table}, which COUNT would count again."
        proposal = edited(query.sql, query.dialect, _count_distinct)
        yield Finding(reason=reason, part="COUNT", proposal=proposal)


@check("AU402", sees=Sees.TREE, weak=True, read=(1, 4))
def sums_repeated_rows(query: Query) -> Iterator[Finding]:
    """SUM or AVG takes a table's values again wherever a join repeats its rows."""
    for aggregate, call, leaf in _over_joins(query, "SUM", "AVG"):
        if _is_unique(query, aggregate, leaf) or not _repeats(query, aggregate, leaf):
            continue
        reason = f"the join repeats rows of {leaf.table}, whose values {call.name} takes again."
        yield Finding(reason=reason, part=call.name)


def _counted(query: Query) -> Iterator[Leaf]:
    """The tables whose keys are counted where no key says that each row comes once."""
    for aggregate, call, leaf in _over_joins(query, "COUNT"):
        counted = not query.question or _is_counted(query, leaf)
        if counted and _is_key(query, call, leaf) and not _is_unique(query, aggregate, leaf):
            yield leaf


def _over_joins(query: Query, *names: str) -> Iterator[tuple[Aggregate, AggregateCall, Leaf]]:
    """Aggregates of a plain column over a join, and the table that the column is of."""
    for relation in relations(query.tree):
        if not isinstance(relation, Aggregate) or len(found := leaves(relation.input)) < 2:
            continue
        for call in relation.calls:
            if call.name not in names or call.distinct or len(call.operands) != 1:
                continue
            leaf = _leaf_of(call.operands[0], found)
            if leaf is not None and leaf.table:
                yield relation, call, leaf


def _leaf_of(operand: object, found: list[Leaf]) -> Leaf | None:
    if not isinstance(operand, Ref):
        return None
    return next((leaf for leaf in found if operand.index in leaf.columns), None)


def _is_key(query: Query, call: AggregateCall, leaf: Leaf) -> bool:
    (operand,) = call.operands
    return isinstance(operand, Ref) and key_places(leaf, query.context) == (operand.index,)


def _is_counted(query: Query, leaf: Leaf) -> bool:
    """Whether the question counts rows of this table: "how many users"."""
    return bool(query.wording.counted & set(name_stems(leaf.table)))


def _is_unique(query: Query, aggregate: Aggregate, leaf: Leaf) -> bool:
    """Whether each row of the table comes once into a group, as far as keys say, or has no key."""
    key = key_places(leaf, query.context)
    if not key:
        return True
    grouped = {one.index for one in aggregate.keys if isinstance(one, Ref)}
    return properties(aggregate.input, query.context).unique({*key, *grouped})


def _repeats(query: Query, aggregate: Aggregate, leaf: Leaf) -> bool:
    """Whether the data repeats a row of the table within a group; True where it cannot be seen."""
    key = tuple(Ref(i) for i in key_places(leaf, query.context))
    by_row: Relation = Aggregate(
        aggregate.input, (*aggregate.keys, *key), (AggregateCall("COUNT"),)
    )
    rows = query.rows_of(by_row)
    return rows is None or any(row[-1] > 1 for row in rows)


def _count_distinct(tree: object) -> bool:
    from sqlglot import exp

    assert isinstance(tree, exp.Expr)
    found = [n for n in tree.find_all(exp.Count) if isinstance(n.this, exp.Column)]
    found = [n for n in found if not isinstance(n.this.this, exp.Star)]
    for node in found:
        node.set("this", exp.Distinct(expressions=[node.this.copy()]))
    return bool(found)


def _differs(query: Query, proposal: str | None) -> dict[str, object] | None:
    """The rows before and after; None where they are the same or nothing runs."""
    before = query.result.table
    after = None if proposal is None or before is None else query.rows(proposal)
    if before is None or after is None:
        return None
    if sorted(map(repr, after)) == sorted(map(repr, before.rows)):
        return None
    return {"rows": shown(before.rows), "each_once": shown(after)}
