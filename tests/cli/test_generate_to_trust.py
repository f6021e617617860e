"""From questions to a reliability score, as a user types it: generate, label, vote, trust."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import commands

GENERATOR = """
from sqljury.llm import Reply

SAID = {
    "How many songs?": ["SELECT count(*) FROM songs"] * 3,
    "Which song is dearest?": [
        "SELECT max(price) FROM songs",
        "SELECT name FROM songs ORDER BY price DESC LIMIT 1",
        "SELECT nothing FROM songs",
    ],
    "Will it rain?": ["not_answerable"] * 3,
    "Who wrote the songs?": ["SELECT name FROM songs", "SELECT 'me'", "not_answerable"],
}


def writes(request):
    asked = request.messages[-1].content
    (said,) = (said for question, said in SAID.items() if question in asked)
    return Reply(f"```sql\\n{said[request.attempt % 3]}\\n```")


def demonstrated(request):
    asked = request.messages[-1].content
    assert asked.count("Answer: SELECT") == 2 and asked.count("Answer: not_answerable") == 1
    return writes(request)


def marks(request):
    asked = request.messages[-1].content
    assert asked.count("# correct") == 2 and asked.count("# incorrect") == 1
    right = "How many songs?" in asked.rpartition("# Question")[2]
    return Reply(f"```sql\\nSELECT count(*) FROM songs # {'correct' if right else 'incorrect'}\\n```")


def declines(request):
    asked = request.messages[-1].content
    if "songs?" in asked and "Who" not in asked:
        return Reply("It is clear.")
    return Reply("Answer: not_answerable" if "rain" in asked else "Nothing says who: NULL\\n\\nNULL")


def sure(request):
    reply = writes(request)
    share = -0.1 if "How many songs?" in request.messages[-1].content else -0.7
    assert request.logprobs == 2
    texts = ["```sql\\n", reply.text.removeprefix("```sql\\n").removesuffix("\\n```"), "\\n```"]
    tokens = [
        {"token": text, "logprob": logprob, "bytes": [1], "top_logprobs": [
            {"token": text, "logprob": logprob}, {"token": "x", "logprob": logprob - 3.0}]}
        for text, logprob in zip(texts, (-9.0, share, -9.0))
    ]
    return Reply(reply.text, logprobs=tokens)
