"""Which generated rows a schema accepts, tested in SQLite or against the columns' types.

SQLite enforces its own declarations: CHECK, STRICT, generated columns, keys under a collation.
Declarations of other engines are translated to SQLite where possible; where not, it is not known
whether the engine would accept the rows.
"""

from __future__ import annotations

import math
import re
import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqljury.databases.ddl_tables import has_part_keys
from sqljury.databases.generated.scratch import create_table, quoted
from sqljury.databases.sqlite import connect_memory
from sqljury.schema import Column, Table

_ENUM = re.compile(r"'((?:[^']|'')*)'")


class Typed(NamedTuple):
    """The values that a column of a restricted type accepts.

    Args:
        values: some valid values, in the form in which the engine returns them.
        form: matches every valid value in full.
    """

    values: tuple[str | int, ...]
    form: re.Pattern[str]


_HEX = r"[0-9a-f]"
_TIMES = ("10:00:00", "10:00:01", "09:30:00", "23:59:59")
_CLOCK = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_FORMS: Final[tuple[tuple[str, tuple[str, ...], tuple[str | int, ...], str], ...]] = (
    # declared type, dialects that have it, values, their form
    (
        r"(UUID|UNIQUEIDENTIFIER)$",
        (),
        tuple(f"a0eebc99-9c0b-4ef8-bb6d-{n:012x}" for n in range(1, 9)),
        rf"{_HEX}{{8}}-({_HEX}{{4}}-){{3}}{_HEX}{{12}}",
    ),
    (r"INTERVAL\b", (), ("1 day", "2 days", "3 days", "10 days"), r"\d+ days?"),
    (r"INET$", (), ("10.0.0.1", "10.0.0.2", "10.0.0.3"), r"\d+\.\d+\.\d+\.\d+"),
    (r"CIDR$", (), ("10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"), r"10\.0\.\d\.0/24"),
    (
        r"MACADDR$",
        (),
        ("08:00:2b:01:02:03", "08:00:2b:01:02:04"),
        rf"{_HEX}{{2}}(:{_HEX}{{2}}){{5}}",
    ),
    (r"JSONB?$", (), ('{"a": 1}', '{"a": 2}', "[]"), r'\{"a": \d\}|\[\]'),
    (r"XML$", (), ("<a/>", "<b/>"), r"<\w/>"),
    (r"BYTEA$", (), ("\\x61", "\\x62", "\\x"), rf"\\x({_HEX}{{2}})*"),
    (r"(VAR)?BINARY\b|(TINY|MEDIUM|LONG)?BLOB\b", (), ("a", "b", "A"), "[A-Za-z]?"),
    (r"TSVECTOR$", (), ("'a'", "'b'"), r"'\w'"),
    (r"(TIME|TIMETZ)\b(?!STAMP)", (), _TIMES, _CLOCK),
    (r"YEAR\b", ("mysql",), (2001, 2002, 1999, 2014, 2020), r"19[1-9]\d|20\d\d"),
)


@lru_cache(maxsize=1024)
def typed(column: Column, dialect: str) -> Typed | None:
    """The valid values of a column whose type has a fixed format; None for other types, and in
    SQLite.

    >>> typed(Column(name="a", type="time(0)"), "postgres").values[:2]
    ('10:00:00', '10:00:01')
    """
    declared = column.type.strip().upper()
    if dialect == "sqlite":
        return None
    if column.members:
        return _members(column.members, dialect)
    if declared.startswith(("ENUM", "SET(", "SET (")):
        labels = _ENUM.findall(column.type)
        return _members(tuple(label.replace("''", "'") for label in labels), dialect)
    if declared.endswith("]") or declared.startswith("ARRAY"):
        empty = "[]" if dialect == "duckdb" else "{}"
        return Typed((empty,), re.compile(re.escape(empty)))
    if declared.startswith(("BIT", "VARBIT")):
        length = re.search(r"\((\d+)\)", declared)
        many = int(length[1]) if length else 1
        if dialect == "mysql":
            return Typed((1, 0), re.compile("[01]"))
        texts = ("1", "0") if many == 1 else (f"1{'0' * (many - 1)}", "1" * many)
        return Typed(texts, re.compile(f"[01]{{{many}}}"))
    for pattern, dialects, values, form in _FORMS:
        if re.match(pattern, declared) and (not dialects or dialect in dialects):
            return Typed(values, re.compile(form))
    return None


