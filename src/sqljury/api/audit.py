"""Find faults in a benchmark's references, and make, check and compare overlays of corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import Unpack

from sqljury.api.inputs import (
    PathLike,
    RunKeywords,
    cases_of,
    overlay_from,
    run_settings,
    signed_with,
)
from sqljury.api.second_opinions import (
    FEWEST_SYSTEMS,
    REFERENCES_DIFFER,
    SYSTEMS_AGREE,
    Opinions,
    by_references,
    by_systems,
    with_returned_rows,
)
from sqljury.benchmarks import (
    Correction,
    Overlay,
    OverlayDecision,
    Source,
    as_object,
    check_signatures,
    fingerprint_of,
    overlay_of,
    read_overlay,
)
from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.faults import Check, chosen_checks
from sqljury.isolation import TemporaryFolder
from sqljury.judges.faults import Faults
from sqljury.runs import Run, run_judges
from sqljury.uses.audit import Audit, AuditFinding, audit_of, references_of
from sqljury.uses.audit.audit import conflicts_of
from sqljury.uses.select import CandidatePool, pools_of
from sqljury.writing import shown_path

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
        signature = done.judges[0].signature.replace("{n}", str(done.count_cases()))
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


def accept_findings(reviewed: PathLike, *, by: str, at: str) -> Overlay:
    """An overlay (corrections of references) from the findings that a person decided on.

    Args:
        reviewed: a file of exported findings. Those that were decided have a ``decision``
            (replace, ambiguous, exclude), and may have a ``new_sql`` to use instead of the
            proposal.
        by: the name of the person who decided.
        at: the date of the decision.

    Raises:
        InputError: SJ534: an unknown decision, or a replacement without a query; SJ533: two
            findings about one reference have different decisions.
    """
    records = [(as_object(record), record.origin) for record in Source(reviewed).records()]
    decided = [(data, origin) for data, origin in records if data.get("decision") is not None]
    if not decided:
        raise InputError(
            "SJ534",
            f"none of the {len(records):,} findings has a decision.",
            where=shown_path(reviewed),
            hint='Write "decision": "replace", "ambiguous" or "exclude" into decided ones.',
        )
    return overlay_of(_correction(data, origin, by, at) for data, origin in decided)


def _correction(finding: Mapping[str, Json], origin: str, by: str, at: str) -> Correction:
    try:
        decision = OverlayDecision(str(finding["decision"]))
        case = Case(
            id=str(finding["id"]),
            db_id=str(finding["db_id"]),
            question=str(finding["question"] or ""),
            hint=str(finding["hint"] or ""),
        )
        evidence = {name: finding[name] for name in ("code", "reason", "evidence")}
        old, reason = str(finding["sql"]), str(finding.get("why") or finding["reason"])
    except (KeyError, ValueError) as error:
        hint = f"A decision is one of {', '.join(OverlayDecision)}."
        raise InputError(
            "SJ534", f"not a decided finding: {error}.", where=origin, hint=hint
        ) from error
    new = finding.get("new_sql") or finding.get("proposal")
    if decision is OverlayDecision.REPLACE and not new:
        raise InputError("SJ534", "replace needs a new_sql: nothing is proposed.", where=origin)
    return Correction(
        id=case.id,
        db_id=case.db_id,
        fingerprint=fingerprint_of(case, old),
        old_sql=old,
        decision=decision,
        new_sql=str(new) if decision is OverlayDecision.REPLACE else None,
        reason=reason,
        evidence=evidence,
        accepted_by=by,
        accepted_at=at,
    ).sealed()


def verify_overlay(
    overlay: PathLike | Sequence[PathLike],
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    *,
    signers: PathLike | None = None,
) -> OverlayReport:
    """Check that an overlay fits a benchmark; returns counts, and questions that are not in it.

    Args:
        signers: a file of names and public SSH keys (ssh-keygen's allowed signers). If given, each
            correction must be signed by the person it names.

    Raises:
        InputError: SJ531, SJ533: it is no overlay; SJ532: a question has changed since; SJ536: a
            correction is not signed by the person it names.
    """
    found = read_overlay(overlay)
    if signers is not None:
        check_signatures(found.corrections, signers)
    met: set[str] = set()
    references = 0
    known = {one.fingerprint for one in found.corrections}
    for case in cases_of(cases):
        list(found.applied([case]))
        references += len(case.reference_sqls)
        met |= {fingerprint_of(case, sql) for sql in case.reference_sqls} & known
    return OverlayReport(
        digest=found.digest,
        references=references,
        decisions=dict(sorted(Counter(str(one.decision) for one in found.corrections).items())),
        absent=tuple(one.id for one in found.corrections if one.fingerprint not in met),
    )


def diff_overlays(left: PathLike, right: PathLike) -> OverlayDiff:
    """The decisions in which two overlays differ.

    Raises:
        InputError: SJ531, SJ533: one of them is no overlay.
    """
    ours, theirs = (
        {one.fingerprint: one for one in read_overlay(path).corrections} for path in (left, right)
    )
    both = ours.keys() & theirs.keys()
    return OverlayDiff(
        only_left=tuple(one for key, one in ours.items() if key not in both),
        only_right=tuple(one for key, one in theirs.items() if key not in both),
        otherwise=tuple(
            (ours[key], theirs[key])
            for key in sorted(both)
            if ours[key].verdict != theirs[key].verdict
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayReport:
    """What :func:`verify_overlay` found.

    Args:
        digest: the overlay's digest.
        references: the number of references in the benchmark.
        decisions: the number of corrections of each kind.
        absent: the ids of corrected questions that the benchmark lacks.
    """

    digest: str
    references: int
    decisions: Mapping[str, int]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayDiff:
    """The decisions in which two overlays differ."""

    only_left: tuple[Correction, ...]
    only_right: tuple[Correction, ...]
    otherwise: tuple[tuple[Correction, Correction], ...]
    """Corrections of the same reference with different decisions."""
