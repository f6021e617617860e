"""Reduces a database to the rows that still show a difference, and writes it as a script."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from sqljury.databases.generated.admission import is_written_as_text
from sqljury.databases.generated.material import Cell, GeneratedTable, Material, Reference
from sqljury.databases.generated.plans import DataProfile
from sqljury.databases.generated.rows import Row, Rows, broken_rules
from sqljury.databases.generated.scratch import Named, create_table, quoted
from sqljury.databases.generated.values import NARROW, stored
from sqljury.schema import Column
from sqljury.value_profile import Constant

_MOST_TRIES = 400


def minimise(material: Material, rows: Rows, still: Callable[[Rows], bool]) -> Rows:
    """Returns fewer rows, then simpler values, for which ``still`` is True.

    Rules that the rows kept (keys, foreign keys, no NULL, no equal rows) stay kept.

    Source: Zeller and Hildebrandt (2002), "Simplifying and isolating failure-inducing input".
    """
    licence = broken_rules(material, rows)
    tries = _MOST_TRIES

    def keeps(candidate: Rows) -> bool:
        nonlocal tries
        tries -= 1
        return (
            tries >= 0
            and broken_rules(material, candidate) <= licence
            and material.admission.admits(candidate)
            and still(candidate)
        )

    return _simpler_values(material, _fewer_rows(rows, keeps), keeps)


def _fewer_rows(rows: Rows, keeps: Callable[[Rows], bool]) -> Rows:
    """Delta debugging over the rows of all tables: removes blocks of decreasing size."""
    block = max(1, sum(map(len, rows.values())) // 2)
    while True:
        places = [(name, i) for name in rows for i in range(len(rows[name]))]
        smaller = None
        for start in range(0, len(places), block):
            candidate = _without(rows, set(places[start : start + block]))
            if keeps(candidate):
                smaller = candidate
                break
        if smaller is not None:
            rows = smaller
        elif block > 1:
            block //= 2
        else:
            return _without_pairs(rows, keeps)
        block = max(1, min(block, sum(map(len, rows.values()))))


def _without_pairs(rows: Rows, keeps: Callable[[Rows], bool]) -> Rows:
    """Removes two rows at once: of two rows linked by a foreign key neither can be removed
    alone."""
    places = [(name, i) for name in rows for i in range(len(rows[name]))]
    for a, first in enumerate(places if len(places) <= 12 else ()):
        for second in places[a + 1 :]:
            candidate = _without(rows, {first, second})
            if keeps(candidate):
                return _without_pairs(candidate, keeps)
    return rows


def _without(rows: Rows, gone: set[tuple[str, int]]) -> Rows:
    return {
        name: [row for i, row in enumerate(own) if (name, i) not in gone]
        for name, own in rows.items()
    }


def _simpler_values(material: Material, rows: Rows, keeps: Callable[[Rows], bool]) -> Rows:
    for name, relation in material.relations.items():
        for number in range(len(rows[name])):
            for place, cell in enumerate(relation.cells):
                for value in _simpler(cell, rows[name][number][place]):
                    own = list(rows[name])
                    row = own[number]
                    own[number] = (*row[:place], value, *row[place + 1 :])
                    candidate = {**rows, name: own}
                    if keeps(candidate):
                        rows = candidate
                        break
    return rows


def _simpler(cell: Cell, value: Constant) -> Iterator[Constant]:
    """Values simpler than this one, the simplest first."""
    for other in NARROW[cell.pool.kind][:3]:
        simple = stored(other, cell.affinity)
        if simple == value and type(simple) is type(value):
            return
        yield simple


# ---------------------------------------------------------------- as a script


def script(
    material: Material,
    rows: Rows,
    *,
    keys: bool = True,
    dialect: str = "sqlite",
    exact: Collection[str] = (),
) -> str:
    """CREATE TABLE and INSERT statements that create the database.

    Keys are declared where the rows keep them, so that the script shows what it assumes; none
    are without ``keys``.

    Args:
        dialect: SQLite's, or that of the schema.
        exact: names that the queries write between quotes; PostgreSQL folds the others.
    """

    def named(name: str) -> str:
        folds = dialect == "postgres" and name not in exact
        return quoted(name.lower() if folds else name, dialect)

    violated = frozenset((DataProfile.KEYS_VIOLATED, DataProfile.FOREIGN_KEYS_VIOLATED))
    licence = broken_rules(material, rows) if keys else violated
    as_declared = keys and dialect == material.dialect
    relations = [material.relations[name] for name in material.loading]
    lines = list(_enumerations(relations)) if dialect == "postgres" else []
    for relation in relations:
        if as_declared and relation.table.declaration:
            made: Iterable[str] = relation.table.declaration
        else:
            parts = list(_constraints(relation, licence, named))
            table = (
                relation.table if dialect == "sqlite" else material.declared[relation.table.name]
            )
            made = [create_table(table, keys=parts, dialect=dialect, named=named)]
        lines += [f"{statement};" for statement in made]
    for relation in relations:
        own = _parents_first(relation, rows[relation.table.name])
        lines += [_insert(relation, row, dialect, named) for row in own]
    return "\n".join(lines)


def _enumerations(relations: Iterable[GeneratedTable]) -> Iterator[str]:
    """The CREATE TYPE statements of PostgreSQL enumerations, which a script needs first."""
    columns = (column for relation in relations for column in relation.table.columns)
    for name, members in {c.type: c.members for c in columns if c.members}.items():
        labels = ", ".join(_literal(label, None, "postgres") for label in members)
        yield f"CREATE TYPE {name} AS ENUM ({labels});"


def _parents_first(relation: GeneratedTable, rows: list[Row]) -> list[Row]:
    """The rows ordered so that a row comes before others of the same table that refer to it."""
    own = [r for r in relation.references if r.target == relation.table.name]
    left, found = list(rows), list[Row]()
    while own and left:
        ready = [row for row in left if not any(_waits(row, left, r) for r in own)]
        if not ready:
            break
        found += ready
        left = [row for row in left if row not in ready]
    return [*found, *left]


def _waits(row: Row, others: list[Row], reference: Reference) -> bool:
    key = tuple(row[i] for i in reference.columns)
    return any(
        other is not row and key == tuple(other[i] for i in reference.target_columns)
        for other in others
    )


def _insert(relation: GeneratedTable, row: Row, dialect: str, named: Named) -> str:
    columns = relation.table.columns
    stored = [i for i, column in enumerate(columns) if not column.generated]
    names = ", ".join(named(columns[i].name) for i in stored)
    given = f" ({names})" if len(stored) < len(columns) else ""
    identity = dialect == "postgres" and any(column.identity for column in columns)
    forced = " OVERRIDING SYSTEM VALUE" if identity else ""
    values = ", ".join(_literal(row[i], columns[i], dialect) for i in stored)
    return f"INSERT INTO {named(relation.table.name)}{given}{forced} VALUES ({values});"


def _constraints(
    relation: GeneratedTable, licence: frozenset[DataProfile], named: Named
) -> Iterator[str]:
    def names(columns: tuple[int, ...]) -> str:
        return ", ".join(named(relation.cells[i].name) for i in columns)

    if DataProfile.KEYS_VIOLATED not in licence:
        for number, key in enumerate(relation.keys):
            word = "PRIMARY KEY" if number == 0 and relation.table.primary_key else "UNIQUE"
            yield f"{word} ({names(key)})"
    if DataProfile.FOREIGN_KEYS_VIOLATED not in licence:
        for reference in relation.references:
            names_there = ", ".join(named(name) for name in reference.target_names)
            yield (
                f"FOREIGN KEY ({names(reference.columns)}) "
                f"REFERENCES {named(reference.target)} ({names_there})"
            )


def _literal(value: Constant, column: Column | None, dialect: str) -> str:
    """A value as a SQL literal for its column."""
    if value is None:
        return "NULL"
    declared = "" if column is None or dialect in ("sqlite", "mysql", "tsql") else column.type
    if "BOOL" in declared.upper() and value in (0, 1):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str) or (column is not None and is_written_as_text(column, dialect)):
        text = str(value).replace("\\", "\\\\") if dialect == "mysql" else str(value)
        return "'" + text.replace("'", "''") + "'"
    return repr(value)
