"""Anybody's own files: key names, the three states of a prediction, labels, every container."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

import pytest

from sqljury.benchmarks import formats, parse_mapping, read_cases
from sqljury.case import MISSING, Case

Write = Callable[[Path, list[dict[str, Any]]], Path]


def read(path: Path, text: str, **options: Any) -> list[Case]:
    path.write_text(text, encoding="utf-8")
    return list(read_cases(path, **options))


# --- key names

NAMES: list[tuple[list[str], dict[str, str]]] = [
    # keys of the file, in order -> field: the key that it is read from
    (["NLQ", "PREDICTED SQL", "GOLD SQL", "DATABASE"], {
        "question": "NLQ", "predicted_sql": "PREDICTED SQL", "reference_sqls": "GOLD SQL",
        "db_id": "DATABASE"}),
    (["idx", "query", "pred"], {"id": "idx", "reference_sqls": "query", "predicted_sql": "pred"}),
    (["index", "gold", "sql"], {"id": "index", "reference_sqls": "gold", "predicted_sql": "sql"}),
    (["SQL", "sql"], {"reference_sqls": "SQL", "predicted_sql": "sql"}),
    (["question_id", "reference", "prediction", "evidence"], {
        "id": "question_id", "reference_sqls": "reference", "predicted_sql": "prediction",
        "hint": "evidence"}),
    (["gold_sqls", "generated_sql", "database", "hardness"], {
        "reference_sqls": "gold_sqls", "predicted_sql": "generated_sql", "db_id": "database",
        "difficulty": "hardness"}),
    (["index", "hint", "pred_sql", "gt_sql", "hardness", "pred_exec"], {
        "id": "index", "hint": "hint", "predicted_sql": "pred_sql", "reference_sqls": "gt_sql",
        "difficulty": "hardness"}),
    (["id", "reference_sql", "predicted_sql", "system", "benchmark", "criteria"], {
        "id": "id", "reference_sqls": "reference_sql", "predicted_sql": "predicted_sql",
        "source": "system", "benchmark": "benchmark", "criteria": "criteria"}),
    (["prediction", "query", "evidence"], {
        "predicted_sql": "prediction", "reference_sqls": "query", "hint": "evidence"}),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "expected"), NAMES, ids=lambda value: "-".join(value))
def test_names(tmp_path: Path, keys: list[str], expected: dict[str, str]) -> None:
    data = {key: f"from {key}" for key in keys}
    (case,) = read(tmp_path / "a.json", json.dumps([data]))
    for field, key in expected.items():
        value = getattr(case, field)
        assert value == ((f"from {key}",) if field == "reference_sqls" else f"from {key}")
    rest = {key: value for key, value in data.items() if key not in expected.values()}
    assert case.extra == rest


def test_a_label_tells_that_sql_is_a_prediction(tmp_path: Path) -> None:
    (case,) = read(tmp_path / "a.json", '[{"id": 1, "sql": "S", "label": 0}]')
    assert (case.predicted_sql, case.label, case.reference_sqls) == ("S", False, ())


def test_mapping_goes_before_usual_names(tmp_path: Path) -> None:
    text = '[{"id": 1, "prediction": "P", "better": "B", "gold_sql": "G", "q": "Q"}]'
    mapping = parse_mapping("predicted_sql=better, question=q")
    (case,) = read(tmp_path / "a.json", text, mapping=mapping)
    assert (case.predicted_sql, case.question) == ("B", "Q")
    assert case.extra == {"prediction": "P"}
    text = '[{"id": 1, "gold_sql": "G", "query": "Q"}]'
    (case,) = read(tmp_path / "a.json", text, mapping=parse_mapping("reference_sqls = query"))
    assert (case.reference_sqls, case.extra) == (("Q",), {"gold_sql": "G"})


def test_several_references(tmp_path: Path) -> None:
    (case,) = read(tmp_path / "a.json", '[{"id": 1, "gold_sqls": ["S", "", null, "T"]}]')
    assert case.reference_sqls == ("S", "T")
    (case,) = read(tmp_path / "a.csv", 'id,gold_sql\n1,"[""S"", ""T""]"\n')
    assert case.reference_sqls == ("S", "T")
    (case,) = read(tmp_path / "a.csv", "id,gold_sql\n1,[S]\n")
    assert case.reference_sqls == ("[S]",)


def test_keys_that_come_late(tmp_path: Path) -> None:
    """Of JSON lines only the first are looked at; what comes later is found all the same."""
    lines = [{"id": number, "gold_sql": "S"} for number in range(50)]
    lines.append({"id": 50, "gold_sql": "S", "sql": "P", "label": True, "note": "N"})
    lines.append({"id": 51, "gold_sql": "S"})
    cases = read(tmp_path / "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert [case.predicted_sql for case in cases] == [MISSING] * 50 + ["P", MISSING]
    assert (cases[50].label, cases[50].extra) == (True, {"note": "N"})
    cases = read(tmp_path / "a.json", json.dumps(lines))
    assert [case.predicted_sql for case in cases] == [MISSING] * 50 + ["P", MISSING]


def test_one_case_alone(tmp_path: Path) -> None:
    data = {"id": 1, "question": "Q", "gold_sql": "S"}
    for text in (json.dumps(data), json.dumps(data, indent=1)):
        (case,) = read(tmp_path / "a.json", text)
        assert (case.id, case.question, case.reference_sqls) == ("1", "Q", ("S",))


def test_references_by_id(tmp_path: Path) -> None:
    cases = read(tmp_path / "label.json", '{"a": "S", "b": "null", "c": null}')
    assert [(case.id, case.reference_sqls, case.answerable) for case in cases] == [
        ("a", ("S",), None),
        ("b", (), False),
        ("c", (), None),
    ]


# --- null, missing, empty

STATES = [
    ({}, MISSING),
    ({"predicted_sql": None}, None),
    ({"predicted_sql": "null"}, None),
    ({"predicted_sql": " not_answerable\n"}, None),
    ({"predicted_sql": ""}, ""),
    ({"predicted_sql": " "}, " "),
    ({"predicted_sql": "NULL"}, "NULL"),
    ({"predicted_sql": "SELECT null"}, "SELECT null"),
]


@pytest.mark.parametrize(("data", "expected"), STATES, ids=str)
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_state(tmp_path: Path, suffix: str, data: dict[str, Any], expected: object) -> None:
    row = json.dumps({"id": 1, "gold_sql": "S", **data})
    (case,) = read(tmp_path / f"a.{suffix}", row if suffix == "jsonl" else f"[{row}]")
    assert case.predicted_sql == expected or case.predicted_sql is expected


def test_states_in_csv(tmp_path: Path) -> None:
    text = "id,gold_sql,predicted_sql\n1,S,\n2,S,null\n3,S\n4,S,not_answerable\n5,S,P\n"
    cases = read(tmp_path / "a.csv", text)
    assert [case.predicted_sql for case in cases] == ["", None, MISSING, None, "P"]
    (case,) = read(tmp_path / "a.csv", "id,gold_sql\n1,S\n")
    assert case.predicted_sql is MISSING


ANSWERABLE = [
    ({"gold_sql": "null"}, (), False),
    ({"gold_sql": None}, (), None),
    ({"gold_sql": ""}, (), None),
    ({"gold_sql": "S"}, ("S",), None),
    ({"gold_sqls": ["S", "T"]}, ("S", "T"), None),
    ({"gold_sqls": []}, (), None),
    ({"gold_sqls": ["null"]}, (), False),
    ({"gold_sql": "S", "answerable": "no"}, ("S",), False),
    ({"gold_sql": None, "answerable": True}, (), True),
]


@pytest.mark.parametrize(("data", "references", "answerable"), ANSWERABLE, ids=str)
def test_answerable(
    tmp_path: Path, data: dict[str, Any], references: tuple[str, ...], answerable: bool | None
) -> None:
    (case,) = read(tmp_path / "a.json", json.dumps([{"id": 1, "predicted_sql": None, **data}]))
    assert (case.reference_sqls, case.answerable) == (references, answerable)


YES_AND_NO = [
    (True, True), (1, True), (1.0, True), ("1", True), ("True", True), ("yes", True),
    ("Correct", True), ("TRUE", True), (" Yes ", True), ("No", False), (False, False), (0, False), (0.0, False), ("0", False), ("false", False),
    ("no", False), (" incorrect ", False), (None, None), ("", None),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), YES_AND_NO)
def test_label(tmp_path: Path, value: object, expected: bool | None) -> None:
    data = [{"id": 1, "predicted_sql": "P", "label": value}]
    (case,) = read(tmp_path / "a.json", json.dumps(data))
    assert case.label is expected


# --- containers


def write_json(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps(rows, indent=2))
    return path


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n\n" for row in rows))
    return path


def write_csv(path: Path, rows: list[dict[str, Any]], delimiter: str = ",") -> Path:
    import csv

    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


CONTAINERS: list[tuple[str, Write]] = [
    ("a.json", write_json),
    ("a.jsonl", write_lines),
    ("a.csv", write_csv),
    ("a.tsv", partial(write_csv, delimiter="\t")),
    ("a.csv", partial(write_csv, delimiter=";")),
    ("a.parquet", write_parquet),
    ("a.txt", write_lines),
    ("a.dat", write_parquet),
    ("a", write_csv),
]


@pytest.mark.parametrize(("name", "write"), CONTAINERS, ids=lambda value: str(value)[:20])
def test_container(tmp_path: Path, name: str, write: Write) -> None:
    said = {"question": 'say "où", twice', "gold_sql": "SELECT 'é',\n 1", "sql": "SELECT 'x\ny'"}
    rows = [
        {"id": "x0", **said},
        {"id": "x1", **said, "sql": ""},
        {"id": "x2", **said, "sql": "null", "gold_sql": '["S", "T"]'},
    ]
    cases = list(read_cases(write(tmp_path / name, rows)))
    assert [case.id for case in cases] == ["x0", "x1", "x2"]
    assert {case.question for case in cases} == {said["question"]}
    assert [case.reference_sqls for case in cases] == [(said["gold_sql"],)] * 2 + [("S", "T")]
    assert [case.predicted_sql for case in cases] == [said["sql"], "", None]
    assert [case.benchmark.split(".")[0] for case in cases] == ["a"] * 3


def test_parquet_values(tmp_path: Path) -> None:
    some = {"d": date(2026, 1, 1), "n": Decimal("1.50")}
    rows = [
        {"id": 1, "gold_sql": ["S", "T"], "predicted_sql": None, "label": True, "x": nan, **some},
        {"id": 2, "gold_sql": ["S"], "predicted_sql": "", "label": None, "x": 1.5, **some},
    ]
    path = write_parquet(tmp_path / "a.parquet", rows)
    one, two = read_cases(path)
    assert (one.predicted_sql, one.reference_sqls, one.label) == (None, ("S", "T"), True)
    assert (two.predicted_sql, two.reference_sqls, two.label) == ("", ("S",), None)
    # JSON has neither dates nor decimals nor NaN.
    said = {"d": "2026-01-01", "n": "1.50"}
    assert (one.extra, two.extra) == ({"x": None, **said}, {"x": 1.5, **said})
    json.dumps(one.to_dict(), allow_nan=False)
    assert two.origin == "a.parquet[1]"


ORIGINS = [
    ("a.jsonl", '\n{"id": 1, "gold_sql": "S"}\n\n{"id": 2, "gold_sql": "S"}', [2, 4]),
    ("a.csv", 'id,gold_sql\n1,"S\n\nS"\n2,S\n', [2, 5]),
    ("a.json", '[\n {"id": 1,\n "gold_sql": "S"},\n {"id": 2, "gold_sql": "S"}]', [2, 4]),
]


@pytest.mark.parametrize(("name", "text", "lines"), ORIGINS)
def test_origin(tmp_path: Path, name: str, text: str, lines: list[int]) -> None:
    cases = read(tmp_path / name, text)
    assert [case.origin for case in cases] == [f"{name}:{line}" for line in lines]


def test_sql_that_looks_like_a_header(tmp_path: Path) -> None:
    (case,) = read(tmp_path / "a.sql", "SELECT name , id , label FROM t\n")
    assert case.reference_sqls == ("SELECT name , id , label FROM t",)


def test_formats_have_a_line_each() -> None:
    assert list(formats()) == [
        "sqljury",
        "argilla",
        "label_studio",
        "traces",
        "pools",
        "spider2",
        "bird_tasks",
        "pairs",
        "ehrsql",
        "text2sql",
        "triagesql",
        "defog",
        "rose",
        "beaver",
        "bird",
        "spider",
        "records",
    ]
    assert all(line and "\n" not in line and len(line) <= 90 for line in formats().values())


def test_format_by_name(tmp_path: Path) -> None:
    """Objects that look like ROSE's, read as records: the reference is found all the same."""
    text = '[{"question_id": 1, "predicted_sql": "P", "gold_sql": "G"}]'
    (one,) = read(tmp_path / "a.json", text)
    (two,) = read(tmp_path / "a.json", text, format="records")
    assert one == two


# --- who is who


def test_files_of_the_same_name_are_two_benchmarks(tmp_path: Path) -> None:
    for folder in ("bird", "spider"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "dev.json").write_text('[{"id": 1, "gold_sql": "S"}]')
    cases = list(read_cases([tmp_path / "bird/dev.json", tmp_path / "spider/dev.json"]))
    assert [case.name for case in cases] == ["bird/dev/1", "spider/dev/1"]
    assert [case.origin for case in cases] == ["bird/dev.json[0]", "spider/dev.json[0]"]


def test_benchmark_by_name(tmp_path: Path) -> None:
    (case,) = read(tmp_path / "a.json", '[{"id": 1, "gold_sql": "S"}]', benchmark="mine")
    assert case.benchmark == "mine"
    (case,) = read(tmp_path / "a.json", '[{"id": 1, "gold_sql": "S", "benchmark": "b"}]')
    assert case.benchmark == "b"


def test_the_same_id_of_two_sources(tmp_path: Path) -> None:
    text = "id,source,gold_sql\n1,a,S\n1,b,S\n"
    assert [case.key for case in read(tmp_path / "a.csv", text)] == [
        ("a", "1", "a"),
        ("a", "1", "b"),
    ]
