"""What verdicts cost: kept with them, by stage, the same on a replay and for any workers."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

import pytest
from shop import REFERENCE, make_database

import sqljury as sj
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.llm import ClientSettings
from sqljury.reports.export import write_export
from sqljury.uses.evaluate import words as sentences
from sqljury.uses.evaluate.page import write_report
from sqljury.verdict import Cost

COUNT = 12

OWN = '''
from dataclasses import dataclass
from sqljury.judges import Needs
from sqljury.llm import Message, Request, parse_model
from sqljury.verdict import Verdict

MODEL = parse_model("scripted:answers_of_mine:answer")

@dataclass(frozen=True)
class Careless:
    """Asks, and says nothing of what that cost."""
    name = "careless"; version = 1; needs = Needs.LLM
    def judge(self, case, evidence):
        evidence.ask(Request(MODEL, (Message("user", case.id),)))
        if case.id == "3":
            raise RuntimeError("boom")
        return Verdict.correct()
'''
ANSWERS = """
import hashlib

def answer(request):
    if request.schema is None:
        return "yes"
    parts = request.schema["properties"]
    digest = hashlib.sha256(request.messages[-1].content.encode()).digest()
    found = {name: "said" for name in parts} | {"verdict": digest[0] % 2 == 0}
    if "gold_correct" in parts:
        found |= {"ambiguity": "na", "gold_correct": True}
    return found

def other(request):
    return answer(request)
