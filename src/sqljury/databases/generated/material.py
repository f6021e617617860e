"""Value pools, keys and patterns of one profile, computed once for all of its databases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial

from sqljury.databases.generated.admission import Admission, folded
from sqljury.databases.generated.edges import Holds, Traps, edge_values, holds_of
from sqljury.databases.generated.values import (
    NARROW,
    WIDE,
    Affinity,
    ValueKind,
    affinity_of,
    kind_of,
    pool_of,
    satisfies,
    stored,
)
from sqljury.schema import Schema, Table
from sqljury.value_profile import (
    Atom,
    ColumnName,
    Constant,
    Pattern,
    Place,
    ValueProfile,
)

HOLDS_FOREIGN_KEYS = ("postgres", "mysql", "duckdb", "tsql", "oracle")
"""Dialects whose engines refuse a row with a dangling foreign key."""
Wanted = tuple[int, bool]
"""The index of an atom of a pattern, and True if it has to hold."""


class ValuePool:
    """The values of a group of columns that are compared with each other.

    Args:
        hot: constants in the queries.
        near: values close to them.
        holds: the classes of values that all of the columns may hold; empty if not known.
    """

    def __init__(
        self,
        kind: ValueKind,
        hot: list[Constant],
        near: list[Constant],
        holds: frozenset[Holds] = frozenset(),
    ) -> None:
        self.kind = kind
        self.holds = holds
        self._hot = hot
        self._constants = [*hot, *near]
        self._twice = [*hot, *hot, *near]
        self.candidates = [*hot, *near, *NARROW[kind], *WIDE[kind][4:40:5]]
        # Each constant is used with its neighbours, and both with unrelated values.
        self._few = 2 if self._constants else len(NARROW[kind])
        self.narrow = [*self._twice, *NARROW[kind][: self._few]]
        self.wide = [*self._constants, *WIDE[kind]]
        self._stored: dict[Affinity, tuple[list[Constant], list[Constant]]] = {}

    @property
    def constants(self) -> list[Constant]:
        """The constants that the queries compare the columns with, and values close to them."""
        return self._constants

    @cached_property
    def is_whole(self) -> bool:
        """True if all values are whole numbers."""
        return self.kind is ValueKind.INT and all(isinstance(c, int) for c in self._constants)

    def edges(self, traps: Traps | None = None) -> list[Constant]:
        """Edge-case values that all of the columns may hold; the narrow values if there are
        none."""
        return self.edges_of(self.holds, traps)

    def edges_of(self, holds: frozenset[Holds], traps: Traps | None = None) -> list[Constant]:
        """Edge-case values of these classes; ``narrow``, the usual values, if there are none."""
        return edge_values(self.kind, holds, self._hot, traps) or self.narrow

    @property
    def has_constants(self) -> bool:
        """True if a query compares one of the columns with a constant."""
        return bool(self._constants)

    def stored(self, affinity: Affinity) -> tuple[list[Constant], list[Constant]]:
        """The narrow and the wide values as a column of that affinity stores them."""
        if affinity not in self._stored:
            narrow, wide = _plain_values(self.kind, affinity)
            self._stored[affinity] = (
                [*[stored(value, affinity) for value in self._twice], *narrow[: self._few]],
                [*[stored(value, affinity) for value in self._constants], *wide],
            )
        return self._stored[affinity]


@cache
def _plain_values(
    kind: ValueKind, affinity: Affinity
) -> tuple[tuple[Constant, ...], tuple[Constant, ...]]:
    narrow, wide = (
        tuple(stored(value, affinity) for value in values) for values in (NARROW[kind], WIDE[kind])
    )
    return narrow, wide


@dataclass(slots=True)
class Cell:
    """A column of a generated table; its values are as SQLite would store them."""

    name: str
    affinity: Affinity
    nullable: bool
    pool: ValuePool
    used: bool
    takes: Callable[[list[Constant]], list[Constant]] | None = None
    """Filters values to those that the column's declaration accepts; None if it accepts all."""
    loose_key: bool = False
    """True if the column alone is a key in which NULL may occur several times."""
    holds: frozenset[Holds] = frozenset()
    """The classes of values that its type allows."""

    def __post_init__(self) -> None:
        self.narrow, self.wide = self.pool.stored(self.affinity)
        self.plain = stored(NARROW[self.pool.kind][0], self.affinity)
        if self.takes is not None:
            self.narrow, self.wide = self.takes(self.narrow), self.takes(self.wide)
            self.plain = self.takes([self.plain, *self.narrow, *self.wide])[0]

    narrow: list[Constant] = field(init=False)
    wide: list[Constant] = field(init=False)
    plain: Constant = field(init=False)
    """The value used if no query reads the column."""

    def edges(self, traps: Traps | None = None) -> list[Constant]:
        """The edge-case values that the column accepts, as it stores them."""
        values = [stored(value, self.affinity) for value in self.pool.edges_of(self.holds, traps)]
        return values if self.takes is None else self.takes(values)


