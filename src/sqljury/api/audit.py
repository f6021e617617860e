"""Judge a benchmark itself."""

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
    """Look for faults in the references of a benchmark: no model is asked.

    Args:
        cases: cases, or files that hold them. Where at least three systems predict
            (:func:`sqljury.read_cases` with ``predictions``, or pools that name them), it is also
            looked for results that they agree on.
        databases: as for :func:`sqljury.evaluate`. Without them, and with ``schemas``, checks
            that need rows are skipped, and counted as skipped.
        checks: codes of checks, or beginnings of codes, joined by ``+``; empty for all.
        run: the folder that findings are kept in; the same folder again resumes.
        on_progress: called with references audited and references in all.
        settings: as for :func:`sqljury.evaluate`; an ``overlay`` is laid over the references first.

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
    """What the judge of single queries is asked for: what takes no schema, if nothing else is."""
    if not checks:
        return ""
    return "+".join(one.code for one in chosen if one not in _SECOND) or "AU112"


def _remembering(cases: Iterable[Case], pools: list[CandidatePool]) -> Iterator[Case]:
    """The cases; questions that enough systems answer are put into ``pools`` on the way."""
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
    """With what other systems and other references say, and what proposals return."""
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
    """The references, of which there is one at least."""
    first = next(references, None)
    if first is None:
        raise InputError("SJ530", "there are no references to audit.")
    return chain((first,), references)


def accept_findings(reviewed: PathLike, *, by: str, at: str) -> Overlay:
    """The overlay of the findings that a person decided on.

    Args:
        reviewed: the exported findings, with a ``decision`` (replace, ambiguous, exclude) in those
            that were decided; ``new_sql`` beside it takes the place of the proposal.
        by: who decided.
        at: when.

    Raises:
        InputError: SJ534: a decision that is none, or a replacement without a query; SJ533: two
            findings about one reference were decided otherwise.
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
    """How an overlay fits a benchmark.

    Args:
        signers: a file of names and public SSH keys (ssh-keygen's allowed signers); given, each
            correction must be signed by whom it names.

    Raises:
        InputError: SJ531, SJ533: it is no overlay; SJ532: a question has changed since; SJ536: a
            correction is not signed by its author.
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
    """What two overlays decide otherwise.

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
    """How an overlay fits a benchmark.

    Args:
        decisions: how many corrections there are of each kind.
        absent: the ids of questions that the benchmark does not have.
    """

    digest: str
    references: int
    decisions: Mapping[str, int]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayDiff:
    """What two overlays decide otherwise."""

    only_left: tuple[Correction, ...]
    only_right: tuple[Correction, ...]
    otherwise: tuple[tuple[Correction, Correction], ...]
    """Both decide about the reference, and not the same."""