def _members(labels: tuple[str, ...], dialect: str) -> Typed:
    # MySQL and SQL Server compare texts without case.
    caseless = re.IGNORECASE if dialect in ("mysql", "tsql") else re.NOFLAG
    return Typed(labels, re.compile("|".join(map(re.escape, labels)), caseless))


def is_written_as_text(column: Column, dialect: str) -> bool:
    """True if a literal of this column is quoted, even if SQLite stored it as a number."""
    found = typed(column, dialect)
    return found is not None and isinstance(found.values[0], str)


# ------------------------------------------------------------
# Filter generated rows by what the schema declares.

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]
Allows = Callable[[Any], bool]

_CASELESS = ("mysql", "tsql")
_TEXTS = re.compile(r"CHAR|TEXT|CLOB|STRING|ENUM|SET", re.IGNORECASE)


class Admission:
    """Tests whether the tables of a schema accept rows."""

    def __init__(self, tables: Sequence[Table], dialect: str) -> None:
        self.doubt = ""
        """Why the test is incomplete: a declaration that could not be tried; empty if there is
        none."""
        self._dialect = dialect
        self._allowed = {table.name: _allowed(table, dialect) for table in tables}
        self._checks = {table.name: Checks(table, dialect) for table in tables if table.declaration}
        self._gates: dict[str, _Gate] = {}
        self._trusted: list[tuple[str, int]] = []
        for table in tables:
            statements = _statements(table, dialect)
            if table.unsure:
                self.doubt = f"of the rows of {table.name} not all is known: {table.unsure}"
            elif statements is None:
                self.doubt = f"what {table.name} declares could not be tried"
            elif statements:
                try:
                    self._gates[table.name] = _Gate(table, statements)
                except sqlite3.Error:
                    self.doubt = f"what {table.name} declares could not be tried"

    def trust(self, table: str, place: int) -> None:
        """Stops testing a column that only gets whole numbers, if that is the only test on it."""
        tests = self._allowed[table]
        self._allowed[table] = [t for t in tests if t != (place, _is_whole)]
        self._trusted += [(table, place)] * (len(tests) - len(self._allowed[table]))

    def admitted(self, rows: Rows, *, trusting: bool = True) -> Rows:
        """The rows that their tables accept, with generated columns filled in.

        Args:
            trusting: skip the test of columns passed to ``trust``; if false, test them too.
        """
        for table, place in () if trusting else self._trusted:
            rows = {**rows, table: [row for row in rows[table] if _is_whole(row[place])]}
        if not self._gates and not any(self._allowed.values()):
            return rows
        return {name: self._of_table(name, own) for name, own in rows.items()}

    def admits(self, rows: Rows) -> bool:
        """True if every row is accepted unchanged."""
        if not self._gates and not any(self._allowed.values()):
            return True
        return all(self._of_table(name, own) == own for name, own in rows.items())

    def _of_table(self, name: str, rows: list[Row]) -> list[Row]:
        tests = self._allowed.get(name)
        if tests:
            rows = [row for row in rows if all(allows(row[i]) for i, allows in tests)]
        gate = self._gates.get(name)
        return rows if gate is None else gate.admitted(rows)

    def takes(self, table: Table, place: int, values: Sequence[Any]) -> list[Any]:
        """The values that a column accepts. If it accepts none of them: NULL if only its type
        forbids them and it is nullable, else all values."""
        tests = [allows for i, allows in self._allowed[table.name] if i == place]
        found = [value for value in values if all(allows(value) for allows in tests)]
        checks = self._checks.get(table.name)
        if checks is not None:
            found = checks.passing(table.columns[place].name, found)
        if not found and tests and table.columns[place].nullable:
            return [None]  # no valid value of its type is known
        return found or list(values)

    def constants(self, table: Table, place: int) -> list[Any]:
        """The constants in a column's declaration: labels of an ENUM, bounds of a CHECK."""
        column = table.columns[place]
        checks = self._checks.get(table.name)
        named = [] if checks is None else checks.constants.get(column.name.casefold(), [])
        found = typed(column, self._dialect)
        return named if found is None else list(found.values)