@dataclass(slots=True)
class Reference:
    """A foreign key between two generated tables, by column indexes."""

    columns: tuple[int, ...]
    target: str
    target_columns: tuple[int, ...]
    target_names: tuple[str, ...]


@dataclass(slots=True)
class GeneratedTable:
    """A table for which rows are generated."""

    table: Table
    cells: list[Cell]
    keys: list[tuple[int, ...]]
    references: list[Reference]
    index: dict[str, int]

    def __post_init__(self) -> None:
        self.used = [(i, cell) for i, cell in enumerate(self.cells) if cell.used]
        self.plain = [cell.plain for cell in self.cells]

    used: list[tuple[int, Cell]] = field(init=False)
    plain: list[Constant] = field(init=False)


@dataclass(slots=True)
class Shape:
    """A pattern whose places are numbered: each is a slot and a column index."""

    tables: tuple[str, ...]
    order: list[int]
    """The slots; one that another slot's foreign key refers to comes before that slot."""
    places: list[tuple[int, int]]
    pools: list[ValuePool]
    links: list[tuple[int, int, bool]]
    atoms: list[tuple[int, Atom]]
    groups: frozenset[int]
    keys: frozenset[int]
    """The places whose column alone is a key."""


class Material:
    """Pools, keys and patterns of the tables that a profile uses.

    Args:
        profile: merged from both queries (see :func:`sqljury.sql.merged_profiles`).
        schema: only tables of the profile are used, and foreign keys between them; if the dialect's
            engine enforces foreign keys, the tables they refer to are added.
    """

    def __init__(self, profile: ValueProfile, schema: Schema) -> None:
        self.profile = profile
        named = set(profile.tables)
        if schema.dialect in HOLDS_FOREIGN_KEYS:
            named |= _referred(schema, named)
        used = [table for table in schema.tables if table.name in named]
        self.dialect = schema.dialect
        self.native = schema.dialect == "sqlite"
        """True if the tables are declared in SQLite's dialect."""
        self.admission = Admission(used, schema.dialect)
        self.declared = {table.name: table for table in used}
        self.tables = [folded(table, schema.dialect) for table in used]
        pools = _pools(profile, self.tables, self.admission, schema.dialect)
        self.relations = {
            table.name: _relation(table, profile, pools, schema.dialect, self.admission)
            for table in self.tables
        }
        for relation in self.relations.values():
            for place, cell in enumerate(relation.cells):
                if cell.pool.is_whole:
                    self.admission.trust(relation.table.name, place)
            relation.references = list(_references(relation, self.relations))
        self._ranks = _ranks(self.relations)
        self.loading = sorted(self.relations, key=lambda name: self._ranks[name])
        """The tables in an order in which an engine accepts their rows: referenced tables first."""
        self.shapes = [self._shape(pattern, pools) for pattern in profile.patterns]
        self.shapes = [shape for shape in self.shapes if shape.tables]
        self._found: dict[
            tuple[int, int, tuple[Wanted, ...], bool, Traps | None], list[Constant]
        ] = {}

    def candidates(
        self,
        shape: Shape,
        pool: ValuePool,
        wanted: tuple[Wanted, ...],
        *,
        edges: bool = False,
        traps: Traps | None = None,
    ) -> list[Constant]:
        """The values of a pool for which each wanted atom holds or fails, as given."""
        key = (id(pool), id(shape), wanted, edges, traps)
        found = self._found.get(key)
        if found is None:
            atoms = [(shape.atoms[i][1], holds) for i, holds in wanted]
            found = [
                value
                for value in (pool.edges(traps) if edges else pool.candidates)
                if all(satisfies(value, a.operator, a.values) is holds for a, holds in atoms)
            ]
            self._found[key] = found
        return found

    def spelled_numbers(self) -> list[Table] | None:
        """The tables with type NUMERIC for the text columns whose values are numbers; None if there
        are none."""
        tables = []
        changed = False
        for relation in self.relations.values():
            columns = []
            for column, cell in zip(relation.table.columns, relation.cells, strict=True):
                spelled = cell.used and cell.affinity in (Affinity.TEXT, Affinity.NONE)
                if spelled and cell.pool.kind in (ValueKind.INT, ValueKind.REAL):
                    column, changed = replace(column, type="NUMERIC"), True
                columns.append(column)
            tables.append(replace(relation.table, columns=tuple(columns)))
        return tables if changed else None

    def _shape(self, pattern: Pattern, pools: dict[ColumnName, ValuePool]) -> Shape:
        places: dict[Place, int] = {}

        def number(place: Place) -> int:
            return places.setdefault(place, len(places))

        atoms = [(number(atom.place), atom) for atom in pattern.atoms if atom.operator != "hint"]
        links = [(number(link.left), number(link.right), link.hard) for link in pattern.links]
        groups = frozenset(number(place) for place in pattern.groups)
        names = [(pattern.tables[place.slot], place.column) for place in places]
        spots = [
            (place.slot, self.relations[table].index[column.casefold()])
            for place, (table, column) in zip(places, names, strict=True)
        ]
        return Shape(
            pattern.tables,
            sorted(range(len(pattern.tables)), key=lambda i: self._ranks[pattern.tables[i]]),
            spots,
            [pools[name] for name in names],
            links,
            atoms,
            groups,
            frozenset(
                i
                for i, (slot, column) in enumerate(spots)
                if (column,) in self.relations[pattern.tables[slot]].keys
            ),
        )


