"""What prompts show of Spider 2.0's large schemas, and the seconds that choosing it takes.

    python bench/large_schemas.py SPIDER2_LITE SPIDER2_SNOW

Takes folders as published. Of the questions whose schema does not fit into a prompt: how many of
the tables and columns that the published query names are shown, by relevance and in the order of
their names; and the processor seconds of choosing them, for a first question and for the next.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from sqljury import read_cases
from sqljury.case import Case
from sqljury.databases.schemas import read_schemas
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.prompts.sections import fitting_schema
from sqljury.schema import Schema, Table
from sqljury.sql import tables_of


def columns_of(tables: tuple[Table, ...], sql: str) -> set[tuple[str, str]]:
    """The columns of the tables whose names are words of the query, with the table's family."""
    words = {word.casefold() for word in re.findall(r"\w+", sql)}
    return {
        (re.sub(r"\d+", "0", table.name), column.name)
        for table in tables
        for column in table.columns
        if column.name.casefold() in words
    }


def shown(case: Case, schema: Schema) -> tuple[Schema, float]:
    """What a prompt shows, and the seconds."""
    schemas = {case.db_id: schema}
    evidence = DatabaseEvidence(case, None, ExecutionCache(), Limits(), schemas=schemas)
    before = time.process_time()
    found, _ = fitting_schema(schema, evidence, "create")
    return found, time.process_time() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    counts: dict[str, list[int]] = {name: [0, 0] for name in ("relevance", "order of names")}
    questions = columns = widest = 0
    first, later, seen = 0.0, 0.0, set()
    for folder in parser.parse_args().folders:
        schemas = read_schemas(folder / "resource" / "databases")
        for case in read_cases(folder / f"{folder.name}.jsonl", questions=True):
            schema = schemas.get(case.db_id)
            if schema is None or not case.reference_sqls:
                continue
            sql = case.reference_sqls[0]
            gold = columns_of(tables_of(sql, schema.dialect, schema) or (), sql)
            part, seconds = shown(case, schema)
            if part is schema or not gold:
                continue
            questions += 1
            columns += len(gold)
            widest = max(widest, sum(len(table.columns) for table in schema.tables))
            if id(schema) in seen:
                later = max(later, seconds)
            else:
                first = max(first, seconds)
            seen.add(id(schema))
            size = sum(len(table.columns) for table in part.tables)
            by_name, tables = 0, []
            for table in sorted(schema.tables, key=lambda table: table.name.casefold()):
                by_name += len(table.columns)
                if by_name > size:
                    break
                tables.append(table)
            for name, found in (("relevance", part.tables), ("order of names", tuple(tables))):
                hit = len(gold & columns_of(found, sql))
                counts[name][0] += hit
                counts[name][1] += hit == len(gold)
    print(f"{questions} questions, up to {widest:,} columns a database; {columns} columns needed")
    for name, (hit, whole) in counts.items():
        print(f"{name}: {hit} columns shown ({hit / columns:.1%}), all for {whole} questions")
    print(f"at most {first:.2f} s for the first question on a database, {later:.2f} s for others")


if __name__ == "__main__":
    main()
