"""The base class of judges, their registry, and the verdicts that are clear without a judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Flag, auto
from typing import Any, ClassVar, Final, TypeVar

from sqljury.case import MISSING, Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.execution import Execution, ResultTable, Status
from sqljury.registry import Registry
from sqljury.stored_table import ReferenceTable, StoredTable
from sqljury.verdict import Outcome, Verdict


class Needs(Flag):
    """What a case must have before a judge is called; :func:`settled` gives the verdict if not."""

    NOTHING = 0
    REFERENCE = auto()
    """At least one reference SQL."""
    DATABASE = auto()
    """A database that can be opened."""
    REFERENCE_ROWS = auto()
    """At least one reference that runs."""
    PREDICTION_ROWS = auto()
    """A prediction that runs."""
    QUESTION = auto()
    """The question alone: such judges decide before any SQL is written and ignore the
    prediction."""
    LLM = auto()
    """A chat model; many cases are judged at the same time, as most wait for an answer."""
    SCHEMA = auto()
    """The tables and columns, from a database, a file of schemas, or the case itself."""
    SUITE = auto()
    """Several databases for the case's schema."""


_NEED_DATABASE = Needs.DATABASE | Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS


class Judge(ABC):
    """Anything that looks at a case and gives a verdict.

    A judge is a frozen dataclass: its fields are its options, and its whole configuration. It must
    have ``name``, ``version``, ``needs`` and :meth:`judge`; the rest has the defaults given here.
    An ``Args`` section of its docstring says what its options mean.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever a change can alter a verdict; stored verdicts of older versions are then
    judged again."""
    needs: ClassVar[Needs]
    """What a case must have; :func:`settled` gives the verdict for a case that lacks it."""
    variant: ClassVar[str | None] = None
    """The option that ``NAME:VARIANT`` sets; None if the judge has no variants."""
    sees_failures: ClassVar[bool] = False
    """True if the judge also gets predictions that fail in the case's database. Without it, the
    verdict on such a prediction is ``prediction_error``, ``prediction_timeout``, … and the judge
    is not called."""

    takes_tables: ClassVar[bool] = False
    """True if the judge also reads ``Case.reference_tables`` and ``Case.predicted_table``. Without
    it, such references do not exist for the judge, and the verdict on such a prediction is
    ``unknown``."""

    @abstractmethod
    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict on one case whose needs are met."""

    @property
    def threshold(self) -> float:
        """The lowest score that counts as a yes, in [0, 1]."""
        return 0.5

    def signature_fields(self) -> dict[str, Json]:
        """What a verdict depends on apart from version and options, such as prompts and digests of
        files. It is part of the signature under a score; after a change stored verdicts are judged
        again."""
        return {}

    def sql_to_run(self, sql: str) -> str:
        """The text that is executed for a query: unchanged, unless the judge removes something."""
        return sql

    @property
    def needs_reference(self) -> bool:
        """True if the judge compares the prediction with a reference."""
        return bool(self.needs & (Needs.REFERENCE | Needs.REFERENCE_ROWS))

    @property
    def executes(self) -> bool:
        """True if queries are executed where there is a database; the signature then names the
        engine and the limits."""
        if self.needs & (_NEED_DATABASE | Needs.SUITE):
            return True
        return not self.sees_failures and not self.needs & Needs.QUESTION

    @property
    def runs_network(self) -> bool:
        """True if the judge runs a neural network on this machine, which is done outside of the
        sandbox."""
        return False

    @property
    def batch_size(self) -> int:
        """How many cases to pass to :meth:`judge_many` at once; 1 to call :meth:`judge` per case.

        All cases of one question are passed together, even if they are more than this."""
        return 1

    @property
    def one_process(self) -> bool:
        """True if one process judges for all workers of a machine, because the model is too large
        to be loaded in each."""
        return False

    def judge_many(self, asked: Sequence[tuple[Case, Evidence]]) -> list[Verdict]:
        """The verdicts on several cases whose needs are met, in their order.

        They must equal those of :meth:`judge`, which is called per case if this method raises."""
        return [self.judge(case, evidence) for case, evidence in asked]


_HOOKS: Final = (
    *("variant", "threshold", "signature_fields", "sql_to_run", "sees_failures", "executes"),
    *("takes_tables", "runs_network", "batch_size", "one_process", "judge_many"),
)
_REQUIRED: Final = ("name", "version", "needs", "judge")


def as_judge(found: Any) -> Judge:
    """The object itself, usable as a judge.

    If its class does not inherit from :class:`Judge`, the optional attributes that it lacks are
    added to the class, with the defaults of :class:`Judge`.

    Raises:
        InputError: SJ302: the object lacks name, version, needs or judge.
    """
    if isinstance(found, Judge):
        return found
    if not all(hasattr(found, name) for name in _REQUIRED):
        raise InputError(
            "SJ302",
            f"{type(found).__name__} is not a judge: it needs name, version, needs "
            "and judge(case, evidence).",
            hint="Derive it from sqljury.judges.Judge, or give it these four.",
        )
    for name in _HOOKS:
        if not hasattr(found, name):
            setattr(type(found), name, vars(Judge)[name])
    Judge.register(type(found))
    judge: Judge = found
    return judge


def needs_database(judge: Judge) -> bool:
    """True if a judge needs a database or rows."""
    return bool(judge.needs & _NEED_DATABASE)


def has_all_rows(judge: Judge, case: Case) -> bool:
    """True if the judge needs no database for this case: its reference is a result table, and so is
    its prediction, or there is none."""
    is_table = judge.takes_tables and bool(case.reference_tables)
    return is_table and not isinstance(case.predicted_sql, str)


JUDGES: Final[Registry[type[Any]]] = Registry(
    "sqljury.judges", "sqljury.judges.abstention", group="sqljury.judges"
)
"""Judges by name; a built-in judge is found in the module of its name."""

J = TypeVar("J", bound=type[Any])


def register(cls: J) -> J:
    """Class decorator: adds a judge to the registry under its ``name``."""
    JUDGES.add(cls.name, cls)
    return cls


# ------------------------------------------------------------
# Verdicts that are clear without the judge: something is missing, or a query does not run.

# The & of a Flag is slow and would run for every case, so the checks use plain integers.
_REFERENCE_ROWS = Needs.REFERENCE_ROWS.value
_PREDICTION_ROWS = Needs.PREDICTION_ROWS.value
_NEED_ROWS = Needs.DATABASE.value | _REFERENCE_ROWS | _PREDICTION_ROWS
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
    Status.UNREAD: Outcome.UNKNOWN,
    Status.UNAVAILABLE: Outcome.JUDGE_UNAVAILABLE,
}
_REFERENCE_OUTCOME = {
    Status.ERROR: Outcome.REFERENCE_ERROR,
    Status.TIMEOUT: Outcome.REFERENCE_TIMEOUT,
    Status.TOO_LARGE: Outcome.REFERENCE_TOO_LARGE,
    Status.OUT_OF_MEMORY: Outcome.REFERENCE_TOO_LARGE,
    Status.REFUSED: Outcome.REFERENCE_ERROR,
    Status.UNREAD: Outcome.UNKNOWN,
    Status.UNAVAILABLE: Outcome.JUDGE_UNAVAILABLE,
}


def settled(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    """The verdict on a case that lacks what the judge needs; None if the judge has to decide.

    Problems of the benchmark (database, reference) are checked before those of the prediction, so
    that all systems on one benchmark share one denominator. Exception: an abstention stays
    ``abstained`` if the case has no reference, as unanswerable questions have none.
    """
    return _question_unusable(judge, case, evidence) or _prediction_unusable(judge, case, evidence)


def _question_unusable(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    needs = judge.needs.value
    if needs & _NEED_ROWS and not evidence.has_database and not has_all_rows(judge, case):
        return _not_scored(Outcome.DATABASE_MISSING, f"no database {case.db_id!r}")
    if needs & _SCHEMA and evidence.schema() is None:
        return _not_scored(Outcome.DATABASE_MISSING, f"no schema of {case.db_id!r}")
    if needs & _SUITE and evidence.suite() is None:
        return _not_scored(Outcome.DATABASE_MISSING, f"no test suite of {case.db_id!r}")
    if needs & _NEED_REFERENCE and not (_tables(judge, case) or case.reference_sqls):
        if case.predicted_sql is None:
            return None
        why = ", only a result table" if case.reference_tables else ""
        return _not_scored(Outcome.REFERENCE_MISSING, f"no reference SQL{why}")
    return _failed_references(judge, case, evidence) if needs & _REFERENCE_ROWS else None


def _tables(judge: Judge, case: Case) -> tuple[ReferenceTable, ...]:
    return case.reference_tables if judge.takes_tables else ()


def _failed_references(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    """The verdict ``reference_…`` if no reference runs or can be read; None if one does, or if
    there is none."""
    tables = _tables(judge, case)
    if tables:
        if any(not table.problem for table in tables):
            return None
        outcome = Outcome.REFERENCE_TOO_LARGE if tables[0].too_large else Outcome.REFERENCE_ERROR
        return _not_scored(outcome, f"reference {tables[0].name}: {tables[0].problem}")
    runs = [evidence.rows(judge.sql_to_run(sql)) for sql in case.reference_sqls]
    return None if not runs or any(run.ok for run in runs) else failed_reference(runs[0])


def _prediction_unusable(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    if judge.needs.value & _QUESTION:
        return None if case.question else _not_scored(Outcome.UNKNOWN, "the case has no question")
    if case.predicted_table is not None:
        return _table_unusable(judge, case.predicted_table)
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
            # If the reference fails too, the failure is not counted against the prediction.
            needed = judge.needs.value & _NEED_REFERENCE
            failed = _failed_references(judge, case, evidence) if needed else None
            return failed or failed_prediction(run)
    return None


def _table_unusable(judge: Judge, table: StoredTable) -> Verdict | None:
    """The verdict on a prediction that is a result table which cannot be judged; else None."""
    if not judge.takes_tables:
        reason = f"the prediction is a result table, and {judge.name} reads SQL"
        return _not_scored(Outcome.UNKNOWN, reason)
    if not table.problem:
        return None
    outcome = Outcome.PREDICTION_TOO_LARGE if table.too_large else Outcome.PREDICTION_ERROR
    return _not_scored(outcome, f"{table.name}: {table.problem}")


def predicted_rows(judge: Judge, case: Case, evidence: Evidence) -> StoredTable | ResultTable:
    """The prediction's table, or the result of its SQL, which must run."""
    if case.predicted_table is not None:
        return case.predicted_table
    table = evidence.rows(judge.sql_to_run(str(case.predicted_sql))).table
    assert table is not None, "settled() returned no verdict"
    return table


def failed_prediction(run: Execution) -> Verdict:
    """The verdict on a prediction that did not run."""
    return _not_scored(_PREDICTION_OUTCOME[run.status], run.message)


def failed_reference(run: Execution) -> Verdict:
    """The verdict on a case of which no reference ran, from one of the failed runs."""
    return _not_scored(_REFERENCE_OUTCOME[run.status], f"reference: {run.message}")


def _not_scored(outcome: Outcome, reason: str) -> Verdict:
    unscored = outcome.left_out or outcome in (Outcome.ABSTAINED, Outcome.UNKNOWN)
    score = None if unscored else 0.0
    return Verdict(outcome=outcome, score=score, reason=reason)
