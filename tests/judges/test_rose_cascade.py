"""ROSE decides: which stages are asked, and what comes out of it, for every combination."""

from __future__ import annotations

import sqlite3

import pytest
from fake_models import Courtroom, Reply, by_prompt, proof, refutation, verdict_of

from sqljury.case import MISSING, Case
from sqljury.databases import open_databases
from sqljury.judges.prover import PROVER
from sqljury.judges.refuter import REFUTER
from sqljury.judges.rose_wogt import REFUTER_WOGT

SCRIPT = """
CREATE TABLE berth (code TEXT PRIMARY KEY, side TEXT);
INSERT INTO berth VALUES ('N', 'north'), ('S', 'south');
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, berth TEXT REFERENCES berth (code));
INSERT INTO boat VALUES (1, 'Ara', 'N'), (2, 'Bo', 'N'), (3, 'Cy', 'S');
"""
QUESTION = "Which boats lie in the north?"
REFERENCE = "SELECT name FROM boat WHERE berth = 'N'"
SAME = "SELECT name FROM boat WHERE id < 3"
OTHER = "SELECT name FROM boat"
BROKEN = "SELECT nme FROM boat"
MODEL = "model=openai:o3-2025-04-16"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("harbour")
    connection = sqlite3.connect(folder / "harbour.sqlite")
    connection.executescript(SCRIPT)
    connection.close()
    return open_databases(folder).open("harbour")


def case(predicted: object, *references: str, question: str | None = QUESTION) -> Case:
    return Case(
        id="1",
        db_id="harbour",
        question=question,
        predicted_sql=predicted,  # type: ignore[arg-type]
        reference_sqls=references,
    )


def courtroom(database, of: Case, prover: Reply = None, refuter: Reply = None) -> Courtroom:
    return Courtroom(of, database, by_prompt((PROVER, prover), (REFUTER, refuter)))


YES, NO, UPHELD, OVERTURNED, SILENT = (
    proof(True),
    proof(False),
    refutation(False),
    refutation(True),
    None,
)

# options, prediction, Prover, Refuter → who is asked, outcome
CASCADE = [
    ("", SAME, None, UPHELD, ["refuter"], "correct"),
    ("", SAME, None, OVERTURNED, ["refuter"], "incorrect"),
    ("", SAME, None, SILENT, ["refuter"], "judge_unavailable"),
    ("", OTHER, YES, UPHELD, ["prover", "refuter"], "correct"),
    ("", OTHER, YES, OVERTURNED, ["prover", "refuter"], "incorrect"),
    ("", OTHER, YES, SILENT, ["prover", "refuter"], "judge_unavailable"),
    ("", OTHER, NO, UPHELD, ["prover"], "incorrect"),
    ("", OTHER, SILENT, UPHELD, ["prover"], "judge_unavailable"),
    ("", BROKEN, YES, UPHELD, [], "prediction_error"),
    ("", "DROP TABLE boat", YES, UPHELD, [], "prediction_refused"),
    ("", "", YES, UPHELD, [], "prediction_error"),
    ("", None, YES, UPHELD, [], "abstained"),
    ("", MISSING, YES, UPHELD, [], "prediction_missing"),
    (",trust_equal_rows=true", SAME, YES, OVERTURNED, [], "correct"),
    (",trust_equal_rows=true", OTHER, YES, OVERTURNED, ["prover", "refuter"], "incorrect"),
]


@pytest.mark.parametrize(("options", "predicted", "prover", "refuter", "asked", "outcome"), CASCADE)
def test_cascade(database, options, predicted, prover, refuter, asked, outcome) -> None:
    evidence = courtroom(database, case(predicted, REFERENCE), prover, refuter)
    verdict = verdict_of(f"rose,{MODEL}{options}", evidence)
    assert evidence.asked(PROVER, REFUTER) == asked
    assert verdict.outcome == outcome
    assert verdict.score == {"correct": 1.0, "incorrect": 0.0, "prediction_error": 0.0}.get(
        outcome, verdict.score
    )
    assert verdict.cost.calls == len(asked)
    assert verdict.cost.tokens == 10 * len(asked)
    assert verdict.reason


# what there is to refer to → outcome, and who is asked
REFERENCES = [
    ((), "reference_missing", []),
    ((BROKEN,), "reference_error", []),
    (("DELETE FROM boat",), "reference_error", []),
    ((BROKEN, REFERENCE), "correct", ["refuter"]),
    ((OTHER, REFERENCE), "correct", ["refuter"]),
    (("SELECT 1", "SELECT 2"), "correct", ["prover", "refuter"]),
]

# The comparison decides who is asked: as texts, as values, as sets.
MATCHES = [
    ("rose", "SELECT '1'", ["refuter"]),
    ("strict", "SELECT '1'", ["prover", "refuter"]),
    ("strict", "SELECT 1.0", ["refuter"]),
    ("rose", "SELECT 1.0", ["prover", "refuter"]),
    ("bird", "SELECT 1 UNION ALL SELECT 1", ["refuter"]),
    ("strict", "SELECT 1 UNION ALL SELECT 1", ["prover", "refuter"]),
    ("intent", "SELECT 1, 'one'", ["refuter"]),
]


