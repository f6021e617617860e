"""Labels from verdicts: what is dropped, what counts twice, what balance draws."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sqljury import Case
from sqljury.uses.labelling import label_questions
from sqljury.verdict import Outcome

YES, NO, FAILED = Outcome.CORRECT, Outcome.INCORRECT, Outcome.PREDICTION_ERROR


def pool(*questions: tuple[str, str, list[tuple[str | None, Outcome]]]):  # type: ignore[no-untyped-def]
    cases, outcomes = [], []
    for number, (db_id, question, candidates) in enumerate(questions):
        for sql, outcome in candidates:
            cases.append(Case(id=str(number), db_id=db_id, question=question, predicted_sql=sql))
            outcomes.append(outcome)
    return cases, outcomes


def test_a_pool_by_hand() -> None:
    found = label_questions(
        *pool(
            ("a", "How many?", [("SELECT 1", YES), ("SELECT  1 ;", YES), ("SELECT 2", NO)]),
            ("a", "how  MANY?", [("SELECT 9", YES)]),  # the first question again
            ("b", "How many?", [("SELECT 1", YES), ("SELECT x", FAILED), ("SELECT 3", YES)]),
            ("b", "Which?", [("SELECT y", FAILED), (None, Outcome.ABSTAINED)]),
        )
    )
    assert [one.candidates for one in found.questions] == [
        (
            {"sql": "SELECT 1", "correct": True, "count": 2},
            {"sql": "SELECT 2", "correct": False, "count": 1},
        ),
        (
            {"sql": "SELECT 1", "correct": True, "count": 1},
            {"sql": "SELECT 3", "correct": True, "count": 1},
        ),
    ]
    assert [one.candidates for one in found.balanced] == [found.questions[0].candidates]
    assert found.statistics.to_json() == {
        "questions": {"before": 4, "after": 3, "removed": 1, "share_removed": 0.25},
        "candidates": 8,
        "outcomes": {"correct": 4, "incorrect": 1, "prediction_error": 2, "abstained": 1},
        "unbalanced": {
            "questions": 2,
            "size": 4,
            "correct": 3,
            "incorrect": 1,
            "share_correct": 0.75,
            "share_incorrect": 0.25,
        },
        "balanced": {
            "questions": 1,
            "size": 2,
            "correct": 1,
            "incorrect": 1,
            "share_correct": 0.5,
            "share_incorrect": 0.5,
        },
    }


def test_nothing_has_no_shares() -> None:
    found = label_questions([], []).statistics.to_json()
    assert found["questions"]["share_removed"] is None
    assert found["balanced"]["share_correct"] is None


outcome_lists = st.lists(
    st.sampled_from([YES, NO, FAILED, Outcome.UNKNOWN]), min_size=1, max_size=12
)


@given(st.lists(outcome_lists, max_size=6), st.integers(0, 3))
def test_balance(questions: list[list[Outcome]], seed: int) -> None:
    given_pool = pool(
        *(
            ("d", f"Q{number}", [(f"SELECT {i}", each) for i, each in enumerate(outcomes)])
            for number, outcomes in enumerate(questions)
        )
    )
    found = label_questions(*given_pool, seed=seed)
    again = label_questions(*given_pool, seed=seed)
    assert found == again
    all_by_id = {one.case.id: one for one in found.questions}
    for one in found.balanced:
        whole = all_by_id[one.case.id]
        assert one.count(True) == one.count(False) == min(whole.count(True), whole.count(False))
        assert [c for c in whole.candidates if c in one.candidates] == list(one.candidates)
    sizes = found.statistics
    assert sizes.all.size == sum(outcome in (YES, NO) for each in questions for outcome in each)
    assert sizes.balanced.correct == sizes.balanced.incorrect
