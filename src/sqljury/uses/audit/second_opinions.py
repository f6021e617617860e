"""Checks of an audit that compare a reference with systems, other references and proposals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sqljury.case import Case, Json
from sqljury.evidence_shapes import results_of, shown_rows
from sqljury.faults import Check, Sees
from sqljury.uses.audit import AuditFinding
from sqljury.uses.audit.audit import Conflict
from sqljury.uses.audit.consensus import NOBODY, Consensus, Votes, consensus
from sqljury.uses.evaluate.evaluation import evaluate
from sqljury.uses.inputs import RunKeywords
from sqljury.uses.select import CandidatePool
from sqljury.uses.select.results import Results
from sqljury.verdict import Outcome, Record
from sqljury.writing import PathLike

SYSTEMS_AGREE: Final = Check(
    code="AU601",
    name="systems_agree_otherwise",
    title="Several systems agree on a result that is not the reference's.",
    sees=Sees.ROWS,
    weak=False,
    read=(16, 19),
    find=lambda _: iter(()),
)
REFERENCES_DIFFER: Final = Check(
    code="AU602",
    name="references_differ",
    title="Two references of the same question return other rows on some database.",
    sees=Sees.TREE,
    weak=False,
    read=(22, 24),
    find=lambda _: iter(()),
)
MATCH = "strict;column_order=any;duplicates=set"
"""The policy by which results are equal: the same rows as sets, with columns in any order.

Duplicates are ignored because whether they are listed is a convention of the benchmark, which
systems mostly do not follow.
"""
FEWEST_SYSTEMS = 3
"""The fewest systems of which two can agree against the third and the reference."""
_ROWS_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinions:
    """The databases and settings with which second opinions are judged.

    Args:
        folder: the folder for their runs.
    """

    folder: Path
    databases: PathLike | Sequence[PathLike] | None
    settings: RunKeywords

    def judged(self, name: str, cases: Sequence[Case], judge: str | Results) -> list[Record]:
        """One judge's records of some cases; empty without cases."""
        if not cases:
            return []
        with evaluate(
            cases, [judge], self.databases, run=self.folder / name, **self.settings
        ) as done:
            return list(done.records())


# ---------------------------------------------------------------- systems


def by_systems(pools: Sequence[CandidatePool], asked: Opinions) -> Iterator[AuditFinding]:
    """A finding for each question whose most probable result is not the reference's.

    Its check is :data:`SYSTEMS_AGREE`.
    """
    cases = [_pooled(pool) for pool in pools]
    records = asked.judged("predictions", cases, Results(match=MATCH))
    known = [
        (pool, _numbers(record))
        for pool, record in zip(pools, records, strict=True)
        if record.verdict.outcome is Outcome.CORRECT
    ]
    votes = [_votes(pool, numbers) for pool, numbers in known]
    for (pool, numbers), one, said in zip(known, votes, consensus(votes), strict=True):
        own = {numbers.get(sql) for sql in pool.question.reference_sqls}
        if said.result not in (*own, NOBODY) and None not in own and len(said.agreeing) > 1:
            yield _agreed(pool, one, said)


def _pooled(pool: CandidatePool) -> Case:
    texts = [one.sql for one in pool.candidates]
    references = pool.question.reference_sqls
    return replace(pool.question, predicted_sql=references[0], pool=(*texts, *references))


def _numbers(record: Record) -> dict[str, int | None]:
    """The group of each query's result: equal results have one number; None if it does not run."""
    texts = dict.fromkeys(filter(None, record.case.pool))
    return dict(zip(texts, results_of(record.verdict.evidence)["group"], strict=True))


def _votes(pool: CandidatePool, numbers: Mapping[str, int | None]) -> Votes:
    by_system = {
        system: numbers.get(one.sql or "") for one in pool.candidates for system in one.systems
    }
    return Votes(by_system=by_system, reference=numbers.get(pool.question.reference_sqls[0]))


