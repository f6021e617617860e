"""`build trust`, as a user types it, on the bundled databases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import run
from sqljury.benchmarks import read_cases
from sqljury.demo import write_demo


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    write_demo(tmp_path)
    return tmp_path


def test_a_benchmark_is_built_read_and_scored(demo: Path) -> None:
    out = demo / "built"
    arguments = ("build", "trust", demo / "cases.json", "-d", demo / "databases", "-o", out)
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    card = json.loads((out / "card.json").read_text())
    assert json.loads(done.stdout) == card
    cases = {part: list(read_cases(out / f"{part}.jsonl")) for part in card["answerable"]}
    for part, found in cases.items():
        assert card["answerable"][part] == sum(bool(one.answerable) for one in found)
    assert sum(card["unanswerable"].values()) == sum(not one.answerable for one in cases["test"])
    assert min(card["unanswerable"].values()) > 0
    assert "| ANS | 27 | 12 | 12 |" in (out / "README.md").read_text()
    before = (out / "test.jsonl").read_bytes()
    assert run(*arguments).returncode == 0
    assert (out / "test.jsonl").read_bytes() == before
    # All questions abstained from: every unanswerable one counts 1.
    answers = demo / "answers.json"
    answers.write_text(json.dumps({one.id: None for one in cases["test"]}))
    done = run("trust", out / "test.jsonl", "-p", answers, "-d", demo / "databases", "--run", demo / "run", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["phi"]["0"] == found["n_unanswerable"] / found["n"]
    assert {s["value"] for s in found["slices"] if s["dimension"] == "type"} == set(
        card["unanswerable"]
    )


def test_what_is_left_out_can_be_corrected(demo: Path) -> None:
    (demo / "q.json").write_text(
        json.dumps(
            [
                {"id": 1, "db_id": "ferry_line", "question": "Which vessels does Nobody name?",
                 "gold_sql": "SELECT vessel_id FROM vessel WHERE vessel_name = 'Nobody'"},
                {"id": 2, "db_id": "ferry_line", "question": "How many vessels are there today?",
                 "gold_sql": "SELECT COUNT(*) FROM vessel WHERE date('now') > '2000-01-01'"},
            ]
        )
    )  # fmt: skip
    arguments = ("build", "trust", demo / "q.json", "-d", demo / "databases", "-o", demo / "b")
    assert run(*arguments).returncode == 2  # nothing is left
    done = run(*arguments, "--correct", "--now", "2024-05-31", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["corrected"] == {"null_result": 1, "relative_time": 1}
    parts = [demo / "b" / f"{part}.jsonl" for part in ("train", "validation", "test")]
    asked = [one for part in parts if part.stat().st_size for one in read_cases(part)]
    (today,) = [one for one in asked if one.id == "2"]
    assert today.question == "How many vessels are there on 31 May 2024?"
    assert today.reference_sqls == (
        "SELECT COUNT(*) FROM vessel WHERE date('2024-05-31') > '2000-01-01'",
    )
    assert today.extra["question_before"] == "How many vessels are there today?"


def test_schemas_kinds_and_questions_of_ones_own(demo: Path) -> None:
    tables = demo / "tables.sql"
    tables.write_text("CREATE TABLE boat (boat_id INTEGER PRIMARY KEY, sail_area REAL);")
    cases = [
        {"id": i, "question": f"Q{i}?", "gold_sql": f"SELECT sail_area+{i} FROM boat"}
        for i in range(20)
    ]
    (demo / "q.json").write_text(json.dumps(cases))
    (demo / "ood.txt").write_text("# mine\n\nWhy so?\nHow so?\n")
    done = run("build", "trust", demo / "q.json", "--schemas", tables, "-o", demo / "b",
               "--kinds", "out-of-domain,non-sql", "--out-of-domain", demo / "ood.txt")  # fmt: skip
    assert done.returncode == 0, done.stderr
    asked = [one for one in read_cases(demo / "b" / "test.jsonl") if not one.answerable]
    listed = {one.question for one in asked if one.extra["type"] == "out-of-domain"}
    assert listed == {"Why so?", "How so?"}


@pytest.mark.slow
def test_questions_that_a_model_writes_and_a_person_reviews(demo: Path) -> None:
    def written(*questions: tuple[str, str, str]) -> str:
        listed = [
            {"question": q, "table": t, "missing": m, "why": "nowhere"} for q, t, m in questions
        ]
        return json.dumps({"questions": listed})

    answers = [
        {
            "when": ["kind: column-related", "CREATE TABLE vessel"],
            "answer": written(
                ("What is the top speed of each vessel?", "vessel", "top speed"),
                ("How many passengers fit on each vessel?", "vessel", "passengers"),
                ("What is the  top speed of each vessel", "vessel", "top speed"),
            ),
        },
        {
            "when": ["kind: non-sql", "CREATE TABLE vessel"],
            "answer": written(("Paint me the fleet.", "boats", "painting")),
        },
        {"when": [], "answer": {"questions": []}},
    ]
    script = demo / "answers.jsonl"
    script.write_text("".join(json.dumps(one) + "\n" for one in answers))
    out = demo / "built"
    arguments = ("build", "trust", demo / "cases.json", "-d", demo / "databases", "-o", out)
    done = run(*arguments, "--ask", f"scripted:{script}", "--json")
    assert done.returncode == 0, done.stderr
    assert "review.jsonl: 3 review, 0 accepted, 0 rejected" in done.stderr
    assert json.loads(done.stdout)["n_reviewed"] == 0
    queue = [json.loads(line) for line in (out / "review.jsonl").read_text().splitlines()]
    assert [one["question"] for one in queue] == [
        "What is the top speed of each vessel?",
        "How many passengers fit on each vessel?",
        "Paint me the fleet.",
    ]
    assert queue[0]["doubts"] == []
    assert "vessel.passengers may be it" in queue[1]["doubts"]
    assert queue[2]["doubts"] == ["there is no table 'boats'"]
    # The review, and the same command again: nobody is asked anew, for the ledger knows.
    queue[0]["status"], queue[1]["status"] = "accepted", "rejected"
    queue[2] |= {"status": "accepted", "question": "Paint the fleet in oil."}
    (out / "review.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queue))
    before = (out / "review.jsonl").read_text()
    script.unlink()
    replay = ("--ask", f"scripted:{script}", "--replay", out / "ledger.sqlite")
    done = run(*arguments, *replay, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n_reviewed"] == 2
    test = {one.question: one.extra for one in read_cases(out / "test.jsonl")}
    assert test["What is the top speed of each vessel?"]["type"] == "column-related"
    assert test["Paint the fleet in oil."]["written_by"] == f"scripted:{script}"
    assert "How many passengers fit on each vessel?" not in test
    assert (out / "review.jsonl").read_text() == before
    assert run(*arguments).returncode == 0
    assert "a person accepted: 2." in (out / "README.md").read_text()
    (out / "review.jsonl").write_text(before.replace("rejected", "perhaps"))
    done = run(*arguments)
    assert (done.returncode, "SJ561" in done.stderr) == (2, True)
    assert "review.jsonl:2" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--kinds", "odd", "-d", "databases"), "SJ560"),
        ((), "SJ560"),
        (("-d", "databases", "--out-of-domain", "nowhere.txt"), "SJ101"),
        (("-d", "databases", "--max-cost", "1"), "SJ006"),
        (("-d", "databases", "--now", "2024-05-31"), "SJ006"),
        (("-d", "databases", "--paraphrases", "10"), "SJ006"),
        (("-d", "databases", "--split", "odd"), "SJ560"),
        (("-d", "databases", "--ask", "nobody"), "SJ901"),
        (("-d", "databases", "--ask", "scripted:m:f", "--model-option", "warm"), "SJ351"),
    ],
)
def test_what_cannot_be_built(demo: Path, arguments: tuple[str, ...], code: str) -> None:
    options = [str(demo / one) if one in ("databases", "nowhere.txt") else one for one in arguments]
    done = run("build", "trust", demo / "cases.json", "-o", demo / "b", *options)
    assert (done.returncode, code in done.stderr) == (2, True), done.stderr


@pytest.mark.slow
def test_paraphrases_that_a_person_accepted(demo: Path) -> None:
    asked = [
        {"id": 1, "db_id": "ferry_line", "question": "How many vessels have more than 90 places?",
         "gold_sql": "SELECT count(*) FROM vessel WHERE passengers > 90"},
        {"id": 2, "db_id": "ferry_line", "question": "How many vessels?",
         "gold_sql": "SELECT count(*) FROM vessel"},
    ]  # fmt: skip
    (demo / "q.json").write_text(json.dumps(asked))
    answers = [
        {"when": ["how many: 10", "more than 90"],
         "answer": json.dumps({"questions": ["Count the vessels with over 90 places.",
                                             "Count the large vessels.", "how many vessels"]})},
        {"when": [], "answer": {"questions": []}},
    ]  # fmt: skip
    script = demo / "answers.jsonl"
    script.write_text("".join(json.dumps(one) + "\n" for one in answers))
    arguments = ("build", "trust", demo / "q.json", "-d", demo / "databases", "-o", demo / "b")
    done = run(*arguments, "--ask", f"scripted:{script}", "--paraphrases", 10, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n_read"] == 2
    review = demo / "b" / "review.jsonl"
    queue = [json.loads(line) for line in review.read_text().splitlines()]
    assert [(one["of"], one["doubts"]) for one in queue] == [("1", []), ("1", ["'90' is not said"])]
    queue[0]["status"], queue[1]["status"] = "accepted", "rejected"
    review.write_text("".join(json.dumps(one) + "\n" for one in queue))
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n_read"] == 3
    parts = [demo / "b" / f"{part}.jsonl" for part in ("train", "validation", "test", "left_out")]
    cases = [case for part in parts if part.stat().st_size for case in read_cases(part)]
    (added,) = [case for case in cases if case.id == "1-paraphrase-0"]
    assert added.question == "Count the vessels with over 90 places."
    assert added.reference_sqls == (asked[0]["gold_sql"],)


def test_databases_in_halves_and_a_training_split_of_its_own(demo: Path) -> None:
    arguments = ("build", "trust", demo / "cases.json", "-d", demo / "databases", "-o", demo / "b")
    (demo / "train.json").write_text(json.dumps(
        [{"id": 0, "db_id": "ferry_line", "question": "Vessels?", "gold_sql": "SELECT vessel_id FROM vessel"}]
    ))  # fmt: skip
    done = run(*arguments, "--split", "databases", "--train", demo / "train.json", "--json")
    assert done.returncode == 0, done.stderr
    card = json.loads(done.stdout)
    assert card["databases"] == {"train": 1, "validation": 1, "test": 2}
    assert card["unseen"] == {
        "train": 0,
        **{p: card["answerable"][p] for p in ("validation", "test")},
    }
    assert card["answerable"]["train"] == 1
    assert card["left_out"].keys() <= {"null_result", "reference_error"}
