"""Judges that ask a model: what each asks, how each answers, options, names, votes."""

from __future__ import annotations

import sqlite3
from itertools import cycle

import pytest
from fake_models import Courtroom, by_prompt, proof, refutation, verdict_of

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.errors import InputError, catalogue
from sqljury.judges import Needs, make_judge, registered, spec_of
from sqljury.judges.flex import FLEX_DIFFER, FLEX_EQUAL
from sqljury.judges.g_eval import G_EVAL
from sqljury.judges.llm_sql_solver import SOLVER_RELAXED, SOLVER_STRICT
from sqljury.judges.model_judge import ModelJudge, dated_name, majority
from sqljury.judges.prover import PROVER
from sqljury.judges.refuter import REFUTER
from sqljury.judges.rose_unified import UNIFIED, UNIFIED_WOGT
from sqljury.verdict import Cost, Outcome, Verdict

MODEL = "model=openai:o3-2025-04-16"
ASKING = (
    "clsprompt",
    "demo",
    "flex",
    "g_eval",
    "llm_sql_solver",
    "prover",
    "refuter",
    "reviewer",
    "rose",
    "rose_unified",
    "rose_wogt",
    "selfref",
    "verbal",
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("harbour")
    connection = sqlite3.connect(folder / "harbour.sqlite")
    connection.executescript("CREATE TABLE boat (id INTEGER); INSERT INTO boat VALUES (1), (2);")
    connection.close()
    return open_databases(folder).open("harbour")


ONE, TWO = "SELECT 1 FROM boat LIMIT 1", "SELECT 2 FROM boat LIMIT 1"


def case(predicted: str, *references: str) -> Case:
    return Case(
        id="1",
        db_id="harbour",
        question="Which?",
        predicted_sql=predicted,
        reference_sqls=references,
    )


# ---------------------------------------------------------------- single stages


def test_the_prover_alone(database) -> None:
    for accepted, outcome in ((True, "correct"), (False, "incorrect")):
        evidence = Courtroom(case(ONE), database, by_prompt((PROVER, proof(accepted))))
        verdict = verdict_of(f"prover,{MODEL}", evidence)
        assert (verdict.outcome, verdict.reason) == (outcome, "it does")


def test_the_refuter_alone_is_asked_whatever_the_rows(database) -> None:
    for predicted in (ONE, TWO):
        model = by_prompt((REFUTER, refutation(False, gold_correct=False)))
        evidence = Courtroom(case(predicted, ONE), database, model)
        verdict = verdict_of(f"refuter,{MODEL}", evidence)
        assert (verdict.outcome, verdict.labels) == ("correct", ("gold_fault",))
        assert "examiner's opinion" not in evidence.requests[0].messages[1].content


PARTS = {
    "expected_answer": "a",
    "sql_description": "b",
    "prover_reason": "c",
    "prover_verdict": True,
    "refuter_judgement": "d",
    "reason": "decided",
    "verdict": False,
    "ambiguity": "ambiguous question",
}


def test_unified_with_reference(database) -> None:
    model = by_prompt((UNIFIED, {**PARTS, "gold_correct": False}))
    evidence = Courtroom(case(TWO, ONE), database, model)
    verdict = verdict_of(f"rose_unified,{MODEL}", evidence)
    assert (verdict.outcome, verdict.reason) == ("incorrect", "decided")
    assert verdict.labels == ("gold_fault", "ambiguous_question")
    assert "SELECT 1" in evidence.requests[0].messages[1].content


@pytest.mark.parametrize("prompt", [UNIFIED, UNIFIED_WOGT])
@pytest.mark.parametrize(
    ("prover", "decision", "outcome", "reason"),
    [
        (True, True, "correct", "decided"),
        (True, False, "incorrect", "decided"),
        (False, True, "incorrect", "c"),
        (False, False, "incorrect", "c"),
    ],
)
def test_unified_needs_both_verdicts(database, prompt, prover, decision, outcome, reason) -> None:
    parts = {**PARTS, "prover_verdict": prover, "verdict": decision, "gold_correct": True}
    evidence = Courtroom(case(TWO, ONE), database, by_prompt((prompt, parts)))
    spec = f"rose_unified,{MODEL},reference={'true' if prompt is UNIFIED else 'false'}"
    verdict = verdict_of(spec, evidence)
    assert (verdict.outcome, verdict.reason) == (outcome, reason)


@pytest.mark.parametrize("references", [(), ("SELECT oops",), (ONE,)])
def test_unified_without_reference_needs_and_shows_none(database, references) -> None:
    evidence = Courtroom(case(TWO, *references), database, by_prompt((UNIFIED_WOGT, PARTS)))
    verdict = verdict_of(f"rose_unified,{MODEL},reference=false", evidence)
    assert (verdict.outcome, verdict.labels) == ("incorrect", ("ambiguous_question",))
    assert "Reference" not in evidence.requests[0].messages[1].content


def test_flex_asks_by_what_the_rows_say_and_shows_them_only_where_they_differ(database) -> None:
    model = by_prompt(
        (FLEX_EQUAL, {"reason": "luck", "verdict": False}),
        (FLEX_DIFFER, {"reason": "no harm", "verdict": True}),
    )
    for predicted, outcome, shown in ((ONE, "incorrect", False), (TWO, "correct", True)):
        evidence = Courtroom(case(predicted, ONE), database, model)
        assert verdict_of(f"flex,{MODEL}", evidence).outcome == outcome
        text = evidence.requests[0].messages[1].content
        assert ("Rows of the predicted SQL" in text, "Comparison" in text) == (shown, shown)


# task, what is said of each reference in turn → outcome, calls
SOLVED = [
    ("strict", [True], "correct", 1),
    ("strict", [False, True], "correct", 2),
    ("strict", [False, False], "incorrect", 2),
    ("strict", [False, None], "judge_unavailable", 2),
    ("relaxed", [True], "correct", 1),
    ("relaxed", [False], "incorrect", 1),
]


@pytest.mark.parametrize(("task", "said", "outcome", "calls"), SOLVED)
def test_solver_one_equivalent_reference_is_enough(database, task, said, outcome, calls) -> None:
    answers = iter(said)

    def model(request):
        expected = SOLVER_STRICT if task == "strict" else SOLVER_RELAXED
        assert request.messages[0].content == expected.text
        value = next(answers)
        return None if value is None else {"reason": "so", "equivalent": value}

    evidence = Courtroom(case(TWO, *[ONE] * len(said)), database, model)
    verdict = verdict_of(f"llm_sql_solver:{task},{MODEL}", evidence)
    assert (verdict.outcome, verdict.cost.calls) == (outcome, calls)
    text = evidence.requests[0].messages[1].content
    assert "Rows of" not in text and "Which?" not in text and "table boat" in text


@pytest.mark.parametrize(("score", "outcome"), [(1, "correct"), (0, "incorrect")])
def test_g_eval_sees_nothing_but_two_queries(score, outcome) -> None:
    evidence = Courtroom(case(TWO, ONE), None, by_prompt((G_EVAL, {"score": score})))
    assert verdict_of(f"g_eval,{MODEL}", evidence).outcome == outcome
    text = evidence.requests[0].messages[1].content
    assert text.index("SELECT 1") < text.index("SELECT 2")
    assert "Which?" not in text and "boat (" not in text


# ---------------------------------------------------------------- what is shown, by option


def prover_text(database, options: str, of: Case) -> str:
    evidence = Courtroom(of, database, by_prompt((PROVER, proof(True))))
    verdict_of(f"prover,{MODEL}{options}", evidence)
    return evidence.requests[0].messages[1].content


def test_rows_are_cut_and_their_number_is_told(database) -> None:
    sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) SELECT i FROM n"
    text = prover_text(database, ",rows=3", case(f"{sql} ORDER BY i DESC"))
    assert "rows: 30, columns: 1; 3 of the rows are shown; in the query's order." in text
    assert "[30]\n[29]\n[28]\n" in text and "[27]" not in text
    text = prover_text(database, "", case(sql))
    assert "20 of the rows are shown; sorted here: the query sets no order." in text
    assert "[1]\n[2]\n" in text and "[21]" not in text


