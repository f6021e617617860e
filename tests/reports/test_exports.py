"""JSONL and CSV: the same verdicts give the same bytes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import report_sample as sample

from sqljury.case import Case
from sqljury.errors import InputError, catalogue
from sqljury.reports import export
from sqljury.uses.evaluate import page as html
from sqljury.verdict import Outcome, Record, Verdict


def test_export_line(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    about = sample.case(1, source="système", difficulty=None)
    verdict = Verdict.correct(
        "same rows", labels=("limit_cuts_tie",), measures={"recall": 1.0, "f1": 0.5}
    )
    export.write_export(path, [sample.record(about, sample.STRICT, verdict)])
    assert path.read_text("utf-8") == (
        '{"benchmark": "harbour", "cause": null, "db_id": "coast", "difficulty": null, "id": "1", '
        '"judge": "execution:strict", "label": true, "labels": ["limit_cuts_tie"], '
        '"measures": {"f1": 0.5, "recall": 1.0}, "outcome": "correct", '
        f'"predicted_sql": {json.dumps(about.predicted_sql)}, '
        f'"question": {json.dumps(about.question)}, "reason": "same rows", '
        f'"reference_sqls": {json.dumps(about.reference_sqls)}, '
        '"score": 1.0, "source": "système"}\n'
    )


def test_bytes_do_not_depend_on_seconds(tmp_path: Path) -> None:
    for write in (export.write_export, export.write_csv):
        paths = [tmp_path / "a", tmp_path / "b"]
        for path in paths:
            write(path, sample.records())
        assert paths[0].read_bytes() == paths[1].read_bytes()
        assert b"seconds" not in paths[0].read_bytes().replace(b"other evidence", b"")


NASTY = 'a\u2028b\x85c\ud800d\n"e",\r\x00'


def test_a_record_stays_on_its_line(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    about = Case(id=NASTY, predicted_sql="SELECT 1")
    records = [
        Record(case=about, judge="j", verdict=Verdict(outcome=Outcome.UNKNOWN, reason=NASTY))
    ]
    export.write_export(path, records * 2)
    lines = path.read_text("utf-8").splitlines()
    assert [json.loads(line)["reason"] for line in lines] == [NASTY, NASTY]
    assert json.loads(lines[0])["score"] is None


def test_csv_has_the_columns_of_the_export(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    export.write_csv(path, sample.records())
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == export.EXPORT_FIELDS
    assert len(rows) == 18
    assert rows[0]["labels"] == "[]"
    assert rows[0]["label"] == "true"
    assert rows[-1]["score"] == ""
    assert rows[4]["labels"] == '["limit_cuts_tie"]'


def test_parquet_has_the_fields_and_values_of_the_export(tmp_path: Path) -> None:
    parquet_module = pytest.importorskip("pyarrow.parquet")
    records = [*sample.records()]
    export.write_export(tmp_path / "out.jsonl", records)
    export.write_parquet(tmp_path / "out.parquet", records)
    found = parquet_module.read_table(tmp_path / "out.parquet")
    assert tuple(found.schema.names) == export.EXPORT_FIELDS
    types = {name: str(found.schema.field(name).type) for name in found.schema.names}
    assert "struct<name: string, value: double>" in types.pop("measures")
    assert types.pop("labels").startswith("list<")
    assert types.pop("reference_sqls").startswith("list<")
    assert (types.pop("score"), types.pop("label")) == ("double", "bool")
    assert set(types.values()) == {"string"}
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    rows = [
        {**row, "measures": {one["name"]: one["value"] for one in row["measures"]}}
        for row in found.to_pylist()
    ]
    assert rows == [{"predicted_sql": None, **line} for line in lines]


def test_parquet_is_written_in_parts_and_takes_any_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet_module = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(export, "_ROWS_AT_ONCE", 2)
    case = Case(id=NASTY, predicted_sql="SELECT 1")
    verdict = Verdict(outcome=Outcome.UNKNOWN, reason=NASTY, labels=(NASTY,))
    path = tmp_path / "out.parquet"
    export.write_parquet(path, [Record(case=case, judge="j", verdict=verdict)] * 5)
    file = parquet_module.ParquetFile(path)
    assert (file.num_row_groups, file.metadata.num_rows) == (3, 5)
    (row, *_) = file.read().to_pylist()
    assert row["reason"] == row["labels"][0] == NASTY.replace("\ud800", "\\ud800")
    export.write_parquet(path, [])
    assert parquet_module.read_table(path).num_rows == 0


@pytest.mark.parametrize("folder", ["missing", "file"])
def test_a_place_that_cannot_be_written(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("")
    target = tmp_path / folder / "out"
    writers = (
        lambda: export.write_export(target, sample.records()),
        lambda: export.write_csv(target, sample.records()),
        lambda: html.write_report(target, sample.summary(), sample.records(), title="t"),
    )
    for write in writers:
        with pytest.raises(InputError, match="SJ801") as caught:
            write()
        assert caught.value.code in catalogue()


def test_a_write_that_breaks_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    def broken():  # type: ignore[no-untyped-def]
        yield from sample.records()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export.write_export(path, broken())
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]
