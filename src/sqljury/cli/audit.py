"""`sqljury audit`: find faults in a benchmark's references, and correct them."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from sqljury.cli.flags import (
    Files,
    Out,
    RunFolder,
    TypedWords,
    command,
    refuse_besides,
    refuse_without,
)
from sqljury.cli.gate import refuse_missing_of_run
from sqljury.cli.judging import read, run_folder, run_keywords
from sqljury.cli.output import console, print_json, show
from sqljury.cli.progress import progress
from sqljury.cli.streams import echo
from sqljury.errors import EXIT_BELOW_THRESHOLD, InputError
from sqljury.settings import Argument, Input, Running, Showing, Sources, only, option

_Overlays = Annotated[
    tuple[Path, ...], option("Overlay (file of corrections); several are merged.", "--overlay")
]
_Format = Annotated[Input, only("format", "map")]


@command("audit", "run")
def audit(
    typed: TypedWords,
    files: Annotated[
        list[Path] | None,
        Argument(help="Files of references, with or without predictions; - reads stdin."),
    ] = None,
    *,
    from_run: Annotated[
        Path | None,
        option("Diagnose the benchmark from the verdicts of this run; judge nothing.", "--from"),
    ] = None,
    sources: Annotated[Sources, only("databases", "schemas")],
    reading: Annotated[Input, only("predictions", "format", "map", "overlay")],
    checks: Annotated[
        str, option("Codes of checks, or their prefixes, joined by + [all].", "--checks")
    ] = "",
    fail_over: Annotated[
        int | None,
        option("Exit 1 if more references than this have a fault.", "--fail-over", least=0),
    ] = None,
    running: Annotated[Running, only("run", "workers", "executor", "limits_seconds")],
    showing: Annotated[Showing, only("json", "html", "export")],
    most: Annotated[
        int, option("With --from: how many suspicious references to list.", "--most", least=0)
    ] = 20,
    review: Annotated[
        Path | None,
        option(
            "With --from: JSONL file for human review: writes the flags, and counts those that "
            "people confirmed in it.",
            "--review",
        ),
    ] = None,
) -> None:
    """Look for faults in a benchmark's references.

    Checks the references' text, questions and data. With predictions of three systems or more
    (--predictions), also reports references that disagree with what the systems agree on.
    """
    if from_run is not None:
        refuse_besides(typed, "--from", "json", "html", "most", "review")
        _diagnose(from_run, most, review, showing)
        return
    refuse_without(typed, "--from", "most", "review")
    if not files:
        raise InputError("SJ006", "give files of references, or --from RUN.")
    from sqljury.uses.audit.benchmark import audit as find
    from sqljury.uses.audit.document import print_audit, write_audit_page, write_findings

    cases = read(files, reading)
    folder = run_folder(files, running, sources, reading, audit=checks or "all")
    with progress("auditing", "audited") as on_progress:
        found = find(
            cases,
            sources.databases,
            checks=checks,
            run=folder,
            on_progress=on_progress,
            **run_keywords(sources, running, reading),
        )
    if showing.export is not None:
        write_findings(showing.export, found)
    if showing.html is not None:
        write_audit_page(showing.html, found, title=f"Audit of {files[0].name}")
    if showing.json:
        print_json(found.to_json())
    else:
        print_audit(found, console())
    refuse_missing_of_run(folder)
    if fail_over is not None and found.suspect > fail_over:
        raise SystemExit(EXIT_BELOW_THRESHOLD)


def _diagnose(run: Path, most: int, review: Path | None, showing: Showing) -> None:
    """Print what a run's verdicts say of its benchmark: faulty references, ambiguous questions."""
    from sqljury.uses.agree.stability import stability_of_run
    from sqljury.uses.audit.diagnose import diagnose_run
    from sqljury.uses.audit.document import diagnosis_document
    from sqljury.uses.audit.flagged import review_flags

    found, repeated = diagnose_run(run), stability_of_run(run)
    reviewed = [] if review is None else review_flags(run, review)
    document = diagnosis_document(
        found, repeated, reviewed, title=f"Diagnosis of {run.name}", most=most
    )
    told = {
        **found.to_json(),
        "stability": [runs.to_json() for runs in repeated],
        "reviewed": [asdict(row) for row in reviewed],
    }
    show(document, told, showing)
    if review is not None:
        left = sum(row.flagged - row.reviewed for row in reviewed)
        echo(
            f"{review}: set `confirmed` to true or false, and give the same command again. "
            f"{left:,} flags of judges are not reviewed.",
            err=True,
        )


