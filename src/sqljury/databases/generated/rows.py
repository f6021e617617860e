"""Rows generated from a plan: they fulfil the queries' conditions, or break one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sqljury.databases.generated.edges import Traps
from sqljury.databases.generated.material import (
    Cell,
    GeneratedTable,
    Material,
    Reference,
    Shape,
    ValuePool,
    Wanted,
)
from sqljury.databases.generated.plans import DataProfile, Plan
from sqljury.databases.generated.values import stored
from sqljury.value_profile import Constant

_IN_TURN = 0.6
_ALL_NEGATIVE = 0.2
"""Share of databases in which all numbers are negative: there MAX differs from a default of 0."""


class EdgeDraw:
    """Draws the edge-case values of one database.

    Args:
        random: source of randomness.
        traps: also draw values that break proofs.
    """

    def __init__(self, random: Random, traps: Traps | None = None) -> None:
        self._traps = traps
        self._random = random
        self._most = random.randrange(2, 6)
        self._negative = random.random() < _ALL_NEGATIVE
        self._drawn: dict[int, list[Constant]] = {}

    def value(self, of: ValuePool | Cell) -> Constant:
        """A value drawn for a column, or for a pool of columns that are compared with each
        other."""
        if id(of) not in self._drawn:
            self._drawn[id(of)] = self._draw(of.edges(self._traps))
        drawn = self._drawn[id(of)]
        if self._traps is not None and self._random.random() < _IN_TURN:
            # Takes the values in turn, so that even a few rows contain similar ones.
            drawn.append(drawn.pop(0))
            return drawn[-1]
        return self._random.choice(drawn)

    def _draw(self, values: list[Constant]) -> list[Constant]:
        if self._negative:
            values = [v for v in values if isinstance(v, int | float) and v < 0] or values
        # Neighbours are similar: half of the time take a run of them.
        if self._random.random() < 0.5:
            start = self._random.randrange(len(values))
            return (values[start:] + values[:start])[: self._most]
        return self._random.sample(values, min(len(values), self._most))


# ------------------------------------------------------------
# Rows generated from a plan.

Row = tuple[Constant, ...]
Rows = dict[str, list[Row]]
"""The rows of each table; columns are in the schema's order."""

_MOST_ROWS = 400
_DEEPEST = 4
_TRIES = 6
_NULLS = 0.25
_NULLS_IN_PATTERNS = 0.12
_NULLS_IN_KEYS = 0.4
_SHARED = 0.3
_STEP = 37
"""Step through the wide values; rarely has a divisor in common with their number."""


def make_rows(material: Material, plan: Plan) -> Rows:
    """The rows of one database; equal for the same material and plan."""
    maker = _Maker(material, plan)
    maker.lay_down()
    untyped = plan.traps is not None and plan.traps.untyped
    rows = material.admission.admitted(maker.rows(), trusting=not untyped)
    if DataProfile.FOREIGN_KEYS_VIOLATED not in plan.licence:
        _drop_orphans(material, rows)
    return rows