"""
QUESTIONS: list[dict[str, Any]] = [
    {"question": "How many songs?", "gold_sql": "SELECT count(*) FROM songs"},
    {"question": "Which song is dearest?", "gold_sql": "SELECT name FROM songs WHERE price = 9"},
    {"question": "Will it rain?", "answerable": False, "type": "unrelated"},
    {"question": "Who wrote the songs?", "answerable": False, "type": "lacks columns"},
]


def run(here: Path, *arguments: object) -> str:
    found = commands.run(*arguments, cwd=here)
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("music")
    database = folder / "databases" / "music" / "music.sqlite"
    database.parent.mkdir(parents=True)
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE songs (name TEXT, price INTEGER)")
        connection.executemany("INSERT INTO songs VALUES (?, ?)", [(f"s{i}", i) for i in range(10)])
    connection.close()
    (folder / "generator.py").write_text(GENERATOR)
    shared = {"db_id": "music", "criteria": "exactly"}
    lines = [json.dumps({"question_id": n, **q, **shared}) for n, q in enumerate(QUESTIONS)]
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n")
    shown = [
        {
            "question": "How many are free?",
            "gold_sql": "SELECT count(*) FROM songs WHERE price = 0",
        },
        {"question": "Which are free?", "gold_sql": "SELECT name FROM songs WHERE price = 0"},
        {"question": "Which costs 3?", "gold_sql": "SELECT name FROM songs WHERE price = 3"},
        {"question": "Is it loud?", "answerable": False},
    ]
    lines = [json.dumps({"question_id": n, **q, **shared}) for n, q in enumerate(shown)]
    (folder / "demos.jsonl").write_text("\n".join(lines) + "\n")
    sampling = ("--model", "scripted:generator:writes", "-n", 3, "-d", "databases")
    run(folder, "generate", "questions.jsonl", *sampling, "--out", "pool.jsonl")
    run(folder, "label", "pool.jsonl", "-d", "databases", "--out", "labelled.jsonl")
    return folder


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def scores(here: Path, *arguments: object) -> dict[str, Any]:
    return json.loads(run(here, "trust", *arguments, "-d", "databases", "--json"))  # type: ignore[no-any-return]


def test_a_pool_says_what_its_questions_said(here: Path) -> None:
    for line, question in zip(lines_of(here / "pool.jsonl"), QUESTIONS, strict=True):
        assert {key: line.get(key) for key in question} == question
        assert (line["criteria"], line["benchmark"]) == ("exactly", "questions")


def test_no_query_is_right_where_there_is_no_answer(here: Path) -> None:
    labelled = {line["question"]: line for line in lines_of(here / "labelled.jsonl")}
    # Of the question that all samples decline nothing can be learned.
    assert list(labelled) == [q["question"] for q in QUESTIONS if q["question"] != "Will it rain?"]
    unanswerable = labelled["Who wrote the songs?"]
    assert (unanswerable["answerable"], unanswerable["type"]) == (False, "lacks columns")
    assert unanswerable["candidates"] == [
        {"sql": "SELECT name FROM songs", "correct": False, "count": 1},
        {"sql": "SELECT 'me'", "correct": False, "count": 1},
        {"sql": None, "count": 1},
    ]


def test_a_pool_is_one_system_and_voting_holds_back(here: Path) -> None:
    found = scores(here, "pool.jsonl")
    # Right, wrong, declined as it should be, answered as it should not be.
    assert (found["n_unanswerable"], found["phi"]["0"], found["phi"]["10"]) == (2, 0.5, -4.5)
    gated = scores(here, "pool.jsonl", "--gate", "voting")
    # One answer of four is left, and both questions without an answer are declined.
    assert (gated["phi"]["0"], gated["phi"]["10"]) == (0.75, 0.75)
    assert gated["passages"][0]["held_back"] == 2


def test_a_pool_as_predictions_of_its_questions(here: Path) -> None:
    gated = scores(here, "questions.jsonl", "-p", "pool.jsonl", "--gate", "voting")
    assert (gated["name"], gated["phi"]["10"]) == ("pool", 0.75)


@pytest.mark.parametrize(
    ("mode", "writer", "phi"),
    [
        # Both without an answer are declined by half of those that may decline.
        ("demo", "demonstrated", (0.5, -4.5)),
        ("verbal", "marks", (0.75, 0.75)),
    ],
)
def test_demonstrations(here: Path, mode: str, writer: str, phi: tuple[float, float]) -> None:
    out = f"{mode}.jsonl"
    shown = ("--demos", "demos.jsonl", "--positives", 2, "--negatives", 1, "--mode", mode)
    command = ("generate", "questions.jsonl", "--model", f"scripted:generator:{writer}", *shown)
    run(here, *command, "-n", 1, "-d", "databases", "--out", out)
    found = scores(here, out)
    assert (found["phi"]["0"], found["phi"]["10"]) == phi
    assert {line["generator"]["mode"] for line in lines_of(here / out)} == {mode}


def test_abstentions_are_read_in_any_form_and_counted(here: Path) -> None:
    model = ("--model", "scripted:generator:declines", "-n", 1, "-d", "databases")
    unanswerable = here / "unanswerable.jsonl"
    unanswerable.write_text("\n".join((here / "questions.jsonl").read_text().split("\n")[2:4]))
    said = run(here, "generate", unanswerable, *model, "--mode", "demo", "--out", "declined.jsonl")
    assert "say that there is no query: 1 not_answerable, 1 null" in said
    assert scores(here, "declined.jsonl")["phi"]["10"] == 1
    first = here / "first.jsonl"
    first.write_text((here / "questions.jsonl").read_text().split("\n")[0])
    said = run(here, "generate", first, *model, "--out", "empty.jsonl")
    assert "hold neither a query nor that there is none: 1" in said


def test_what_a_model_marks_as_incorrect_is_withheld(here: Path) -> None:
    if not (here / "verbal.jsonl").exists():
        pytest.skip("the pool of the test above")
    kept = [line["candidates"][0] for line in lines_of(here / "verbal.jsonl")]
    assert kept[0] == {"sql": "SELECT count(*) FROM songs", "mark": "correct", "sample": 0}
    assert kept[1] == {
        "sql": None,
        "mark": "incorrect",
        "withheld": "SELECT count(*) FROM songs",
        "sample": 0,
    }


def test_log_probabilities_of_a_pool_hold_back(here: Path) -> None:
    command = ("generate", "questions.jsonl", "--model", "scripted:generator:sure")
    run(here, *command, "-n", 1, "-d", "databases", "--logprobs", 2, "--out", "sure.jsonl")
    first, *_ = lines_of(here / "sure.jsonl")
    assert first["candidates"][0]["logprobs"] == [
        {
            "token": "SELECT count(*) FROM songs",
            "logprob": -0.1,
            "top_logprobs": [
                {"token": "SELECT count(*) FROM songs", "logprob": -0.1},
                {"token": "x", "logprob": -3.1},
            ],
        }
    ]
    for judge in ("max_prob", "max_ent"):
        found = scores(here, "sure.jsonl", "--gate", f"{judge},logprobs=sure.jsonl,threshold=0.6")
        # The one sure answer is left.
        assert (found["phi"]["0"], found["phi"]["10"]) == (0.75, 0.75)


@pytest.mark.slow
def test_a_sequence_to_sequence_model_writes_and_holds_back(here: Path) -> None:
    for package in ("torch", "transformers", "peft"):
        pytest.importorskip(package)
    from tiny_models import write_tiny_model

    folder = write_tiny_model(here / "t5", "t5")
    writer = ("--model", f"local:{folder}", "--style", "serialized", "--max-tokens", 4)
    sampling = ("-n", 1, "--temperature", 0, "--logprobs", 2)
    run(
        here,
        "generate",
        "questions.jsonl",
        *writer,
        *sampling,
        "-d",
        "databases",
        "--out",
        "t5.jsonl",
    )
    first, *_ = lines_of(here / "t5.jsonl")
    assert first["candidates"][0]["tokens"] > 0
    assert [len(token["top_logprobs"]) for token in first["candidates"][0]["logprobs"]] == [2] * 4
    found = scores(here, "t5.jsonl", "--gate", "max_prob,logprobs=t5.jsonl,threshold=0.9")
    # Random numbers are sure of nothing: all is held back, as ABSTAIN-ALL does.
    assert (found["phi"]["0"], found["passages"][0]["held_back"]) == (0.5, 4)
    refused = commands.run(
        "generate", "questions.jsonl", *writer, "--demos", "demos.jsonl", "-d", "databases",
        "--out", "no.jsonl", cwd=here,
    )  # fmt: skip
    assert (refused.returncode, "SJ592" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    "lines",
    [
        # The second has an answer, which nobody has written yet.
        [{"question": "Will it rain?", "answerable": False}, {"question": "How many songs?"}],
        [QUESTIONS[2], QUESTIONS[3]],
        [{"question": "How many songs?"}],
    ],
)
def test_questions_need_no_reference(
    here: Path, tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    asked = [{"question_id": n, "db_id": "music", **line} for n, line in enumerate(lines)]
    (tmp_path / "asked.jsonl").write_text("\n".join(map(json.dumps, asked)))
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    for name in ("asked.jsonl", "asked.json"):
        out = tmp_path / f"pool-{name}"
        model = ("--model", "scripted:generator:writes", "-n", 1, "-d", "databases")
        run(here, "generate", tmp_path / name, *model, "--out", out)
        assert [line["question"] for line in lines_of(out)] == [line["question"] for line in lines]
    refused = commands.run("evaluate", tmp_path / "asked.json", "-d", "databases", cwd=here)
    assert (refused.returncode, "SJ104" in refused.stderr) == (2, True)


def test_unanswerable_questions_alone_are_scored(here: Path, tmp_path: Path) -> None:
    asked = [{"question_id": n, "db_id": "music", **QUESTIONS[n]} for n in (2, 3)]
    (tmp_path / "asked.jsonl").write_text("\n".join(map(json.dumps, asked)))
    model = ("--model", "scripted:generator:writes", "-n", 1, "-d", "databases")
    run(here, "generate", tmp_path / "asked.jsonl", *model, "--out", tmp_path / "pool.jsonl")
    found = scores(here, tmp_path / "pool.jsonl")
    assert (found["n_unanswerable"], found["phi"]["10"]) == (2, -4.5)
    joined = scores(here, tmp_path / "asked.jsonl", "-p", tmp_path / "pool.jsonl")
    assert joined["phi"] == found["phi"]


def test_the_seed_is_0_unless_said(here: Path) -> None:
    model = ("--model", "scripted:generator:writes", "-n", 1, "-d", "databases")
    run(here, "generate", "questions.jsonl", *model, "--out", "unseeded.jsonl")
    assert {line["generator"]["seed"] for line in lines_of(here / "unseeded.jsonl")} == {0}
    run(here, "generate", "questions.jsonl", *model, "--seed", 0, "--out", "seeded.jsonl")
    assert lines_of(here / "seeded.jsonl") == lines_of(here / "unseeded.jsonl")
