"""A scoreboard a system, and who is better by more than chance."""

from __future__ import annotations

import json
from pathlib import Path
from sqlite3 import connect

import pytest

from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.uses.evaluate import words as sentences
from sqljury.uses.evaluate.document import slices_of
from sqljury.uses.evaluate.evaluation import evaluate
from sqljury.uses.evaluate.summary import JudgeSummary, failing, summarise
from sqljury.uses.evaluate.systems import several_systems, with_systems
from sqljury.uses.statistics.paired import mcnemar_exact
from sqljury.verdict import Outcome, Record, Verdict

YES, NO = Verdict.correct(), Verdict.incorrect()
FAILED = Verdict(outcome=Outcome.REFERENCE_ERROR)

#         question:  0    1    2    3    4
VERDICTS = {"good": (YES, YES, YES, NO, FAILED), "poor": (YES, NO, NO, YES, FAILED)}


def records() -> list[Record]:
    return [
        Record(case=Case(id=str(i), source=name), judge="j", verdict=verdicts[i])
        for i in range(5)
        for name, verdicts in VERDICTS.items()
    ]


def scored() -> JudgeSummary:
    summary = summarise(records(), {"j": ""}, "run")
    assert several_systems(summary)
    return with_systems(summary, records()).judges[0]


def test_each_system_has_a_score_and_what_only_it_gets_right() -> None:
    found = [(one.name, one.n, one.score, one.only) for one in scored().systems]
    assert found == [("good", 4, 0.75, 2), ("poor", 4, 0.5, 1)]


def test_systems_are_tested_on_the_questions_that_count_for_both() -> None:
    (pair,) = scored().system_pairs
    assert (pair.first, pair.second, pair.n) == ("good", "poor", 4)
    assert (pair.only_first, pair.only_second, pair.difference) == (2, 1, 0.25)
    assert pair.p == pair.p_holm == mcnemar_exact(2, 1)
    assert pair.low is not None and pair.low < 0.25 < pair.high


def test_there_is_no_pooled_headline() -> None:
    judge = scored()
    assert (
        sentences.score_sentence(judge) == "2 systems, a score each; 2 left out: reference_error 2"
    )
    assert slices_of([judge]) == []


def test_every_system_must_pass_a_threshold() -> None:
    summary = with_systems(summarise(records(), {"j": ""}, "run"), records())
    assert failing(summary, 0.6) == ["j, poor: 0.5000 over 4 cases"]


def test_one_system_has_no_scoreboard() -> None:
    alone = [one for one in records() if one.case.source == "good"]
    assert not several_systems(summarise(alone, {"j": ""}, "run"))


def test_most_predictions_missing_is_said_before_the_score() -> None:
    gone = Verdict(outcome=Outcome.PREDICTION_MISSING, score=0.0)
    found = [Record(case=Case(id=str(i)), judge="j", verdict=gone if i else YES) for i in range(3)]
    (judge,) = summarise(found, {"j": ""}, "run").judges
    assert sentences.score_sentence(judge).startswith(
        "NO PREDICTION for 2 of 3 cases, which count as wrong: 33.3 % of 3"
    )
    assert "--map predicted_sql=KEY" in sentences.details(judge)[0]


def test_r_ves_says_the_published_figure_first() -> None:
    fast = Verdict.correct(measures={"r_ves": 1.1}).with_score(0.98)
    (judge,) = summarise(
        [Record(case=Case(id="1"), judge="r_ves", verdict=fast)], {"r_ves": ""}, "run"
    ).judges
    assert sentences.score_sentence(judge).startswith("R-VES 110.0; 100.0 % of 1")
    assert sentences.headline(judge) == "110.0"
    assert sentences.measures_sentence(judge) == ""


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_files_of_predictions_are_systems(tmp_path: Path, order: tuple[str, str]) -> None:
    with connect(tmp_path / "d.sqlite") as database:
        database.execute("CREATE TABLE t (a)")
    rows = [{"question": "?", "query": f"SELECT {i}", "db_id": "d"} for i in range(3)]
    (tmp_path / "dev.json").write_text(json.dumps(rows))
    for name, right in (("a", 3), ("b", 1)):
        answers = {str(i): f"SELECT {i if i < right else 9}" for i in range(3)}
        (tmp_path / f"{name}.json").write_text(json.dumps(answers))
    files = [tmp_path / f"{name}.json" for name in order]
    cases = read_cases(tmp_path / "dev.json", predictions=files)
    with evaluate(cases, ["execution"], tmp_path, workers=1) as found:
        (judge,) = found.summary.judges
    assert [(one.name, one.only) for one in judge.systems] == [("a", 2), ("b", 0)]
    assert [(pair.first, pair.only_first) for pair in judge.system_pairs] == [("a", 2)]