"""
ROSE = "rose,model=scripted:answers_of_mine:answer"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "answers_of_mine.py").write_text(ANSWERS)
    (tmp_path / "careless.py").write_text(OWN)
    prices = {"scripted:answers_of_mine:answer": {"input": 1000.0, "output": 2000.0}}
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    make_database(tmp_path / "databases")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("answers_of_mine", None)
    return tmp_path


def cases() -> list[Case]:
    return [
        Case(
            id=str(n),
            db_id="shop",
            question=f"What costs more than two? ({n})",
            predicted_sql=REFERENCE if n % 2 else "SELECT name FROM item",
            reference_sqls=(REFERENCE,),
        )
        for n in range(COUNT)
    ]


def judged(here: Path, *judges: str, run: str = "run", workers: int = 2, **how: object):
    settings = ClientSettings(
        **{"ledger": str(here / "ledger.sqlite"), "prices": str(here / "prices.json"), **how}
    )
    return sj.evaluate(
        cases(), judges, here / "databases", run=here / run, workers=workers, llm=settings
    )


def pages(found: sj.Evaluation, folder: Path) -> tuple[bytes, bytes]:
    write_export(folder / "e.jsonl", found.run.records(with_evidence=False))
    write_report(folder / "e.html", found.summary, found.records(), title="costs")
    run = found.summary.run.encode()
    return (
        (folder / "e.jsonl").read_bytes(),
        (folder / "e.html").read_bytes().replace(run, b"RUN"),
    )


def test_costs_are_kept_by_stage(here: Path) -> None:
    with judged(here, ROSE, "execution") as found:
        of_rose, of_execution = found.summary.judges
        costs = [record.verdict.cost for record in found.records() if record.judge == ROSE]
        paid = found.run.paid
    assert of_execution.cost is None
    assert of_rose.cost is not None
    refuted, proved = of_rose.cost.stages[1], of_rose.cost.stages[0]
    assert (proved.stage, refuted.stage) == ("prover", "refuter")
    # Where the rows are equal the Prover is not asked.
    assert (proved.verdicts, proved.calls) == (COUNT // 2, COUNT // 2)
    assert COUNT // 2 < refuted.calls < COUNT
    for name in ("calls", "tokens", "unpriced"):
        by_stage = [getattr(stage, name) for stage in of_rose.cost.stages]
        assert getattr(of_rose.cost, name) == sum(by_stage)
        assert getattr(of_rose.cost, name) == sum(getattr(cost, name) for cost in costs)
    assert of_rose.cost.money == pytest.approx(proved.money + refuted.money)
    assert of_rose.cost.money > 0.001 * of_rose.cost.tokens
    assert of_rose.cost.verdicts == COUNT
    assert paid is not None
    assert (paid.calls, paid.tokens) == (of_rose.cost.calls, of_rose.cost.tokens)
    assert paid.money == pytest.approx(of_rose.cost.money)
    assert {name for cost in costs for name in cost.stages} == {"prover", "refuter"}


def test_a_replay_says_the_same_and_pays_nothing(here: Path) -> None:
    with judged(here, ROSE) as found:
        alive = (
            pages(found, here),
            found.summary.to_json()["judges"],
            sentences.details(found.summary.judges[0]),
        )
    for workers in (1, 3):
        with judged(here, ROSE, run=f"replay-{workers}", workers=workers, replay=True) as found:
            again = (
                pages(found, here),
                found.summary.to_json()["judges"],
                sentences.details(found.summary.judges[0]),
            )
            assert again == alive
            assert found.run.paid is not None
            assert (found.run.paid.calls, found.run.paid.money) == (0, 0.0)
    # The same run once more judges nothing, and knows what it cost.
    with judged(here, ROSE) as found:
        assert found.run.paid is not None
        assert found.run.paid.calls == 0
        assert found.summary.to_json()["judges"] == alive[1]
    assert any(line.startswith("cost when asked: ") for line in alive[2])
    assert [line.split(":")[0] for line in alive[2]][-2:] == ["prover", "refuter"]
    assert b"cost when asked" in alive[0][1]
    assert b"tokens" not in alive[0][0]


def test_a_panel_is_counted_by_member_and_repeats_by_stage(here: Path) -> None:
    names = [f"scripted:answers_of_mine:{name}" for name in ("answer", "other")]
    with judged(here, f"panel,models={'+'.join(names)}", f"{ROSE},repeats=2") as found:
        panel, repeated = (judge.cost for judge in found.summary.judges)
    assert panel is not None and repeated is not None
    assert [stage.stage for stage in panel.stages] == names
    assert panel.stages[0].calls == panel.stages[1].calls
    # One of the two has no price.
    assert (panel.stages[0].unpriced, panel.stages[1].unpriced) == (0, 0)
    assert panel.stages[1].money == 0.0 < panel.stages[0].money
    assert [stage.stage for stage in repeated.stages] == ["prover", "refuter"]
    assert repeated.stages[0].calls == COUNT
    assert repeated.stages[0].verdicts == COUNT // 2


def test_a_judge_that_keeps_no_accounts_is_counted_all_the_same(here: Path) -> None:
    with judged(here, f"{here / 'careless.py'}:Careless") as found:
        (judge,) = found.summary.judges
        failed = [r.verdict for r in found.records() if r.case.id == "3"]
    assert judge.cost is not None
    assert (judge.cost.verdicts, judge.cost.calls) == (COUNT, COUNT)
    assert len(judge.cost.stages) == 1
    assert "boom" in failed[0].reason
    assert failed[0].cost.calls == 1


def test_a_run_of_before_is_refused_with_the_way_out(here: Path) -> None:
    with judged(here, "execution") as found:
        store = found.run.folder / "run.sqlite"
    with sqlite3.connect(store) as database:
        database.execute("UPDATE facts SET value = '1' WHERE name = 'store_version'")
    with pytest.raises(InputError, match=r"SJ403 .*\(store 1\).*--ledger .*ledger.sqlite"):
        judged(here, "execution")


def test_costs_add_up() -> None:
    prover = Cost(calls=1, tokens=10, money=0.5)
    whole = Cost(calls=1, tokens=10, money=0.5, stages={"prover": prover})
    other = Cost(calls=2, tokens=5, unpriced=2, stages={"refuter": Cost(calls=2, unpriced=2)})
    found = sum([whole, whole, other], Cost())
    assert (found.calls, found.tokens, found.money, found.unpriced) == (4, 25, 1.0, 2)
    assert found.stages["prover"] == Cost(calls=2, tokens=20, money=1.0)
    assert found.stages["refuter"].unpriced == 2
