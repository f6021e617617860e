"""A join with the row that a foreign key points to, of which nothing else is read, is left out.

What remains is that the foreign key is not NULL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqljury.equivalence.blocks.block import Block
from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.blocks.equal_columns import equal_columns
from sqljury.equivalence.rules.base import BLOCK, rule
from sqljury.schema import ForeignKey, Schema
from sqljury.trees.catalog import table_named
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Call, Expression, Ref, Scan
from sqljury.trees.properties import assumed_for_unique, pins, same_values
from sqljury.trees.provenance import Origin, origin
from sqljury.trees.types import Row, fields
from sqljury.trees.walk import columns_read


@rule(BLOCK, at={"several"}, assumes={Assumption.FOREIGN_KEY, Assumption.PRIMARY_KEY}, order=60)
def foreign_key_join(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``SELECT c.x FROM c JOIN s ON c.s_id = s.id`` → ``SELECT c.x FROM c WHERE s_id IS NOT
    NULL``.

    Assumes foreign key: there is such a row; and primary key where only the declared key says
    that there is one only.
    """
    block = found.block
    if len(block.inputs) < 2 or not context.may(Assumption.FOREIGN_KEY):
        return None
    classes = equal_columns(block, context)
    read = found.read().union(*(columns_read(c) for _, c in block.outer_joined))
    for position, relation in enumerate(block.inputs):
        if isinstance(relation, Scan):
            links = _links(found, position, relation, classes, read)
            # Of the parent nothing is read but what the key is compared with.
            if not links.read <= links.equal.keys():
                continue
            for link in _declared(links, context.schema):
                unique = _unique(links, link, context)
                if unique is not None and _nothing_else_read(links, link, context):
                    _remove(links, link, context)
                    return unique | {Assumption.FOREIGN_KEY}
    return None


Link = dict[int, int]
"""For columns of the parent the columns of the child that they are equal to."""


@dataclass(slots=True)
class _Links:
    """A parent and what its columns are compared with; columns are those of the block."""

    found: Reading
    position: int
    parent: Scan
    own: range
    equal: dict[int, set[int]]
    """By ``=``, directly or through other columns of the same value."""
    read: frozenset[int]
    """The columns of the parent that are read elsewhere."""


def _links(
    found: Reading,
    position: int,
    parent: Scan,
    classes: list[frozenset[int]],
    read: frozenset[int],
) -> _Links:
    block = found.block
    offsets = block.offsets()
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
    """The declared foreign keys into the parent among what its columns are compared with."""
    block = links.found.block
    owners, offsets = block.owners(), block.offsets()
    origins: dict[tuple[Scan, tuple[int, ...]], dict[str, list[tuple[int, int]]]] = {}
    for mine, others in links.equal.items():
        for other in sorted(others):
            owner = owners[other]
            source = origin(block.inputs[owner], other - offsets[owner], (owner,))
            if source is not None:
                columns = origins.setdefault((source.scan, source.path), {})
                columns.setdefault(_name(source), []).append((mine, other))
    for (scan, _), columns in origins.items():
        table = table_named(schema, scan.table)
        for key in table.foreign_keys if table is not None else ():
            link = _along(key, columns, links, schema)
            if link is not None:
                yield link


def _name(source: Origin) -> str:
    return source.scan.columns[source.column].casefold()


def _along(
    key: ForeignKey, columns: dict[str, list[tuple[int, int]]], links: _Links, schema: Schema
) -> Link | None:
    """The link by one foreign key, if all of its columns are compared with their targets."""
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
    """What makes sure that there is no second parent."""
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
    # The key itself may be read if the foreign key holds the very same value.
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
    held = [Call("NOT", (Call("IS NULL", (Ref(c),)),)) for c in link.values() if row[c].nullable]
    block.conjuncts = [*parts, *held]
    found.substitute([Ref(link.get(i, i)) for i in range(len(row))])
    inner = len(block.inputs)
    found.arrange(
        [i for i in range(inner) if i != links.position],
        [inner + i for i in range(len(block.outer_joined))],
    )


def _is_link(part: Expression, mine: int, child: int) -> bool:
    match part:
        case Call(name="=", operands=(Ref(a), Ref(b))):
            return {a, b} == {mine, child}
        case _:
            return False
