"""`sqljury audit`: judge a benchmark itself, and correct it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from sqljury.cli.app import app
from sqljury.cli.flags import RunFlags, SchemaFlags, SourceFlags, with_flags
from sqljury.cli.gate import refuse_missing_of_run
from sqljury.cli.options import (
    AsJson,
    Files,
    Format,
    Html,
    Mapping,
    Overlay,
    RunFolder,
    Workers,
    output_option,
    overlay_key,
)
from sqljury.cli.output import show
from sqljury.cli.progress import progress
from sqljury.errors import EXIT_BELOW_THRESHOLD

if TYPE_CHECKING:
    from sqljury.api.inputs import RunKeywords


class _AuditByDefault(TyperGroup):
    """`sqljury audit FILE` is `sqljury audit run FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["run", *args]
        return super().parse_args(ctx, args)


audits = typer.Typer(
    help="Is the reference right? `sqljury audit FILES` is `sqljury audit run FILES`.",
    no_args_is_help=True,
    cls=_AuditByDefault,
)
app.add_typer(audits, name="audit")


@audits.command("run")
@with_flags
def audit(
    files: Files,
    *,
    predictions: Annotated[
        list[Path] | None,
        typer.Option(
            "--predictions", "-p", help="Answers of three systems or more: what do they agree on?"
        ),
    ] = None,
    sources: SchemaFlags,
    checks: Annotated[
        str, typer.Option("--checks", help="Codes, or beginnings of codes, joined by + [all].")
    ] = "",
    export: Annotated[
        Path | None, output_option("--export", help="Write a line per finding as JSONL.")
    ] = None,
    fail_over: Annotated[
        int | None,
        typer.Option("--fail-over", min=0, help="Exit 1 if more references have a fault."),
    ] = None,
    running: RunFlags,
    format_: Format = None,
    mapping: Mapping = None,
    overlay: Overlay = None,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Look for faults in a benchmark's references, by their text, questions and data."""
    from sqljury.api.audit import audit as find
    from sqljury.api.evaluation import default_run
    from sqljury.benchmarks import parse_mapping, read_cases

    cases = read_cases(
        files,
        predictions=predictions or None,
        format=format_,
        mapping=parse_mapping(mapping) if mapping else None,
    )
    for warning in cases.warnings:
        typer.echo(f"warning: {warning}", err=True)
    key = {"audit": sources.databases, "checks": checks, **overlay_key(overlay)}
    folder = running.run or default_run([*files, *(predictions or [])], key)
    settings: RunKeywords = {**sources.keywords, **running.keywords, "overlay": overlay}
    with progress("auditing", "audited") as on_progress:
        found = find(
            cases,
            sources.databases,
            checks=checks,
            run=folder,
            **settings,
            on_progress=on_progress,
        )
        on_progress(-1, -1)
    if export is not None:
        from sqljury.uses.audit.document import write_findings

        write_findings(export, found)
    if html is not None:
        from sqljury.uses.audit.document import write_audit_page

        write_audit_page(html, found, title=f"Audit of {files[0].name}")
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        from sqljury.cli.output import console
        from sqljury.uses.audit.document import print_audit

        print_audit(found, console())
    refuse_missing_of_run(folder)
    if fail_over is not None and found.suspect > fail_over:
        raise typer.Exit(EXIT_BELOW_THRESHOLD)


@audits.command()
def accept(
    reviewed: Annotated[
        Path, typer.Argument(help="Exported findings, with a decision in those that were decided.")
    ],
    by: Annotated[str, typer.Option("--by", help="Who decided.")],
    out: Annotated[Path, output_option("--out", "-o", help="The overlay to write (JSONL).")],
    key: Annotated[
        Path | None, typer.Option("--sign-with", help="SSH key that signs each correction.")
    ] = None,
) -> None:
    """Make an overlay of findings whose `decision` is replace, ambiguous or exclude."""
    from sqljury.api.audit import accept_findings
    from sqljury.benchmarks import signed, write_overlay

    found = accept_findings(reviewed, by=by, at=datetime.now(UTC).date().isoformat())
    if key is not None:
        found = signed(found, key)
    write_overlay(found, out)
    typer.echo(f"{out}: {len(found.corrections):,} corrections, digest {found.digest}")


@audits.command()
def apply(
    files: Files,
    overlay: Annotated[list[Path], typer.Option("--overlay", help="Overlay; several are merged.")],
    out: Annotated[Path, output_option("--out", "-o", help="The corrected benchmark to write.")],
    format_: Format = None,
    mapping: Mapping = None,
) -> None:
    """Write a benchmark with its references corrected."""
    from sqljury.benchmarks import parse_mapping, read_cases, read_overlay, write_cases

    cases = read_cases(files, format=format_, mapping=parse_mapping(mapping) if mapping else None)
    found = read_overlay(overlay)
    write_cases(found.laid_over(cases), out)
    typer.echo(f"{out}: {len(found.corrections):,} corrections, digest {found.digest}")


@audits.command()
@with_flags
def rescore(
    run: RunFolder,
    overlay: Annotated[list[Path], typer.Option("--overlay", help="Overlay; several are merged.")],
    *,
    sources: SourceFlags,
    workers: Workers = None,
    as_json: AsJson = False,
    csv: Annotated[
        Path | None, output_option("--csv", help="Write a line per judge and system as CSV.")
    ] = None,
    html: Html = None,
) -> None:
    """Score a run before and after corrections; only what they change is judged."""
    from sqljury.api.rescoring import rescore as score_again
    from sqljury.uses.audit import rescored

    settings: RunKeywords = {**sources.keywords, "workers": workers, "overlay": overlay}
    with progress() as on_progress:
        found = score_again(
            run,
            sources.databases,
            **settings,
            on_progress=on_progress,
        )
        on_progress(-1, -1)
    if csv is not None:
        rescored.write_rescored_csv(csv, found)
    document = rescored.rescored_document(found, title=f"Corrections of {run.name}")
    show(document, [one.to_json() for one in found] if as_json else None, html)


@audits.command()
def verify(
    overlay: Annotated[Path, typer.Argument(help="The overlay.")],
    files: Files,
    format_: Format = None,
    mapping: Mapping = None,
    signers: Annotated[
        Path | None,
        typer.Option("--signers", help="Names and public SSH keys: each line must be signed."),
    ] = None,
) -> None:
    """Say whether an overlay is whole and fits a benchmark."""
    from sqljury.api.audit import verify_overlay
    from sqljury.benchmarks import parse_mapping, read_cases

    cases = read_cases(files, format=format_, mapping=parse_mapping(mapping) if mapping else None)
    found = verify_overlay(overlay, cases, signers=signers)
    counts = ", ".join(f"{count:,} {name}" for name, count in found.decisions.items())
    typer.echo(f"{overlay}: digest {found.digest}, fits {found.references:,} references; {counts}")
    if signers is not None:
        typer.echo("every correction is signed by whom it names")
    if found.absent:
        typer.echo(f"about questions that are not there: {', '.join(found.absent)}")


@audits.command()
def diff(
    left: Annotated[Path, typer.Argument(help="An overlay.")],
    right: Annotated[Path, typer.Argument(help="Another one.")],
) -> None:
    """List what two overlays decide otherwise."""
    from sqljury.api.audit import diff_overlays

    found = diff_overlays(left, right)
    for one in found.only_left:
        typer.echo(f"- {one.db_id} {one.id}: {one.decision} ({one.accepted_by})")
    for one in found.only_right:
        typer.echo(f"+ {one.db_id} {one.id}: {one.decision} ({one.accepted_by})")
    for ours, theirs in found.otherwise:
        typer.echo(
            f"! {ours.db_id} {ours.id}: {ours.decision} ({ours.accepted_by}) and "
            f"{theirs.decision} ({theirs.accepted_by})"
        )
