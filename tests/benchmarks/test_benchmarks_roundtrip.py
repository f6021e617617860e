"""What is written is what is read; null, missing and empty stay three things."""

from __future__ import annotations

import json
import math
import tempfile
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqljury.benchmarks import parse_mapping, read_cases, write_cases
from sqljury.benchmarks.pools import pool_record
from sqljury.case import MISSING, Case

# Text of all planes, ends of lines of all kinds, half surrogates, tabs and quotes.
TEXT = st.text(st.characters(), min_size=1, max_size=30)
SQL = TEXT.filter(lambda text: text.strip() not in ("", "null", "not_answerable"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner,
                                                                max_size=3),
    max_leaves=6,
)  # fmt: skip
RESERVED = {
    "question_id", "db_id", "question", "predicted_sql", "gold_sql", "evidence", "label",
    "difficulty", "criteria", "answerable", "source", "benchmark",
}  # fmt: skip


def cases(references: int) -> st.SearchStrategy[Case]:
    some = SQL.filter(lambda text: not text.lstrip().startswith("["))
    return st.builds(
        Case,
        id=TEXT | st.integers().map(str),
        db_id=st.text(max_size=8),
        question=st.none() | TEXT,
        predicted_sql=st.just(MISSING) | st.none() | st.just("") | SQL,
        reference_sqls=st.lists(some, max_size=references).map(tuple),
        hint=st.none() | TEXT,
        criteria=st.none() | TEXT,
        difficulty=st.none() | TEXT,
        label=st.none() | st.booleans(),
        answerable=st.none() | st.booleans(),
        benchmark=st.just("b"),
        source=st.text(max_size=5),
        extra=st.dictionaries(TEXT.filter(lambda key: key not in RESERVED), JSON, max_size=3),
    )


def back(given_cases: list[Case], name: str, format: str) -> list[Case]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_cases(given_cases, path, format=format)
        return [replace(case, origin="") for case in read_cases(path, format=format)]


LISTS = {"unique_by": lambda case: case.key, "min_size": 1, "max_size": 4}


@settings(deadline=None, max_examples=60)
@given(st.lists(cases(references=3), **LISTS))  # type: ignore[arg-type]
def test_own_round_trip(given_cases: list[Case]) -> None:
    assert back(given_cases, "cases.jsonl", "sqljury") == given_cases


@settings(deadline=None, max_examples=60)
@given(st.lists(cases(references=1), **LISTS))  # type: ignore[arg-type]
def test_rose_round_trip(given_cases: list[Case]) -> None:
    assert back(given_cases, "cases.json", "rose") == given_cases


CANDIDATES = st.lists(
    st.builds(lambda sql, rest: {**rest, "sql": sql}, st.none() | st.just("") | SQL,
              st.dictionaries(st.sampled_from(["sample", "logprob"]), st.integers(0, 9))),
    max_size=3,
)  # fmt: skip
OF_A_POOL = {*RESERVED, "schema_sql", "candidates", "index", "id", "sample", "logprob", "count"}


@settings(deadline=None, max_examples=60)
@given(cases(references=3), CANDIDATES)
def test_pool_round_trip(question: Case, candidates: list[dict[str, Any]]) -> None:
    """A pool says all that is known of its question: as candidates, and as samples."""
    extra = {key: value for key, value in question.extra.items() if key not in OF_A_POOL}
    question = replace(question, predicted_sql=MISSING, label=None, source="", extra=extra)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.jsonl"
        path.write_text(json.dumps(pool_record(question, candidates)) + "\n")
        read = [replace(case, origin="") for case in read_cases(path, format="pools")]
        (sampled,) = read_cases(path, format="pools", samples=True)
    samples = tuple(candidate["sql"] for candidate in candidates)
    first = samples[0] if samples else MISSING
    assert replace(sampled, origin="") == replace(question, predicted_sql=first, pool=samples)
    if not candidates:
        assert read == [replace(question, source="0")]
        return
    for number, (case, candidate) in enumerate(zip(read, candidates, strict=True)):
        rest = {key: value for key, value in candidate.items() if key != "sql"}
        expected = replace(question, predicted_sql=candidate["sql"], source=str(number))
        assert case == replace(expected, extra={**question.extra, **rest})


