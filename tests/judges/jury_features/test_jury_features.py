"""Features of a prediction beside its reference: what is known, and what is not."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqljury as sj
from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.jury_features import FeatureRow, Pair, all_groups, chosen_groups
from sqljury.uses.features import FeatureTable, check_features_path, write_features
from sqljury.verdict import Verdict

SCHEMA = "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, crew INTEGER);"
ROWS = "INSERT INTO boat VALUES (1,'Anna','ferry',3), (2,'Bela','tug',2), (3,'Anna','ferry',9);"
REFERENCE = "SELECT name FROM boat WHERE crew > 2"

Row = dict[str, float]
Find = Callable[..., Row]


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("databases") / "harbour.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(SCHEMA + ROWS)
    connection.close()
    return file


@pytest.fixture(scope="module")
def verdict(harbour: Path) -> Iterator[Callable[..., Verdict]]:
    database = open_databases(harbour).open("harbour")
    cache = ExecutionCache()

    def found(
        prediction: str,
        *references: str,
        question: str | None = "Which boats have a crew of more than 2?",
        groups: str = "",
        has_rows: bool = True,
        schema: str | None = SCHEMA,
    ) -> Verdict:
        case = Case(
            id="1",
            db_id="harbour" if has_rows else "elsewhere",
            schema_sql=None if has_rows else schema,
            question=question,
            predicted_sql=prediction,
            reference_sqls=references,
        )
        evidence = DatabaseEvidence(case, database if has_rows else None, cache, Limits())
        return FeatureRow(groups).judge(case, evidence)

    yield found
    database.close()


@pytest.fixture(scope="module")
def find(verdict: Callable[..., Verdict]) -> Find:
    return lambda *given, **more: dict(verdict(*given, **more).measures)


def test_every_feature_has_a_name_of_its_own_and_a_meaning() -> None:
    features = [one for group in all_groups() for one in group.features]
    assert len({one.name for one in features}) == len(features)
    assert all(one.meaning and one.sign in (-1, 0, 1) for one in features)
    assert all(one.name.startswith(f"{g.name}_") for g in all_groups() for one in g.features)


@pytest.mark.parametrize("has_rows", [True, False])
@pytest.mark.parametrize(
    "prediction",
    [
        REFERENCE,
        "SELECT DISTINCT name, id FROM boat ORDER BY crew LIMIT 1",
        "SELECT",
        "SELECT nope",
    ],
)
def test_no_group_fails_or_finds_what_it_does_not_declare(
    verdict: Callable[..., Verdict], prediction: str, has_rows: bool
) -> None:
    found = verdict(prediction, REFERENCE, has_rows=has_rows)
    known = {one.name for group in all_groups() for one in group.features}
    assert found.labels == ()
    assert set(found.measures) <= known
    assert all(isfinite(value) for value in found.measures.values())


def test_every_feature_can_be_known(find: Find) -> None:
    """But for what only some pairs have."""
    seen = find("SELECT kind FROM boat WHERE crew >= 2", REFERENCE).keys()
    seen |= find("SELECT crew, name FROM boat WHERE crew > 2", REFERENCE).keys()
    known = {one.name for group in all_groups() for one in group.features}
    assert known - seen == {"difficulty_stated"}


def test_equal_queries(find: Find) -> None:
    row = find(REFERENCE, REFERENCE)
    ones = [one for one in row if one.startswith("likeness_")]
    assert {row[one] for one in ones} == {1.0}
    assert row["execution_strict"] == row["equivalence_proved"] == 1
    assert row["differences_total"] == 0
    assert {value for name, value in row.items() if name.endswith("_more")} == {0.0}


def test_without_a_database_rows_are_missing_not_zero(find: Find) -> None:
    row = find("SELECT kind FROM boat", REFERENCE, has_rows=False)
    assert not [one for one in row if one.startswith(("execution_", "tables_"))]
    assert not {"linking_missing_values_more", "faults_nothing_prediction"} & row.keys()
    assert row["differences_total"] > 0
    assert "linking_regret_columns_more" in row


def test_without_a_schema_texts_are_all(find: Find) -> None:
    row = find("SELECT kind FROM boat", REFERENCE, has_rows=False, schema=None)
    assert not [one for one in row if one.startswith(("equivalence_", "differences_", "linking_"))]
    assert row["difficulty_length_reference"] > row["difficulty_length_prediction"]


def test_without_a_reference_only_the_prediction_is_known(find: Find) -> None:
    row = find("SELECT name FROM boat WHERE kind = 'Ferry'")
    assert row["execution_prediction_runs"] == 1
    assert row["faults_constant_prediction"] == 1
    assert not [one for one in row if one.endswith(("_reference", "_more"))]
    assert "execution_strict" not in row


def test_a_prediction_that_does_not_run_is_no_missing_evidence(find: Find) -> None:
    row = find("SELECT nope FROM boat", REFERENCE)
    assert (row["execution_prediction_runs"], row["execution_intent"]) == (0, 0)
    assert "tables_soft_f1" not in row


def test_what_intent_forgives_is_told(find: Find) -> None:
    row = find("SELECT id, name FROM boat WHERE crew > 2", REFERENCE)
    assert (row["execution_strict"], row["execution_intent"]) == (0, 1)
    assert row["execution_forgave_extra_columns"] == 1
    assert "execution_limit_cuts_tie" not in row


def test_differences_are_weighed_against_the_question(find: Find) -> None:
    distinct = "SELECT DISTINCT name FROM boat WHERE crew > 2"
    row = find(distinct, REFERENCE, question="Which different names are there?")
    assert (row["differences_distinct_extra_asked"], row["differences_distinct_extra_unasked"]) == (
        1,
        0,
    )
    row = find("SELECT name FROM boat WHERE crew > 3", REFERENCE)
    assert row["differences_kind_constant"] == 1
    assert row["differences_said_reference"] > row["differences_said_prediction"]


def test_faults_of_the_reference_are_told_apart(find: Find) -> None:
    wrong = "SELECT name FROM boat WHERE kind = 'Ferry'"
    right = "SELECT name FROM boat WHERE kind = 'ferry'"
    row = find(right, wrong, question="Which boats are ferries?")
    assert (row["faults_only_reference"], row["faults_only_prediction"]) == (1, 0)
    assert row["faults_constant_more"] == -1


@given(st.permutations(["execution", "faults", "question"]))
def test_groups_by_name(names: list[str]) -> None:
    found = chosen_groups("+".join(names))
    assert [one.name for one in found] == sorted(names)


def test_no_such_group() -> None:
    with pytest.raises(InputError, match=r"SJ348.*difficulty"):
        FeatureRow("execution+nope")


def test_a_judge_is_asked_once(harbour: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqljury.judges.jury_features.group import judge_named

    case = Case(id="1", predicted_sql=REFERENCE, reference_sqls=(REFERENCE,))
    pair = Pair(case, DatabaseEvidence(case, None, ExecutionCache(), Limits()))
    first = pair.verdict("exact_match")
    monkeypatch.setattr(type(judge_named("exact_match")), "judge", None)
    assert pair.verdict("exact_match") is first


# ---------------------------------------------------------------- as a table


CASES = [
    Case(id="1", db_id="harbour", question="Which boats have a crew of more than 2?",
         predicted_sql=REFERENCE, reference_sqls=(REFERENCE,), label=True),
    Case(id="2", db_id="lost", question="=1", predicted_sql="SELECT 1", reference_sqls=("SELECT 2",)),
    Case(id="3", db_id="harbour", predicted_sql=None, reference_sqls=(REFERENCE,), label=False),
]  # fmt: skip


def test_a_row_for_each_case_in_order(harbour: Path) -> None:
    found = sj.features(CASES, harbour.parent, groups="execution+difficulty", workers=1)
    assert [(row["id"], row["label"]) for row in found.rows] == [
        ("1", True),
        ("2", None),
        ("3", False),
    ]
    assert [row["execution_strict"] for row in found.rows] == [1.0, None, None]
    assert [tuple(row) for row in found.rows] == [found.columns] * 3
    assert found.failed == {}
    assert "n:3" in found.signature


def _command(folder: Path, out: str, *more: str, seed: str = "0") -> subprocess.CompletedProcess:
    command = [
        sys.executable,
        "-m",
        "sqljury.cli",
        "evaluate",
        "cases.json",
        "--features",
        out,
        *more,
    ]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=folder, check=False
    )


def test_the_same_file_whatever_seed_and_workers(tmp_path: Path, harbour: Path) -> None:
    pairs = [(one.predicted_sql, one.reference_sqls[0]) for one in CASES[:2]]
    cases = [
        {"id": str(n), "db_id": "harbour", "question": "Which crew?", "predicted_sql": p,
         "gold_sql": r} for n, (p, r) in enumerate(pairs)
    ]  # fmt: skip
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    texts = []
    for seed in ("1", "2"):
        more = ["-d", str(harbour), "--run", f"run{seed}", "--workers", seed]
        more += ["--groups", "execution+differences+faults+tables"]
        done = _command(tmp_path, f"{seed}.jsonl", *more, seed=seed)
        assert done.returncode == 0, done.stderr
        texts.append((tmp_path / f"{seed}.jsonl").read_text())
    assert texts[0] == texts[1]
    assert json.loads(texts[0].splitlines()[0])["execution_strict"] == 1.0


def test_the_ending_says_the_form() -> None:
    with pytest.raises(InputError, match="SJ349"):
        check_features_path("table.xlsx")


@pytest.fixture(scope="module")
def table(harbour: Path) -> FeatureTable:
    return sj.features(CASES[:2], harbour.parent, groups="question+execution", workers=1)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files_hold_the_table(table: FeatureTable, tmp_path: Path, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"table.{ending}"
    write_features(file, table)
    read = _read(file)
    assert list(read[0]) == list(table.columns)
    assert [row["id"] for row in read] == ["1", "2"]
    assert read[1]["execution_strict"] in (None, "")
    assert float(read[0]["execution_strict"]) == 1


def _read(file: Path) -> list[dict]:
    if file.suffix == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(file).to_pylist()
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text().splitlines()]
    import csv

    return list(csv.DictReader(file.open()))