class _Maker:
    """Generates one database."""

    def __init__(self, material: Material, plan: Plan) -> None:
        self._material = material
        self._plan = plan
        # A text as seed gives the same rows under every hash seed, and other rows for each profile.
        self._random = Random(f"{plan.profile}/{plan.seed}")
        self._stores = {
            name: _Store(relation, plan.profile is not DataProfile.KEYS_VIOLATED)
            for name, relation in material.relations.items()
        }
        self._largest = self._random.randrange(3)
        self._fresh_keys = self._random.random() < 0.5
        self._few = 2 if plan.unlike else self._random.choice((2, 4))
        orphans = DataProfile.FOREIGN_KEYS_VIOLATED in plan.licence
        self._orphans = self._random.choice((0.5, 1.0)) if orphans else 0.0
        self._nulls = DataProfile.NULLS in plan.licence
        self._left = _MOST_ROWS
        self._groups: dict[int, _Group] = {}
        self._turns: dict[int, int] = {}
        self._edges = EdgeDraw(self._random, plan.traps) if plan.edges else None

    def rows(self) -> Rows:
        """The rows generated so far."""
        names = list(self._stores)
        empty = self._random.choice(names) if self._plan.empty and names else ""
        return {
            name: [] if name == empty else [tuple(row) for row in store.rows]
            for name, store in self._stores.items()
        }

    # ------------------------------------------------------------ patterns

    def lay_down(self) -> None:
        """Adds rows for the patterns of all queries in turn, then one random row per table."""
        shapes = self._material.shapes
        chosen = self._plan.seed % (2 if self._plan.group else 3)
        if len(shapes) == 2 and chosen < 2:
            shapes = [shapes[chosen]]
        for number in range(self._plan.tuples if shapes else 0):
            shape = shapes[number % len(shapes)]
            self._tuple(shape, self._group(shape))
        if not (self._plan.aimed or self._plan.missed):
            for name in self._stores:
                self._add(name, {}, 0)
        if DataProfile.DUPLICATES in self._plan.licence:
            for store in self._stores.values():
                if not store.relation.keys:
                    again = [row for row in store.rows if self._random.random() < 0.5]
                    store.rows += [list(row) for row in again]

    def _group(self, shape: Shape) -> _Group:
        """The current group of a pattern, or a new one if the last is full."""
        group = self._groups.get(id(shape))
        if group is None or group.left <= 0:
            number = group.number + 1 if group is not None else 0
            size = self._size(number)
            values = group.values if group is not None else {}
            group = self._groups[id(shape)] = _Group(number, size, values)
        group.left -= 1
        return group

    def _size(self, number: int) -> int:
        """The number of rows of the next group."""
        if self._plan.unlike:
            return self._plan.group + (number % 3 == self._largest)
        if self._plan.group:
            return self._plan.group + (0, 1, -1)[number % 3]
        return self._random.choice((1, 1, 2, 3))

    def _tuple(self, shape: Shape, group: _Group) -> None:
        """Adds one row per slot of a pattern; together they pass its conditions, or all but one."""
        broken = self._to_break(shape)
        leader = self._linked(shape, broken)
        wanted: dict[int, list[Wanted]] = {}
        for number, (place, atom) in enumerate(shape.atoms):
            if number == broken or self._plan.missed:
                wanted.setdefault(leader[place], []).append((number, False))
            elif atom.hard or self._random.random() < 0.6:
                wanted.setdefault(leader[place], []).append((number, True))
        values = {leader[i]: value for i, value in self._shared(shape, group).items()}
        apart_ones = {leader[i] for i in self._apart(shape)}
        for i, first in enumerate(leader):
            if first not in values:
                apart = first in apart_ones
                values[first] = self._value(shape, shape.pools[i], wanted.get(first, ()), apart)
        fixed: list[dict[int, Constant]] = [{} for _ in shape.tables]
        for i, (slot, column) in enumerate(shape.places):
            fixed[slot][column] = group.values[i] = values[leader[i]]
        group.begun = True
        for slot in shape.order:
            self._add(shape.tables[slot], fixed[slot], 0)

    def _apart(self, shape: Shape) -> frozenset[int]:
        """The places that get values which no other row has, unless they are fixed otherwise."""
        if not self._plan.unlike:
            return frozenset()
        return shape.groups | shape.keys if self._fresh_keys else shape.groups

    def _shared(self, shape: Shape, group: _Group) -> dict[int, Constant]:
        """Values copied from the rows before: those of their group, or of one random column, so
        that one row joins with several."""
        if group.begun:
            return {i: value for i, value in group.values.items() if i in shape.groups}
        if group.values and not self._plan.unlike and self._random.random() < _SHARED:
            place = self._random.randrange(len(shape.places))
            return {place: group.values[place]}
        return {}

    def _to_break(self, shape: Shape) -> int:
        """The index of the condition that must not hold (atoms first, then links), or -1 for
        none."""
        things = len(shape.atoms) + len(shape.links)
        if not things or self._plan.aimed:
            return -1
        if not self._plan.missed and self._random.random() < 0.5:
            return -1
        return self._random.randrange(things)

    def _linked(self, shape: Shape, broken: int) -> list[int]:
        """For each place, the first of the places that must have an equal value."""
        leader = list(range(len(shape.places)))
        for number, (left, right, hard) in enumerate(shape.links, start=len(shape.atoms)):
            if number == broken or not (hard or self._random.random() < 0.5):
                continue
            a, b = leader[left], leader[right]
            if a != b:
                low, high = min(a, b), max(a, b)
                leader = [low if first == high else first for first in leader]
        return leader

    def _value(
        self, shape: Shape, pool: ValuePool, wanted: Sequence[Wanted], apart: bool
    ) -> Constant:
        if wanted:
            plan = self._plan
            found = self._material.candidates(
                shape, pool, tuple(wanted), edges=plan.edges, traps=plan.traps
            )
            if found:
                # The first ones are constants of the queries and are preferred.
                many = len(found) if self._random.random() < 0.4 else min(3, len(found))
                return found[int(self._random.random() * many)]
        if self._edges is not None:
            return self._edges.value(pool)
        if self._plan.wide or apart:
            # Cyclic, so that no value repeats before all were used.
            turn = self._turns.get(id(pool))
            if turn is None:
                turn = self._random.randrange(len(pool.wide))
            self._turns[id(pool)] = turn + 1
            return pool.wide[turn * _STEP % len(pool.wide)]
        return pool.narrow[int(self._random.random() * self._width(pool))]

    def _width(self, pool: ValuePool) -> int:
        """How many of the narrow values are used; with fewer, equal values are more frequent."""
        return len(pool.narrow) if pool.has_constants else min(self._few, len(pool.narrow))

    # ------------------------------------------------------------ rows

    def _add(self, table: str, fixed: dict[int, Constant], depth: int) -> None:
        store = self._stores[table]
        if self._left <= 0:
            return
        self._left -= 1
        row = self._filled(store.relation, fixed)
        if store.relation.references and self._random.random() >= self._orphans:
            self._point_to_rows(store.relation, row, fixed, depth)
        for _ in range(_TRIES):
            clash = store.clash(row)
            if clash is None:
                store.add(row)
                return
            loose = [i for i in clash if i not in fixed]
            if not loose:
                return  # the row that already has this key is used instead
            for i in loose:
                row[i] = self._fresh(store.relation.cells[i], len(store.rows))

    def _filled(self, relation: GeneratedTable, fixed: dict[int, Constant]) -> list[Constant]:
        row = relation.plain[:]
        random, wide = self._random.random, self._plan.wide
        for i, cell in relation.used:
            if i not in fixed:
                if self._nulls and cell.nullable and random() < _chance_of_null(cell, _NULLS):
                    row[i] = None
                elif self._edges is not None:
                    row[i] = self._edges.value(cell)
                elif wide:
                    row[i] = cell.wide[int(random() * len(cell.wide))]
                else:
                    row[i] = cell.narrow[
                        int(random() * min(self._width(cell.pool), len(cell.narrow)))
                    ]
        for i, value in fixed.items():
            cell = relation.cells[i]
            chance = _chance_of_null(cell, _NULLS_IN_PATTERNS)
            if self._nulls and cell.nullable and random() < chance:
                row[i] = None
            else:
                row[i] = stored(value, cell.affinity)
        return row

    def _fresh(self, cell: Cell, rows: int) -> Constant:
        """A value for a key that is probably not used yet."""
        if rows > len(cell.wide) // 2:
            return stored(self._random.randrange(1000, 10_000), cell.affinity)
        return cell.wide[int(self._random.random() * len(cell.wide))]

    def _point_to_rows(
        self, relation: GeneratedTable, row: list[Constant], fixed: dict[int, Constant], depth: int
    ) -> None:
        """Makes each foreign key refer to an existing row, or adds the row that it refers to."""
        for reference in relation.references:
            key = tuple([row[i] for i in reference.columns])
            target = self._stores[reference.target]
            if None in key or target.has(reference.target_columns, key):
                continue
            rows = target.rows
            if self._nulls:  # in SQLite a key may be NULL; no foreign key can refer to that row
                rows = [r for r in rows if all(r[i] is not None for i in reference.target_columns)]
            free = not any(i in fixed for i in reference.columns)
            if rows and free and self._random.random() < 0.7:
                chosen = rows[self._random.randrange(len(rows))]
                for ours, theirs in zip(reference.columns, reference.target_columns, strict=True):
                    row[ours] = stored(chosen[theirs], relation.cells[ours].affinity)
            elif depth < _DEEPEST:
                wanted = dict(zip(reference.target_columns, key, strict=True))
                self._add(reference.target, wanted, depth + 1)