class Checks:
    """The CHECK constraints of a table, tested one column at a time: the other columns are NULL,
    and a CHECK that is NULL passes."""

    def __init__(self, table: Table, dialect: str) -> None:
        self.constants: dict[str, list[Any]] = {}
        self._connection: sqlite3.Connection | None = None
        conditions = list(_conditions(table, dialect))
        for condition in conditions:
            self._note(condition)
        if conditions:
            parts = [f"CHECK ({condition.sql('sqlite')})" for condition in conditions]
            with suppress(sqlite3.Error):
                connection = connect_memory()
                connection.execute(create_table(table, keys=parts))
                self._connection = connection
        self._table = quoted(table.name)

    def _note(self, condition: Any) -> None:
        """Records the constants of a condition for each of its columns; for integers also both
        neighbours."""
        from sqlglot import exp

        found: list[Any] = []
        for literal in condition.find_all(exp.Literal):
            if literal.is_string:
                found.append(literal.this)
            elif literal.this.isdigit():
                found += [int(literal.this), int(literal.this) + 1, int(literal.this) - 1]
        for column in condition.find_all(exp.Column):
            self.constants.setdefault(column.name.casefold(), []).extend(found)

    def passing(self, column: str, values: Sequence[Any]) -> list[Any]:
        """The values that no CHECK on the column refuses."""
        if self._connection is None:
            return list(values)
        return [value for value in values if self._passes(column, value)]

    def _passes(self, column: str, value: Any) -> bool:
        assert self._connection is not None
        try:
            sql = f"INSERT INTO {self._table} ({quoted(column)}) VALUES (?)"
            self._connection.execute(sql, (value,))
        except (sqlite3.Error, OverflowError):
            return False
        return True


def _conditions(table: Table, dialect: str) -> Iterator[Any]:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    for statement in table.declaration[:1]:
        with suppress(SqlglotError):
            tree = sqlglot.parse_one(statement, read=dialect)
            yield from (check.this for check in tree.find_all(exp.CheckColumnConstraint))


class _Gate:
    """A table with all its declared constraints, alone in a database in memory."""

    def __init__(self, table: Table, statements: Sequence[str]) -> None:
        self._connection = connect_memory()
        for statement in statements:
            self._connection.execute(statement)
        name = quoted(table.name)
        places = [i for i, column in enumerate(table.columns) if not column.generated]
        names = ", ".join(quoted(table.columns[i].name) for i in places)
        marks = ", ".join("?" * len(places))
        self._places = places
        self._insert = f"INSERT INTO {name} ({names}) VALUES ({marks})"
        self._empty = f"DELETE FROM {name}"
        columns = ", ".join(quoted(column.name) for column in table.columns)
        self._rows = f"SELECT {columns} FROM {name}"
        self._last = f"{self._rows} WHERE rowid = last_insert_rowid()"
        self._key: list[int] = []
        try:
            self._connection.execute(self._last)
        except sqlite3.Error:  # a table without row ids
            names_of_key = [name.casefold() for name in table.primary_key]
            held = " AND ".join(f"{quoted(name)} = ?" for name in table.primary_key)
            self._last = f"{self._rows} WHERE {held}"
            self._key = [
                i
                for key in names_of_key
                for i, column in enumerate(table.columns)
                if column.name.casefold() == key
            ]

    def admitted(self, rows: list[Row]) -> list[Row]:
        """The rows that the table accepts, in their order, as they are stored."""
        self._connection.execute(self._empty)
        found: list[Row] = []
        for row in rows:
            with suppress(sqlite3.Error, OverflowError):
                self._connection.execute(self._insert, [row[i] for i in self._places])
                key = [row[i] for i in self._key]
                found.append(tuple(self._connection.execute(self._last, key).fetchone()))
        return found