IN_EVERY_FORMAT: dict[str, list[dict[str, Any]]] = {
    "spider": [{"question": "?", "query": "SELECT 1", "db_id": "d"}],
    "bird": [{"question_id": 1, "question": "?", "SQL": "SELECT 1", "db_id": "d", "evidence": ""}],
    "rose": [{"question_id": 1, "db_id": "d", "predicted_sql": "SELECT 1", "gold_sql": "SELECT 1"}],
    "records": [{"id": 1, "predicted_sql": "SELECT 1", "gold_sql": "SELECT 1"}],
    "pairs": [{"gt": "SELECT 1", "answer": "SELECT 1", "new_labels": 1}],
    "pools": [{"question_id": 1, "gold_sql": "SELECT 1", "candidates": ["SELECT 1"]}],
}


@pytest.mark.parametrize("format", IN_EVERY_FORMAT)
def test_what_scores_depend_on_is_read_from_every_format(tmp_path: Path, format: str) -> None:
    path = tmp_path / "cases.json"
    said = {"answerable": False, "criteria": "all of them", "unanswerable_type": "small talk"}
    path.write_text(json.dumps([{**row, **said} for row in IN_EVERY_FORMAT[format]]))
    (case,) = read_cases(path, format=format)
    assert (case.answerable, case.criteria) == (False, "all of them")
    assert case.extra["unanswerable_type"] == "small talk"
    write_cases([case], tmp_path / "again.jsonl")
    (again,) = read_cases(tmp_path / "again.jsonl")
    assert again == case


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
@pytest.mark.parametrize("format", ["sqljury", "rose"])
def test_written_bytes_repeat(tmp_path: Path, format: str, suffix: str) -> None:
    some = [Case(id=str(i), predicted_sql="SELECT 'é'", benchmark="b") for i in range(50)]
    paths = [tmp_path / f"{name}.json{suffix}" for name in "ab"]
    for path in paths:
        write_cases(some, path, format=format)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert len(list(read_cases(paths[0]))) == 50


ROWS: list[dict[str, Any]] = [
    {"id": "1", "question": "a,b", "predicted_sql": "SELECT 'x\ny'", "gold_sql": "SELECT 1"},
    {"id": "2", "question": 'say "hi"', "predicted_sql": "", "gold_sql": "SELECT 2"},
    {"id": "3", "question": "ü", "predicted_sql": "null", "gold_sql": '["SELECT 3", "SELECT 4"]'},
]
EXPECTED = ["SELECT 'x\ny'", "", None]


def as_csv(folder: Path, delimiter: str) -> Path:
    import csv

    path = folder / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(ROWS[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(ROWS)
    return path


def as_parquet(folder: Path) -> Path:
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.parquet

    path = folder / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    return path


def as_json(folder: Path) -> Path:
    path = folder / "t.json"
    path.write_text(json.dumps(ROWS, indent=1), encoding="utf-8")
    return path


def as_jsonl(folder: Path) -> Path:
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "written",
    [
        as_json,
        as_jsonl,
        as_parquet,
        lambda folder: as_csv(folder, ","),
        lambda folder: as_csv(folder, ";"),
        lambda folder: as_csv(folder, "\t"),
    ],
)
def test_the_same_table_in_every_kind_of_file(tmp_path: Path, written: Any) -> None:
    found = list(read_cases(written(tmp_path)))
    assert [case.id for case in found] == ["1", "2", "3"]
    assert [case.question for case in found] == ["a,b", 'say "hi"', "ü"]
    assert [case.predicted_sql for case in found] == EXPECTED
    assert found[2].reference_sqls == ("SELECT 3", "SELECT 4")
    assert {case.benchmark for case in found} == {"t"}


def test_parquet_null_is_an_abstention_and_extra_is_json(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import datetime
    import decimal

    import pyarrow
    import pyarrow.parquet

    rows = [
        {"id": i, "predicted_sql": [None, "A"][i], "d": datetime.date(2026, 1, 1),
         "n": decimal.Decimal("1.50"), "x": math.nan}
        for i in range(2)
    ]  # fmt: skip
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    first, second = read_cases(tmp_path / "t.parquet")
    assert (first.predicted_sql, second.predicted_sql) == (None, "A")
    assert first.extra == {"d": "2026-01-01", "n": "1.50", "x": None}
    json.dumps(first.to_dict(), allow_nan=False)


THREE: list[tuple[str, str, Any]] = [
    ("a.jsonl", '{"id": 1, "gold_sql": "G"}', MISSING),
    ("a.jsonl", '{"id": 1, "gold_sql": "G", "predicted_sql": null}', None),
    ("a.jsonl", '{"id": 1, "gold_sql": "G", "predicted_sql": "null"}', None),
    ("a.jsonl", '{"id": 1, "gold_sql": "G", "predicted_sql": " not_answerable\\n"}', None),
    ("a.jsonl", '{"id": 1, "gold_sql": "G", "predicted_sql": "NULL"}', "NULL"),
    ("a.jsonl", '{"id": 1, "gold_sql": "G", "predicted_sql": ""}', ""),
    ("a.csv", "id,gold_sql,predicted_sql\n1,G,", ""),
    ("a.csv", "id,gold_sql,predicted_sql\n1,G", MISSING),
    ("a.csv", "id,gold_sql,predicted_sql\n1,G,null", None),
    ("a.csv", "id,gold_sql\n1,G", MISSING),
]


@pytest.mark.parametrize(("name", "content", "expected"), THREE)
def test_null_missing_and_empty(tmp_path: Path, name: str, content: str, expected: Any) -> None:
    (tmp_path / name).write_text(content + "\n")
    (case,) = read_cases(tmp_path / name, format="records")
    assert case.predicted_sql is expected or case.predicted_sql == expected


REFERENCES: list[tuple[Any, tuple[str, ...], bool | None]] = [
    ("A", ("A",), None),
    (["A", "B"], ("A", "B"), None),
    ([], (), None),
    (None, (), None),
    ("", (), None),
    ("null", (), False),
    (["null"], (), False),
]


@pytest.mark.parametrize(("value", "references", "answerable"), REFERENCES)
def test_references(
    tmp_path: Path, value: Any, references: tuple[str, ...], answerable: bool | None
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"id": 1, "gold_sqls": value, "predicted_sql": "P"}]))
    (case,) = read_cases(path)
    assert (case.reference_sqls, case.answerable) == (references, answerable)


