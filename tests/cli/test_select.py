"""`select`, as a user types it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import commands
import sqljury as sj
from sqljury.uses.select import Ballot
from sqljury.uses.select.strategies.base import Ranking
from sqljury.uses.select.strategies.builtin import Weighted


def run(*arguments: object, **where: Path) -> subprocess.CompletedProcess[str]:
    return commands.run("select", *arguments, **where)


def pool(number: int, gold: str | None, *candidates: object, **fields: object) -> dict[str, Any]:
    gold_sql = {} if gold is None else {"gold_sql": gold}
    return {"id": number, "db_id": "shop", **gold_sql, **fields, "candidates": candidates}


POOLS = [
    pool(
        1,
        "SELECT count(*) FROM item",
        {"sql": "SELECT id FROM item", "systems": ["a"], "ok": False},
        {"sql": "SELECT count(id) FROM item", "systems": ["b", "c"], "ok": True},
        {"sql": "SELECT sum(1) FROM item", "systems": ["d"], "ok": True},
        difficulty="simple",
    ),
    pool(
        2,
        "SELECT name FROM item WHERE id = 1",
        {"sql": "SELECT nam FROM item", "systems": ["a", "b", "c"], "ok": False},
        {"sql": "SELECT name FROM item WHERE id < 2", "systems": ["d"], "ok": True},
    ),
    pool(3, "SELECT max(id) FROM item"),
]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.executescript(
        "CREATE TABLE item (id INTEGER, name TEXT); INSERT INTO item VALUES (1, 'x'), (2, 'y');"
    )
    connection.close()
    lines = "".join(json.dumps(one) + "\n" for one in POOLS)
    (tmp_path / "pools.jsonl").write_text(lines)
    return tmp_path


def accuracies(found: dict[str, Any]) -> dict[str, float]:
    return {one["name"]: one["accuracy"] for one in found["strategies"]}


NAMES = ("first", "random", "execution", "majority", "system:b", "judge:executable", "oracle")


def test_strategies_as_json(shop: Path) -> None:
    strategies = [part for name in NAMES for part in ("--strategy", name)]
    page = ("--html", "page.html", "--resamples", "20")
    done = run("pools.jsonl", "-d", ".", *strategies, "--json", *page, cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "as they were given" in (shop / "page.html").read_text()
    found = json.loads(done.stdout)
    assert found["oracle"]["in_order"][-1] == pytest.approx(2 / 3)
    assert accuracies(found) == pytest.approx(
        {
            "first": 0,
            "random": (3 / 4 + 1 / 4) / 3,
            "execution": (3 / 4 + 1) / 3,
            "majority": 2 / 3,
            "system:b": 1 / 3,
            "judge:executable": (3 / 4 + 1) / 3,
            "oracle": 2 / 3,
        }
    )
    assert (found["n"], found["total"], found["candidates"], found["distinct"]) == (3, 3, 8, 5)
    assert found["oracle"]["accuracy"] == pytest.approx(2 / 3)
    assert found["oracle"]["curve"] == pytest.approx([1 / 3, 1 / 2, 7 / 12, 2 / 3])
    assert found["systems"] == pytest.approx({"d": 2 / 3, "b": 1 / 3, "c": 1 / 3, "a": 0})
    assert {test["baseline"] for test in found["tests"]} >= {"majority", "first"}
    # A recorded label says the same; without databases what needs no result can be had.
    done = run("pools.jsonl", "--label", "ok", "-s", "first", "-s", "oracle", "--json", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert accuracies(json.loads(done.stdout)) == pytest.approx({"first": 0, "oracle": 2 / 3})


@pytest.mark.slow
def test_tables_and_the_exit_code(shop: Path) -> None:
    done = run("pools.jsonl", "-d", ".", "-s", "majority", "--fail-under", "0.7", cwd=shop)
    assert done.returncode == 1
    assert "below 0.7: majority: 0.6667 over 3 questions" in done.stderr
    for text in ("3 of 3 questions count: 8 candidates", "oracle", "66.67", "By difficulty"):
        assert text in done.stdout
    other = ("-w", "1", "--run", "elsewhere", "--html", "a.html")
    command = [sys.executable, "-m", "sqljury.cli", "select", "pools.jsonl", "-d", ".", *other]
    again = subprocess.run(
        [*command, "-s", "majority"],
        capture_output=True,
        text=True,
        check=False,
        cwd=shop,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )
    assert again.stdout == done.stdout
    page = (shop / "a.html").read_text()
    for text in ("Selection: pools.jsonl", "66.67", "<polyline points=", "majority, 4: 66.7"):
        assert text in page


def test_a_page_lists_where_strategies_differ(shop: Path) -> None:
    page = shop / "select.html"
    done = run(shop / "pools.jsonl", "-d", shop, "-s", "first", "-s", "majority",
               "--html", page)  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "of which a strategy is right and one wrong" in text
    assert 'class="bad">wrong, first:' in text
    assert 'class="good">right, majority:' in text


def test_picks_without_any_reference(shop: Path) -> None:
    blind = [pool(1, None, "SELECT 1", "SELECT 2", "SELECT 1.0"), pool(2, None, "SELEC", None)]
    (shop / "blind.jsonl").write_text("".join(json.dumps(one) + "\n" for one in blind))
    done = run("blind.jsonl", "-d", ".", "-s", "majority", "--out", "picked.jsonl", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "nothing says which candidates are right" in done.stdout
    picked = list(sj.read_cases(shop / "picked.jsonl"))
    assert [(case.id, case.source) for case in picked] == [("1", "majority"), ("2", "majority")]
    assert picked[0].predicted_sql in ("SELECT 1", "SELECT 1.0")
    assert [case.extra["agreement"] for case in picked] == [2 / 3, 0]
    done = run("blind.jsonl", "-d", ".", "-s", "majority", "--fail-under", "0", cwd=shop)
    assert done.returncode == 1


def test_what_is_written_can_be_evaluated(shop: Path) -> None:
    arguments = ("-d", ".", "-s", "majority", "-s", "first", "--out", "picked.jsonl", "--json")
    found = json.loads(run("pools.jsonl", *arguments, cwd=shop).stdout)
    with sj.evaluate(shop / "picked.jsonl", ["execution"], shop, workers=1) as judged:
        slices = {
            part.value: part.score
            for part in judged.summary.judges[0].slices
            if part.dimension == "source"
        }
    assert slices == pytest.approx(accuracies(found))


class Rarest(Ranking):
    """The query that was given least often."""

    def ranks(self, ballot: Ballot) -> list[float]:
        return [-float(count) for count in ballot.counts]


def test_strategies_of_ones_own(shop: Path) -> None:
    """A vote weighted by what every candidate that runs gets is a vote."""
    own = [Rarest("rarest"), Weighted("weighted", "executable"), "majority"]
    found = sj.select(shop / "pools.jsonl", own, shop, workers=1)
    accuracies = [one.accuracy for one in found.strategies]
    assert accuracies == pytest.approx([(1 / 2 + 1) / 3, 2 / 3, 2 / 3])
    assert found.judges["executable"].startswith("executable|v:1|")
    # What is no baseline is tested against what is.
    assert [(test.first, test.second) for test in found.tests] == [
        ("rarest", "majority"),
        ("weighted", "majority"),
    ]


def test_the_same_folder_goes_on(shop: Path) -> None:
    steps: list[tuple[int, int]] = []
    arguments: dict[str, Any] = {
        "run": shop / "run",
        "workers": 1,
        "on_progress": lambda done, total: steps.append((done, total)),
    }
    first = sj.select(shop / "pools.jsonl", ["majority"], shop, **arguments)
    assert steps[0] == (0, 16)
    steps.clear()
    names = ["majority", "judge:nonempty"]
    again = sj.select(shop / "pools.jsonl", names, shop, **arguments)
    # Nothing but what the new strategy asks for is judged: a verdict for each distinct query.
    assert [steps[0], steps[-1]] == [(16, 16), (5, 5)]
    assert again.strategies[0] == first.strategies[0]


def test_files_of_predictions_are_systems(shop: Path) -> None:
    questions = [{key: one[key] for key in ("id", "db_id", "gold_sql")} for one in POOLS]
    (shop / "dev.json").write_text(json.dumps(questions))
    (shop / "one.json").write_text(
        json.dumps({"1": "SELECT 2", "2": "SELECT 'x'", "3": "SELECT 1"})
    )
    (shop / "two.json").write_text(json.dumps({"1": "SELECT 2.0", "2": "SELECT 1", "3": "SELEC"}))
    found = sj.select(
        shop / "dev.json",
        ["majority", "system:one"],
        shop,
        predictions=[shop / "one.json", shop / "two.json"],
        workers=1,
    )
    assert found.systems == pytest.approx({"one": 2 / 3, "two": 1 / 3})
    assert [one.accuracy for one in found.strategies] == pytest.approx([1.5 / 3, 2 / 3])


def test_judges_see_no_reference_but_the_majoritys(shop: Path) -> None:
    """`execution` of a candidate against the majority's pick: right where the majority is."""
    found = sj.select(
        shop / "pools.jsonl", ["majority", "judge:execution", "judge:relpm"], shop, workers=1
    )
    by_name = {one.name: one for one in found.strategies}
    assert by_name["judge:execution"].accuracy == by_name["majority"].accuracy
    assert by_name["judge:relpm"].accuracy == pytest.approx(2 / 3)
    assert found.judges["relpm"].endswith("|reference:majority")
    # What the majority of all says tells nothing of a smaller pool.
    assert by_name["judge:relpm"].curve == ()