def test_cells_are_told_apart_and_cut(database) -> None:
    text = prover_text(
        database,
        "",
        case("""SELECT NULL, 'NULL', '', '1', 1, x'00', 'a' || char(10), zeroblob(500)"""),
    )
    assert """[null, "NULL", "", "1", 1, "x'00'", "a\\n", "x'0000""" in text
    assert "(500 bytes)" in text


def test_a_prediction_of_megabytes_is_cut(database) -> None:
    text = prover_text(database, "", case(f"SELECT '{'x' * 500_000}'"))
    assert len(text) < 100_000
    assert "(500009 characters, cut)" in text


def test_samples_on_demand(database) -> None:
    assert "such as" not in prover_text(database, "", case("SELECT id FROM boat"))
    text = prover_text(database, ",samples=1", case("SELECT id FROM boat"))
    assert "id INTEGER; such as 1\n" in text


def test_criteria_of_the_case_and_of_the_judge(database) -> None:
    of = Case(id="1", db_id="harbour", question="Which?", predicted_sql=ONE, criteria="in euros")
    text = prover_text(database, ",criteria=two digits", of)
    assert "# Acceptance criteria" in text and "two digits\nin euros" in text
    assert "Acceptance" not in prover_text(database, "", case(ONE))


def test_the_model_is_asked_for_the_shape_of_its_answer(database) -> None:
    evidence = Courtroom(case(ONE), database, by_prompt((PROVER, proof(True))))
    verdict_of("prover,model=openai:gpt-4.1,model_options=temperature=0;seed=7", evidence)
    (request,) = evidence.requests
    assert request.schema == PROVER.answer
    assert request.schema["required"] == list(proof(True))
    assert dict(request.model.options) == {"temperature": "0", "seed": "7"}
    assert [message.role for message in request.messages] == ["system", "user"]