def _agreed(pool: CandidatePool, votes: Votes, said: Consensus) -> AuditFinding:
    with_reference = [s for s, number in votes.by_system.items() if number == votes.reference]
    theirs = next(one.sql for one in pool.candidates if said.agreeing[0] in one.systems and one.sql)
    reason = (
        f"{len(said.agreeing)} of {len(votes.by_system)} systems return other rows, all of them "
        f"the same, and {len(with_reference)} the reference's."
    )
    evidence = {
        "agree": list(said.agreeing),
        "with_reference": with_reference,
        "probability": round(said.probability, 4),
    }
    question = replace(pool.question, predicted_sql=pool.question.reference_sqls[0])
    return finding_of(SYSTEMS_AGREE, question, reason, evidence, proposal=theirs)


# ---------------------------------------------------------------- references


def by_references(conflicts: Sequence[Conflict], asked: Opinions) -> Iterator[AuditFinding]:
    """A finding for each two references of one question that differ on some small database.

    Its check is :data:`REFERENCES_DIFFER`.
    """
    cases = [
        replace(
            one.second, source=f"{number}", reference_sqls=(str(one.first.predicted_sql),), pool=()
        )
        for number, one in enumerate(conflicts)
    ]
    records = asked.judged("references", cases, "equivalence,column_order=any")
    for one, record in zip(conflicts, records, strict=True):
        if record.verdict.outcome is Outcome.INCORRECT:
            yield _differing(one, record)


def _differing(conflict: Conflict, record: Record) -> AuditFinding:
    other = conflict.first
    evidence = {
        "other": {
            "benchmark": other.benchmark,
            "id": other.id,
            "question": other.question,
            "sql": other.predicted_sql,
        },
        "witness": record.verdict.evidence.get("witness"),
    }
    reworded = other.id == conflict.second.id and other.question != conflict.second.question
    reason = (
        f"the question {other.name} {'is another version of it' if reworded else 'asks the same'}, "
        "and its reference returns other rows on a database that both can be asked about."
    )
    return finding_of(REFERENCES_DIFFER, conflict.second, reason, evidence)


# ---------------------------------------------------------------- proposals


def with_returned_rows(findings: Sequence[AuditFinding], asked: Opinions) -> list[AuditFinding]:
    """The findings; those with a proposal get the first rows of the reference and the proposal."""
    proposed = [number for number, one in enumerate(findings) if one.proposal]
    cases = [_against_proposal(number, findings[number]) for number in proposed]
    records = asked.judged("proposals", cases, "execution")
    found = list(findings)
    for number, record in zip(proposed, records, strict=True):
        found[number] = replace(findings[number], returned=_returned(record))
    return found


def _against_proposal(number: int, finding: AuditFinding) -> Case:
    return Case(
        id=finding.id,
        source=str(number),
        benchmark=finding.benchmark,
        db_id=finding.db_id,
        predicted_sql=finding.proposal,
        reference_sqls=(finding.sql,),
    )


def _returned(record: Record) -> dict[str, Json]:
    """The first rows of the reference and the proposal, and the reason of the verdict."""
    evidence = record.verdict.evidence
    sides = {
        "reference": shown_rows(evidence, "reference"),
        "proposal": shown_rows(evidence, "prediction"),
    }
    tables = {
        name: {
            "columns": table["columns"],
            "rows": table["rows"][:_ROWS_SHOWN],
            "row_count": table["row_count"],
        }
        for name, table in sides.items()
        if table is not None
    }
    return {**tables, "difference": record.verdict.reason}


def finding_of(
    check: Check, case: Case, reason: str, evidence: Mapping[str, Json], proposal: str | None = None
) -> AuditFinding:
    """A finding about a reference; the case has the reference as its prediction."""
    return AuditFinding(
        benchmark=case.benchmark,
        id=case.id,
        source=case.source,
        db_id=case.db_id,
        question=case.question or "",
        hint=case.hint or "",
        sql=str(case.predicted_sql),
        code=check.code,
        name=check.name,
        title=check.title,
        weak=check.weak,
        likely=check.likely,
        reason=reason,
        evidence=evidence,
        proposal=proposal,
    )
