"""The jury that may ask: who is asked, until when, and what comes of it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_server import says, serving
from fake_models import Courtroom, by_prompt, proof, refutation, verdict_of
from typer.testing import CliRunner

import sqljury as sj
from commands import run
from sqljury.case import Case
from sqljury.cli.app import app
from sqljury.databases import open_databases
from sqljury.databases.protocol import Database
from sqljury.errors import InputError
from sqljury.judges import Needs, make_judge
from sqljury.judges.flex import FLEX_DIFFER, FLEX_EQUAL
from sqljury.judges.jurors import known_name
from sqljury.judges.prover import PROVER
from sqljury.judges.refuter import REFUTER
from sqljury.judges.reviewer import REVIEWER
from sqljury.judges.rose_unified import UNIFIED
from sqljury.learning.fusion import SHIPPED, load_fusion
from sqljury.uses.train.jury_calibration import calibrate_jury
from sqljury.verdict import Outcome

SCHEMA = "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, crew INTEGER);"
ROWS = "INSERT INTO boat VALUES (1,'Anna','ferry',3), (2,'Bela','tug',2), (3,'Cora','ferry',9);"
CASE = Case(
    id="1",
    db_id="harbour",
    question="Which boats have a crew of more than 2?",
    predicted_sql="SELECT name, crew FROM boat WHERE crew > 2",
    reference_sqls=("SELECT name FROM boat WHERE crew > 2",),
)
ALONE = replace(CASE, db_id="elsewhere", schema_sql=SCHEMA)
O3 = "jury,models=openai:o3-2025-04-16"
PROMPTS = (PROVER, REFUTER, FLEX_EQUAL, FLEX_DIFFER, UNIFIED)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("databases")
    connection = sqlite3.connect(found / "harbour.sqlite")
    connection.executescript(SCHEMA + ROWS)
    connection.close()
    return found


@pytest.fixture(scope="module")
def harbour(folder: Path) -> Database:
    return open_databases(folder).open("harbour")


def asked(database: Database | None, yes: bool | None, case: Case = CASE) -> Courtroom:
    """A model that says yes to everything, or no, or nothing."""
    flex = None if yes is None else {"reason": "so it is", "verdict": yes}
    parts = {
        "prover_verdict": yes,
        "prover_reason": "",
        "verdict": yes,
        "reason": "",
        "ambiguity": "na",
    }
    return Courtroom(
        case,
        database,
        by_prompt(
            (PROVER, None if yes is None else proof(yes)),
            (REFUTER, None if yes is None else refutation(not yes, gold_correct=yes)),
            (FLEX_EQUAL, flex),
            (FLEX_DIFFER, flex),
            (UNIFIED, None if yes is None else {**parts, "gold_correct": True}),
        ),
    )


@pytest.mark.parametrize("yes", [True, False])
def test_what_models_say_moves_the_verdict(harbour: Database, yes: bool) -> None:
    room = asked(harbour, yes)
    found = verdict_of(f"{O3},target=1", room)
    assert found.evidence["calls"] == found.cost.calls == len(room.requests) > 0
    assert [one["model"] for one in found.evidence["asked"]] == ["o3"] * len(
        found.evidence["asked"]
    )
    assert found.score is not None
    assert (found.score > found.evidence["offline"]) is yes
    assert "of o3: " in found.reason and "without models: probability" in found.reason


def test_nobody_is_asked_where_it_is_sure(harbour: Database) -> None:
    offline = make_judge("jury:offline").judge(CASE, asked(harbour, None))
    assert offline.score is not None
    sure = max(offline.score, 1 - offline.score) - 0.1
    room = asked(harbour, True)
    found = verdict_of(f"{O3},target={max(sure, 0.5)}", room)
    assert not room.requests
    assert found.evidence["asked"] == []
    assert found.evidence["calls"] == 0


def test_limits(harbour: Database) -> None:
    # At the threshold any answer can change the verdict. ROSE may need two calls: with one left
    # only the others can be asked.
    room = asked(harbour, True)
    score = verdict_of(f"{O3},target=0.5", room).score
    assert not room.requests
    unsure = f"{O3},target=0.99,threshold={score}"
    verdict_of(f"{unsure},max_calls=1", room)
    assert len(room.requests) == 1
    assert room.asked(*PROMPTS)[0] in ("flex_differ", "flex_equal", "unified")
    room = asked(harbour, True)
    verdict_of(f"{unsure},max_cost=0.0001", room)
    assert not room.requests


def test_who_gives_no_answer_is_missing_evidence(harbour: Database) -> None:
    found = verdict_of(f"{O3},target=1", asked(harbour, None))
    assert found.outcome in (Outcome.CORRECT, Outcome.INCORRECT)
    assert found.evidence["asked"] == []
    assert found.cost.calls > 0


def test_without_a_database_no_model_can_be_shown_rows() -> None:
    room = asked(None, True, ALONE)
    found = verdict_of(f"{O3},target=1", room)
    assert not room.requests
    assert found.outcome in (Outcome.CORRECT, Outcome.INCORRECT)


def test_labels_of_the_models_are_kept(harbour: Database) -> None:
    model = by_prompt(
        (PROVER, proof(True)),
        (REFUTER, refutation(False, ambiguity="ambiguous question", gold_correct=False)),
        *((one, {"reason": "", "verdict": True}) for one in (FLEX_EQUAL, FLEX_DIFFER)),
        (UNIFIED, None),
    )
    found = verdict_of(f"{O3},target=1", Courtroom(CASE, harbour, model))
    assert set(found.labels) == {"gold_fault", "ambiguous_question"}


def test_a_review_is_asked_first_and_shown_the_evidence(harbour: Database) -> None:
    wrong = replace(CASE, predicted_sql="SELECT name FROM boat WHERE crew > 3")
    room = Courtroom(wrong, harbour, by_prompt((REVIEWER, {**refutation(False), "reason": "so"})))
    judge = f"{O3},review=true,max_calls=1,target=1"
    found = verdict_of(judge, room)
    (request,) = room.requests
    assert room.asked(REVIEWER) == ["reviewer"]
    shown = request.messages[1].content
    assert "What programs found" in shown
    assert "The prediction requires boat.crew > 3, the reference boat.crew > 2" in shown
    assert "probability" not in shown
    assert [(one["question"], one["answer"]) for one in found.evidence["asked"]] == [
        ("reviewer", "rejects")
    ]
    assert found.score is not None and found.score < found.evidence["offline"]


def test_a_review_by_any_endpoint(folder: Path, tmp_path: Path) -> None:
    sj.write_cases([CASE], tmp_path / "cases.jsonl")
    answer = {"reason": "so", "verdict": True, "ambiguity": "na", "gold_correct": True}
    with serving(says(answer)) as server:
        judge = (
            "jury,models=llamacpp:tiny,review=true,max_calls=1,target=1,"
            f"model_options=base_url={server.url}"
        )
        done = run(
            *("evaluate", tmp_path / "cases.jsonl", "-d", folder, "-j", judge, "-w", "1"),
            *("--run", tmp_path / "run"),
        )
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 1
    with sj.load_run(tmp_path / "run") as found:
        (record,) = found.records()
    (asked_,) = record.verdict.evidence["asked"]
    assert (asked_["question"], asked_["model"], asked_["answer"]) == (
        "reviewer",
        "tiny",
        "accepts",
    )


def test_the_rates_of_a_review_are_assumed_until_it_is_measured() -> None:
    fusion = load_fusion(SHIPPED)
    review, unified = ("reviewer", "o3"), ("rose_unified", "o3")
    assert fusion.rates(review) == fusion.rates(unified)
    measured = fusion.recounted([{review: "accepts"}] * 30, [True] * 30)
    assert measured.rates(review) != measured.rates(unified)


# ---------------------------------------------------------------- recordings


def write(path: Path, **row: Any) -> None:
    path.mkdir(parents=True)
    known = {"question_id": 1, "predicted_sql": CASE.predicted_sql, **row}
    (path / "eval_results.json").write_text(json.dumps([known]))


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    known = {"prover_result": True, "refuter_result": True, "score": 0.0}
    write(tmp_path / "o3" / "ROSE", **known)
    for stage, answer in (("prover", proof(True)), ("refuter", refutation(True))):
        rows = json.dumps([{"question_id": 1, "result": answer}])
        (tmp_path / "o3" / "ROSE" / f"{stage}_output.json").write_text(rows)
    write(tmp_path / "o3" / "FLEX", score=0.0)
    write(tmp_path / "tiny" / "FLEX", score=0.0)
    write(tmp_path / "decisive" / "EX", score=0.0)
    return tmp_path


def test_recordings_answer(recorded: Path) -> None:
    judge = f"jury,models=o3+tiny,target=1,recorded={recorded}"
    found = verdict_of(judge, asked(None, None, ALONE))
    answers = {(one["question"], one["model"]): one["answer"] for one in found.evidence["asked"]}
    assert answers.pop(("execution", "")) == "rejects"
    assert answers[("flex", "o3")] == answers[("flex", "tiny")] == "rejects"
    assert answers[("rose", "o3")] == "refuter"
    assert found.evidence["calls"] == 4  # Prover, Refuter and two of FLEX, all recorded
    assert found.score is not None and found.score < found.evidence["offline"]
    assert not make_judge(judge).needs & Needs.LLM


def test_without_a_schema_only_answers_count(recorded: Path) -> None:
    unseen = replace(ALONE, schema_sql=None)
    judge = f"jury,models=o3+tiny,target=1,recorded={recorded}"
    found = verdict_of(judge, asked(None, None, unseen))
    assert found.evidence["offline"] is None
    assert found.score is not None and found.score < 0.5
    assert "without models: no schema of 'elsewhere'" in found.reason
    nobody_answers = verdict_of(judge, asked(None, None, replace(unseen, id="2")))
    assert nobody_answers.outcome is Outcome.UNKNOWN
    assert nobody_answers.score is None


@pytest.mark.data
def test_recordings_without_a_schema_agree_as_rose_alone(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "rose-vec"
    done = run(
        *("evaluate", folder / "rose-vec-bird.json", folder / "rose-vec-spider.json"),
        *("-j", "jury,models=o3", "-j", "rose,model=o3"),
        *("--recorded", folder / "recorded", "--run", tmp_path / "run"),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(run("agree", tmp_path / "run", "--json").stdout)
    jury, rose = (100 * one["kappa"] for one in found["judges"])
    assert jury == pytest.approx(77.93, abs=0.01)
    assert rose == pytest.approx(75.93, abs=0.01)


def test_recorded_rows_are_not_looked_at_beside_a_database(
    recorded: Path, harbour: Database
) -> None:
    found = verdict_of(f"jury,models=o3,target=1,recorded={recorded}", asked(harbour, None))
    assert "execution" not in {one["question"] for one in found.evidence["asked"]}


def test_a_run_on_recordings_is_the_same_twice(recorded: Path, folder: Path) -> None:
    found = []
    for workers in (1, 2):
        judges = [f"jury,models=o3+tiny,recorded={recorded}"]
        with sj.evaluate([CASE, replace(ALONE, id="2")], judges, folder, workers=workers) as run:
            found.append([(r.verdict.score, r.verdict.reason) for r in run.records()])
    assert found[0] == found[1]


def test_by_command(recorded: Path, tmp_path: Path) -> None:
    sj.write_cases([ALONE], tmp_path / "cases.jsonl")
    command = [
        "evaluate",
        str(tmp_path / "cases.jsonl"),
        "-j",
        "jury,models=o3,target=1",
        "-w",
        "1",
    ]
    command += ["--recorded", str(recorded), "--run", str(tmp_path / "run")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    with sj.load_run(tmp_path / "run") as run:
        (record,) = run.records()
    assert {one["model"] for one in record.verdict.evidence["asked"]} == {"", "o3"}


def test_calibrated_on_a_run(recorded: Path, folder: Path, tmp_path: Path) -> None:
    judge = f"jury,models=o3+tiny,target=1,recorded={recorded}"
    with sj.evaluate([CASE], [judge], folder, run=tmp_path / "run", workers=1):
        pass
    (tmp_path / "labels.csv").write_text("id,label\n1,0\n2,1\n")
    out = tmp_path / "mine.json"
    found = calibrate_jury(tmp_path / "run", tmp_path / "labels.csv", out)
    assert (found.cases, found.models) == (1, ("o3", "tiny"))
    mine = load_fusion(out)
    assert mine.counts["flex"]["tiny"] == {"rejects": (0, 1)}
    assert mine.counts["rose"]["o3"] == {"refuter": (0, 1)}
    assert mine.counts["rose"]["qwen3-30b"] == load_fusion(SHIPPED).counts["rose"]["qwen3-30b"]
    again = make_judge(f"{judge},reliability={out}")
    assert again.signature_fields() != make_judge(judge).signature_fields()
    (tmp_path / "labels.csv").write_text("id,label\n7,0\n")
    with pytest.raises(InputError, match="SJ355"):
        calibrate_jury(tmp_path / "run", tmp_path / "labels.csv", out)


def test_its_signature_says_what_ran_the_queries(folder: Path) -> None:
    with sj.evaluate([CASE], ["jury:offline"], folder, workers=1) as run:
        (line,) = [one.signature for one in run.summary.judges]
    assert "|db:sqlite" in line and "|limits:30s," in line


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("models=nobody,recorded={}", "SJ353"),
        ("models=o3,recorded={}/o3/ROSE", "SJ353"),
        ("models=o3,recorded={}/nowhere", "SJ120"),
        ("models=o3,reliability={}/nowhere.json,recorded={}", "SJ020"),
        ("models=o3,target=2,recorded={}", "SJ304"),
        ("models=o3,review=true,recorded={}", "SJ304"),
        ("review=true", "SJ304"),
        ("models=o3,max_calls=-1,recorded={}", "SJ304"),
    ],
)
def test_what_cannot_be(recorded: Path, options: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        make_judge("jury," + options.replace("{}", str(recorded)))


def test_names_by_which_models_are_known() -> None:
    assert known_name("openai:o3-2025-04-16") == "o3"
    assert known_name("openai:o3-mini") == "o3-mini"
    assert known_name("together:deepseek-ai/DeepSeek-R1") == "deepseek-r1"