def _referred(schema: Schema, names: Collection[str]) -> set[str]:
    """The tables that foreign keys of the named ones refer to, directly or through others."""
    found: set[str] = set()
    ahead = list(names)
    while ahead:
        table = schema.table(ahead.pop())
        for key in table.foreign_keys if table is not None else ():
            target = schema.table(key.target_table)
            if target is not None and target.name not in found:
                found.add(target.name)
                ahead.append(target.name)
    return found


def _relation(
    table: Table,
    profile: ValueProfile,
    pools: dict[ColumnName, ValuePool],
    dialect: str,
    admission: Admission,
) -> GeneratedTable:
    strict = dialect != "sqlite"
    special = bool(table.declaration) or strict
    keyed = set(table.primary_key) if strict or not table.nullable_key else set[str]()
    # The expression of a generated column is not known: it may use any other column.
    computing = any(c.generated and (table.name, c.name) in profile.columns for c in table.columns)
    cells = [
        Cell(
            name=column.name,
            affinity=affinity_of(column.type),
            nullable=column.nullable and column.name not in keyed,
            pool=pools[table.name, column.name],
            used=computing or (table.name, column.name) in profile.columns,
            takes=partial(admission.takes, table, place) if special else None,
            loose_key=(column.name,) in (table.primary_key, *table.unique),
            holds=holds_of(column.type, pools[table.name, column.name].kind, dialect),
        )
        for place, column in enumerate(table.columns)
    ]
    index = {cell.name.casefold(): i for i, cell in enumerate(cells)}
    named = [key for key in (table.primary_key, *table.unique) if key]
    keys = [tuple(index[name.casefold()] for name in key) for key in dict.fromkeys(named)]
    return GeneratedTable(table, cells, keys, [], index)


