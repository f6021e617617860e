"""Prompts that ask whether to answer: what becomes of a model's word, which examples are shown."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from fake_models import Courtroom, by_prompt, verdict_of

from sqljury.benchmarks import write_cases
from sqljury.case import MISSING, Case
from sqljury.errors import InputError
from sqljury.judges import make_judge
from sqljury.judges.abstention.clsprompt import CLSPROMPT
from sqljury.judges.abstention.demo import DEMO
from sqljury.judges.abstention.selfref import SELFREF
from sqljury.judges.abstention.verbal import VERBAL
from sqljury.judges.prompts.demonstrations import Demonstrations, Wanted

MODEL = "model=openai:o3-2025-04-16"


@pytest.mark.parametrize(
    ("judge", "prompt", "said", "outcome"),
    [
        ("clsprompt", CLSPROMPT, {"reason": "a", "answerable": True}, "correct"),
        ("clsprompt", CLSPROMPT, {"reason": "a", "answerable": False}, "incorrect"),
        ("selfref", SELFREF, {"reason": "a", "correct": True}, "correct"),
        ("selfref", SELFREF, {"reason": "a", "correct": False}, "incorrect"),
        ("demo", DEMO, {"sql": "SELECT 1"}, "correct"),
        ("demo", DEMO, {"sql": "`not_answerable`."}, "incorrect"),
        ("demo", DEMO, {"sql": " null"}, "incorrect"),
        ("demo", DEMO, {"sql": ""}, "incorrect"),
        ("demo", DEMO, {"sql": "Answer: Not answerable."}, "incorrect"),
        ("demo", DEMO, {"sql": "The question cannot be answered."}, "incorrect"),
        ("demo", DEMO, {"sql": "SELECT unanswerable FROM t"}, "correct"),
        ("verbal", VERBAL, {"mark": "correct"}, "correct"),
        ("verbal", VERBAL, {"mark": "incorrect"}, "incorrect"),
        ("clsprompt", CLSPROMPT, None, "judge_unavailable"),
        ("selfref", SELFREF, None, "judge_unavailable"),
        ("demo", DEMO, None, "judge_unavailable"),
        ("verbal", VERBAL, None, "judge_unavailable"),
    ],
)
def test_what_a_model_says(judge: str, prompt, said, outcome: str) -> None:
    case = Case(id="1", question="How many?", predicted_sql="SELECT 1")
    evidence = Courtroom(case, None, by_prompt((prompt, said)))
    assert verdict_of(f"{judge},{MODEL}", evidence).outcome == outcome
    assert evidence.asked(prompt) == [prompt.name]


@pytest.mark.parametrize("judge", ["clsprompt", "demo"])
def test_the_question_is_asked_before_there_is_sql(judge: str) -> None:
    said = by_prompt((CLSPROMPT, {"reason": "a", "answerable": True}), (DEMO, {"sql": "SELECT 1"}))
    for predicted in (MISSING, None, "", "SELECT 7"):
        case = Case(id="1", question="How many?", predicted_sql=predicted)
        evidence = Courtroom(case, None, said)
        assert verdict_of(f"{judge},{MODEL}", evidence).outcome == "correct"
        assert "SELECT 7" not in evidence.requests[0].messages[1].content
    nothing = Courtroom(Case(id="1"), None, said)
    assert verdict_of(f"{judge},{MODEL}", nothing).outcome == "unknown"
    assert nothing.requests == []


@pytest.fixture
def demos(tmp_path: Path) -> str:
    cases = [
        Case(id=f"{db}{i}", db_id=db, question=f"How many {thing} {i}?", reference_sqls=(f"SELECT {i}",))
        for i in range(6)
        for db, thing in (("a", "boats"), ("b", "trees"))
    ]  # fmt: skip
    cases += [
        Case(id=f"n{i}", db_id="a", question=f"Why {i} boats?", answerable=False) for i in range(4)
    ]
    cases.append(Case(id="z", question="Without a reference", db_id="a"))
    write_cases(cases, tmp_path / "demos.jsonl")
    return str(tmp_path / "demos.jsonl")


@pytest.mark.parametrize("pick", ["fixed", "similar", "dense"])
def test_examples_of_the_own_database_but_never_the_own_question(
    demos: str, pick: str, sentence_model: str
) -> None:
    retriever = sentence_model if pick == "dense" else ""
    case = Case(id="1", db_id="a", question="how many boats 3?")
    chosen = Demonstrations(demos, pick, 0, retriever=retriever).chosen(case, Wanted(9, 9))
    assert {one.db_id for one in chosen} == {"a"}
    assert sum(one.sql is None for one in chosen) == 4
    assert "How many boats 3?" not in [one.question for one in chosen]
    assert len(chosen) == 9
    again = Demonstrations(demos, pick, 0, retriever=retriever).chosen(case, Wanted(9, 9))
    assert again == chosen
    assert Demonstrations(demos, pick, 1, retriever=retriever).chosen(case, Wanted(9, 9)) != chosen


def test_the_nearest_of_a_database_that_has_none(demos: str) -> None:
    case = Case(id="1", db_id="c", question="trees, are there many?")
    chosen = Demonstrations(demos, "similar", 0).chosen(case, Wanted(3, 0))
    assert {one.db_id for one in chosen} == {"b"}


def test_dense_retrieval_finds_the_meaning(tmp_path: Path, sentence_model: str) -> None:
    asked = ["How many ships are there?", "Which opera is the longest?", "What does the soup cost?"]
    write_cases(
        [Case(id=q, db_id="a", question=q, reference_sqls=("SELECT 1",)) for q in asked],
        tmp_path / "d.jsonl",
    )
    case = Case(id="1", db_id="a", question="Which is the price of this broth?")
    for pick, model, expected in (("similar", "", asked[1]), ("dense", sentence_model, asked[2])):
        found = Demonstrations(str(tmp_path / "d.jsonl"), pick, 0, retriever=model)
        (one,) = found.chosen(case, Wanted(1, 0))
        assert one.question == expected


# SQLPROMPT and DEMO (appendix B), and CLSPROMPT (appendix D).
@pytest.mark.parametrize("style", ["create", "columns"])
@pytest.mark.parametrize(("positives", "negatives"), [(4, 4), (8, 0), (8, 8), (16, 0), (16, 16)])
def test_the_papers_counts(tmp_path: Path, style: str, positives: int, negatives: int) -> None:
    cases = [
        Case(id=f"{i}", db_id="a", question=f"Is {i} odd?", answerable=i % 2 == 0,
             reference_sqls=("SELECT 1",) if i % 2 == 0 else ())
        for i in range(40)
    ]  # fmt: skip
    write_cases(cases, tmp_path / "d.jsonl")
    evidence = Courtroom(
        Case(id="1", db_id="a", question="Is 99 odd?"), None, by_prompt((DEMO, {"sql": "null"}))
    )
    options = f"demos={tmp_path / 'd.jsonl'},positives={positives},negatives={negatives}"
    verdict_of(f"demo,{MODEL},{options},style={style}", evidence)
    text = evidence.requests[0].messages[1].content
    assert text.count("Answer: SELECT 1\n") == positives
    assert text.count("Answer: not_answerable\n") == negatives
    numbers = [line for line in text.split("\n") if line.startswith("Question: Is ")]
    assert len(set(numbers)) == positives + negatives


@pytest.mark.parametrize("databases", [1, 3, 5, 9])
def test_examples_of_other_databases(tmp_path: Path, databases: int) -> None:
    cases = [
        Case(id=f"{db}{i}", db_id=f"db{db}", question=f"Is {db}.{i} odd?", answerable=i % 2 == 0,
             reference_sqls=("SELECT 1",) if i % 2 == 0 else ())
        for db in range(6)
        for i in range(20)
    ]  # fmt: skip
    write_cases(cases, tmp_path / "d.jsonl")
    known = Demonstrations(str(tmp_path / "d.jsonl"), "fixed", 0)
    case = Case(id="1", db_id="db2", question="Is 99 odd?")
    shown = known.elsewhere(case, Wanted(7, 3), databases)
    assert "db2" not in shown
    assert len(shown) == min(databases, 5)
    for found in shown.values():
        assert [sum(one.sql is not None for one in found), len(found)] == [7, 10]
    assert {one.db_id for found in shown.values() for one in found} == set(shown)
    assert known.elsewhere(case, Wanted(7, 3), databases) == shown


def test_wrong_sql_is_drawn_at_random_and_marks_stand_in_no_order(tmp_path: Path) -> None:
    cases = [
        Case(id=f"{i}", db_id="a", question=f"How many boats {i}?", reference_sqls=(f"SELECT {i}",))
        for i in range(40)
    ]  # fmt: skip
    write_cases(cases, tmp_path / "d.jsonl")
    known = Demonstrations(str(tmp_path / "d.jsonl"), "similar", 0)
    last, drawn = set(), set()
    for i in range(40):
        asked = Case(id="x", db_id="a", question=f"How many boats {i}?")
        shown = known.chosen(asked, Wanted(4, 0, 4))
        assert [sum(one.right for one in shown), len(shown)] == [4, 8]
        assert len({one.question for one in shown}) == 8
        assert all((one.sql == f"SELECT {one.question[15:-1]}") == one.right for one in shown)
        last.add(shown[-1].right)
        drawn |= {one.sql for one in shown if not one.right}
    assert last == {True, False}
    assert len(drawn) > 30


def test_values_of_other_databases_belong_to_the_signature(tmp_path: Path) -> None:
    for db_id in ("a", "b"):
        with closing(sqlite3.connect(tmp_path / f"{db_id}.sqlite")) as connection:
            connection.executescript(
                f"CREATE TABLE t (x TEXT); INSERT INTO t VALUES ('in {db_id}')"
            )
    cases = [Case(id="1", db_id="b", question="How many?", reference_sqls=("SELECT 1",))]
    write_cases(cases, tmp_path / "d.jsonl")
    spec = f"clsprompt,{MODEL},demos={tmp_path / 'd.jsonl'},databases=1,schemas={tmp_path}"
    evidence = Courtroom(
        Case(id="1", db_id="a", question="Which?"),
        None,
        by_prompt((CLSPROMPT, {"reason": "a", "answerable": True})),
    )
    verdict_of(spec, evidence)
    assert '-- x: "in b"' in evidence.requests[0].messages[1].content
    before = make_judge(spec).signature_fields()["schemas"]
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        connection.executescript("INSERT INTO t VALUES ('more')")
    assert make_judge(spec).signature_fields()["schemas"] == before
    with closing(sqlite3.connect(tmp_path / "b.sqlite")) as connection:
        connection.executescript("INSERT INTO t VALUES ('more')")
    assert make_judge(spec).signature_fields()["schemas"] != before


def test_verbal_shows_other_peoples_sql_as_incorrect(demos: str) -> None:
    case = Case(id="1", db_id="a", question="How many boats?", predicted_sql="SELECT 7")
    evidence = Courtroom(case, None, by_prompt((VERBAL, {"mark": "correct"})))
    verdict_of(f"verbal,{MODEL},demos={demos},positives=2,negatives=2", evidence)
    text = evidence.requests[0].messages[1].content
    assert text.count("# correct") == 2 and text.count("# incorrect") == 2
    for line in text.split("Question: ")[1:]:
        number = line.split("boats ")[-1][:1]
        if line.startswith("How many boats ") and "Answer" in line:
            assert (f"SELECT {number} # correct" in line) == ("# correct" in line)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("clsprompt", "SJ350"),
        (f"clsprompt,{MODEL},demos=nowhere", "SJ101"),
        (f"demo,{MODEL},style=prose", "SJ304"),
        (f"demo,{MODEL},positives=-1", "SJ304"),
        (f"verbal,{MODEL},pick=any,demos=nowhere", "SJ304"),
        (f"selfref,{MODEL},style=prose", "SJ304"),
        (f"demo,{MODEL},databases=2", "SJ304"),
        (f"demo,{MODEL},databases=2,schemas=nowhere.json", "SJ206"),
        (f"demo,{MODEL},demos=nowhere,retriever=x", "SJ304"),
    ],
)
def test_bad_options(spec: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        make_judge(spec)


def test_the_signature_knows_the_examples(demos: str) -> None:
    plain = make_judge(f"clsprompt,{MODEL}").signature_fields()  # type: ignore[attr-defined]
    shown = make_judge(f"clsprompt,{MODEL},demos={demos}").signature_fields()  # type: ignore[attr-defined]
    assert set(shown) - set(plain) == {"demos"}
    Path(demos).write_text(
        '{"id": "1", "question": "Q", "reference_sqls": [], "answerable": null}\n'
    )
    judge = make_judge(f"clsprompt,{MODEL},demos={demos}")
    with pytest.raises(InputError, match="SJ357"):
        judge.judge(Case(id="1", question="Q?"), Courtroom(Case(id="1"), None, lambda _: None))