def _chance_of_null(cell: Cell, plain: float) -> float:
    """The chance of a NULL; higher in a key in which NULL may repeat, so that several rows have
    it."""
    return _NULLS_IN_KEYS if cell.loose_key else plain


@dataclass(slots=True)
class _Group:
    """How many rows a group still needs, and the values of its last rows by place."""

    number: int
    left: int
    values: dict[int, Constant]
    begun: bool = False


class _Store:
    """The rows of one table, indexed by its keys."""

    __slots__ = ("_keys", "_seen", "_sought", "_whole", "relation", "rows")

    def __init__(self, relation: GeneratedTable, keys_hold: bool) -> None:
        self.relation = relation
        self.rows: list[list[Constant]] = []
        # Without a key, rows are still distinct: the whole row is used as the key.
        whole = tuple(range(len(relation.cells)))
        # The same if NULL may repeat in every key.
        loose = not relation.keys or all(
            any(relation.cells[i].nullable for i in key) for key in relation.keys
        )
        self._keys = [*relation.keys, *loose * [whole]] if keys_hold else []
        self._whole = whole
        self._seen: list[set[tuple[Constant, ...]]] = [set() for _ in self._keys]
        self._sought: dict[tuple[int, ...], set[tuple[Constant, ...]]] = {}

    def clash(self, row: list[Constant]) -> tuple[int, ...] | None:
        """The first key that an existing row already has, as column indexes; None if there is
        none."""
        for key, seen in zip(self._keys, self._seen, strict=True):
            if tuple([row[i] for i in key]) in seen:
                return key
        return None

    def add(self, row: list[Constant]) -> None:
        """Appends a row; :meth:`clash` must have found its keys new."""
        self.rows.append(row)
        for key, seen in zip(self._keys, self._seen, strict=True):
            found = tuple([row[i] for i in key])
            if key == self._whole or None not in found:
                seen.add(found)
        for columns, values in self._sought.items():
            values.add(tuple([row[i] for i in columns]))

    def has(self, columns: tuple[int, ...], values: tuple[Constant, ...]) -> bool:
        """True if a row has these values; the index is built at the first call."""
        found = self._sought.get(columns)
        if found is None:
            found = {tuple([row[i] for i in columns]) for row in self.rows}
            self._sought[columns] = found
        kinds = [self.relation.cells[i].affinity for i in columns]
        return tuple([stored(v, a) for v, a in zip(values, kinds, strict=True)]) in found


