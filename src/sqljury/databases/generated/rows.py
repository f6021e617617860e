"""Rows made from a plan: what the queries ask for, laid down on purpose and broken on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sqljury.databases.generated.columns import Affinity, stored
from sqljury.databases.generated.material import (
    Cell,
    Material,
    Pool,
    Reference,
    Relation,
    Shape,
    Wanted,
)
from sqljury.databases.generated.plans import DataProfile, Plan
from sqljury.databases.generated.values import NARROW
from sqljury.value_profile import Constant

Row = tuple[Constant, ...]
Rows = dict[str, list[Row]]
"""For each table its rows, all columns in the schema's order."""

_MOST_ROWS = 400
_DEEPEST = 4
_TRIES = 6


def make_rows(material: Material, plan: Plan) -> Rows:
    """The rows of one database; the same for the same material and plan."""
    maker = _Maker(material, plan)
    maker.lay_down()
    rows = maker.rows()
    if plan.profile is not DataProfile.FOREIGN_KEYS_VIOLATED:
        _drop_orphans(material, rows)
    return rows


class _Maker:
    """One database in the making."""

    def __init__(self, material: Material, plan: Plan) -> None:
        self._material = material
        self._plan = plan
        # A text as seed: the same under every hash seed, and apart for each profile.
        self._random = Random(f"{plan.profile}/{plan.seed}")
        self._stores = {
            name: _Store(relation, plan.profile is not DataProfile.KEYS_VIOLATED)
            for name, relation in material.relations.items()
        }
        self._orphans = plan.profile is DataProfile.FOREIGN_KEYS_VIOLATED
        self._nulls = plan.profile is DataProfile.NULLS
        self._left = _MOST_ROWS
        self._groups: dict[int, _Group] = {}

    def rows(self) -> Rows:
        """What was laid down."""
        empty = self._emptied()
        return {
            name: [] if name == empty else [tuple(row) for row in store.rows]
            for name, store in self._stores.items()
        }

    def _emptied(self) -> str:
        names = list(self._stores)
        return self._random.choice(names) if self._plan.empty and names else ""

    # ------------------------------------------------------------ patterns

    def lay_down(self) -> None:
        """The patterns of all queries in turn, then some rows of no purpose."""
        shapes = self._material.shapes
        for number in range(self._plan.tuples if shapes else 0):
            shape = shapes[number % len(shapes)]
            kept = self._group_values(shape, number // len(shapes))
            self._tuple(shape, kept)
        if not self._plan.aimed:
            for name in self._stores:
                self._add(name, {}, 0)
        if self._plan.profile is DataProfile.DUPLICATES:
            self._repeat()

    def _group_values(self, shape: Shape, number: int) -> dict[int, Constant]:
        """What the rows of the same group share: kept until the group is full."""
        group = self._groups.get(id(shape))
        if group is None or group.left <= 0:
            size = self._plan.group or self._random.choice((1, 1, 2, 3))
            extra = number % 2 if self._plan.group else 0
            group = self._groups[id(shape)] = _Group(size + extra, {})
        group.left -= 1
        return group.values

    def _tuple(self, shape: Shape, kept: dict[int, Constant]) -> None:
        """One row for each slot of a pattern, so that they pass its conditions or nearly do."""
        broken = self._to_break(shape)
        leader = self._linked(shape, broken)
        wanted = self._wanted(shape, leader, broken)
        values: dict[int, Constant] = {}
        for i, first in enumerate(leader):
            if first not in values:
                values[first] = self._value(shape, i, first, wanted.get(first, ()), kept)
        fixed: list[dict[str, Constant]] = [{} for _ in shape.pattern.tables]
        for i, place in enumerate(shape.places):
            fixed[place.slot][place.column] = values[leader[i]]
            if i in shape.groups:
                kept[i] = values[leader[i]]
        for table, cells in zip(shape.pattern.tables, fixed, strict=True):
            self._add(table, cells, 0)

    def _to_break(self, shape: Shape) -> int:
        """The number of the condition that is not to hold (atoms, then links), or -1."""
        things = len(shape.atoms) + len(shape.links)
        share = 0.15 if self._plan.aimed else 0.5
        return self._random.randrange(things) if things and self._random.random() < share else -1

    def _linked(self, shape: Shape, broken: int) -> list[int]:
        """For each place the first of those that are to be equal."""
        leader = list(range(len(shape.places)))
        for number, (left, right, hard) in enumerate(shape.links, start=len(shape.atoms)):
            if number == broken or not (hard or self._random.random() < 0.5):
                continue
            a, b = leader[left], leader[right]
            if a != b:
                low, high = min(a, b), max(a, b)
                leader = [low if first == high else first for first in leader]
        return leader

    def _wanted(self, shape: Shape, leader: list[int], broken: int) -> dict[int, list[Wanted]]:
        found: dict[int, list[Wanted]] = {}
        for number, (place, atom) in enumerate(shape.atoms):
            if number == broken:
                found.setdefault(leader[place], []).append((number, False))
            elif atom.hard or self._random.random() < 0.6:
                found.setdefault(leader[place], []).append((number, True))
        return found

    def _value(
        self,
        shape: Shape,
        place: int,
        leader: int,
        wanted: Sequence[Wanted],
        kept: dict[int, Constant],
    ) -> Constant:
        pool = shape.pools[place]
        group = next((i for i in kept if i in (place, leader)), None)
        if group is not None:
            return kept[group]
        if wanted:
            found = self._material.candidates(shape, pool, tuple(wanted))
            if found:
                # The first ones are constants of the queries; most of the time they will do.
                many = len(found) if self._random.random() < 0.4 else min(3, len(found))
                return found[self._random.randrange(many)]
        return self._any(pool)

    def _any(self, pool: Pool) -> Constant:
        values = pool.wide if self._plan.wide else pool.narrow
        return values[int(self._random.random() * len(values))]

    # ------------------------------------------------------------ rows

    def _add(self, table: str, fixed: dict[str, Constant], depth: int) -> None:
        store = self._stores[table]
        if self._left <= 0:
            return
        self._left -= 1
        cells = store.relation.cells
        row = [
            stored(fixed[cell.name], cell.affinity) if cell.name in fixed else self._filler(cell)
            for cell in cells
        ]
        free = [i for i, cell in enumerate(cells) if cell.name not in fixed]
        if not self._orphans or self._random.random() < 0.5:
            self._point_to_rows(store.relation, row, free, depth)
        for _ in range(_TRIES):
            clash = store.clash(row)
            if clash is None:
                store.add(row)
                return
            loose = [i for i in clash if i in free]
            if not loose:
                return  # the row that has the key stands for this one, too
            for i in loose:
                row[i] = self._fresh(cells[i], len(store.rows))
            if not self._orphans:
                self._point_to_rows(store.relation, row, [i for i in free if i not in loose], depth)

    def _filler(self, cell: Cell) -> Constant:
        if not cell.used:
            return stored(NARROW[cell.pool.kind][0], cell.affinity)
        if self._nulls and cell.nullable and self._random.random() < 0.25:
            return None
        return stored(self._any(cell.pool), cell.affinity)

    def _fresh(self, cell: Cell, rows: int) -> Constant:
        """A value that is probably not there yet, for a key."""
        wide = cell.pool.wide
        chosen = wide[self._random.randrange(len(wide))]
        if rows > len(wide) // 2 and cell.affinity is not Affinity.TEXT:
            chosen = self._random.randrange(10_000)
        return stored(chosen, cell.affinity)

    def _point_to_rows(
        self, relation: Relation, row: list[Constant], free: list[int], depth: int
    ) -> None:
        """Foreign keys get a row to point to: one that is there, or a new one."""
        for reference in relation.references:
            key = tuple([row[i] for i in reference.columns])
            target = self._stores[reference.target]
            if None in key or target.has(reference.target_columns, key):
                continue
            rows = target.rows
            if rows and all(i in free for i in reference.columns) and self._random.random() < 0.7:
                chosen = rows[self._random.randrange(len(rows))]
                for ours, theirs in zip(reference.columns, reference.target_columns, strict=True):
                    row[ours] = stored(chosen[theirs], relation.cells[ours].affinity)
            elif depth < _DEEPEST:
                names = [target.relation.cells[i].name for i in reference.target_columns]
                self._add(reference.target, dict(zip(names, key, strict=True)), depth + 1)

    def _repeat(self) -> None:
        for store in self._stores.values():
            if not store.relation.keys:
                again = [row for row in store.rows if self._random.random() < 0.5]
                store.rows += [list(row) for row in again]


@dataclass(slots=True)
class _Group:
    """Rows still to come of a group, and what they share: values by place."""

    left: int
    values: dict[int, Constant]


class _Store:
    """The rows of one table, with its keys."""

    __slots__ = ("_keys", "_seen", "_sought", "relation", "rows")

    def __init__(self, relation: Relation, keys_hold: bool) -> None:
        self.relation = relation
        self.rows: list[list[Constant]] = []
        everything = tuple(range(len(relation.cells)))
        # Without a key no two rows are equal, either.
        self._keys = (relation.keys or [everything]) if keys_hold else [everything]
        self._seen: list[set[tuple[Constant, ...]]] = [set() for _ in self._keys]
        self._sought: dict[tuple[int, ...], set[tuple[Constant, ...]]] = {}

    def clash(self, row: list[Constant]) -> tuple[int, ...] | None:
        """The first key that another row has already, by the indexes of its columns."""
        for key, seen in zip(self._keys, self._seen, strict=True):
            if tuple([row[i] for i in key]) in seen:
                return key
        return None

    def add(self, row: list[Constant]) -> None:
        """Keep a row whose keys are new."""
        self.rows.append(row)
        for key, seen in zip(self._keys, self._seen, strict=True):
            found = tuple([row[i] for i in key])
            if None not in found or key is self._keys[0]:
                seen.add(found)
        for columns, values in self._sought.items():
            values.add(tuple([row[i] for i in columns]))

    def has(self, columns: tuple[int, ...], values: tuple[Constant, ...]) -> bool:
        """Whether a row has these values; indexed when first asked for."""
        found = self._sought.get(columns)
        if found is None:
            found = {tuple([row[i] for i in columns]) for row in self.rows}
            self._sought[columns] = found
        kinds = [self.relation.cells[i].affinity for i in columns]
        return tuple([stored(v, a) for v, a in zip(values, kinds, strict=True)]) in found


def _drop_orphans(material: Material, rows: Rows) -> None:
    """Rows whose foreign keys point nowhere go, until none is left."""
    changed = True
    while changed:
        changed = False
        for name, relation in material.relations.items():
            for reference in relation.references:
                lost = orphans(material, rows, name, reference)
                if lost:
                    rows[name] = [row for i, row in enumerate(rows[name]) if i not in lost]
                    changed = True


def orphans(material: Material, rows: Rows, table: str, reference: Reference) -> set[int]:
    """The indexes of a table's rows whose foreign key points to no row; NULL points nowhere."""
    target = material.relations[reference.target]
    there = {tuple([row[i] for i in reference.target_columns]) for row in rows[reference.target]}
    kinds = [target.cells[i].affinity for i in reference.target_columns]
    found = set()
    for number, row in enumerate(rows[table]):
        values = [row[i] for i in reference.columns]
        key = tuple([stored(v, kind) for v, kind in zip(values, kinds, strict=True)])
        if None not in key and key not in there:
            found.add(number)
    return found