# ---------------------------------------------------------------- options and names


@pytest.mark.parametrize("name", ASKING)
def test_every_judge_that_asks_says_so(name) -> None:
    judge = make_judge(f"{name},{MODEL}")
    assert isinstance(judge, ModelJudge)
    assert judge.needs & Needs.LLM
    assert make_judge(spec_of(judge)) == judge
    assert registered()[name] is type(judge)
    fields = judge.signature_fields()
    assert str(fields["judge"]).endswith("_o3-2504")
    assert fields["prompts"].startswith(judge.prompts[0].fingerprint)


def test_reported_name() -> None:
    judge = make_judge("rose,model=gemini:gemini-2.5-pro,dated=2506")
    assert judge.signature_fields()["judge"] == "ROSE_gemini-2.5-pro-2506"


NAMES = [
    ("o3-2025-04-16", "o3-2504"),
    ("claude-sonnet-4-20250514", "claude-sonnet-4-2505"),
    ("gpt-4o-2024-08", "gpt-4o-2408"),
    ("Qwen/Qwen3-235B-A22B-2507", "Qwen3-235B-A22B-2507"),
    ("gpt-4-0613", "gpt-4-0613-undated"),  # June the 13th, not the year 2006
    ("deepseek-r1-0528", "deepseek-r1-0528-undated"),
    ("gpt-3.5-turbo-1106", "gpt-3.5-turbo-1106-undated"),
    ("llama-3.2024", "llama-3.2024-undated"),
    ("qwen3:8b", "qwen3:8b-undated"),
]


@pytest.mark.parametrize(("model", "name"), NAMES)
def test_dated_names(model, name) -> None:
    assert dated_name(model) == name


