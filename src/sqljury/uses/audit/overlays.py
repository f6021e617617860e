"""Make, check and compare overlays: files of corrected references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
from sqljury.uses.inputs import cases_of
from sqljury.writing import PathLike, shown_path


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
    return overlay_of(correction_of(data, origin, by, at) for data, origin in decided)


def correction_of(finding: Mapping[str, Json], origin: str, by: str, at: str) -> Correction:
    """The correction that a decided finding stands for; see :func:`accept_findings`."""
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
