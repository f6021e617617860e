"""The format of the fixture files; README.md explains it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from sqljury.databases.sqlite_schema import read_schema
from sqljury.schema import Schema
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption

FOLDER = Path(__file__).parent
DIALECTS = ("sqlite", "duckdb")

_KEYWORD = re.compile(r"--\s*(schema|dialect|rule|witness|equal|different)\b\s*:?\s*(.*)")


@dataclass(frozen=True)
class Pair:
    """Two queries, and what must become of them."""

    file: str
    line: int
    equal: bool
    assuming: frozenset[Assumption]
    tables: str
    """CREATE TABLE statements."""
    dialects: tuple[str, ...] = DIALECTS
    rule: str = ""
    witness: str = ""
    """INSERT statements."""
    texts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass
class _Open:
    """What was read of a head or a block."""

    settings: dict[str, str] = field(default_factory=dict)
    witness: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file, in order."""
    head = _Open()
    now = head
    blocks: list[tuple[int, _Open]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        keyword = _KEYWORD.match(line)
        if keyword is None:
            if not line.lstrip().startswith("--"):
                now.lines.append(line)
        elif keyword[1] in ("equal", "different"):
            now = _Open({keyword[1]: keyword[2]})
            blocks.append((number, now))
        elif keyword[1] == "witness":
            now.witness.append(keyword[2])
        else:
            now.settings[keyword[1]] = keyword[2].strip()
    return [_pair(path, number, head, block) for number, block in blocks]


def _pair(path: Path, number: int, head: _Open, block: _Open) -> Pair:
    settings = head.settings | block.settings
    texts = tuple(statements("\n".join(block.lines)))
    where = f"{path.name}:{number}"
    assert len(texts) == 2, f"{where}: {len(texts)} statements instead of 2"
    equal = "equal" in settings
    pair = Pair(
        file=path.name,
        line=number,
        equal=equal,
        assuming=_assuming(settings["equal" if equal else "different"], equal, where),
        tables=_tables(settings.get("schema"), head, where),
        rule=settings.get("rule", ""),
        witness="\n".join(block.witness),
        texts=texts,
    )
    if "dialect" in settings:
        named = tuple(name.strip() for name in settings["dialect"].split(","))
        assert set(named) <= set(DIALECTS), f"{where}: dialects are {DIALECTS}"
        pair = replace(pair, dialects=named)
    return pair


def _assuming(text: str, equal: bool, where: str) -> frozenset[Assumption]:
    text = text.strip()
    if not text:
        return frozenset() if equal else ALL_ASSUMPTIONS
    word, colon, names = text.partition(":")
    assert word.strip() == "assuming" and colon, f"{where}: {text!r} instead of 'assuming: …'"
    listed = [name.strip() for name in names.split(",")]
    return frozenset(Assumption(name) for name in listed if name != "nothing")


def _tables(name: str | None, head: _Open, where: str) -> str:
    if name is None:
        tables = "\n".join(head.lines)
        assert "CREATE TABLE" in tables.upper(), f"{where}: no schema"
        return tables
    assert name in shared_schemas(), f"{where}: no schema {name!r} in schemas.sql"
    return shared_schemas()[name]


@cache
def shared_schemas() -> dict[str, str]:
    """The schemas of schemas.sql by name, as CREATE TABLE statements."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (FOLDER / "schemas.sql").read_text(encoding="utf-8").splitlines():
        keyword = _KEYWORD.match(line)
        if keyword is not None:
            lines = found.setdefault(keyword[2].strip(), [])
        elif not line.startswith("--"):
            lines.append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def statements(text: str) -> Iterator[str]:
    """The statements of a text, without the semicolons; constants may hold semicolons."""
    start = 0
    for position, character in enumerate(text):
        if character == ";" and sqlite3.complete_statement(text[start : position + 1]):
            statement = text[start:position].strip()
            if statement:
                yield statement
            start = position + 1
    assert not text[start:].strip(), f"no semicolon after {text[start:].strip()!r}"


@cache
def schema_of(tables: str, dialect: str) -> Schema:
    """What the CREATE TABLE statements declare."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(tables)
    schema = read_schema(connection)
    connection.close()
    return replace(schema, dialect=dialect)