@pytest.mark.parametrize(("match", "predicted", "asked"), MATCHES)
def test_match(database, match, predicted, asked) -> None:
    evidence = courtroom(database, case(predicted, "SELECT 1"), YES, UPHELD)
    verdict_of(f"rose,{MODEL},match={match}", evidence)
    assert evidence.asked(PROVER, REFUTER) == asked


@pytest.mark.parametrize(("references", "outcome", "asked"), REFERENCES)
def test_references(database, references, outcome, asked) -> None:
    evidence = courtroom(database, case(SAME, *references), YES, UPHELD)
    assert verdict_of(f"rose,{MODEL}", evidence).outcome == outcome
    assert evidence.asked(PROVER, REFUTER) == asked


def test_the_refuter_sees_every_reference_that_runs_and_the_prover_none(database) -> None:
    evidence = courtroom(database, case(OTHER, REFERENCE, BROKEN, SAME), YES, UPHELD)
    verdict_of(f"rose,{MODEL}", evidence)
    prover, refuter = (request.messages[1].content for request in evidence.requests)
    assert "berth = 'N'" not in prover and "id < 3" not in prover
    assert "Reference SQL 1" in refuter and "Reference SQL 2" in refuter
    assert "berth = 'N'" in refuter and "id < 3" in refuter and "nme" not in refuter


def test_the_refuter_reads_the_prover_and_the_comparison(database) -> None:
    evidence = courtroom(database, case(OTHER, REFERENCE), YES, UPHELD)
    verdict_of(f"rose,{MODEL}", evidence)
    refuter = evidence.requests[1].messages[1].content
    assert '"expected_answer": "the names"' in refuter
    assert 'rows only in the prediction: 1, such as\n["Cy"]' in refuter


def test_no_database(database) -> None:
    of = Case(id="1", db_id="none", question=QUESTION, predicted_sql=SAME)
    evidence = Courtroom(of, None, by_prompt())
    for judge in ("rose", "prover", "rose_wogt"):
        assert verdict_of(f"{judge},{MODEL}", evidence).outcome == "database_missing"


@pytest.mark.parametrize(
    "judge", ["rose", "prover", "refuter", "rose_wogt", "rose_unified", "flex"]
)
@pytest.mark.parametrize("question", [None, ""])
def test_without_a_question_intent_cannot_be_judged(database, judge, question) -> None:
    evidence = courtroom(database, case(SAME, REFERENCE, question=question))
    verdict = verdict_of(f"{judge},{MODEL}", evidence)
    assert (verdict.outcome, verdict.score, evidence.requests) == ("unknown", None, [])


LABELS = [
    (refutation(False), ()),
    (refutation(False, gold_correct=False), ("gold_fault",)),
    (refutation(True, "ambiguous question"), ("ambiguous_question",)),
    (refutation(False, "ambiguous schema", False), ("gold_fault", "ambiguous_schema")),
]


@pytest.mark.parametrize(("answer", "labels"), LABELS)
@pytest.mark.parametrize("predicted", [SAME, OTHER])
def test_labels(database, predicted, answer, labels) -> None:
    evidence = courtroom(database, case(predicted, REFERENCE), YES, answer)
    assert verdict_of(f"rose,{MODEL}", evidence).labels == labels


def test_a_verdict_carries_its_evidence(database) -> None:
    evidence = courtroom(database, case(OTHER, REFERENCE), YES, OVERTURNED)
    verdict = verdict_of(f"rose,{MODEL}", evidence)
    assert verdict.reason == "it fails"
    assert verdict.evidence["rows_equal"] is False
    assert verdict.evidence["prover"] == YES
    assert verdict.evidence["refuter"] == OVERTURNED
    assert verdict.evidence["explanation"]["extra"]["total"] == 1
    assert verdict.evidence["prompts"] == {
        "prover": PROVER.fingerprint,
        "refuter": REFUTER.fingerprint,
    }


def test_half_a_cascade_keeps_what_it_found(database) -> None:
    evidence = courtroom(database, case(OTHER, REFERENCE), YES, SILENT)
    verdict = verdict_of(f"rose,{MODEL}", evidence)
    assert verdict.reason == "the refuter gave no answer: a refusal"
    assert verdict.evidence["prover"] == YES
    assert verdict.cost.calls == 2


# Prover, Refuter → asked, outcome
WITHOUT_REFERENCE = [
    (YES, UPHELD, ["prover", "refuter_wogt"], "correct"),
    (YES, OVERTURNED, ["prover", "refuter_wogt"], "incorrect"),
    (YES, SILENT, ["prover", "refuter_wogt"], "judge_unavailable"),
    (NO, UPHELD, ["prover"], "incorrect"),
    (SILENT, UPHELD, ["prover"], "judge_unavailable"),
]


@pytest.mark.parametrize("references", [(), (REFERENCE,), (BROKEN,)])
@pytest.mark.parametrize(("prover", "refuter", "asked", "outcome"), WITHOUT_REFERENCE)
def test_cascade_without_reference(database, prover, refuter, asked, outcome, references) -> None:
    model = by_prompt((PROVER, prover), (REFUTER_WOGT, refuter))
    evidence = Courtroom(case(SAME, *references), database, model)
    verdict = verdict_of(f"rose_wogt,{MODEL}", evidence)
    assert evidence.asked(PROVER, REFUTER_WOGT) == asked
    assert verdict.outcome == outcome
    assert all("berth = 'N'" not in request.messages[1].content for request in evidence.requests)
