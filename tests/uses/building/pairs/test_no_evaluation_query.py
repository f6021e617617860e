"""No query that something is measured on gets into training pairs, by whatever words."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.schema import Schema
from sqljury.uses.building.pairs import exclusion_of, propose, tables_of_schemas
from sqljury.uses.building.pairs.proposals import canonical_form, text_form

EVALUATED = (
    "spider/dev.json",
    "spider/test_gold.sql",
    "spider/spider_dk/Spider-DK.json",
    "pairs/Spider_pair_dev.csv.gz",
    "pairs/SpiderDK_pair_dev.csv.gz",
    "pairs/Wikisql_pair_dev.csv.gz",
    "bird/dev.json",
)
TRAINED = ("network_2", "flight_1", "college_1", "student_1", "soccer_2", "singer_1")
"""Some of whose tables databases of Spider dev and test have by the same names."""

pytestmark = [pytest.mark.slow, pytest.mark.data]


def test_no_evaluation_query_is_in_a_pair(data_dir: Path) -> None:
    databases = open_databases(str(data_dir / "spider/databases"))
    schemas: dict[str, Schema | None] = {}

    def schema_of(db_id: str) -> Schema | None:
        if db_id not in schemas:
            database = databases.open(db_id)
            schemas[db_id] = None if database is None else database.schema()
        return schemas[db_id]

    references: dict[str, list[str]] = {}
    with gzip.open(data_dir / "spider/train_gold.sql.gz", "rt") as lines:
        for line in lines:
            sql, db_id = line.rstrip("\n").rsplit("\t", 1)
            references.setdefault(db_id, []).append(sql)
    own = {db_id: schema_of(db_id) for db_id in TRAINED if db_id in references}
    there = {db_id: schema for db_id, schema in own.items() if schema is not None}
    cases = [case for name in EVALUATED for case in read_cases(data_dir / name)]
    exclusion = exclusion_of(cases, schema_of, tables_of_schemas(there.values()))
    made = {
        (db_id, sql)
        for db_id, schema in there.items()
        for pair in propose(db_id, references[db_id][:12], schema, exclusion).pairs
        for sql in (pair.reference, pair.prediction)
    }
    assert len(made) > 100
    texts, forms = forms_of(cases, schema_of, there)
    assert not texts & {text_form(sql) for _, sql in made}
    assert not forms & {canonical_form(sql, there[db_id]) for db_id, sql in made}


def forms_of(
    cases: list[Case], schema_of: object, trained: dict[str, Schema]
) -> tuple[set[str], set[str]]:
    """All texts that are evaluated on, and the canonical forms of those whose schema has a table
    of a name that training knows: without the short cut that building takes."""
    names = {table.name.casefold() for schema in trained.values() for table in schema.tables}
    texts, forms = set(), set()
    for case in cases:
        predicted = [case.predicted_sql] if isinstance(case.predicted_sql, str) else []
        schema = schema_of(case.db_id)  # type: ignore[operator]
        near = schema is not None and any(t.name.casefold() in names for t in schema.tables)
        for sql in (*case.reference_sqls, *predicted):
            texts.add(text_form(sql))
            if near:
                forms.add(canonical_form(sql, schema))
    return texts, forms
