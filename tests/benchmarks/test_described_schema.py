"""Schemas that stand in words in a prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqljury as sj
from sqljury.benchmarks.pairs import described_schema
from sqljury.databases import schema_from_ddl
from sqljury.schema import ForeignKey

PROMPT = """There are two tables: boat, trip.
the structure of table boat is as follows:
| column name  |  column type |
| ------------ | ------------ |
| boat id | number |
| name | text |
boat id is the primary key.

the structure of table trip is as follows:
| column name  |  column type |
| ------------ | ------------ |
| boat id | number |
| day | time |
The boat id is the foreign key, reference to boat id in table boat.

Question: Which boat?
"""


def test_tables_columns_and_keys() -> None:
    text = described_schema(PROMPT)
    assert text is not None
    boat, trip = schema_from_ddl(text).tables
    assert [(c.name, c.type) for c in boat.columns] == [("boat id", "NUMERIC"), ("name", "TEXT")]
    assert boat.primary_key == ("boat id",)
    assert trip.foreign_keys == (
        ForeignKey(columns=("boat id",), target_table="boat", target_columns=("boat id",)),
    )


@pytest.mark.parametrize("prompt", ["", "Which boat?", "the structure of table"])
def test_nothing_described(prompt: str) -> None:
    assert described_schema(prompt) is None


@pytest.mark.parametrize("name", ["Spider_pair_dev", "SpiderDK_pair_dev", "Wikisql_pair_dev"])
def test_every_published_pair_describes_its_tables(data_dir: Path, name: str) -> None:
    texts = {case.schema_sql for case in sj.read_cases(data_dir / f"pairs/{name}.csv.gz")}
    assert None not in texts
    for text in texts:
        assert schema_from_ddl(str(text)).tables
