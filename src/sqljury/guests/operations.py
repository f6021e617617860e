"""What the service and the MCP server answer: judge, compare, choose, should it be answered?

The parameters of the four methods are annotated once; OpenAPI and MCP describe them to callers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from queue import SimpleQueue
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

import sqljury as sj
from sqljury.benchmarks import cases_of_rows
from sqljury.case import Json
from sqljury.closing import Closing
from sqljury.databases import Places
from sqljury.judges import spec_of
from sqljury.judges.prompts.sections import create_table
from sqljury.settings import Sources

SQL = Annotated[
    str, Field(max_length=100_000, description="A query, or a model's text that contains one.")
]
Database = Annotated[
    str,
    Field(max_length=200, description="Name of the database; may be empty if there is only one."),
]
Question = Annotated[str, Field(max_length=10_000, description="What the user asked, in words.")]
Hint = Annotated[
    str | None,
    Field(max_length=10_000, description="What words of the question mean in this database."),
]
References = Annotated[
    list[SQL], Field(max_length=20, description="Queries that are right, if any are known.")
]
Candidates = Annotated[
    list[SQL],
    Field(
        min_length=1,
        max_length=64,
        description="The queries to choose from, the likeliest one first.",
    ),
]
Score = Annotated[float | None, Field(description="In [0, 1]; null if there is none.")]


class JudgeVerdict(BaseModel):
    """One judge's verdict."""

    outcome: sj.Outcome
    score: Score
    reason: str
    labels: list[str]
    evidence: dict[str, Any] = Field(description="Rows that differ, findings and the like.")


class Judged(BaseModel):
    """The verdicts on a query, by the judge's name."""

    verdicts: dict[str, JudgeVerdict]


class Compared(BaseModel):
    """If two queries return the same rows on every database of the schema."""

    verdict: Literal["proved", "refuted", "no_counterexample", "unknown"]
    score: Score
    reason: str
    evidence: dict[str, Any] = Field(description="A database on which the rows differ, if any.")


class RankedQuery(BaseModel):
    """What is known about a candidate."""

    place: int = Field(description="Its place in the list of candidates, from 0.")
    share: float = Field(description="The share of candidates that return the same rows.")
    score: Score
    outcome: sj.Outcome
    reason: str


class Chosen(BaseModel):
    """The chosen query, and all candidates, the best first."""

    predicted_sql: str | None = Field(description="null if no candidate can be run.")
    place: int | None = Field(description="Its place in the list of candidates, from 0.")
    candidates: list[RankedQuery]


class ShouldAnswer(BaseModel):
    """If the rows of a query should be shown as the answer."""

    answer: bool
    score: Score
    threshold: float = Field(description="The lowest score with which to answer.")
    reason: str
    verdict: JudgeVerdict