@pytest.mark.parametrize(
    ("file", "options", "said"),
    [
        ("pools.jsonl", {"strategies": ["best"]}, "SJ570"),
        ("pools.jsonl", {"strategies": []}, "SJ570"),
        ("pools.jsonl", {"strategies": ["first", "first"]}, "SJ573"),
        ("pools.jsonl", {"strategies": ["majority"], "label": "ok"}, "SJ571"),
        ("pools.jsonl", {"strategies": ["first"], "label": "correct"}, "fields: systems, ok"),
        ("pools.jsonl", {"strategies": ["first"], "label": "systems"}, "SJ109"),
        ("pools.jsonl", {"strategies": ["first"], "label": "ok", "judge": "execution"}, "SJ572"),
        ("pools.jsonl", {"strategies": ["judge:nobody"], "label": "ok"}, "SJ301"),
        ("pools.jsonl", {"databases": ".", "match": "similar"}, "SJ601"),
        ("pools.jsonl", {"judge": "execution"}, "SJ413"),
        ("empty.jsonl", {}, "SJ103"),
        ("broken.jsonl", {}, "SJ106"),
        ("list.jsonl", {}, "SJ105"),
    ],
)
def test_input_that_cannot_be_used(
    shop: Path, file: str, options: dict[str, Any], said: str
) -> None:
    (shop / "empty.jsonl").write_text("")
    (shop / "broken.jsonl").write_text('{"id": 1, "candidates": [')
    (shop / "list.jsonl").write_text('{"id": 1, "candidates": {"sql": "SELECT 1"}}\n')
    with pytest.raises(sj.InputError, match=said):
        sj.select(shop / file, **options)


