"""Reads a schema script of any dialect into tables with columns and keys."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from sqljury.databases.ddl_alter import (
    Change,
    NotUnderstoodError,
    altered,
    position,
    read_change,
    read_index,
)
from sqljury.databases.ddl_tables import Draft, read_table
from sqljury.databases.sqlite_schema import TRIGGERS, read_schema
from sqljury.errors import InputError
from sqljury.schema import Column, Schema, Table

_OF_MYSQL = re.compile(
    r"[,(]\s*(FULLTEXT\s+|SPATIAL\s+)?(KEY|INDEX)\b[^,]*\(|\bENGINE\s*=", re.IGNORECASE
)
"""Matches what SQLite would read as a column named KEY."""
_ROWS_OF_DUMP = re.compile(
    r"^COPY\b[^;]*\bFROM stdin\b[^;]*;\n.*?^\\\.$", re.IGNORECASE | re.MULTILINE | re.DOTALL
)
"""Matches the data block of a COPY statement in a PostgreSQL dump, which is not SQL."""


def schema_from_ddl(text: str, *, where: str = "schema") -> Schema:
    """Returns the schema after all CREATE, ALTER and DROP statements of a script, run in order.

    SQLite itself runs the statements that it accepts, because this gives the types and keys that it
    would use; sqlglot reads the others in their dialect. Everything else (INSERT, GRANT, CREATE
    FUNCTION, …) is skipped.

    Raises:
        InputError: SJ207: no table is created, or a statement cannot be understood.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        script = _Script(connection, where)
        try:
            for statement in _statements(text, where):
                script.run(statement)
        except RecursionError:
            raise InputError("SJ207", "a statement is nested too deeply.", where=where) from None
        tables = script.tables()
    if not tables:
        raise InputError("SJ207", "no CREATE TABLE statement was found.", where=where)
    return Schema(dialect="sqlite", tables=_of_one_schema(tables))


