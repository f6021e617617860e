"""A database cut down to what still shows the difference, and written as a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sqljury.databases.generated.columns import stored
from sqljury.databases.generated.material import Cell, GeneratedTable, Material
from sqljury.databases.generated.plans import DataProfile
from sqljury.databases.generated.rows import Row, Rows
from sqljury.databases.generated.scratch import create_table, quoted
from sqljury.databases.generated.validity import broken_rules
from sqljury.databases.generated.values import NARROW
from sqljury.value_profile import Constant

_MOST_TRIES = 400


def minimise(material: Material, rows: Rows, still: Callable[[Rows], bool]) -> Rows:
    """Fewer rows, then simpler values, as long as ``still`` says that the difference is there.

    What the rows promised (keys, foreign keys, no NULL, no equal rows) they go on promising.

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
    """Delta debugging over the rows of all tables: blocks of falling size are left out."""
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
    """Two rows at once: one that points to another cannot go alone, nor the other."""
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
                    candidate = _replaced(rows, name, number, place, value)
                    if keeps(candidate):
                        rows = candidate
                        break
    return rows


def _simpler(cell: Cell, value: Constant) -> Iterator[Constant]:
    """Values that are simpler than this one, the simplest first."""
    for other in NARROW[cell.pool.kind][:3]:
        simple = stored(other, cell.affinity)
        if simple == value and type(simple) is type(value):
            return
        yield simple


def _replaced(rows: Rows, name: str, number: int, place: int, value: Constant) -> Rows:
    own = list(rows[name])
    row = own[number]
    own[number] = (*row[:place], value, *row[place + 1 :])
    return {**rows, name: own}


# ---------------------------------------------------------------- as a script


def script(material: Material, rows: Rows, *, keys: bool = True) -> str:
    """CREATE TABLE and INSERT statements that make the database anew in SQLite.

    Keys are declared where the rows keep them, so that the script shows what it assumes; none
    are without ``keys``.
    """
    violated = frozenset((DataProfile.KEYS_VIOLATED, DataProfile.FOREIGN_KEYS_VIOLATED))
    licence = broken_rules(material, rows) if keys else violated
    lines = [
        f"{statement};"
        for relation in material.relations.values()
        for statement in _made(relation, licence, material.native and keys)
    ]
    for name, relation in material.relations.items():
        lines += [_insert(relation, row) for row in rows[name]]
    return "\n".join(lines)


def _made(
    relation: GeneratedTable, licence: frozenset[DataProfile], as_declared: bool
) -> Iterable[str]:
    """The statements that make a table: its own, if they demand more than keys."""
    if as_declared and relation.table.declaration:
        return relation.table.declaration
    return [create_table(relation.table, keys=list(_constraints(relation, licence)))]


def _insert(relation: GeneratedTable, row: Row) -> str:
    columns = relation.table.columns
    stored = [i for i, column in enumerate(columns) if not column.generated]
    names = ", ".join(quoted(columns[i].name) for i in stored)
    given = f" ({names})" if len(stored) < len(columns) else ""
    values = ", ".join(_literal(row[i]) for i in stored)
    return f"INSERT INTO {quoted(relation.table.name)}{given} VALUES ({values});"


def _constraints(relation: GeneratedTable, licence: frozenset[DataProfile]) -> Iterator[str]:
    def names(columns: tuple[int, ...]) -> str:
        return ", ".join(quoted(relation.cells[i].name) for i in columns)

    if DataProfile.KEYS_VIOLATED not in licence:
        for number, key in enumerate(relation.keys):
            word = "PRIMARY KEY" if number == 0 and relation.table.primary_key else "UNIQUE"
            yield f"{word} ({names(key)})"
    if DataProfile.FOREIGN_KEYS_VIOLATED not in licence:
        for reference in relation.references:
            names_there = ", ".join(map(quoted, reference.target_names))
            yield (
                f"FOREIGN KEY ({names(reference.columns)}) "
                f"REFERENCES {quoted(reference.target)} ({names_there})"
            )


def _literal(value: Constant) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)
