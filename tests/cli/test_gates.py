"""No gate is passed by verdicts that nobody gave."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from chat_server import says, serving

from commands import run
from sqljury.cli.gate import check_gate, left_out_limit
from sqljury.errors import InputError, SqljuryError
from sqljury.llm import Ledger
from sqljury.settings import ScoreGate
from sqljury.uses.evaluate.left_out import GatedScore

RIGHT, WRONG = "SELECT name FROM item", "SELECT price FROM item"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Ten cases over a good database, ten over one whose file is damaged."""
    for name in ("good", "damaged"):
        (tmp_path / "databases" / name).mkdir(parents=True)
    with sqlite3.connect(tmp_path / "databases/good/good.sqlite") as database:
        database.executescript("CREATE TABLE item (name TEXT, price REAL);")
        database.execute("INSERT INTO item VALUES ('pen', 1.5)")
    whole = (tmp_path / "databases/good/good.sqlite").read_bytes()
    (tmp_path / "databases/damaged/damaged.sqlite").write_bytes(whole[:4096] + b"\xff" * 4096)
    for name in ("good", "damaged"):
        write_cases(tmp_path / f"{name}.json", name)
    return tmp_path


def write_cases(path: Path, db_id: str, **more: object) -> None:
    case = {"db_id": db_id, "question": "Which?", "reference_sqls": [RIGHT], **more}
    predicted = {"predicted_sql": more.get("predicted_sql", RIGHT)}
    path.write_text(
        json.dumps([{**case, **predicted, "id": f"{path.stem}-{n}"} for n in range(10)])
    )


def evaluate(shop: Path, *arguments: object, **environment: str):
    places = ("-d", shop / "databases", "--run", shop / "run")
    return run("evaluate", *arguments, *places, **environment)


def test_a_damaged_database_is_no_score(shop: Path) -> None:
    done = evaluate(shop, shop / "good.json", shop / "damaged.json", "--fail-under", "0.5")
    assert (done.returncode, "SJ416 10 of 20 verdicts" in done.stderr) == (3, True), done.stderr
    assert "100.0" in done.stdout


def test_missing_verdicts_end_with_3_without_a_gate_and_with_any_allowance(shop: Path) -> None:
    done = evaluate(shop, shop / "damaged.json", "--json", "--max-left-out", "100%")
    assert done.returncode == 3
    (judge,) = json.loads(done.stdout)["judges"]
    assert (judge["missing"], judge["n"], judge["score"]) == (10, 0, None)
    ((reason, count),) = judge["missing_reasons"].items()
    assert ("malformed" in reason, count) == (True, 10)


def test_a_model_that_answers_prose_is_no_judge(shop: Path) -> None:
    with serving(says("I think that it may be right.")) as server:
        judge = f"rose,model=vllm:m,model_options=base_url={server.url}"
        cases = ("-j", judge, "--fail-under", "0.5")
        write_cases(shop / "asked.json", "good", predicted_sql=WRONG)
        done = evaluate(shop, shop / "asked.json", *cases)
    assert (done.returncode, "10 of 10 verdicts" in done.stderr) == (3, True), done.stderr
    # What was answered is in the one file, with nothing beside it.
    assert sorted(path.name for path in (shop / "run").iterdir()) == ["ledger.sqlite", "run.sqlite"]
    with Ledger(shop / "run/ledger.sqlite", read_only=True) as ledger:
        assert len(ledger) == len(server.requests) > 0


def test_what_is_left_out_fails_a_gate_unless_it_is_allowed(shop: Path) -> None:
    write_cases(shop / "faulty.json", "good", reference_sqls=["SELECT nothing FROM item"])
    files = (shop / "good.json", shop / "faulty.json")
    assert evaluate(shop, *files).returncode == 0
    done = evaluate(shop, *files, "--fail-under", "0.99")
    assert done.returncode == 1
    assert "10 of 20 cases (reference_error 10), 0 allowed; --max-left-out 10" in done.stderr
    for allowed, code in (("9", 1), ("50%", 0)):
        more = ("--fail-under", "0.99", "--max-left-out", allowed)
        assert evaluate(shop, *files, *more).returncode == code, allowed


@pytest.mark.slow
def test_select_trust_and_agree_do_as_evaluate_does(shop: Path) -> None:
    places = ("-d", shop / "databases", "--run", shop / "run")
    picked = run("select", shop / "damaged.json", *places, "-s", "first", "--fail-under", "0")
    assert (picked.returncode, "SJ416" in picked.stderr) == (3, True), picked.stderr
    trusted = run("trust", shop / "damaged.json", *places)
    assert (trusted.returncode, "SJ416" in trusted.stderr) == (3, True), trusted.stderr
    write_cases(shop / "labelled.json", "damaged", label=True)
    judged = shop / "judged"
    files = (shop / "labelled.json", shop / "good.json")
    done = run("evaluate", *files, "-d", shop / "databases", "--run", judged)
    assert done.returncode == 3, done.stderr
    looked = run("agree", judged)
    assert (looked.returncode, "warning: 10 of 10 verdicts" in looked.stderr) == (0, True)
    agreed = run("agree", judged, "--fail-under", "accuracy=0")
    assert (agreed.returncode, "SJ416" in agreed.stderr) == (3, True), agreed.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "--fail-under", "nan"),
        ("evaluate", "--fail-under", "80"),
        ("evaluate", "--max-left-out", "-1"),
        ("evaluate", "--max-left-out", "nan"),
        ("select", "--fail-under", "nan"),
        ("agree", "--fail-under", "kappa=nan"),
        ("agree", "--fail-under", "kapa=0.5"),
        ("agree", "--fail-under", "kappa"),
    ],
)
def test_thresholds_are_looked_at_before_anything_is_done(
    shop: Path, arguments: tuple[str, ...]
) -> None:
    command, *rest = arguments
    more = () if command == "agree" else ("-d", shop / "databases", "--run", shop / "run")
    done = run(command, shop / "good.json", *more, *rest)
    assert (done.returncode, "SJ50" in done.stderr or "SJ005" in done.stderr) == (2, True)
    assert not (shop / "run").exists()


@pytest.mark.parametrize(
    ("allowed", "left_out", "passes"),
    [("0", 0, True), ("0", 1, False), ("1", 1, True), ("1%", 2, True), ("1%", 3, False)],
)
def test_an_allowance_is_a_number_or_a_share(allowed: str, left_out: int, passes: bool) -> None:
    gate = left_out_limit(ScoreGate(max_left_out=allowed))
    judged = [GatedScore(name="j", total=200, left_out={"reference_error": left_out})]
    if passes:
        check_gate(gate, judged)
    else:
        with pytest.raises(SystemExit, match=r"^1$"):
            check_gate(gate, judged)


def test_missing_comes_before_below() -> None:
    gate = left_out_limit(ScoreGate(), with_threshold=True)
    with pytest.raises(SqljuryError, match="SJ416 2 of 5 verdicts of j are missing: gone"):
        judged = GatedScore(name="j", total=5, left_out={}, missing=2, reasons={"gone": 2})
        check_gate(gate, [judged], ["below"])
    with pytest.raises(InputError, match="SJ508"):
        left_out_limit(ScoreGate(max_left_out="101%"))