WRONG = [
    ("rose", "SJ350"),
    ("g_eval", "SJ350"),
    (f"rose,{MODEL},model_options=fast", "SJ351"),
    (f"rose,{MODEL},match=spider", "SJ304"),
    (f"rose,{MODEL},match=nonsense", "SJ601"),
    (f"rose,{MODEL},repeats=0", "SJ304"),
    (f"rose,{MODEL},rows=-1", "SJ304"),
    (f"rose,{MODEL},dated=2513", "SJ304"),
    (f"llm_sql_solver:lax,{MODEL}", "SJ304"),
    (f"g_eval,{MODEL},rows=3", "SJ304"),
    ("panel", "SJ352"),
    ("panel,models=openai:o3", "SJ352"),
    ("panel,models=openai:o3+openai:o3", "SJ352"),
    ("panel,models=openai:o3+openai:o4,member=execution", "SJ304"),
]


@pytest.mark.parametrize(("spec", "code"), WRONG)
def test_wrong_options_are_errors_before_anything_runs(spec, code) -> None:
    with pytest.raises(InputError) as caught:
        make_judge(spec)
    assert caught.value.code == code
    assert code in catalogue()


# ---------------------------------------------------------------- votes

YES = Verdict.correct("fine", labels=("gold_fault",), cost=Cost(calls=1))
NO = Verdict.incorrect("wrong", labels=("ambiguous_question",), cost=Cost(calls=2))
GONE = Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason="refused", cost=Cost(calls=3))

VOTES = [
    ([YES, YES, NO], "correct", 1.0, 2 / 3, ("gold_fault",)),
    ([NO, YES, NO], "incorrect", 0.0, 2 / 3, ("ambiguous_question",)),
    ([YES, NO], "unknown", None, 0.5, ()),
    ([YES, GONE, GONE], "correct", 1.0, 1.0, ("gold_fault",)),
    ([YES, NO, GONE], "unknown", None, 0.5, ()),
    ([GONE, GONE], "judge_unavailable", None, None, ()),
]


@pytest.mark.parametrize(("votes", "outcome", "score", "agreement", "labels"), VOTES)
def test_majority(votes, outcome, score, agreement, labels) -> None:
    found = majority(votes)
    assert (found.outcome, found.score, found.labels) == (outcome, score, labels)
    assert found.measures.get("agreement") == agreement
    assert found.cost.calls == sum(vote.cost.calls for vote in votes)


def test_repeats_ask_again_and_say_how_far_they_agree(database) -> None:
    said = cycle([proof(True), proof(False), proof(True)])
    evidence = Courtroom(case(ONE), database, lambda _: next(said))
    verdict = verdict_of(f"prover,{MODEL},repeats=3", evidence)
    assert (verdict.outcome, verdict.measures) == ("correct", {"agreement": 2 / 3})
    assert [vote["score"] for vote in verdict.evidence["repeats"]] == [1.0, 0.0, 1.0]
    assert verdict.cost.calls == 3
    assert len({request.attempt for request in evidence.requests}) == 3
    texts = {request.messages for request in evidence.requests}
    assert len(texts) == 1


def test_a_panel_votes_and_lists_its_disagreements(database) -> None:
    def model(request):
        return proof(request.model.name != "b")

    evidence = Courtroom(case(ONE), database, model)
    verdict = verdict_of("panel,models=openai:a+openai:b+openai:c,member=prover", evidence)
    assert (verdict.outcome, verdict.labels) == ("correct", ("panel_disagrees",))
    assert {name: vote["score"] for name, vote in verdict.evidence["panel"].items()} == {
        "openai:a": 1.0,
        "openai:b": 0.0,
        "openai:c": 1.0,
    }
    assert verdict.cost.calls == 3


def test_a_panel_needs_what_its_members_need() -> None:
    rose = make_judge("panel,models=openai:a+openai:b,options=match=bird;rows=5")
    assert rose.needs & Needs.REFERENCE_ROWS
    assert rose.signature_fields()["match"] == "bird"
    assert rose.signature_fields()["judge"] == "ROSE_a-undated+ROSE_b-undated"
    prover = make_judge("panel,models=openai:a+openai:b,member=prover")
    assert not prover.needs & Needs.REFERENCE_ROWS
    assert make_judge(spec_of(rose)) == rose