def _statements(table: Table, dialect: str) -> list[str] | None:
    """The statements that make the table in SQLite with its constraints; empty if it has none that
    need a test, None if SQLite cannot express them."""
    if dialect == "sqlite":
        return list(table.declaration)
    if table.declaration:
        return _translated(table, dialect)
    if dialect in _CASELESS and any(_TEXTS.search(column.type) for column in table.columns):
        return [create_table(folded(table, dialect), keys=list(_keys(table)))]
    return []


def folded(table: Table, dialect: str) -> Table:
    """The table with SQLite's NOCASE on columns whose texts the dialect compares without case."""
    if dialect not in _CASELESS:
        return table
    return replace(table, columns=tuple(_folded(column) for column in table.columns))


def _folded(column: Column) -> Column:
    if not _TEXTS.search(column.type) or column.collation.lower().endswith("_bin"):
        return replace(column, collation="")
    return replace(column, collation="NOCASE")


def _keys(table: Table) -> Iterator[str]:
    for number, key in enumerate(k for k in (table.primary_key, *table.unique) if k):
        word = "PRIMARY KEY" if number == 0 and table.primary_key else "UNIQUE"
        yield f"{word} ({', '.join(map(quoted, key))})"


def _translated(table: Table, dialect: str) -> list[str] | None:
    """The declaration in SQLite's dialect; None if SQLite cannot express it."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    if len(table.declaration) != 1:
        return None
    try:
        tree = sqlglot.parse_one(table.declaration[0], read=dialect)
    except SqlglotError:
        return None
    if not isinstance(tree.this, exp.Schema) or has_part_keys(tree.this.expressions):
        return None
    checks = [check.this.sql("sqlite") for check in tree.find_all(exp.CheckColumnConstraint)]
    plain = replace(table, columns=tuple(c for c in table.columns if not c.generated))
    parts = [*_keys(folded(plain, dialect)), *(f"CHECK ({check})" for check in checks)]
    computed = list(_computed(tree))
    if tree.find(exp.ExcludeColumnConstraint) or len(computed) != sum(
        column.generated for column in table.columns
    ):
        return None
    made = create_table(folded(plain, dialect), keys=[*computed, *parts])
    return [made]


def _computed(tree: Any) -> Iterator[str]:
    from sqlglot import exp

    for definition in tree.find_all(exp.ColumnDef):
        for constraint in definition.constraints:
            kind = constraint.kind
            value = None
            if isinstance(kind, exp.ComputedColumnConstraint):
                value = kind.this
            elif isinstance(kind, exp.GeneratedAsIdentityColumnConstraint):
                value = kind.args.get("expression")
            if value is not None:
                yield f"{quoted(definition.name)} AS ({value.sql('sqlite')})"


# ---------------------------------------------------------------- values of a type


def _allowed(table: Table, dialect: str) -> list[tuple[int, Allows]]:
    """The columns that accept only some values: index, and a test of a value."""
    tests = list[tuple[int, Allows]]()
    for i, column in enumerate(table.columns):
        if dialect == "sqlite":
            # SQLite itself enforces the type of the row id only.
            row_id = table.primary_key == (column.name,) and not column.nullable
            if row_id and column.type.upper() == "INTEGER":
                tests.append((i, _is_whole))
        else:
            found = typed(column, dialect)
            test = _test(column.type.strip().upper(), dialect) if found is None else _formed(found)
            if test is not None:
                tests.append((i, test))
    return tests


def _is_whole(value: Any) -> bool:
    return value is None or isinstance(value, int)


_UNSIGNED = re.compile(
    r"UNSIGNED|\bU((TINY|SMALL|MEDIUM|BIG|HUGE)INT|INTEGER|INT\d*|DOUBLE|DECIMAL|FLOAT)\b"
)
_BYTES = {"TINY": 1, "SMALL": 2, "MEDIUM": 3, "BIG": 8, "INT2": 2, "INT8": 8, "HUGE": 16}
_LENGTH = re.compile(r"\((\d+)\)")
_DIGITS = re.compile(r"(?:DEC|NUMERIC|NUMBER)[A-Z ]*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")
_SINGLE = re.compile(r"REAL|FLOAT(?!8)")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}([ T][012]\d:[0-5]\d(:[0-5]\d(\.\d{1,6})?)?)?")


def _formed(found: Typed) -> Allows:
    return lambda value: value is None or found.form.fullmatch(str(value)) is not None


@lru_cache(maxsize=1024)
def _test(declared: str, dialect: str) -> Allows | None:
    """A test of the values that a strictly typed column accepts; None if it is not known."""
    if re.match(r"(STRUCT|MAP|UNION|OBJECT|VARIANT|ROW)\b", declared):
        return _is_null
    if "BOOL" in declared:
        declared = "TINYINT"
        if dialect != "mysql":
            return lambda value: value in (None, 0, 1)
    if re.search(r"INT(?!ERVAL|\d*(MULTI)?RANGE)(?<!POINT)|SERIAL", declared):
        low, high = _range(declared)
        return lambda value: value is None or (isinstance(value, int) and low <= value <= high)
    if any(word in declared for word in ("DEC", "NUMERIC", "REAL", "FLOAT", "DOUBLE", "MONEY")):
        least = 0 if _UNSIGNED.search(declared) else -math.inf
        fits = _fitting(declared)
        return lambda value: (
            value is None or (not isinstance(value, str) and value >= least and fits(value))
        )
    if (
        any(word in declared for word in ("CHAR", "BINARY"))
        and (length := _LENGTH.search(declared)) is not None
    ):
        most = int(length[1])
        return lambda value: value is None or len(str(value)) <= most
    if declared == "DATE":
        return lambda value: _is_day(value) and len(value or "") <= len("2000-01-01")
    if declared.startswith(("DATE", "TIMESTAMP", "SMALLDATETIME")):
        return _is_recent if dialect == "mysql" and declared.startswith("TIMESTAMP") else _is_day
    known = re.match(r"CHAR|TEXT|CLOB|CITEXT|NAME\b|STRING|(TINY|MEDIUM|LONG|N|VAR|B)", declared)
    return None if known or not declared else _is_null


def _fitting(declared: str) -> Allows:
    """A test whether a DECIMAL or FLOAT stores a number as it is, neither rounded nor refused."""
    digits = _DIGITS.match(declared)
    if digits is not None:
        scale = int(digits[2] or 0)
        most = 10 ** (int(digits[1]) - scale)
        return lambda value: abs(value) < most and round(value, scale) == value
    if _SINGLE.match(declared):
        return lambda value: struct.unpack("f", struct.pack("f", value))[0] == value
    return lambda _: True


def _range(declared: str) -> tuple[int, int]:
    size = next((n for word, n in _BYTES.items() if word in declared), 4)
    if _UNSIGNED.search(declared):
        return 0, 256**size - 1
    half = 256**size // 2
    return -half, half - 1


def _is_null(value: Any) -> bool:
    return value is None


def _is_recent(value: Any) -> bool:
    """True if the text is a day that MySQL's TIMESTAMP can store."""
    return value is None or (_is_day(value) and "1970-01-02" <= value[:10] <= "2038-01-18")


def _is_day(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return False
    with suppress(ValueError):
        date.fromisoformat(value[:10])
        return True
    return False
