"""`build consensus`: forms for several people, and the cases that they agree on."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from commands import run
from sqljury.benchmarks import read_cases

PEOPLE = ("ida", "bo", "cy", "di", "ed")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    cases = [
        {"id": n, "db_id": "shop", "question": f"=Q{n}?", "predicted_sql": f"SELECT {n}",
         "gold_sql": "SELECT 1"}
        for n in range(20)
    ]  # fmt: skip
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    return tmp_path


def fill(path: Path, person: str) -> None:
    """Even cases are right; cy errs on case 4, and ed has not begun."""
    rows = list(csv.DictReader(path.open(newline="")))
    for row in rows if person != "ed" else ():
        right = int(row["id"]) % 2 == 0 and (person, row["id"]) != ("cy", "4")
        row |= {"label": "yes" if right else "no", "reason": "" if right else f"no, says {person}"}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_two_of_five_people_and_full_agreement(here: Path) -> None:
    people = ("--people", ",".join(PEOPLE), "--out", "forms")
    done = run("build", "consensus", "cases.json", *people, cwd=here)
    assert done.returncode == 0, done.stderr
    # Twenty cases, two people each: eight a person, two for each of the ten pairs.
    assert done.stdout.splitlines() == [f"forms/{name}.csv: 8 cases to label" for name in PEOPLE]
    for name in PEOPLE:
        fill(here / "forms" / f"{name}.csv", name)
    labels = [part for name in PEOPLE for part in ("--labels", f"forms/{name}.csv")]
    command = ("build", "consensus", "cases.json", *labels, "--out", "kept.jsonl")
    done = run(*command, "--json", cwd=here)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["n"], found["too_few"]) == (20, 8)
    assert found["disagreed"] + found["kept"] == 12
    kept = {case.id: case for case in read_cases(here / "kept.jsonl")}
    assert len(kept) == found["kept"]
    assert all(case.label is (int(id_) % 2 == 0) for id_, case in kept.items())
    wrong = next(case for case in kept.values() if not case.label)
    # The annotators' words are where `diagnose` reads them.
    assert str(wrong.extra["reason_1"]).startswith("no, says")
    assert len({wrong.extra["reason_1"], wrong.extra["reason_2"]}) == 2
    assert "agree on 2 of 2, κ" in run(*command, cwd=here).stdout


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), "SJ006"),
        (("--people", "ida"), "SJ563"),
        (("--labels", "one.csv"), "SJ562"),
        (("--labels", "none.csv"), "SJ101"),
    ],
)
def test_what_makes_no_consensus(here: Path, options: tuple[str, ...], code: str) -> None:
    (here / "one.csv").write_text("id,label\n1,yes\n")
    done = run("build", "consensus", "cases.json", *options, "--out", "out", cwd=here)
    assert (done.returncode, code in done.stderr) == (2, True), done.stderr
