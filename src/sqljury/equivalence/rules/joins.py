"""Rules for inner joins and filters, taken together as a block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from sqljury.equivalence.blocks.block import (
    Block,
    equal_columns,
    inner_row,
    is_trivial,
    without_equalities,
)
from sqljury.equivalence.blocks.chain import Reading, best_order, reading
from sqljury.equivalence.blocks.forms import assumed_for_not_null
from sqljury.equivalence.rules.base import BLOCK, RELATION, OnBlock, Rewritten, Rule, rule
from sqljury.equivalence.rules.registry import rules_of
from sqljury.schema import ForeignKey, Schema
from sqljury.trees.catalog import table_named
from sqljury.trees.conditions import not_null
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Call, Expression, Ref, Relation, Scan, ref
from sqljury.trees.properties import assumed_for_unique, pins, same_values
from sqljury.trees.provenance import origin
from sqljury.trees.types import Row, fields, null_rejected
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import columns_read, width

# ---------------------------------------------------------------- join order
# Inner joins and filters as one block, its inputs in canonical order.
#
# Joins, filters and projections below a projection or an aggregate become a block. Conditions move
# as low as possible, inputs and outer joins get a canonical order, and of equal columns the first
# one replaces the others. All other rules for blocks are applied, too.


@rule(RELATION, at={"Project", "Aggregate", "Distinct"})
def join_order(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM b JOIN a ON … WHERE …`` → ``FROM a JOIN b ON …``, the inputs in canonical order.

    The rules for blocks are applied first, until none changes the block.
    """
    found = reading(relation)
    if found is None:
        return None
    assumed: set[Assumption] = set()
    names: list[str] = []
    while (done := _step(found, context)) is not None:
        names.append(done[0])
        assumed |= done[1]
    put_in_order(found, context)
    return Rewritten(found.rebuilt(), frozenset(assumed), (*names, "join_order"))


def _step(found: Reading, context: Context) -> tuple[str, frozenset[Assumption]] | None:
    """Applies the first rule that changes the block; returns its name and assumptions, or None."""
    block = found.block
    for each in _block_rules(len(block.inputs) > 1, bool(block.outer_joined)):
        assumed = each.apply(found, context)
        if assumed is not None:
            return each.name, assumed
    return None


@cache
def _block_rules(several: bool, outer: bool) -> tuple[Rule[OnBlock], ...]:
    """The block rules to try, depending on whether there are several inputs and outer joins."""
    has = {"several": several, "outer": outer}
    return tuple(each for each in rules_of(BLOCK) if not each.at or any(has[k] for k in each.at))


def put_in_order(found: Reading, context: Context) -> None:
    """Puts the inputs in canonical order; of equal columns the first replaces the others."""
    block = found.block
    classes = equal_columns(block, context)
    block.conjuncts = without_equalities(block.conjuncts, classes)
    inputs, outer_joined = best_order(block, found.uses, classes)
    inner = len(block.inputs)
    place = found.arrange(inputs, [inner + i for i in outer_joined])
    moved = [frozenset(place[c] for c in members) for members in classes]
    first = {c: min(members) for members in moved for c in members}
    if first:
        found.substitute([ref(first.get(c, c)) for c in range(len(place))])
    block.conjuncts += [equality for members in moved for equality in _equalities(members)]


def _equalities(members: frozenset[int]) -> list[Expression]:
    first, *others = sorted(members)
    return [Call("=", (ref(first), ref(other))) for other in others]


# ---------------------------------------------------------------- foreign key join
# A join with the row that a foreign key refers to is removed if nothing else of that row is read.
#
# The condition that the foreign key is not NULL remains.


