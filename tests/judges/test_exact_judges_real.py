"""exact_match and exact_set_match on Spider and on the recorded scores of ROSE-VEC."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.judges.exact_match import ExactMatch
from sqljury.judges.exact_set_match import ExactSetMatch
from sqljury.schema import Schema
from sqljury.sql import normalise_text
from sqljury.verdict import Outcome

pytestmark = pytest.mark.data


@dataclass
class KnownSchema:
    """Evidence of judges that look at text and schema only."""

    case: Case
    known: Schema | None = None
    dialect: str = "sqlite"

    def schema(self) -> Schema | None:
        return self.known


@pytest.fixture(scope="module")
def schema_of(data_dir: Path):
    databases = open_databases(data_dir / "spider/databases")

    @cache
    def schema(db_id: str) -> Schema | None:
        database = databases.open(db_id)
        if database is None:
            return None
        try:
            return database.schema()
        finally:
            database.close()

    return schema


def test_references_match_themselves(data_dir: Path, schema_of) -> None:
    """In other words as well: brackets around the query, other aliases."""
    cases = json.loads((data_dir / "spider/dev.json").read_text())
    for entry in cases:
        sql = entry["query"]
        renamed = re.sub(r"\bt([1-9])\b", r"alias_\1", sql.rstrip("; "), flags=re.IGNORECASE)
        for predicted, reason in ((sql, "same text"), (f"({renamed})", "same components")):
            case = Case(id="1", predicted_sql=predicted, reference_sqls=(sql,))
            verdict = ExactSetMatch().judge(case, KnownSchema(case, schema_of(entry["db_id"])))
            assert (verdict.outcome, verdict.reason) == (Outcome.CORRECT, reason), sql
    assert len(cases) == 1034


def test_recorded_exact_match_is_equality_of_raw_text(data_dir: Path) -> None:
    """ROSE-VEC's EM is `exact_match:text`; `exact_match` says yes to 11 predictions more."""
    raw = ours = count = 0
    for name in ("bird", "spider"):
        path = f"rose-vec/recorded/rose-vec/rose-vec-{name}/decisive/EM/eval_results.json"
        for row in json.loads((data_dir / path).read_text()):
            predicted, reference = row["predicted_sql"], row["gold_sql"]
            count += 1
            case = Case(id="1", predicted_sql=predicted, reference_sqls=(reference,))
            by_text = ExactMatch(form="text").judge(case, KnownSchema(case))
            raw += (by_text.outcome is Outcome.CORRECT) is (row["score"] == 1.0)
            agrees = ExactMatch().judge(case, KnownSchema(case)).outcome is Outcome.CORRECT
            assert agrees is (normalise_text(predicted) == normalise_text(reference))
            ours += agrees is (row["score"] == 1.0)
    assert (count, raw, ours) == (302, 302, 291)
