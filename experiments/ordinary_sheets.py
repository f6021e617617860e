"""What a reader of ordinary predictions sees: sheets of text that name no system and no verdict.

    python experiments/ordinary_sheets.py DATA CASES.jsonl FOLDER

A sheet holds the questions of one database or a few: tables with two rows of each, the question,
its hint, the reference with its first rows, and each prediction with its first rows. A question's
predictions stand in the order of a hash. FOLDER also gets `keys.json`, from numbers to case ids.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from itertools import groupby
from pathlib import Path

import sqljury as sj

PER_SHEET = 100
"""Predictions of a sheet, more or less: questions and small databases are not divided."""
SHOWN = 4
"""Rows of a result."""


def main() -> None:
    """Read the cases, write the sheets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("cases", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    cases = sorted(sj.read_cases(options.cases), key=lambda c: (c.db_id, c.question, _hash(c.id)))
    keys: dict[str, str] = {}
    sheet: list[str] = []
    number = held = 0
    for db_id, of_database in groupby(cases, key=lambda c: c.db_id):
        home = "bird" if db_id == "superhero" else "spider"
        path = options.data / home / "databases" / db_id / f"{db_id}.sqlite"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            described = description(connection)
            sheet.append(described)
            for _, of_question in groupby(of_database, key=lambda c: c.question):
                if held >= PER_SHEET:
                    number = _write(options.folder, number, sheet)
                    sheet, held = [described], 0
                group = list(of_question)
                sheet.append(shown(connection, group, keys))
                held += len(group)
    _write(options.folder, number, sheet)
    (options.folder / "keys.json").write_text(json.dumps(keys), encoding="utf-8")
    print(f"{len(cases):,} predictions on {number + 1} sheets")


def description(connection: sqlite3.Connection) -> str:
    """The tables: columns with types, keys, the number of rows, two rows."""
    lines = ["\n######## DATABASE"]
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for (table,) in connection.execute(names).fetchall():
        columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
        shown = ", ".join(f"{c[1]} {c[2]}{' PK' if c[5] else ''}" for c in columns)
        (count,) = connection.execute(f'SELECT COUNT(*) FROM "{table}"').fetchone()
        lines.append(f"{table}({shown}) -- {count} rows")
        keys = connection.execute(f'PRAGMA foreign_key_list("{table}")').fetchall()
        lines += [f"   {key[3]} -> {key[2]}.{key[4]}" for key in keys]
        rows = connection.execute(f'SELECT * FROM "{table}" LIMIT 2').fetchall()
        lines += [f"   e.g. {_short(row, 30)}" for row in rows]
    return "\n".join(lines)


def shown(connection: sqlite3.Connection, group: list[sj.Case], keys: dict[str, str]) -> str:
    """A question with its reference and predictions; gives each prediction its number."""
    first = group[0]
    question = f"q{len({k.partition('.')[0] for k in keys}) + 1}"
    lines = [f"\n=== {question}: {first.question}"]
    if first.hint:
        lines.append(f"hint: {first.hint}")
    references = dict.fromkeys(" ".join(c.reference_sqls[0].split()) for c in group)
    lines += [f"REFERENCE {sql}\n{_result(connection, sql)}" for sql in references]
    for place, case in enumerate(group, 1):
        keys[f"{question}.{place}"] = case.id
        sql = " ".join((case.predicted_sql or "").split())
        lines.append(f"[{question}.{place}] {sql}\n{_result(connection, sql)}")
    return "\n".join(lines)


def _result(connection: sqlite3.Connection, sql: str) -> str:
    try:
        rows = connection.execute(sql).fetchmany(100_000)
    except sqlite3.Error as error:
        return f"   fails: {error}"
    return f"   {len(rows)} rows: {'; '.join(_short(row, 25) for row in rows[:SHOWN])}"


def _short(row: tuple[object, ...], most: int) -> str:
    return "(" + ", ".join(str(value)[:most] for value in row[:12]) + ")"


def _write(folder: Path, number: int, sheet: list[str]) -> int:
    (folder / f"sheet-{number:02}.txt").write_text("\n".join(sheet), encoding="utf-8")
    return number + 1


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    main()