class Operations(Closing):
    """The four operations, on databases that are named when it is made and on no others.

    Several threads may call at once; each call takes one of the workers, which are started at once
    and stay ready.

    Args:
        sources: databases, schemas and descriptions.
        judges: the judges of :meth:`judge_sql`.
        gate: ``JUDGE`` or ``JUDGE>=T``: the judge of :meth:`should_answer` and
            :meth:`choose_sql`, and the lowest score with which to answer, by default the judge's.
        limits: of one query.
        workers: how many calls are worked on at once.

    Raises:
        InputError: a place or a judge does not exist; or SJ854: a judge asks a chat model; or
            SJ855: the names of the databases cannot be listed.
        InfrastructureError: the workers cannot work.
    """

    def __init__(
        self,
        sources: Sources,
        judges: Sequence[str] = ("execution:strict",),
        gate: str = "faults",
        *,
        limits: sj.Limits | None = None,
        workers: int | None = None,
    ) -> None:
        name, least = _gate(gate)
        made = {spec_of(judge): judge for judge in map(sj.make_judge, judges)}
        gating = sj.make_judge(name)
        self.judges = tuple(made)
        """The names of the judges of :meth:`judge_sql`."""
        self._gate = spec_of(gating)
        self._threshold = gating.threshold if least is None else least
        every = [*judges, name, _EQUIVALENCE, _VOTING]
        for judge in map(sj.make_judge, every):
            if judge.needs & sj.Needs.LLM:
                raise sj.InputError(
                    "SJ854",
                    f"{spec_of(judge)} asks a chat model.",
                    hint="`sqljury list judges` says which judges do not need llm.",
                )
        if sources.databases is None and sources.schemas is None:
            raise sj.InputError("SJ855", "no databases.", hint="Give --databases or --schemas.")
        self._sources = sources
        with Places(sources.databases, sources.schemas) as places:
            self.databases = tuple(sorted(places.ids()))
            """The names of the databases."""
        if not self.databases:
            raise sj.InputError(
                "SJ855",
                "the names of the databases cannot be listed.",
                hint="Name each database: --databases URL1,URL2.",
            )
        self.workers = workers or os.cpu_count() or 1
        self._free: SimpleQueue[sj.Evaluator] = SimpleQueue()
        self._all: list[sj.Evaluator] = []
        try:
            for _ in range(self.workers):
                self._all.append(
                    sj.Evaluator(
                        sources.databases,
                        [*dict.fromkeys([*self.judges, self._gate, _EQUIVALENCE, _VOTING])],
                        schemas=sources.schemas,
                        descriptions=sources.descriptions,
                        limits=limits,
                        workers=1,
                    )
                )
                self._free.put(self._all[-1])
                # Imports what the judges need, which takes a second, before the first call.
                self._judged([{"predicted_sql": "SELECT 1", "reference": "SELECT 1"}], None)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the workers."""
        for evaluator in self._all:
            evaluator.close()

    def judge_sql(
        self,
        *,
        predicted_sql: SQL,
        db_id: Database = "",
        question: Question = "",
        hint: Hint = None,
        reference_sqls: References = [],  # noqa: B006  # never changed
    ) -> Judged:
        """Judge a SQL query: does it answer the question?

        Execution judges compare its rows with those of the reference queries.
        """
        case = {
            **self._case(db_id, question, hint, predicted_sql),
            "reference_sqls": list(reference_sqls),
        }
        (found,) = self._judged([case], self.judges)
        return Judged(verdicts={name: _verdict(one) for name, one in found.items()})

    def compare_sql(self, *, first_sql: SQL, second_sql: SQL, db_id: Database = "") -> Compared:
        """Compare two SQL queries: do they return the same rows on every database of this schema?

        Looks for a proof and for a small database on which they differ. Reads the schema only.
        """
        case = {**self._case(db_id, "", None, second_sql), "reference_sqls": [first_sql]}
        ((found,),) = [one.values() for one in self._judged([case], [_EQUIVALENCE])]
        verdict = next((label for label in found.labels if label in _COMPARED), "unknown")
        return Compared.model_validate(
            {**_verdict(found).model_dump(exclude={"outcome", "labels"}), "verdict": verdict}
        )

    def choose_sql(
        self,
        *,
        candidates: Candidates,
        question: Question,
        db_id: Database = "",
        hint: Hint = None,
    ) -> Chosen:
        """Choose among several SQL queries for a question.

        The rows that most candidates return win; among equals the query with the best score, then
        the first one.
        """
        rows = [self._case(db_id, question, hint, sql) for sql in candidates]
        cases = list(cases_of_rows(rows))
        pool = tuple(
            None if case.predicted_sql is sj.MISSING else case.predicted_sql for case in cases
        )
        cases = [replace(case, pool=pool) for case in cases]
        found = self._judged(cases, [self._gate, _VOTING])
        ranked = []
        for place, verdicts in enumerate(found):
            gated, votes = verdicts[self._gate], verdicts[_VOTING]
            shown = votes if votes.score is None else gated  # a query that fails has no votes
            ranked.append(
                RankedQuery(
                    place=place,
                    share=votes.score or 0.0,
                    score=gated.score,
                    outcome=shown.outcome,
                    reason=shown.reason,
                )
            )
        ranked.sort(key=lambda one: (-one.share, -(one.score or 0.0), one.place))
        best = ranked[0]
        if not best.share:
            return Chosen(predicted_sql=None, place=None, candidates=ranked)
        chosen = cases[best.place].predicted_sql
        return Chosen(predicted_sql=str(chosen), place=best.place, candidates=ranked)

    def should_answer(
        self,
        *,
        predicted_sql: SQL,
        question: Question,
        db_id: Database = "",
        hint: Hint = None,
    ) -> ShouldAnswer:
        """Decide if the result of a SQL query should be shown as the answer to the question.

        Needs no reference. Ask before showing an answer; if it says no, say why instead.
        """
        case = self._case(db_id, question, hint, predicted_sql)
        ((verdict,),) = [one.values() for one in self._judged([case], [self._gate])]
        fails = verdict.outcome.startswith("prediction_") or verdict.score is None
        return ShouldAnswer(
            answer=not fails and (verdict.score or 0.0) >= self._threshold,
            score=verdict.score,
            threshold=self._threshold,
            reason=verdict.reason,
            verdict=_verdict(verdict),
        )

    def schema(self, db_id: str) -> str:
        """The CREATE TABLE statements of a database.

        Raises:
            InputError: SJ856: no such database.
        """
        name = self._name(db_id)
        with Places(self._sources.databases, self._sources.schemas) as places:
            found = places.schema(name)
            return "" if found is None else "\n".join(create_table(found, None))

    def _name(self, db_id: str) -> str:
        """The name as it is known here.

        Raises:
            InputError: SJ856: no such database.
        """
        if not db_id and len(self.databases) == 1:
            return self.databases[0]
        for name in self.databases:
            if name.casefold() == db_id.casefold():
                return name
        raise sj.InputError(
            "SJ856",
            f"there is no database {db_id[:80]!r}." if db_id else "db_id names no database.",
            hint=f"There are {', '.join(self.databases[:20])}"
            f"{' and more' if len(self.databases) > 20 else ''}.",
        )

    def _case(
        self, db_id: str, question: str, hint: str | None, predicted_sql: str
    ) -> dict[str, Json]:
        given = {"db_id": self._name(db_id), "predicted_sql": predicted_sql}
        return {
            **given,
            **({"question": question} if question else {}),
            **({"hint": hint} if hint else {}),
        }

    def _judged(
        self, cases: Sequence[sj.Case | Mapping[str, Json]], judges: Sequence[str] | None
    ) -> list[dict[str, sj.Verdict]]:
        """The verdicts of some judges on each case, by a worker that is free."""
        evaluator = self._free.get()
        try:
            found = evaluator.judge_all(cases, judges)
        finally:
            self._free.put(evaluator)
        for verdict in (verdict for one in found for verdict in one.values()):
            if verdict.outcome.is_infrastructure:
                raise sj.InfrastructureError("SJ416", verdict.reason)
        return found


_EQUIVALENCE = spec_of(sj.make_judge("equivalence"))
_VOTING = spec_of(sj.make_judge("voting:rows"))
_COMPARED = ("proved", "refuted", "no_counterexample", "unknown")


def _gate(text: str) -> tuple[str, float | None]:
    """The judge, and the threshold if one is given.

    Raises:
        InputError: SJ543: the threshold is not a number.
    """
    name, at_least, number = text.rpartition(">=")
    if not at_least:
        return text, None
    try:
        return name, float(number)
    except ValueError:
        raise sj.InputError(
            "SJ543", f"{number!r} is no threshold.", where=f"--gate {text}"
        ) from None


def _verdict(found: sj.Verdict) -> JudgeVerdict:
    return JudgeVerdict(
        outcome=found.outcome,
        score=found.score,
        reason=found.reason,
        labels=list(found.labels),
        evidence=dict(found.evidence),
    )
