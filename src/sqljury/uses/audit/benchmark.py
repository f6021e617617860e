"""Find faults in a benchmark's references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import Unpack

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.faults import Check, chosen_checks
from sqljury.isolation import TemporaryFolder
from sqljury.judges.faults import Faults
from sqljury.runs import Run, run_judges
from sqljury.signature import with_fields
from sqljury.uses.audit import Audit, AuditFinding, audit_of, references_of
from sqljury.uses.audit.audit import conflicts_of
from sqljury.uses.audit.second_opinions import (
    FEWEST_SYSTEMS,
    REFERENCES_DIFFER,
    SYSTEMS_AGREE,
    Opinions,
    by_references,
    by_systems,
    with_returned_rows,
)
from sqljury.uses.inputs import RunKeywords, cases_of, overlay_from, run_settings, signed_with
from sqljury.uses.select import CandidatePool, pools_of
from sqljury.writing import PathLike

_SECOND = (SYSTEMS_AGREE, REFERENCES_DIFFER)


def audit(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    checks: str = "",
    run: PathLike | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    **settings: Unpack[RunKeywords],
) -> Audit:
    """Find faults in the references of a benchmark; calls no model.

    Args:
        cases: cases, or files of cases. With predictions of at least three systems
            (:func:`sqljury.read_cases` with ``predictions``, or pools that name their systems),
            references that differ from what the systems agree on are found too.
        databases: as for :func:`sqljury.evaluate`. Without them, and with ``schemas``, checks
            that need rows are skipped, and counted as skipped.
        checks: codes of checks, or prefixes of codes, joined by ``+``; empty for all.
        run: the folder for the findings; an existing one resumes.
        on_progress: called with the number of references audited, and of all references.
        settings: as for :func:`sqljury.evaluate`. An ``overlay`` corrects the references before
            they are audited.

    Raises:
        InputError: SJ345: no such check; SJ530: there are no references; others as
            :func:`sqljury.evaluate`.

    >>> case = Case(id="1", reference_sqls=("SELECT a FROM t WHERE a = NULL",),
    ...     schema_sql="CREATE TABLE t (a INTEGER)", question="Which are missing?")
    >>> found = audit([case], workers=1)
    >>> found.findings[0].code, found.findings[0].proposal
    ('AU107', 'SELECT a FROM t WHERE a IS NULL')
    """
    chosen = chosen_checks(checks, _SECOND)
    corrections = overlay_from(settings.pop("overlay", None))
    with ExitStack() as stack:
        folder = Path(run) if run is not None else Path(stack.enter_context(TemporaryFolder()))
        asked = Opinions(folder=folder, databases=databases, settings=settings)
        read = cases_of(cases)
        pools: list[CandidatePool] = []
        corrected = read if corrections is None else corrections.laid_over(read)
        references = _some(references_of(_remembering(corrected, pools)))
        done = stack.enter_context(
            run_judges(
                references,
                [Faults(checks=_of_single_queries(checks, chosen))],
                run_settings(databases, **settings),
                folder=folder,
                on_progress=on_progress,
            )
        )
        signature = with_fields(done.judges[0].signature, n=done.count_cases())
        found = audit_of(
            done.records(),
            [one for one in chosen if one not in _SECOND],
            signed_with(signature, corrections),
        )
        return _with_opinions(found, done, chosen, pools, asked)


def _of_single_queries(checks: str, chosen: Sequence[Check]) -> str:
    """The checks that the judge of single queries runs, joined by ``+``; empty for all.

    It always runs one: AU112, which needs no schema, if only checks across queries are chosen.
    """
    if not checks:
        return ""
    return "+".join(one.code for one in chosen if one not in _SECOND) or "AU112"


def _remembering(cases: Iterable[Case], pools: list[CandidatePool]) -> Iterator[Case]:
    """Yield the cases; add to ``pools`` the questions that enough systems answer."""
    for _, group in groupby(cases, key=lambda case: (case.benchmark, case.id)):
        own = list(group)
        if own[0].reference_sqls:
            pools += (one for one in pools_of(own) if one.count_systems() >= FEWEST_SYSTEMS)
        yield from own


def _with_opinions(
    found: Audit,
    done: Run,
    chosen: Sequence[Check],
    pools: Sequence[CandidatePool],
    asked: Opinions,
) -> Audit:
    """Add findings from other systems and other references, and the rows of proposed queries."""
    findings: list[AuditFinding] = []
    looked_at: dict[Check, int] = {}
    if SYSTEMS_AGREE in chosen:
        usable = pools if asked.databases is not None else ()
        looked_at[SYSTEMS_AGREE] = len(usable)
        findings += by_systems(usable, asked)
    if REFERENCES_DIFFER in chosen:
        audited = (record.case for record in done.records(with_evidence=False))
        conflicts = list(conflicts_of(audited))
        looked_at[REFERENCES_DIFFER] = found.references
        findings += by_references(conflicts, asked)
    found = found.with_findings(findings, looked_at)
    if asked.databases is None:
        return found
    return replace(found, findings=tuple(with_returned_rows(found.findings, asked)))


def _some(references: Iterator[Case]) -> Iterator[Case]:
    """The references; raises if there is none."""
    first = next(references, None)
    if first is None:
        raise InputError("SJ530", "there are no references to audit.")
    return chain((first,), references)