def _of_one_schema(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """The tables without their schema (or MySQL database) in the name, if all are in the same
    one."""
    names = {table.name.rpartition(".")[0] for table in tables}
    if len(names) > 1 or "" in names:
        return tables
    return tuple(
        replace(
            table,
            name=_plain(table.name),
            namespace=table.name.rpartition(".")[0],
            foreign_keys=tuple(
                replace(key, target_table=_plain(key.target_table)) for key in table.foreign_keys
            ),
        )
        for table in tables
    )


def _plain(name: str) -> str:
    return name.rpartition(".")[2]


_ENUM = re.compile(r"\bAS\s+ENUM\s*\((.*)\)\s*$", re.IGNORECASE | re.DOTALL)
_LABEL = re.compile(r"'((?:[^']|'')*)'")
_OTHER_TYPE = re.compile(
    r"\bAS\s+(\w+(?:\s+(?:precision|varying))?(?:\s*\([\d, ]*\))?)", re.IGNORECASE
)
_CHECKED = re.compile(r"\b(CHECK|NOT\s+NULL)\b", re.IGNORECASE)


_ALTERED = re.compile(r"\s*ALTER\s+(?:TYPE|DOMAIN)\s+(?:[\w\"]+\.)?\"?(\w+)", re.IGNORECASE)


def _domain_checks(definition: str, column: str) -> Iterator[str]:
    """The CHECKs of a domain, as constraints on a column of it."""
    from sqlglot import TokenType, tokenize

    named = '"' + column.replace('"', '""') + '"'
    tokens = tokenize(definition, read="postgres")
    for start, token in enumerate(tokens):
        if token.text.upper() != "CHECK" or token.token_type is TokenType.STRING:
            continue
        depth, parts = 0, list[str]()
        for part in tokens[start + 1 :]:
            depth += (part.token_type is TokenType.L_PAREN) - (part.token_type is TokenType.R_PAREN)
            is_value = part.text.upper() == "VALUE" and part.token_type is not TokenType.STRING
            parts.append(named if is_value else definition[part.start : part.end + 1])
            if depth == 0:
                break
        yield f"ADD CHECK {' '.join(parts)}"


def _type_name(column: Column) -> str:
    return column.type.rpartition(".")[2].strip('"').lower()


def _spelled_out(column: Column, types: dict[str, str]) -> Column:
    """The column with the labels of its ENUM type, or with the type under its domain."""
    made = types.get(_type_name(column))
    if made is None:
        return column
    members = _ENUM.search(made)
    if members is not None:
        labels = tuple(text.replace("''", "'") for text in _LABEL.findall(members[1]))
        return replace(column, members=labels)
    base = _OTHER_TYPE.search(made)
    return column if base is None else replace(column, type=base[1])


class _Script:
    """The tables made so far: in SQLite, or as drafts if SQLite does not accept a statement."""

    def __init__(self, connection: sqlite3.Connection, where: str) -> None:
        self._connection = connection
        self._where = where
        self._drafts: dict[str, Draft] = {}
        self._history: dict[str, list[str]] = {}
        """The statements that SQLite ran, per table: a draft is rebuilt from them if one is
        needed."""
        self._unsure: dict[str, str] = {}
        self._parents: set[str] = set()
        self._types: dict[str, str] = {}
        """The definitions of types and domains, by name."""
        self._altered: set[str] = set()
        """The types and domains whose definition was changed later: their values are not known."""

    def tables(self) -> tuple[Table, ...]:
        drafted = {name: draft.table() for name, draft in self._drafts.items()}
        made = [t for t in read_schema(self._connection).tables if t.name.casefold() not in drafted]
        return tuple(self._finished(table) for table in (*drafted.values(), *made))

    def _finished(self, table: Table) -> Table:
        """The table with its types resolved, and with the reason why its rows are not fully
        known."""
        name = table.name.casefold()
        if name in self._unsure:
            table = replace(table, unsure=self._unsure[name])
        if name in self._parents:
            # A parent's rows include its children's, which the parent's key does not constrain.
            held = {column.casefold() for column in table.primary_key}
            table = replace(
                table,
                unsure="other tables inherit from it",
                columns=tuple(
                    replace(c, nullable=c.nullable and c.name.casefold() not in held)
                    for c in table.columns
                ),
                primary_key=(),
                unique=(),
                foreign_keys=(),
            )
        altered = [c.name for c in table.columns if _type_name(c) in self._altered]
        if altered:
            return replace(table, unsure=f"the type of {altered[0]} was altered")
        if not self._types:
            return table
        columns = tuple(_spelled_out(column, self._types) for column in table.columns)
        checked = [
            column.name
            for column, old in zip(columns, table.columns, strict=True)
            if column.type != old.type and _CHECKED.search(self._types[_type_name(old)])
        ]
        if not checked:
            return replace(table, columns=columns)
        made = [
            check
            for column in table.columns
            if column.name in checked
            for check in _domain_checks(self._types[_type_name(column)], column.name)
        ]
        return replace(
            table,
            columns=columns,
            declaration=(*table.declaration, *made),
            unsure=f"the domain of {checked[0]} forbids values",
        )

    def run(self, statement: str) -> None:
        if altered_type := _ALTERED.match(statement):
            self._altered.add(altered_type[1].lower())
            return
        change = read_change(statement)
        if change.kind == "trigger":
            self._unsure[change.table] = TRIGGERS
        elif change.kind == "type":
            self._types[change.name.rpartition(".")[2]] = statement
        elif change.kind == "create":
            self._create(change, statement)
        elif change.kind == "index":
            self._index(change, statement)
        elif change.kind == "drop index" and not change.table:
            self._drop_index(change, statement)
        else:
            self._change(change, statement)

    def _create(self, change: Change, statement: str) -> None:
        if change.if_needed and self._knows(change.table):
            return
        if not _OF_MYSQL.search(statement) and self._made(statement):
            self._drafts.pop(change.table, None)
            self._history[change.table] = [statement]
            return
        made = self._inherited(self._read(statement), statement)
        self._refuse_likeness(made.name, statement)
        self._forget(change.table)
        self._drafts[change.table] = made

    def _inherited(self, made: Draft, statement: str) -> Draft:
        """The draft with the columns of its parent tables put first."""
        if not made.parents:
            return made
        columns = {column.name.lower(): column for column in made.columns}
        declaration = list(made.declaration)
        for parent in reversed(made.parents):
            table = next((t for t in self.tables() if t.name.lower() == parent.lower()), None)
            if table is None:
                raise self._refused(statement, f"the script makes no table {parent!r}")
            self._parents.add(parent.lower())
            declaration += table.declaration
            own = {c.name.lower(): c for c in table.columns}
            held = {name.lower() for name in table.primary_key}
            kept = {n: replace(c, nullable=c.nullable and n not in held) for n, c in own.items()}
            columns = {**kept, **{n: c for n, c in columns.items() if n not in kept}}
        return replace(made, columns=tuple(columns.values()), declaration=tuple(declaration))

    def _refuse_likeness(self, name: str, statement: str) -> None:
        """Raises if another table's name differs in case only: the engine tells them apart, we
        cannot."""
        others = [table.name for table in self.tables()]
        if any(o != name and o.casefold() == name.casefold() for o in others):
            raise self._refused(statement, f"there is a {name} in letters of another case")

    def _index(self, change: Change, statement: str) -> None:
        if change.table not in self._drafts and self._made(statement):
            self._history.setdefault(change.table, []).append(statement)
            return
        draft = self._draft(change.table)
        if draft is not None:
            self._drafts[change.table] = read_index(draft, change, statement)

    def _drop_index(self, change: Change, statement: str) -> None:
        """DROP INDEX: in PostgreSQL and SQLite it does not name the table, so all drafts are
        searched."""
        holders = [n for n, d in self._drafts.items() if change.name in d.names]
        if not holders and self._made(statement):
            return
        for name in holders:
            self._drafts[name] = self._drafts[name].without(change.name)
        if not holders and not change.if_needed:
            raise self._refused(statement, "there is no such index")

    def _change(self, change: Change, statement: str) -> None:
        name = change.table
        if not self._knows(name):
            return  # a table that the script does not create, such as one of another schema
        if change.kind == "drop":
            self._forget(name)
            return
        if change.kind == "rename":
            self._renamed(name, change)
            return
        placed = any(position(action) is not None for action in change.actions)
        if name not in self._drafts and not placed and self._made(statement):
            self._history[name].append(statement)
            return
        draft = self._draft(name)
        assert draft is not None
        self._parents |= {a[-1].lower() for a in change.actions if a[0].upper() == "INHERIT"}
        try:
            new = altered(draft, change)
        except NotUnderstoodError as error:
            raise self._refused(statement, str(error)) from error
        del self._drafts[name]
        self._drafts[new.name.casefold()] = new

    def _renamed(self, name: str, change: Change) -> None:
        draft = self._draft(name)
        assert draft is not None
        del self._drafts[name]
        self._drafts[change.name.casefold()] = replace(draft, name=change.name)

    def _draft(self, name: str) -> Draft | None:
        """The draft of a table, rebuilt from its statements if SQLite made the table; None if
        unknown."""
        if name in self._drafts:
            return self._drafts[name]
        statements = self._history.pop(name, None)
        if statements is None:
            return None
        self._dropped(name)
        draft = self._read(statements[0])
        for statement in statements[1:]:
            change = read_change(statement)
            index = change.kind == "index"
            draft = read_index(draft, change, statement) if index else altered(draft, change)
        self._drafts[name] = draft
        return draft

    def _read(self, statement: str) -> Draft:
        draft = read_table(statement, mysql_first=_OF_MYSQL.search(statement) is not None)
        if draft is None:
            raise self._refused(statement, "neither SQLite nor sqlglot reads it")
        return draft

    def _knows(self, name: str) -> bool:
        return name in self._drafts or name in self._history

    def _forget(self, name: str) -> None:
        self._drafts.pop(name, None)
        if self._history.pop(name, None) is not None:
            self._dropped(name)

    def _dropped(self, name: str) -> None:
        quoted = name.replace('"', '""')
        for kind in ("TABLE", "VIEW"):
            self._made(f'DROP {kind} "{quoted}"')

    def _made(self, statement: str) -> bool:
        try:
            self._connection.execute(statement)
        except sqlite3.Error:
            return False
        return True

    def _refused(self, statement: str, why: str) -> InputError:
        start = " ".join(statement.split()[:6])
        return InputError("SJ207", f"the statement {start!r}…: {why}.", where=self._where)


def _statements(text: str, where: str) -> Iterator[str]:
    """The statements that define tables; all others are skipped."""
    from sqlglot import tokenize
    from sqlglot.errors import SqlglotError

    text = _ROWS_OF_DUMP.sub("", text)
    try:
        # The dialects' escapes (MySQL's backslashes, PostgreSQL's dollar quotes) matter only in
        # strings.
        tokens = tokenize(text, read="mysql" if "`" in text else "postgres")
    except SqlglotError as error:
        raise InputError("SJ207", f"{error}", where=where) from error
    words: list[str] = []
    start = end = 0
    for token in tokens:
        if token.text == ";":
            if _defines(words):
                yield text[start:end]
            words = []
            continue
        if not words:
            start = token.start
        end = token.end + 1
        if len(words) < 12:
            words.append(token.text.upper())
    if _defines(words):
        yield text[start:end]


def _defines(words: list[str]) -> bool:
    if words[:1] == ["CREATE"]:
        kinds = ("TABLE", "VIEW", "TRIGGER", "RULE", "TYPE", "DOMAIN", "FUNCTION", "PROCEDURE")
        kind = next((word for word in words[1:] if word in kinds), "")
        if "INDEX" in words[1:3]:
            return True
        return kind in kinds[:6] and (kind not in kinds[:2] or kind in words[1:5])
    if words[:1] == ["DROP"]:
        return any(word in ("TABLE", "VIEW", "INDEX") for word in words[1:3])
    altered = words[:1] == ["ALTER"] and words[1:2] in (["TABLE"], ["TYPE"], ["DOMAIN"])
    return altered or words[:1] == ["RENAME"]
