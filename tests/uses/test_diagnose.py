"""Diagnoses: annotators' reasons, labels against them, suspicious references."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges.recorded import Recorded
from sqljury.uses.audit.diagnose import REASON_LABELS, annotated, diagnose, reason_labels
from sqljury.verdict import Outcome, Record, Verdict

# How each reason of the shared half reads, by hand: question id -> first and second annotator.
# P prediction, G reference, g remark on it, E hint, Q question, S schema, n note; "" silent.
# Reasons of one line without a tag, which are all about a wrong prediction, are not listed.
_SHORT = dict(zip("PGgEQSn", REASON_LABELS, strict=True))
READ = {
    "0": "P PS", "28": "Q G", "65": "PEQ PG", "72": "G -", "91": "- Q", "109": "P PG",
    "112": "- G", "172": "n Q", "252": "PG PG", "257": "- n", "271": "- G", "275": "- n",
    "309": "G G", "321": "- Q", "349": "- G", "365": "- G", "367": "S P", "389": "G -",
    "398": "G P", "411": "Q P", "425": "- Q", "430": "- Q", "546": "G -", "599": "P PGQ",
    "606": "- g", "638": "- G", "762": "- Q", "786": "- G", "878": "g -", "897": "P PE",
    "927": "- n", "940": "- g", "949": "Q Q", "952": "- S", "967": "P GQ", "984": "G G",
    "1006": "P PG", "1014": "P PG", "1015": "P PG", "1020": "- g", "1024": "P G",
    "1068": "- GE", "1129": "n -", "1152": "GE G", "1160": "PG P", "1175": "G G",
    "1197": "- G", "1204": "G G", "1225": "- Q", "1244": "- g", "1387": "G -", "1391": "G G",
    "1404": "P PG", "1422": "G G", "1440": "n -", "1441": "PE E", "1481": "PG G",
    "1482": "G GE", "1529": "PG P",
}  # fmt: skip


@pytest.fixture(scope="module")
def bird(data_dir: Path) -> dict[str, Case]:
    return {case.id: case for case in read_cases(data_dir / "rose-vec/rose-vec-bird.json")}


@pytest.mark.data
def test_every_reason_reads_as_by_hand(bird: dict[str, Case]) -> None:
    for key, case in bird.items():
        default = "- -" if case.label else "P P"
        expected = tuple(
            tuple(_SHORT[letter] for letter in word if letter != "-")
            for word in READ.get(key, default).split()
        )
        assert annotated(case) == expected, key


@pytest.mark.parametrize(
    ("reason", "labels"),
    [
        ("", ()),
        ("  \n ", ()),
        ("gold sql false: one month only", ("gold_fault",)),
        ("GOLD FALSE,Predicted FALSE. Both use the wrong year", ("prediction_fault", "gold_fault")),
        ("Note: Gold SQL could be shorter", ("gold_remark",)),
        ("Golden retrievers are counted twice", ("prediction_fault",)),
        ("Ambiguous output\nwrong join", ("prediction_fault", "ambiguous_question")),
    ],
)
def test_reasons(reason: str, labels: tuple[str, ...]) -> None:
    assert reason_labels(reason) == labels


def test_a_case_without_annotators() -> None:
    assert annotated(Case(id="1")) is None
    assert annotated(Case(id="1", extra={"reason_1": "", "reason_2": None})) == ((), ())


# ---------------------------------------------------------------- the recorded runs


def recorded(data_dir: Path, cases: dict[str, Case], model: str) -> list[Record]:
    judge = Recorded(dir=str(data_dir / "rose-vec/recorded/rose-vec"), model=model, metric="ROSE")
    return [
        Record(case=case, judge=f"recorded,model={model}", verdict=judge.judge(case, None))  # type: ignore[arg-type]
        for case in cases.values()
    ]


@pytest.mark.data
def test_precision_of_goldx_and_ambq(data_dir: Path, bird: dict[str, Case]) -> None:
    found = diagnose(recorded(data_dir, bird, "o3") + recorded(data_dir, bird, "gemini-2.5-pro"))
    rows = {(row.judge.partition("=")[2], row.diagnosis.split()[0]): row for row in found.judges}
    gold = rows["o3", "GoldX"]
    assert (gold.flagged, gold.annotated, gold.confirmed, gold.explained) == (16, 16, 9, 12)
    assert (gold.found, gold.stated, gold.precision) == (9, 35, 9 / 16)
    assert gold.precision_explained == 0.75
    ambiguous = rows["o3", "AmbQ"]
    assert (ambiguous.flagged, ambiguous.confirmed) == (8, 2)
    assert rows["o3", "any"].flagged == 10
    assert rows["gemini-2.5-pro", "GoldX"].confirmed == 15


@pytest.mark.data
def test_annotators_with_each_other_and_with_the_label(
    data_dir: Path, bird: dict[str, Case]
) -> None:
    found = diagnose(recorded(data_dir, bird, "o3"))
    pairs = {row.label: row for row in found.annotators}
    fault = pairs["gold_fault"]
    assert (fault.both, fault.only_first, fault.only_second) == (10, 7, 18)
    assert round(100 * (fault.kappa or 0), 2) == 36.44
    assert round(100 * (pairs["prediction_fault"].kappa or 0), 2) == 90.49
    right, wrong = found.reasons
    assert (right.n, right.faulted_by, right.silent) == (110, {0: 110}, 70)
    assert (wrong.n, wrong.faulted_by, wrong.silent) == (58, {1: 7, 2: 51}, 0)


@pytest.mark.data
def test_references_that_19_methods_speak_against(data_dir: Path, bird: dict[str, Case]) -> None:
    """Of the 20 that rank first among those with annotators, 12 are wrong by their words."""
    with (data_dir / "rose-benchmarking/methods.csv").open() as file:
        folders = [row["folder"] for row in csv.DictReader(file)]
    records = []
    for name in folders:
        judge = Recorded(dir=str(data_dir / f"rose-benchmarking/{name}/o3-{name}-eval"))
        judgements = judge._judgements(Case(id=""))
        records += [
            Record(
                case=replace(found.case, source=name, benchmark="mini_dev"),
                judge="recorded",
                verdict=judge.judge(found.case, None),  # type: ignore[arg-type]
            )
            for found in judgements.values()
        ]
    found = diagnose(records)
    first = found.suspicions[0]
    assert (first.id, first.faults, first.asked, first.systems) == ("710", 19, 19, 19)
    known = [row for row in found.suspicions if row.id in bird]
    wrong = [
        "gold_fault" in {*annotated(bird[row.id])[0], *annotated(bird[row.id])[1]} for row in known
    ]  # type: ignore[index]
    assert (sum(wrong[:10]), sum(wrong[:20]), sum(wrong), len(wrong)) == (8, 12, 15, 43)


# ---------------------------------------------------------------- made here


def record(
    key: str, verdict: Verdict, *, judge: str = "rose", source: str = "", **case: Any
) -> Record:
    made = Case(id=key, source=source, predicted_sql=case.pop("sql", "SELECT 1"), **case)
    return Record(case=made, judge=judge, verdict=verdict)


def answer(*rows: list[Any]) -> dict[str, Any]:
    return {"prediction": {"rows": list(rows), "row_count": len(rows)}}


def test_systems_that_agree_with_each_other_against_the_reference() -> None:
    """Rows tell answers apart where they are known, in any order; else the text does."""
    records = [
        record(
            "1", Verdict.incorrect(evidence=answer([1], [2])), judge="execution:bird", source="a"
        ),
        record(
            "1", Verdict.incorrect(evidence=answer([2], [1])), judge="execution:bird", source="b"
        ),
        record("1", Verdict.incorrect(evidence=answer([3])), judge="execution:bird", source="c"),
        record("1", Verdict.correct(), judge="execution:bird", source="d"),
        record("1", Verdict.correct(), judge="rose", source="a"),
        record("2", Verdict.incorrect(), judge="execution:bird", source="a", sql="SELECT  x;"),
        record("2", Verdict.incorrect(), judge="execution:bird", source="b", sql="select X"),
    ]
    first, second = diagnose(records).suspicions
    assert (first.id, first.alike, first.systems, first.against, first.contradicted) == (
        "2",
        2,
        2,
        0,
        2,
    )
    assert (second.id, second.alike, second.systems, second.against, second.contradicted) == (
        "1",
        2,
        4,
        1,
        3,
    )


def test_left_out_verdicts_say_nothing() -> None:
    gone = Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, labels=("gold_fault",))
    kept = Verdict.correct(labels=("gold_fault",), reason="r")
    found = diagnose([record("1", gone), record("2", kept)])
    assert [(row.id, row.faults, row.reasons) for row in found.suspicions] == [("2", 1, ("r",))]
    assert found.judges[0].n == 1
    assert json.dumps(found.to_json(), allow_nan=False)


def test_nothing_to_diagnose() -> None:
    with pytest.raises(InputError, match="SJ525"):
        diagnose([record("1", Verdict.correct(), judge="exact_match")])