def _drop_orphans(material: Material, rows: Rows) -> None:
    """Removes rows with dangling foreign keys, until none is left."""
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
    """The indexes of a table's rows whose foreign key refers to no row; NULL refers to nothing."""
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


# ------------------------------------------------------------
# Which profiles the rows belong to.


def broken_rules(material: Material, rows: Rows) -> frozenset[DataProfile]:
    """The profiles whose rules these rows break; empty for clean rows.

    A row set belongs to a profile iff it uses no other licence.
    """
    used = set()
    for name, relation in material.relations.items():
        own = rows[name]
        if any(None in row for row in own):
            used.add(DataProfile.NULLS)
        if relation.keys and any(_repeated(own, key) for key in relation.keys):
            used.add(DataProfile.KEYS_VIOLATED)
        elif len(set(own)) < len(own):
            used.add(DataProfile.DUPLICATES)
        if any(orphans(material, rows, name, reference) for reference in relation.references):
            used.add(DataProfile.FOREIGN_KEYS_VIOLATED)
        if not all(
            cell.nullable or value is not None
            for row in own
            for cell, value in zip(relation.cells, row, strict=True)
        ):
            used.add(DataProfile.KEYS_VIOLATED)
    return frozenset(used)


def _repeated(rows: list[Row], key: tuple[int, ...]) -> bool:
    found = Counter(tuple([row[i] for i in key]) for row in rows)
    return any(n > 1 for values, n in found.items() if None not in values)