@rule(BLOCK, at={"several"}, assumes={Assumption.FOREIGN_KEY, Assumption.PRIMARY_KEY})
def foreign_key_join(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``SELECT c.x FROM c JOIN s ON c.s_id = s.id`` → ``SELECT c.x FROM c WHERE s_id IS NOT
    NULL``.

    Assumes foreign key: there is such a row; and primary key where only the declared key ensures
    that there is not more than one.
    """
    block = found.block
    if len(block.inputs) < 2 or not context.may(Assumption.FOREIGN_KEY):
        return None
    classes = equal_columns(block, context)
    read = found.read().union(*(columns_read(c) for _, c in block.outer_joined))
    offsets = block.offsets()
    for position, relation in enumerate(block.inputs):
        if isinstance(relation, Scan):
            links = _links(found, position, relation, offsets, classes, read)
            # Only columns of the parent that are compared with equal columns may be read.
            if not links.read <= links.equal.keys():
                continue
            for link in _declared(links, context.schema):
                unique = _unique(links, link, context)
                if unique is not None and _nothing_else_read(links, link, context):
                    _remove(links, link, context)
                    return unique | {Assumption.FOREIGN_KEY}
    return None


Link = dict[int, int]
"""For each key column of the parent, the foreign key column of the child that it equals."""


@dataclass(slots=True)
class _Links:
    """A possible parent table of a join, and the columns that its columns are equated with.

    Columns are numbered as in the block.
    """

    found: Reading
    position: int
    parent: Scan
    own: range
    equal: dict[int, set[int]]
    """For each column of the parent the columns that equal it, directly or transitively."""
    read: frozenset[int]
    """The columns of the parent that are read elsewhere."""


def _links(
    found: Reading,
    position: int,
    parent: Scan,
    offsets: list[int],
    classes: list[frozenset[int]],
    read: frozenset[int],
) -> _Links:
    """The columns that the conditions equate with the parent's, and those read elsewhere."""
    block = found.block
    own = range(*offsets[position : position + 2])
    inner = offsets[len(block.inputs)]
    links = _Links(found, position, parent, own, {}, read)
    for members in classes:
        others = {c for c in members if c not in own}
        for column in members.intersection(own):
            links.equal.setdefault(column, set()).update(others)
    for part in block.conjuncts:
        match part:
            case Call(name="=", operands=(Ref(a), Ref(b))) if (a in own) != (b in own):
                mine, other = (a, b) if a in own else (b, a)
                if other < inner:
                    links.equal.setdefault(mine, set()).add(other)
                    continue
        links.read |= columns_read(part)
    links.read &= frozenset(own)
    return links


def _declared(links: _Links, schema: Schema) -> Iterator[Link]:
    """The links to the parent that are declared foreign keys."""
    block = links.found.block
    owners, offsets = block.owners(), block.offsets()
    origins: dict[tuple[Scan, tuple[int, ...]], dict[str, list[tuple[int, int]]]] = {}
    for mine, others in links.equal.items():
        for other in sorted(others):
            owner = owners[other]
            source = origin(block.inputs[owner], other - offsets[owner], (owner,))
            if source is not None:
                columns = origins.setdefault((source.scan, source.path), {})
                columns.setdefault(source.scan.columns[source.column].casefold(), []).append(
                    (mine, other)
                )
    for (scan, _), columns in origins.items():
        table = table_named(schema, scan.table)
        for key in table.foreign_keys if table is not None else ():
            link = _along(key, columns, links, schema)
            if link is not None:
                yield link


def _along(
    key: ForeignKey, columns: dict[str, list[tuple[int, int]]], links: _Links, schema: Schema
) -> Link | None:
    """The link by one foreign key if all its columns are equated with their targets, else None."""
    if key.target_table.casefold() != links.parent.table.casefold():
        return None
    parent = table_named(schema, links.parent.table)
    targets = key.target_columns or (parent.primary_key if parent is not None else ())
    link: Link = {}
    places = {name.casefold(): place for place, name in enumerate(links.parent.columns)}
    # SQLite lets a key refer to a column that does not exist.
    if len(targets) != len(key.columns) or any(t.casefold() not in places for t in targets):
        return None
    for name, target in zip(key.columns, targets, strict=True):
        mine = links.own.start + places[target.casefold()]
        other = next((o for m, o in columns.get(name.casefold(), ()) if m == mine), None)
        if other is None:
            return None
        link[mine] = other
    return link


def _unique(links: _Links, link: Link, context: Context) -> frozenset[Assumption] | None:
    """The assumptions under which there is at most one parent row; None if there may be more."""
    row = _row(links.found.block, context)
    if not all(pins(row[child], row[mine], context) for mine, child in link.items()):
        return None
    return assumed_for_unique(links.parent, [m - links.own.start for m in link], context)


def _row(block: Block, context: Context) -> Row:
    return tuple(field for relation in block.relations for field in fields(relation, context))


def _nothing_else_read(links: _Links, link: Link, context: Context) -> bool:
    if not links.equal.keys() <= link.keys():
        return False
    row = _row(links.found.block, context)
    read = links.read.union(mine for mine, others in links.equal.items() if len(others) > 1)
    # The parent's key may be read if the foreign key always has exactly the same value.
    return all(
        column in link and same_values(row[column], row[link[column]], context) for column in read
    )


def _remove(links: _Links, link: Link, context: Context) -> None:
    found, block = links.found, links.found.block
    row = _row(block, context)
    parts = [
        part
        for part in block.conjuncts
        if not any(_is_link(part, mine, child) for mine, child in link.items())
    ]
    held = [not_null(Ref(c)) for c in link.values() if row[c].nullable]
    block.conjuncts = [*parts, *held]
    found.substitute([Ref(link.get(i, i)) for i in range(len(row))])
    found.leave_out(links.position)


def _is_link(part: Expression, mine: int, child: int) -> bool:
    match part:
        case Call(name="=", operands=(Ref(a), Ref(b))):
            return {a, b} == {mine, child}
        case _:
            return False


# ---------------------------------------------------------------- same row twice
# Two inputs that are the same relation, joined on a key, become one: both rows are the same row.


@rule(BLOCK, at={"several"}, assumes={Assumption.PRIMARY_KEY})
def same_row_twice(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``FROM a JOIN a AS b ON a.id = b.id`` → ``FROM a``, where no id occurs twice.

    Assumes primary key where uniqueness comes from a declared key.
    """
    block = found.block
    if len(set(block.inputs)) == len(block.inputs):
        return None
    offsets = block.offsets()
    classes = equal_columns(block, context)
    for i, j in combinations(range(len(block.inputs)), 2):
        relation = block.inputs[i]
        if relation != block.inputs[j] or has_volatile(relation):
            continue
        equal = [
            k
            for k in range(width(relation))
            if any(offsets[i] + k in m and offsets[j] + k in m for m in classes)
        ]
        # Rows with NULL in these columns have no partner, so only the others must be unique.
        assumed = assumed_for_unique(relation, equal, context, frozenset(equal)) if equal else None
        if assumed is not None:
            _make_one(found, i, j, equal, context)
            return assumed
    return None


def _make_one(found: Reading, i: int, j: int, equal: list[int], context: Context) -> None:
    block = found.block
    offsets, row = block.offsets(), inner_row(block, context)
    by = offsets[j] - offsets[i]
    own = range(offsets[j], offsets[j + 1])
    # The removed equality was not true for NULLs.
    held: list[Expression] = [
        not_null(Ref(offsets[i] + k)) for k in equal if row[offsets[i] + k].nullable
    ]
    found.substitute([Ref(c - by if c in own else c) for c in range(offsets[-1])])
    block.conjuncts = [part for part in block.conjuncts if not is_trivial(part)] + held
    found.leave_out(j)


# ---------------------------------------------------------------- joined not null
# ``a IS NOT NULL`` is removed if another condition of the block implies it, or if it is assumed.


@rule(BLOCK, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL})
def joined_not_null(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``FROM a JOIN b ON a.x = b.x WHERE a.x IS NOT NULL`` → ``FROM a JOIN b ON a.x = b.x``.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    block = found.block
    asked = {part: c for part in block.conjuncts if (c := _column(part)) is not None}
    if not asked:
        return None
    others = [part for part in block.conjuncts if part not in asked]
    held = frozenset[int]().union(*map(null_rejected, others), *equal_columns(block, context))
    gone = [part for part, column in asked.items() if column in held]
    assumed: frozenset[Assumption] = frozenset()
    for part, column in asked.items():
        reason = None if part in gone else _reason(found, column, context)
        if reason is not None:
            gone.append(part)
            assumed |= reason
    block.conjuncts = others + [part for part in asked if part not in gone]
    return assumed if gone else None


def _reason(found: Reading, column: int, context: Context) -> frozenset[Assumption] | None:
    block = found.block
    owner = block.owners()[column]
    if owner >= len(block.inputs):
        return None
    place = Ref(column - block.offsets()[owner])
    return assumed_for_not_null((place,), block.inputs[owner], context)


def _column(part: Expression) -> int | None:
    match part:
        case Call(name="NOT", operands=(Call(name="IS NULL", operands=(Ref(column),)),)):
            return column
        case _:
            return None