def _references(
    relation: GeneratedTable, relations: dict[str, GeneratedTable]
) -> Iterator[Reference]:
    by_name = {name.casefold(): found for name, found in relations.items()}
    for key in relation.table.foreign_keys:
        target = by_name.get(key.target_table.casefold())
        if target is None or len(key.columns) != len(key.target_columns):
            continue
        ours = [relation.index.get(name.casefold()) for name in key.columns]
        theirs = [target.index.get(name.casefold()) for name in key.target_columns]
        if None not in ours and None not in theirs and (target is not relation or ours != theirs):
            yield Reference(tuple(ours), target.table.name, tuple(theirs), key.target_columns)  # type: ignore[arg-type]


def _ranks(relations: dict[str, GeneratedTable]) -> dict[str, int]:
    """The rank of each table: referenced tables first, as far as cycles of foreign keys allow."""
    ranks: dict[str, int] = {}

    def visit(name: str, above: frozenset[str]) -> int:
        if name not in ranks and name not in above:
            targets = (reference.target for reference in relations[name].references)
            ranks[name] = 1 + max((visit(t, above | {name}) for t in targets), default=0)
        return ranks.get(name, 0)

    for name in relations:
        visit(name, frozenset())
    return ranks


# ---------------------------------------------------------------- pools


def _pools(
    profile: ValueProfile, tables: list[Table], admission: Admission, dialect: str
) -> dict[ColumnName, ValuePool]:
    """One pool for all columns that are linked by conditions or foreign keys."""
    columns = {(t.name, c.name): c.type for t in tables for c in t.columns}
    collations = {(t.name, c.name): c.collation for t in tables for c in t.columns if c.collation}
    declared = {
        (t.name, c.name): found
        for t in tables
        for i, c in enumerate(t.columns)
        if (found := admission.constants(t, i))
    }
    leader = {name: name for name in columns}

    def find(name: ColumnName) -> ColumnName:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    for left, right in (*profile.pools, *_key_pairs(tables)):
        if left in leader and right in leader:
            leader[find(left)] = find(right)
    members: dict[ColumnName, list[ColumnName]] = {}
    for name in columns:
        members.setdefault(find(name), []).append(name)
    made = {
        first: _pool(
            names,
            columns,
            profile,
            [value for name in names for value in declared.get(name, ())],
            {collations[name] for name in names if name in collations},
            dialect,
        )
        for first, names in members.items()
    }
    return {name: made[find(name)] for name in columns}


def _key_pairs(tables: Iterable[Table]) -> Iterator[tuple[ColumnName, ColumnName]]:
    by_name = {table.name.casefold(): table for table in tables}
    for table in tables:
        for key in table.foreign_keys:
            target = by_name.get(key.target_table.casefold())
            if target is None:
                continue
            for ours, theirs in zip(key.columns, key.target_columns, strict=False):
                left, right = table.column(ours), target.column(theirs)
                if left is not None and right is not None:
                    yield (table.name, left.name), (target.name, right.name)


_PREFERENCE = (ValueKind.DATE, ValueKind.INT, ValueKind.REAL, ValueKind.BOOL, ValueKind.TEXT)


def _pool(
    names: list[ColumnName],
    columns: dict[ColumnName, str],
    profile: ValueProfile,
    declared: list[Constant],
    collations: set[str],
    dialect: str,
) -> ValuePool:
    uses = [profile.columns[name] for name in names if name in profile.columns]
    kinds = {kind_of(columns[name], profile.columns.get(name)) for name in names}
    # If numbers and texts are compared, use texts that spell numbers.
    kind = next(kind for kind in _PREFERENCE if kind in kinds)
    hot, near = pool_of(kind, uses)
    near += [value for value in declared if value not in hot and value not in near]
    if collations and kind is ValueKind.TEXT:
        # Other spellings that the collation treats as equal.
        alike: list[Constant] = []
        for text in (*hot, *NARROW[kind][:2]):
            if isinstance(text, str):
                alike += [text, f"{text} "] if "RTRIM" in collations else [text]
                alike.append(text.swapcase())
        near += dict.fromkeys(alike)
    holds = frozenset.intersection(*(holds_of(columns[name], kind, dialect) for name in names))
    return ValuePool(kind, hot, near, holds)