LABELS = [
    *((value, True) for value in (True, 1, 1.0, "true", "TRUE", "yes", "correct", "1", " Yes ")),
    *((value, False) for value in (False, 0, 0.0, "false", "No", "incorrect", "0")),
    (None, None),
    ("", None),
]


@pytest.mark.parametrize(("value", "label"), LABELS)
def test_labels(tmp_path: Path, value: Any, label: bool | None) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"id": 1, "predicted_sql": "P", "label": value}]))
    (case,) = read_cases(path)
    assert case.label is label


COLUMNS = [
    ("id,question,sql,label", {"predicted_sql": "sql"}, {}),
    ("idx,SQL,sql", {"reference_sqls": "SQL", "predicted_sql": "sql", "id": "idx"}, {}),
    ("NLQ,PREDICTED SQL,GOLD SQL,DATABASE",
     {"question": "NLQ", "predicted_sql": "PREDICTED SQL", "reference_sqls": "GOLD SQL",
      "db_id": "DATABASE"}, {}),
    ("index,prediction,query,evidence", {"predicted_sql": "prediction", "reference_sqls": "query",
                                         "hint": "evidence", "id": "index"}, {}),
    ("id,sql,q", {"predicted_sql": "sql", "question": "q"},
     {"predicted_sql": "sql", "question": "q"}),
    ("id,gold_sql,query", {"reference_sqls": "query"}, {"reference_sqls": "query"}),
]  # fmt: skip


@pytest.mark.parametrize(("header", "expected", "mapping"), COLUMNS)
def test_columns(
    tmp_path: Path, header: str, expected: dict[str, str], mapping: dict[str, str]
) -> None:
    names = header.split(",")
    cells = ["yes" if name == "label" else f"<{name}>" for name in names]
    (tmp_path / "a.csv").write_text(f"{header}\n{','.join(cells)}\n")
    (case,) = read_cases(tmp_path / "a.csv", mapping=mapping)
    for field, name in expected.items():
        value = getattr(case, field)
        assert (value[0] if field == "reference_sqls" else value) == f"<{name}>"
    known = {*expected.values(), "id", "label", "question"}
    assert set(case.extra) == {name for name in names if name not in known}


def test_mapping_is_parsed() -> None:
    assert parse_mapping("question=q, predicted_sql = my sql") == {
        "question": "q",
        "predicted_sql": "my sql",
    }


def _peak(path: Path, n: int) -> int:
    with path.open("w") as stream:
        for i in range(n):
            row = {"id": i, "predicted_sql": f"SELECT {i}", "gold_sql": "SELECT 1" * 20}
            stream.write(json.dumps(row) + "\n")
    tracemalloc.start()
    assert sum(1 for _ in read_cases(path)) == n
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_is_flat_in_the_number_of_cases(tmp_path: Path) -> None:
    _peak(tmp_path / "warm.jsonl", 100)
    small = _peak(tmp_path / "small.jsonl", 1_000)
    assert _peak(tmp_path / "large.jsonl", 20_000) < small + 50_000
