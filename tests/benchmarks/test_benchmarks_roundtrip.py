"""What is written is what is read; null, missing and empty stay three things."""

from __future__ import annotations

import json
import tempfile
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqljury.benchmarks import read_cases, write_cases
from sqljury.benchmarks.names import is_field
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
    extra = {
        key: value
        for key, value in question.extra.items()
        if not (key in OF_A_POOL or is_field(key))
    }
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