def test_errors_as_typed(shop: Path) -> None:
    for arguments, said in (
        (("pools.jsonl", "-d", "nowhere"), "error: SJ2"),
        (("pools.jsonl", "-d", ".", "--fail-under", "80"), "error: SJ506"),
    ):
        done = run(*arguments, cwd=shop)
        assert done.returncode == 2, done.stdout + done.stderr
        assert said in done.stderr


def test_the_candidates_for_a_question_stand_together() -> None:
    cases = [
        sj.Case(id=id_, source=source, predicted_sql="SELECT 1")
        for id_, source in ("1a", "2a", "1b")
    ]
    with pytest.raises(sj.InputError, match="SJ574"):
        sj.select(cases, ["first"])


def test_hostile_candidates_fail_and_do_not_vote(shop: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    hostile = (endless, "SELECT zeroblob(2000000000)", "DELETE FROM item", "ATTACH 'x' AS y")
    before = (shop / "shop.sqlite").read_bytes()
    (shop / "hostile.json").write_text(
        json.dumps([pool(1, "SELECT 2", *hostile, *hostile, "SELECT count(*) FROM item")])
    )
    found = sj.select(
        shop / "hostile.json",
        ["majority", "execution", "random"],
        shop,
        workers=1,
        limits=sj.Limits(seconds=0.5),
    )
    assert [one.accuracy for one in found.strategies] == [1, 1, 1 / 9]
    assert (shop / "shop.sqlite").read_bytes() == before


LIKES = """
from dataclasses import dataclass
from sqljury.judges import Judge, Needs
from sqljury.verdict import Verdict

@dataclass(frozen=True)
class Likes(Judge):
    name = "likes"
    version = 1
    needs = Needs.NOTHING
    sees_failures = True

    def judge(self, case, evidence):
        return Verdict.correct("").with_score(0.97 if "nothing" in case.predicted_sql else 0.5)
"""


def test_a_query_that_does_not_run_is_not_picked_by_score(shop: Path) -> None:
    (shop / "own").mkdir()
    (shop / "own" / "likes.py").write_text(LIKES)
    pools = [
        pool(1, "SELECT count(*) FROM item", "SELECT nothing FROM item", "SELECT 2"),
        pool(2, "SELECT count(*) FROM item", "SELECT nothing FROM item"),
    ]
    (shop / "failing.jsonl").write_text("".join(json.dumps(one) + "\n" for one in pools))

    def picked(*more: str) -> tuple[float, str]:
        done = run("failing.jsonl", "-d", ".", "-s", "judge:own.likes:Likes", *more, cwd=shop)
        assert done.returncode == 0, done.stderr
        as_json = run(
            "failing.jsonl", "-d", ".", "-s", "judge:own.likes:Likes", "--json", *more, cwd=shop
        )
        return accuracies(json.loads(as_json.stdout))["judge:own.likes:Likes"], done.stdout

    accuracy, said = picked()
    assert accuracy == 0.5
    assert "no candidate runs: 1 questions" in said
    accuracy, said = picked("--keep-failing")
    assert accuracy == 0.0
    assert "no candidate runs" not in said
