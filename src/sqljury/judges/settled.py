"""What is clear before a judge is asked: verdicts by what is there and what runs."""

from __future__ import annotations

from sqljury.case import MISSING, Case
from sqljury.evidence import Evidence
from sqljury.execution import Execution, Status
from sqljury.judges.base import Judge, Needs
from sqljury.verdict import Outcome, Verdict

# A Flag's own & is slow, and these are asked of every case.
_REFERENCE_ROWS = Needs.REFERENCE_ROWS.value
_PREDICTION_ROWS = Needs.PREDICTION_ROWS.value
_NEED_DATABASE = Needs.DATABASE.value | _REFERENCE_ROWS | _PREDICTION_ROWS
_NEED_REFERENCE = Needs.REFERENCE.value | _REFERENCE_ROWS
_SCHEMA = Needs.SCHEMA.value
_SUITE = Needs.SUITE.value
_QUESTION = Needs.QUESTION.value

_PREDICTION_OUTCOME = {
    Status.ERROR: Outcome.PREDICTION_ERROR,
    Status.TIMEOUT: Outcome.PREDICTION_TIMEOUT,
    Status.TOO_LARGE: Outcome.PREDICTION_TOO_LARGE,
    Status.OUT_OF_MEMORY: Outcome.PREDICTION_OUT_OF_MEMORY,
    Status.REFUSED: Outcome.PREDICTION_REFUSED,
    Status.UNAVAILABLE: Outcome.JUDGE_UNAVAILABLE,
}
_REFERENCE_OUTCOME = {
    Status.ERROR: Outcome.REFERENCE_ERROR,
    Status.TIMEOUT: Outcome.REFERENCE_TIMEOUT,
    Status.TOO_LARGE: Outcome.REFERENCE_TOO_LARGE,
    Status.OUT_OF_MEMORY: Outcome.REFERENCE_TOO_LARGE,
    Status.REFUSED: Outcome.REFERENCE_ERROR,
    Status.UNAVAILABLE: Outcome.JUDGE_UNAVAILABLE,
}


def settled(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    """The verdict that is clear before the judge is asked, or None.

    What is wrong with the question (database, reference) comes before what is wrong with the
    answer, so that all systems on one benchmark share one denominator; but an abstention
    stays an abstention where there is no reference to compare with (an unanswerable question).
    """
    return _question_unusable(judge, case, evidence) or _prediction_unusable(judge, case, evidence)


def _question_unusable(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    needs = judge.needs.value
    if needs & _NEED_DATABASE and not evidence.has_database:
        return _not_scored(Outcome.DATABASE_MISSING, f"no database {case.db_id!r}")
    if needs & _SCHEMA and evidence.schema() is None:
        return _not_scored(Outcome.DATABASE_MISSING, f"no schema of {case.db_id!r}")
    if needs & _SUITE and evidence.suite() is None:
        return _not_scored(Outcome.DATABASE_MISSING, f"no test suite of {case.db_id!r}")
    if needs & _NEED_REFERENCE and not case.reference_sqls:
        if case.predicted_sql is None:
            return None
        return _not_scored(Outcome.REFERENCE_MISSING, "no reference SQL")
    if needs & _REFERENCE_ROWS:
        runs = [evidence.rows(judge.sql_to_run(sql)) for sql in case.reference_sqls]
        if runs and not any(run.ok for run in runs):
            return failed_reference(runs[0])
    return None


def _prediction_unusable(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    if judge.needs.value & _QUESTION:
        return None if case.question else _not_scored(Outcome.UNKNOWN, "the case has no question")
    sql = case.predicted_sql
    if sql is None:
        return _not_scored(Outcome.ABSTAINED, "the system abstained")
    if sql is MISSING:
        return _not_scored(Outcome.PREDICTION_MISSING, "no prediction for this reference")
    if not sql.strip():
        return _not_scored(Outcome.PREDICTION_ERROR, "the prediction is empty")
    if judge.needs.value & _PREDICTION_ROWS or (evidence.has_database and not judge.sees_failures):
        run = evidence.rows(judge.sql_to_run(sql))
        if not run.ok:
            return _failed_reference_too(judge, case, evidence) or failed_prediction(run)
    return None


def _failed_reference_too(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    """The verdict where the references fail as well: that is no fault of the prediction."""
    if not judge.needs.value & _NEED_REFERENCE:
        return None
    runs = [evidence.rows(judge.sql_to_run(sql)) for sql in case.reference_sqls]
    return None if any(run.ok for run in runs) else failed_reference(runs[0])


def failed_prediction(run: Execution) -> Verdict:
    """The verdict on a prediction that did not run."""
    return _not_scored(_PREDICTION_OUTCOME[run.status], run.message)


def failed_reference(run: Execution) -> Verdict:
    """The verdict on a case none of whose references ran."""
    return _not_scored(_REFERENCE_OUTCOME[run.status], f"reference: {run.message}")


def _not_scored(outcome: Outcome, reason: str) -> Verdict:
    score = None if outcome.left_out or outcome is Outcome.ABSTAINED else 0.0
    return Verdict(outcome=outcome, score=score, reason=reason)
