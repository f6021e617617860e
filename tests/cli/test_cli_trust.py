"""`trust`, as a user types it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from commands import run

ROWS = [
    {"question_id": 1, "answerable": True, "predicted_sql": "SELECT 1", "correct": True},
    {"question_id": 2, "answerable": True, "predicted_sql": "SELECT 2", "correct": False},
    {"question_id": 3, "answerable": True, "predicted_sql": None},
    {"question_id": 4, "answerable": False, "predicted_sql": None},
    {"question_id": 5, "answerable": False, "predicted_sql": "SELECT 5"},
    {"question_id": 6, "answerable": True},
]


@pytest.fixture
def decisions(tmp_path: Path) -> Path:
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps(ROWS))
    return path


def test_decisions_as_json(decisions: Path) -> None:
    done = run("trust", decisions, "--penalty", "0", "--penalty", "10", "-c", "N", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["phi"] == {"0": 2 / 6, "10": -18 / 6, "N": -10 / 6}
    assert (found["n"], found["coverage"], found["risk"], found["aurc"]) == (6, 0.5, 2 / 3, None)
    assert found["mixes"]["ans"]["phi"]["0"] == 1 / 4
    assert found["baselines"]["abstain_all"]["N"] == 2 / 6


def test_decisions_printed_and_written(decisions: Path, tmp_path: Path) -> None:
    table = tmp_path / "cases.csv"
    done = run("trust", f"mine={decisions}", "--csv", table)
    assert done.returncode == 0, done.stderr
    for text in ("mine", "ABSTAIN-ALL", "ANSWER-ALL", "ORACLE", "missing: 1", "1 right, 1 wrong"):
        assert text in done.stdout
    lines = table.read_text().splitlines()
    assert lines[0].endswith("phi_0,phi_10,phi_N")
    assert lines[2] == "mine,,2,true,answered,false,,,0.0,-10.0,-6.0"


def test_a_page_lists_the_questions_that_cost(tmp_path: Path) -> None:
    path, page = tmp_path / "decisions.jsonl", tmp_path / "trust.html"
    rows = [row | {"question": f"<i>question {row['question_id']}"} for row in ROWS]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert run("trust", path, "--html", page).returncode == 0
    text = page.read_text()
    shown = text[text.index("Answers to unanswerable questions (1)") :]
    for part in ("question 5", "SELECT 5", "Wrong answers (1)", "question 2", "SELECT 2",
                 "Answerable, but not answered (1)", "question 3"):  # fmt: skip
        assert part in shown
        shown = shown[shown.index(part) :]
    assert "<i>" not in text
    assert "question 1<" not in text


def test_a_page_with_curves(tmp_path: Path) -> None:
    for number in range(2):
        rows = [
            {"question_id": i, "answerable": i % 3 > 0, "predicted_sql": None if i % 7 == 0 else "S",
             "correct": i % 5 > number, "confidence": i / 90, "type": "<script>alert(1)</script>"}
            for i in range(90)
        ]  # fmt: skip
        (tmp_path / f"{number}.json").write_text(json.dumps(rows))
    page = tmp_path / "trust.html"
    files = (f"<b>a={tmp_path / '0.json'}", f"b={tmp_path / '1.json'}")
    done = run("trust", *files, "--validation", tmp_path / "0.json", "--bootstrap", "50", "--html", page)  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = page.read_text("utf-8")
    assert text.count("<polyline") == 2
    for said in ("ABSTAIN-ALL", "AURC", "best φ10", "&lt;b&gt;a", "By type, in percent"):
        assert said in text
    assert "<script" not in text and "<b>" not in text and "http" not in text.split("</style>")[1]
    unsure = tmp_path / "unsure.json"
    unsure.write_text(json.dumps(ROWS))
    assert run("trust", unsure, "--html", page).returncode == 0
    assert "<polyline" not in page.read_text("utf-8")


def test_answers_are_judged_gated_and_sliced(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.executescript("CREATE TABLE item (id); INSERT INTO item VALUES (1), (2);")
    connection.close()
    cases = [
        {"id": 1, "gold_sql": "SELECT id FROM item"},
        {"id": 2, "gold_sql": "SELECT max(id) FROM item WHERE id < 9"},
        {"id": 3, "gold_sql": "null"},
    ]
    (tmp_path / "cases.json").write_text(json.dumps([{**c, "db_id": "shop"} for c in cases]))
    sql = {"1": "SELECT id FROM item", "2": "SELECT price FROM item", "3": "SELECT 3"}
    (tmp_path / "mine.json").write_text(json.dumps(sql))
    (tmp_path / "cls.json").write_text(json.dumps({"1": "answerable", "3": "not_answerable"}))
    (tmp_path / "train.json").write_text('[{"gold_sql": "SELECT max(id) FROM item WHERE id < 3"}]')
    arguments = ("trust", "cases.json", "-p", "mine.json", "-d", ".", "--json")
    plain = json.loads(run(*arguments, "--train", "train.json", cwd=tmp_path).stdout)
    assert plain["phi"] == {"0": 1 / 3, "10": -19 / 3, "N": -5 / 3}
    assert plain["counts"]["errors"] == 1
    structures = {p["value"]: p["n"] for p in plain["slices"] if p["dimension"] == "structure"}
    assert structures == {"seen": 1, "unseen": 1}
    gates = ("--gate", "cls.json", "--gate", "executable")
    done = run(*arguments, *gates, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    gated = json.loads(done.stdout)
    assert gated["phi"] == {"0": 2 / 3, "10": 2 / 3, "N": 2 / 3}
    assert [(p["held_back"], p["silent"]) for p in gated["passages"]] == [(1, 1), (1, 0)]
    assert gated["baselines"]["answer_all"] == plain["phi"]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("forest", ()),
        ("distance", ("--representation", "lsa")),
        pytest.param(
            "distance", ("--representation", "embeddings,model={minilm}"), marks=pytest.mark.slow
        ),
    ],
)
def test_a_detector_is_trained_and_holds_back(
    tmp_path: Path, sentence_model: str, kind: str, more: tuple[str, ...]
) -> None:
    chosen = [word.format(minilm=sentence_model) for word in more]
    topics = {"boats": True, "ports": True, "opera": False, "weather": False}
    cases = [
        {"id": f"{topic}{i}", "question": f"how many {topic} {i}", "answerable": yes, "gold_sql": None}
        for i in range(12)
        for topic, yes in topics.items()
    ]  # fmt: skip
    (tmp_path / "train.json").write_text(json.dumps(cases))
    rows = [
        {
            "id": "1",
            "question": "how many opera 99",
            "answerable": False,
            "predicted_sql": "SELECT 1",
        }
    ]
    (tmp_path / "test.json").write_text(json.dumps(rows))
    done = run(
        "train", "detector", "train.json", "--kind", kind, *chosen, "-o", "m.npz", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert f"m.npz: {kind} that reads the question, from 24 yes, 24 no" in done.stdout
    gate = ("--gate", "detector,model=m.npz")
    done = run(
        "trust", "test.json", "-j", "exact_match", *gate, "--run", "r", "--json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["passages"][0]["held_back"] == 1


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--kind", "x"), "SJ003"),
        (("--kind", "forest", "--representation", "embeddings"), "SJ006"),
        (("--background", "train.json"), "SJ006"),
        (("--kind", "distance", "--pool-background"), "SJ006"),
        (("--representation", "hidden"), "SJ028"),
        pytest.param(("--representation", "hidden,model=nowhere"), "SJ020", marks=pytest.mark.slow),
    ],
)
def test_detectors_that_cannot_be_trained(
    tmp_path: Path, options: tuple[str, ...], code: str
) -> None:
    cases = [
        {"id": str(i), "question": f"q {i}", "answerable": i % 2 == 0, "gold_sql": None}
        for i in range(30)
    ]
    (tmp_path / "train.json").write_text(json.dumps(cases))
    done = run("train", "detector", "train.json", *options, "-o", "m.npz", cwd=tmp_path)
    assert (done.returncode, code in done.stderr) == (2, True), done.stderr


def test_verdicts_from_a_file(decisions: Path, tmp_path: Path) -> None:
    verdicts = tmp_path / "verdicts.csv"
    verdicts.write_text("id,score\n1,0\n2,1\n")
    done = run("trust", decisions, "--verdicts", verdicts, "--json")
    assert json.loads(done.stdout)["counts"]["right"] == 1
    rows = [{key: value for key, value in row.items() if key != "correct"} for row in ROWS]
    decisions.write_text(json.dumps(rows))
    assert "SJ542" in run("trust", decisions).stderr
    assert run("trust", decisions, "--verdicts", verdicts).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--penalty", "-1"), "SJ540"),
        (("--gate", "nowhere.json"), "SJ101"),
        (("--gate", "cls>=high"), "SJ543"),
    ],
)
def test_what_cannot_be_used(decisions: Path, arguments: tuple[str, ...], code: str) -> None:
    done = run("trust", decisions, *arguments)
    assert (done.returncode, code in done.stderr) == (2, True), done.stderr


@pytest.mark.slow
def test_confidences_thresholds_and_several_systems(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.executescript("CREATE TABLE item (id); INSERT INTO item VALUES (1), (2);")
    connection.close()
    cases = [{"id": i, "gold_sql": "SELECT id FROM item", "db_id": "shop"} for i in range(40)]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    right, wrong = "SELECT id FROM item", "SELECT max(id) FROM item"
    for name, cut in (("good", 30), ("bad", 10)):
        votes = {
            i: [right] * 5 if i < cut else [wrong, right, right, wrong, "null"] for i in range(40)
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(votes))
    arguments = ("-p", "good.json", "-p", "bad.json", "-d", ".", "--confidence", "voting:rows")
    done = run("trust", "cases.json", *arguments, "--run", "r", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    systems = {one["name"]: one for one in json.loads(done.stdout)["systems"]}
    assert [systems[name]["phi"]["0"] for name in ("good", "bad")] == [0.75, 0.25]
    assert systems["good"]["accuracy_at"] == {"0.5": 1.0, "0.8": 0.75, "0.9": 0.75, "1": 0.75}
    options = ("--confidence", "voting:rows", "--validation", "r", "--risk", "0.2")
    done = run("trust", "r", *options, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for one in json.loads(done.stdout)["systems"]:
        rows = {row["rule"]: row for row in one["thresholds"]}
        assert set(rows) == {"phi_0", "phi_10", "phi_N", "heuristic", "harm_0.2", "risk_0.2"}
        assert (rows["phi_10"]["threshold"], rows["phi_10"]["risk"]) == (1.0, 0.0)
    printed = run("trust", "r", *options, cwd=tmp_path).stdout
    assert "wrong answers ≤ 20 % of questions" in printed and "All questions" in printed


def test_systems_and_data_sets_in_one_table(tmp_path: Path) -> None:
    def decide(name: str, right: int, declined: int) -> None:
        """Ten answerable questions, and eight others."""
        rows = [
            {"id": i, "answerable": i < 10, "predicted_sql": None if 10 <= i < 10 + declined else "",
             "correct": i < right}
            for i in range(18)
        ]  # fmt: skip
        (tmp_path / name).write_text(json.dumps(rows))

    decide("one.json", 8, 4)
    decide("two.json", 5, 8)
    done = run("trust", "one.json", "--csv", "one.csv", "--bootstrap", 0, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    named = ("SQL@Spider=one.csv", "DEMO@Spider=two.json", "DEMO@ATIS=one.json")
    done = run("trust", *named, "--bootstrap", 0, cwd=tmp_path, COLUMNS="120")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    start = lines.index(["φ0,", "in", "percent"])
    assert lines[start + 2].count("Spider") == lines[start + 2].count("ATIS") == 3
    assert lines[start + 4 : start + 7] == [
        ["ABSTAIN-ALL", "–", "–", "16.7", "16.7", "44.4", "44.4"],
        ["SQL", "80.0", "75.0", "66.7"],
        ["DEMO", "50.0", "80.0", "58.3", "75.0", "72.2", "66.7"],
    ]
    (tmp_path / "bad.csv").write_text("id,reply\n1,perhaps\n")
    done = run("trust", "bad.csv", cwd=tmp_path)
    assert (done.returncode, "SJ116" in done.stderr) == (2, True)
