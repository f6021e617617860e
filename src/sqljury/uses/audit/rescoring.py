"""Score a stored run again after corrections of its references."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from sqljury.benchmarks import Overlay
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.isolation import TemporaryFolder
from sqljury.judge_name import JudgeName
from sqljury.runs import Run, open_run
from sqljury.signature import with_fields
from sqljury.trusted import check_trusted, names_server
from sqljury.uses.audit.rescored import (
    Rescored,
    flips,
    leaderboard,
    right_answers,
)
from sqljury.uses.evaluate.evaluation import evaluate
from sqljury.uses.evaluate.summary import missing_error, missing_text
from sqljury.uses.inputs import RunKeywords, overlay_from, signed_with
from sqljury.verdict import Record, Verdict
from sqljury.writing import PathLike

Verdicts = dict[tuple[str, tuple[str, str, str]], Verdict]
"""Verdicts by the judge's name and the case's key."""


def rescore(
    run: PathLike,
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    **settings: Unpack[RunKeywords],
) -> list[Rescored]:
    """The leaderboards of a run before and after corrections, for each of its judges.

    Only cases with a corrected reference are judged again, by the run's own judges. Cases that the
    corrections exclude are not judged. The stored run is not changed.

    Args:
        run: the folder of the run; its systems are the sources of its cases.
        databases: by default those of the run.
        settings: as for :func:`sqljury.evaluate`. ``overlay`` must be among them; ``limits`` are by
            default the run's.

    Raises:
        InputError: the folder is no run; SJ532: the overlay was made for another benchmark; SJ535:
            no case of the run is corrected; other codes: see :func:`sqljury.evaluate`.
        InfrastructureError: as :func:`sqljury.evaluate`.
    """
    corrections = overlay_from(settings.pop("overlay", None)) or Overlay()
    with ExitStack() as stack:
        stored = stack.enter_context(open_run(Path(run)))
        check_trusted(Path(run), _wants(stored, databases is None), "the run")
        changed = list(_changed(stored, corrections))
        if not changed:
            raise InputError(
                "SJ535",
                "no case of the run is corrected by the overlay.",
                where=str(run),
                hint="`sqljury audit verify` says which benchmark an overlay fits.",
            )
        settings.setdefault("limits", _limits(stored))
        places = databases or str(stored.manifest.get("databases") or "") or None
        anew = _judged(stored, changed, places, on_progress, settings)
        return [
            _rescored(stored, judge.name, changed, anew, corrections) for judge in stored.judges
        ]


def _changed(stored: Run, overlay: Overlay) -> Iterator[Case]:
    """The cases that the overlay changes, after the change."""
    first = next((judge.name for judge in stored.judges), "")
    for record in stored.records(with_evidence=False):
        if record.judge == first:
            (case,) = overlay.applied([record.case])
            if case is not record.case:
                yield case


def _wants(stored: Run, by_manifest: bool) -> Iterator[str]:
    """What judging the run again would do that needs trust: somebody else may have made it."""
    for judge in stored.judges:
        if JudgeName.parse(judge.name).is_imported:
            yield f"run code: {judge.name!r}"
        elif "base_url" in judge.name:
            yield f"name an endpoint: {judge.name!r}"
    places = str(stored.manifest.get("databases") or "")
    if by_manifest and names_server(places):
        yield f"connect to a server: {places!r} (or name the databases yourself)"


def _limits(stored: Run) -> Limits:
    told = stored.manifest.get("limits")
    return Limits(**told) if isinstance(told, dict) else Limits()


def _judged(
    stored: Run,
    changed: Sequence[Case],
    databases: PathLike | Sequence[PathLike] | None,
    on_progress: Callable[[int, int], None],
    settings: RunKeywords,
) -> Verdicts:
    """The verdicts of the run's judges on the changed cases that still have a reference."""
    cases = [case for case in changed if case.reference_sqls]
    if not cases:
        return {}
    judges = [judge.name for judge in stored.judges]
    with (
        TemporaryFolder() as folder,
        evaluate(
            cases, judges, databases, run=folder, on_progress=on_progress, **settings
        ) as found,
    ):
        for one in found.summary.judges:
            if one.missing:
                said = missing_text(one.name, one.missing, one.total, one.missing_reasons)
                raise missing_error(said)
        return {
            (record.judge, record.case.key): record.verdict
            for record in found.run.records(whole=False, with_evidence=False)
        }


def _rescored(
    stored: Run,
    judge: str,
    changed: Sequence[Case],
    anew: Verdicts,
    overlay: Overlay,
) -> Rescored:
    before = [r for r in stored.records(whole=False, with_evidence=False) if r.judge == judge]
    after = list(_replaced(before, {case.key for case in changed}, anew))
    boards = [leaderboard(judge, right_answers(rows)) for rows in (before, after)]
    (signature,) = (one.signature for one in stored.judges if one.name == judge)
    return Rescored(
        before=boards[0],
        after=boards[1],
        flips=flips(*boards),
        judged=sum(name == judge for name, _ in anew),
        signature=signed_with(with_fields(signature, n=None), overlay),
    )


def _replaced(
    records: Sequence[Record], changed: set[tuple[str, str, str]], anew: Verdicts
) -> Iterator[Record]:
    """The records with the new verdicts, without the cases that the overlay excludes."""
    for record in records:
        verdict = anew.get((record.judge, record.case.key))
        if verdict is not None:
            yield replace(record, verdict=verdict)
        elif record.case.key not in changed:
            yield record
