"""Labelling projects: who labels what, nothing lost, agreement, export and import."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.uses.label import (
    LabelCase,
    LabelProject,
    LabelStore,
    LabelVote,
    cases_to_label,
    export_labels,
    import_labels,
    progress_of,
)
from sqljury.uses.label.plan import assigned, order_keys
from sqljury.uses.statistics import Confusion, fleiss_kappa, weighted_kappa

FIVE = ("Ida", "Ben", "Cem", "Dee", "Eve")


def made(count: int) -> list[LabelCase]:
    return [
        LabelCase(
            case=Case(
                id=str(number), benchmark="made", db_id="boats", question=f"Question {number}?",
                predicted_sql=f"SELECT {number}", reference_sqls=(f"SELECT {number}.0",),
            ),
            says={"judge": number % 3 != 0},
        )
        for number in range(count)
    ]  # fmt: skip


def project(path: Path, count: int = 6, **more: object) -> LabelStore:
    given = {"annotators": ("Ida", "Ben"), **more}
    return LabelStore.create(path / "labels.jsonl", LabelProject(**given), made(count))  # type: ignore[arg-type]


@pytest.mark.parametrize(("count", "votes"), [(302, 2), (10, 2), (7, 3), (25, 1), (9, 5)])
def test_loads_and_pairs_are_balanced(count: int, votes: int) -> None:
    found = assigned(LabelProject(annotators=FIVE, votes=votes, seed=3), list(range(count)))
    loads = Counter(name for names in found for name in names)
    assert max(loads.values()) - min(loads[name] for name in FIVE) <= 1
    together = Counter(pair for names in found for pair in combinations(sorted(names), 2))
    if count > 100:
        assert max(together.values()) - min(together.values()) <= 4


def test_the_seed_decides() -> None:
    cases = made(40)
    assert order_keys(cases, 1) == order_keys(cases, 1) != order_keys(cases, 2)


def test_cases_of_value_come_first() -> None:
    cases = [LabelCase(case=Case(id=str(i)), value=10.0 if i < 100 else 1.0) for i in range(1000)]
    keys = order_keys(cases, 0)
    first = sorted(range(1000), key=keys.__getitem__)[:100]
    assert 40 <= sum(number < 100 for number in first) <= 70


@pytest.mark.parametrize(
    "given",
    [{"annotators": ("Ida", "Ida")}, {"annotators": ("Ida", " ")}, {"annotators": ("Ida",), "votes": 2}],
)  # fmt: skip
def test_projects_that_cannot_be(given: dict[str, object]) -> None:
    with pytest.raises(InputError, match="SJ553"):
        LabelProject(**given)  # type: ignore[arg-type]


def test_votes_consensus_conflict_decision(tmp_path: Path) -> None:
    with project(tmp_path) as store:
        first, second, third, *_ = store.order
        assert store.next_case("Ida") == first
        store.vote(first, "Ida", LabelVote(correct=True))
        store.vote(first, "Ben", LabelVote(correct=True, reason="same"))
        store.vote(second, "Ida", LabelVote(correct=True))
        store.vote(second, "Ben", LabelVote(correct=False, faulty_reference=True))
        assert store.next_case("Ida") == third
        assert store.next_case("Ida", after=third) == store.order[3]
        assert (store.consensus(first), store.consensus(second)) == (True, None)
        assert store.conflicts() == [second]
        with pytest.raises(InputError, match="SJ555"):
            store.decide(first, "Ada", LabelVote(correct=True))
        store.decide(second, "Ada", LabelVote(correct=False))
        assert (store.conflicts(), store.label(second)) == ([], False)
        with pytest.raises(InputError, match="SJ555"):
            store.vote(second, "Ben", LabelVote(correct=True))
        with pytest.raises(InputError, match="SJ555"):
            store.vote(third, "Zoe", LabelVote(correct=True))
    with LabelStore(tmp_path / "labels.jsonl") as again:
        assert again.votes == store.votes and again.decisions == store.decisions


def test_undo_withdraws_the_latest_label(tmp_path: Path) -> None:
    with project(tmp_path) as store:
        first, second, *_ = store.order
        store.vote(first, "Ida", LabelVote(correct=True))
        store.vote(second, "Ida", LabelVote(correct=True))
        store.vote(first, "Ben", LabelVote(correct=True))
        assert store.undo("Ida") == second
        assert store.undo("Ida") == first
        assert store.undo("Ida") is None
        assert store.counts("Ida") == (0, 6) and store.counts("Ben") == (1, 6)


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    with project(tmp_path, 40) as store:
        script = (
            "import sys; from pathlib import Path; from sqljury.uses.label import *\n"
            "store = LabelStore(Path(sys.argv[1]))\n"
            "while (number := store.next_case('Ben')) is not None:\n"
            "    store.vote(number, 'Ben', LabelVote(correct=number % 2 == 0))\n"
        )
        other = subprocess.Popen([sys.executable, "-c", script, str(store.path)])
        while (number := store.next_case("Ida")) is not None:
            store.vote(number, "Ida", LabelVote(correct=True))
        assert other.wait(60) == 0
        store.refresh()
        assert [len(votes) for votes in store.votes] == [2] * 40
        assert len(store.conflicts()) == 20


def test_a_killed_writer_loses_nothing_that_it_said_was_stored(tmp_path: Path) -> None:
    with project(tmp_path, 500) as store:
        script = (
            "import sys; from pathlib import Path; from sqljury.uses.label import *\n"
            "store = LabelStore(Path(sys.argv[1]))\n"
            "while (number := store.next_case('Ben')) is not None:\n"
            "    store.vote(number, 'Ben', LabelVote(correct=True)); print(number, flush=True)\n"
        )
        other = subprocess.Popen(
            [sys.executable, "-c", script, str(store.path)], stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        told = [int(other.stdout.readline()) for _ in range(20)]
        os.kill(other.pid, signal.SIGKILL)
        told += [int(line) for line in other.stdout.read().splitlines()]
        other.wait()
        store.refresh()
        assert all("Ben" in store.votes[number] for number in told)


@pytest.mark.parametrize("torn", ['{"kind": "vote", "ca', "\n"[:0] + "{", '{"kind": "vote"}'])
def test_an_unfinished_line_is_cut_off(tmp_path: Path, torn: str) -> None:
    with project(tmp_path) as store:
        store.vote(store.order[0], "Ida", LabelVote(correct=True))
    with store.path.open("a") as file:
        file.write(torn)
    with LabelStore(store.path) as again:
        again.vote(again.order[1], "Ida", LabelVote(correct=False))
    with LabelStore(store.path) as third:
        assert third.counts("Ida") == (2, 6)


@pytest.mark.parametrize("text", ["", "[]\n", '{"kind": "labels"}\n', '{"id": 1}\nx\n'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="SJ554"):
        LabelStore(path)


def test_export_and_import(tmp_path: Path) -> None:
    with project(tmp_path) as store:
        for place, number in enumerate(store.order):
            store.vote(
                number, "Ida", LabelVote(correct=True, reason="as asked", ambiguous=place == 0)
            )
            if place < 4:
                store.vote(number, "Ben", LabelVote(correct=place != 1))
        assert export_labels(store, tmp_path / "agreed.json") == 3
        assert export_labels(store, tmp_path / "all.json", all_votes=True) == 6
        first = store.cases[store.order[0]].case.id
    rows = {
        str(row["question_id"]): row for row in json.loads((tmp_path / "agreed.json").read_text())
    }
    assert all(row["label"] is True for row in rows.values())
    assert sorted((rows[first]["reason_1"], rows[first]["reason_2"])) == [
        "", "as asked\nAMBIGUOUS QUESTION",
    ]  # fmt: skip
    assert [case.label for case in read_cases([tmp_path / "agreed.json"])] == [True] * 3
    (tmp_path / "b").mkdir()
    for name in ("all.json", "labels.jsonl"):
        with project(tmp_path / "b") as other:
            assert import_labels(other, tmp_path / name).taken == 10
            assert import_labels(other, tmp_path / name).known == 10
            assert len(other.conflicts()) == 1
        other.path.unlink()
    with project(tmp_path / "b") as other:
        with pytest.raises(InputError, match="SJ554"):
            import_labels(other, tmp_path / "agreed.json")
        found = import_labels(other, tmp_path / "agreed.json", "Ida")
        assert (found.taken, found.unknown) == (3, 0)


def test_cases_without_a_prediction_are_left_out(tmp_path: Path) -> None:
    cases = [Case(id="1"), Case(id="2", predicted_sql="SELECT 1"), Case(id="3", predicted_sql=None)]
    assert [one.case.id for one in cases_to_label(cases)] == ["2", "3"]
    with pytest.raises(InputError, match="SJ553 there are no cases with a prediction"):
        LabelStore.create(
            tmp_path / "l.jsonl", LabelProject(annotators=FIVE), cases_to_label(cases[:1])
        )


def test_labels_of_the_input_do_not_leak(tmp_path: Path) -> None:
    case = Case(
        id="1",
        predicted_sql="SELECT 1",
        label=True,
        extra={"reason_1": "wrong", "votes": [1], "colour": "red"},
    )
    (found,) = cases_to_label([case])
    assert (found.case.label, dict(found.case.extra)) == (None, {"colour": "red"})


@pytest.mark.parametrize("weight", ["heavy", 0, -1, float("inf")])
def test_weights_are_numbers(weight: object) -> None:
    with pytest.raises(InputError, match="SJ553"):
        list(cases_to_label([Case(id="1", predicted_sql="SELECT 1", extra={"weight": weight})]))


def test_fleiss_of_the_paper() -> None:
    """Table 1 of Fleiss (1971) in the well-known worked example: 10 subjects, 14 raters."""
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    assert fleiss_kappa(table) == pytest.approx(0.210, abs=5e-4)
    assert fleiss_kappa([]) is None and fleiss_kappa([(1, 0)]) is None
    assert fleiss_kappa([(2, 0), (2, 0)]) is None


def test_kappa_with_equal_weights_is_cohens() -> None:
    random = Random(1)
    rows = [(random.random() < 0.6, random.random() < 0.5, 3.0) for _ in range(60)]
    expected = Confusion.of((label, answer) for label, answer, _ in rows).statistics()["kappa"]
    kappa, interval = weighted_kappa(rows)
    assert kappa == pytest.approx(expected)
    assert interval is not None and interval[0] < kappa < interval[1]
    assert weighted_kappa([]) == (None, None)


def test_judges_agree_with_the_labels_of_all_cases_not_of_the_drawn_ones(tmp_path: Path) -> None:
    """Valuable cases are the hard ones: unweighted, κ of the first labels would be far too low."""
    random = Random(0)
    cases, labels = [], []
    for number in range(1500):
        is_hard, label = number % 5 == 0, random.random() < 0.5
        answer = label if random.random() > (0.45 if is_hard else 0.02) else not label
        labels.append(label)
        cases.append(
            LabelCase(case=Case(id=str(number)), value=0.5 if is_hard else 0.05, says={"j": answer})
        )
    truth = Confusion.of(zip(labels, (one.says["j"] for one in cases), strict=True)).statistics()
    path = tmp_path / "labels.jsonl"
    with LabelStore.create(path, LabelProject(annotators=("Ida",), votes=1), cases) as store:
        for number in store.order[:400]:
            store._apply(
                {"kind": "vote", "case": number, "by": "Ida", "at": "", "vote": {"correct": labels[number]}}
            )  # fmt: skip
        (found,) = progress_of(store).judges
        drawn = Confusion.of((labels[n], cases[n].says["j"]) for n in store.order[:400])
    assert found.n == 400 and found.kappa is not None and truth["kappa"] is not None
    assert found.kappa == pytest.approx(truth["kappa"], abs=0.06)
    assert drawn.statistics()["kappa"] < truth["kappa"] - 0.15  # type: ignore[operator]


@pytest.mark.parametrize("error", [0.05, 0.15])
def test_roses_protocol_replayed(tmp_path: Path, data_dir: Path, error: float) -> None:
    """Two of five annotators of known error label each case of ROSE-VEC's shared half.

    Of two independent annotators with error e, (1-e)² + e² agree; e² of these are wrong; κ follows
    from the share q of cases that an annotator calls correct.
    """
    files = [data_dir / "rose-vec" / f"rose-vec-{part}.json" for part in ("bird", "spider")]
    known = list(read_cases(files))
    random = Random(7)
    path = tmp_path / "labels.jsonl"
    with LabelStore.create(path, LabelProject(annotators=FIVE), cases_to_label(known)) as store:
        for name in FIVE:
            for number in store.order:
                if name in store.assigned[number]:
                    said = bool(known[number].label) != (random.random() < error)
                    store._apply({"kind": "vote", "case": number, "by": name, "at": "", "vote": {"correct": said}})  # fmt: skip
        found = progress_of(store)
        agreed = [n for n in range(len(known)) if store.consensus(n) is not None]
        wrong = sum(store.consensus(n) != known[n].label for n in agreed)
    n, share = len(known), (1 - error) ** 2 + error**2
    yes = sum(bool(case.label) for case in known) / n
    q = yes * (1 - error) + (1 - yes) * error
    by_chance = q * q + (1 - q) ** 2
    kappa = (share - by_chance) / (1 - by_chance)
    assert n == 302 and found.complete == n
    deviation = math.sqrt(share * (1 - share) / n)
    assert abs(len(agreed) / n - share) < 3 * deviation
    assert wrong / n < error**2 + 3 * math.sqrt(error**2 * (1 - error**2) / n)
    assert found.fleiss == pytest.approx(kappa, abs=3 * deviation / (1 - by_chance))
    assert len(found.pairs) == 10
