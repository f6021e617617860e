"""Kinds of files: encodings, compression, size; results and labels in each of them."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from sqljury.benchmarks import read_cases, read_labels, read_results
from sqljury.errors import InputError

LINE = json.dumps({"id": "1", "predicted_sql": "SELECT 1", "reference_sqls": ["SELECT 1"]}) + "\n"


def test_a_number_of_ten_thousand_digits(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_text('{"id": 1, "gold_sql": "A", "x": ' + "9" * 10_000 + "}\n")
    with pytest.raises(InputError, match="SJ106"):
        list(read_cases(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.jsonl.gz", "a.csv.xz"])
def test_encodings(tmp_path: Path, name: str, encoding: str) -> None:
    text = {"csv": "id,gold_sql\n1,SELECT 'é'\n", "json": '{"id": 1, "gold_sql": "SELECT \'é\'"}'}
    kind = "csv" if "csv" in name else "json"
    content = f"[{text[kind]}]" if name == "a.json" else text[kind]
    data = (
        b"\xff\xfe" + content.encode("utf-16-le")
        if encoding == "utf-16-le-bom"
        else content.encode(encoding)
    )
    pack: Any = {".gz": gzip.compress, ".xz": lzma.compress}.get(Path(name).suffix, bytes)
    (tmp_path / name).write_bytes(pack(data))
    (case,) = read_cases(tmp_path / name)
    assert (case.benchmark, case.id, case.reference_sqls) == ("a", "1", ("SELECT 'é'",))


def test_format_is_told_from_the_content_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "cases.dat"
    path.write_bytes(gzip.compress(LINE.encode()))
    assert [case.id for case in read_cases(path)] == ["1"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "gold.sql"])
def test_ten_megabytes_of_query(tmp_path: Path, name: str) -> None:
    query = "SELECT '" + "x" * 10_000_000 + "'"
    content = {
        "a.jsonl": json.dumps({"id": 1, "gold_sql": query}) + "\n",
        "a.json": json.dumps([{"id": 1, "gold_sql": query}]),
        "a.csv": f"id,gold_sql\n1,{query}\n",
        "gold.sql": f"{query}\tdb\n",
    }
    (tmp_path / name).write_text(content[name])
    (case,) = read_cases(tmp_path / name)
    assert case.reference_sqls == (query,)


def test_what_is_wrong_with_the_last_file_is_said_before_the_first_case(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.json"
    good.write_text(LINE)
    bad.write_text("[{]")
    with pytest.raises(InputError, match="SJ106"):
        read_cases([good, bad])


def test_scores_that_are_none_keep_their_row(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(
        '{"id": 1, "score": null}\n{"id": 2, "score": NaN}\n{"id": 3}\n{"id": 4, "score": true}\n'
        '{"id": 5, "score": 0.25, "label": "no"}\n{"id": 6, "score": "correct", "label": 1}\n'
    )
    rows = read_results(tmp_path / "r.jsonl")[""]
    assert [row.score for row in rows] == [None, None, None, 1.0, 0.25, 1.0]
    assert [row.label for row in rows] == [None] * 4 + [False, True]
    assert [row.origin for row in rows] == [f"r.jsonl:{i}" for i in range(1, 7)]


def test_scores_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("id,score,label\n1,0.5,true\n2,,false\n3,nan,\n")
    rows = read_results(tmp_path / "r.csv")[""]
    assert [(row.score, row.label) for row in rows] == [(0.5, True), (None, False), (None, None)]


def test_several_judges_in_one_export(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(
        '{"benchmark": "b", "id": "1", "source": "s", "judge": "a", "outcome": "correct",'
        ' "score": 1.0, "labels": [], "label": true, "db_id": "d", "difficulty": null}\n'
        '{"benchmark": "b", "id": "1", "source": "", "judge": "c", "outcome": "unknown",'
        ' "score": null, "labels": [], "label": true, "db_id": "d", "difficulty": "hard"}\n'
    )
    found = read_results(tmp_path / "r.jsonl")
    assert {name: [(row.id, row.score) for row in rows] for name, rows in found.items()} == {
        "a": [("1/s", 1.0)],
        "c": [("1", None)],
    }
    assert found["c"][0].slices == {"db_id": "d", "difficulty": "hard"}
    assert found["a"][0].benchmark == "b"


def test_contradicting_labels(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("id,label\n1,yes\n1,yes\n2,\n3,no\n")
    assert read_labels(tmp_path / "l.csv") == {"1": True, "3": False}
    (tmp_path / "l.csv").write_text("id,label\n1,yes\n1,no\n")
    with pytest.raises(InputError, match=r"SJ110 l.csv:3: two different labels for id '1'"):
        read_labels(tmp_path / "l.csv")


@pytest.mark.parametrize("key", ["gold_sql", "reference_sql", "query", "SQL"])
def test_a_pool_has_its_reference_under_any_usual_name(tmp_path: Path, key: str) -> None:
    pool = {key: "SELECT 1", "database": "shop", "prediction": "-", "candidates": [{"sql": "A"}]}
    (tmp_path / "pool.jsonl").write_text(json.dumps(pool) + "\n")
    (case,) = read_cases(tmp_path / "pool.jsonl")
    assert (case.reference_sqls, case.db_id, case.predicted_sql) == (("SELECT 1",), "shop", "A")
    assert case.extra == {"prediction": "-"}