@command("audit")
def accept(
    reviewed: Annotated[
        Path, Argument(help="Exported findings (JSONL); those decided have a `decision`.")
    ],
    *,
    by: Annotated[str, option("Name of the person who decided.", "--by")],
    out: Out,
    key: Annotated[
        Path | None, option("SSH key that signs each correction.", "--sign-with")
    ] = None,
) -> None:
    """Make an overlay (file of corrections) from reviewed findings.

    Takes the findings whose `decision` is replace, ambiguous or exclude.
    """
    from sqljury.benchmarks import signed, write_overlay
    from sqljury.uses.audit.overlays import accept_findings

    found = accept_findings(reviewed, by=by, at=datetime.now(UTC).date().isoformat())
    if key is not None:
        found = signed(found, key)
    write_overlay(found, out)
    echo(f"{out}: {len(found.corrections):,} corrections, digest {found.digest}")


@command("audit")
def apply(files: Files, *, overlay: _Overlays, out: Out, reading: _Format) -> None:
    """Write a benchmark with its references corrected."""
    from sqljury.benchmarks import read_overlay, write_cases

    found = read_overlay(overlay)
    write_cases(found.laid_over(read(files, reading)), out)
    echo(f"{out}: {len(found.corrections):,} corrections, digest {found.digest}")


@command("audit")
def rescore(
    run: RunFolder,
    *,
    overlay: _Overlays,
    sources: Sources,
    running: Annotated[Running, only("workers")],
    showing: Annotated[Showing, only("json", "csv", "html")],
) -> None:
    """Score a run before and after corrections of the references.

    Only cases that the corrections change are judged again.
    """
    from sqljury.uses.audit import rescored
    from sqljury.uses.audit.rescoring import rescore as score_again

    reading = Input(overlay=overlay)
    with progress() as on_progress:
        found = score_again(
            run,
            sources.databases,
            on_progress=on_progress,
            **run_keywords(sources, running, reading),
        )
    if showing.csv is not None:
        rescored.write_rescored_csv(showing.csv, found)
    document = rescored.rescored_document(found, title=f"Corrections of {run.name}")
    show(document, [one.to_json() for one in found], showing)


@command("audit")
def verify(
    overlay: Annotated[Path, Argument(help="The overlay (file of corrections) to check.")],
    files: Annotated[
        list[Path], Argument(help="The benchmark's files, or a second overlay to compare with.")
    ],
    *,
    reading: _Format,
    signers: Annotated[
        Path | None,
        option("File of names and SSH keys: each correction must be signed.", "--signers"),
    ] = None,
) -> None:
    """Check that an overlay fits a benchmark, or compare two overlays."""
    from sqljury.uses.audit.overlays import verify_overlay

    if len(files) == 1 and _is_overlay(files[0]):
        _print_difference(overlay, files[0])
        return
    found = verify_overlay(overlay, read(files, reading), signers=signers)
    counts = ", ".join(f"{count:,} {name}" for name, count in found.decisions.items())
    echo(f"{overlay}: digest {found.digest}, fits {found.references:,} references; {counts}")
    if signers is not None:
        echo("every correction is signed by whom it names")
    if found.absent:
        echo(f"about questions that are not there: {', '.join(found.absent)}")


def _is_overlay(path: Path) -> bool:
    """True if the file's first line is a correction."""
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and {"fingerprint", "decision"} <= first.keys()


def _print_difference(left: Path, right: Path) -> None:
    from sqljury.uses.audit.overlays import diff_overlays

    found = diff_overlays(left, right)
    for one in found.only_left:
        echo(f"- {one.db_id} {one.id}: {one.decision} ({one.accepted_by})")
    for one in found.only_right:
        echo(f"+ {one.db_id} {one.id}: {one.decision} ({one.accepted_by})")
    for ours, theirs in found.otherwise:
        echo(
            f"! {ours.db_id} {ours.id}: {ours.decision} ({ours.accepted_by}) and "
            f"{theirs.decision} ({theirs.accepted_by})"
        )
