"""`sqljury evaluate`: judge predictions."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.flags import ConcurrentModelFlags, RunFlags, SourceFlags, with_flags
from sqljury.cli.gate import LeftOutLimit, MaxLeftOut, judged_by
from sqljury.cli.options import (
    AsJson,
    By,
    Csv,
    Export,
    Failures,
    Files,
    Format,
    Html,
    Mapping,
    ModelOption,
    Overlay,
    overlay_key,
)
from sqljury.cli.output import print_failures, print_next, print_summary_of, write_files
from sqljury.cli.progress import progress
from sqljury.errors import EXIT_INFRASTRUCTURE, InputError
from sqljury.judge_name import JudgeName

if TYPE_CHECKING:
    from sqljury.api.evaluation import Evaluation
    from sqljury.api.inputs import RunKeywords
    from sqljury.execution import Limits
    from sqljury.llm import Collected, Estimate
    from sqljury.runs import UnderWay


@app.command()
@with_flags
def evaluate(
    files: Files,
    *,
    predictions: Annotated[
        list[Path] | None,
        typer.Option("--predictions", "-p", help="Prediction files, joined to the cases by id."),
    ] = None,
    sources: SourceFlags,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", "-j", help="Judge, repeatable; see `sqljury judges`."),
    ] = None,
    format_: Format = None,
    mapping: Mapping = None,
    strip_fences: Annotated[
        bool,
        typer.Option(
            "--strip-fences/--keep-fences",
            help="Take predictions out of prose, thoughts and code fences.",
        ),
    ] = True,
    overlay: Overlay = None,
    running: RunFlags,
    shard: Annotated[
        str | None,
        typer.Option("--shard", help="I/N: judge the I-th of N parts; see `sqljury merge-runs`."),
    ] = None,
    limit_rows: Annotated[
        int, typer.Option("--limit-rows", min=1, help="Rows of one result.")
    ] = 1_000_000,
    limit_bytes: Annotated[
        str, typer.Option("--limit-bytes", help="Size of one result, such as 256MiB.")
    ] = "256MiB",
    limit_memory: Annotated[
        str, typer.Option("--limit-memory", help="Memory of the engine, such as 1GiB.")
    ] = "1GiB",
    models: ConcurrentModelFlags,
    recorded: Annotated[
        Path | None,
        typer.Option(
            "--recorded", exists=True, help="Folder of ROSE outputs that answer for the judges."
        ),
    ] = None,
    model_option: ModelOption = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, help="Ask each model judge so often; majority.")
    ] = 1,
    requests_per_minute: Annotated[
        int | None,
        typer.Option("--requests-per-minute", min=1, help="Calls to chat models at most."),
    ] = None,
    tokens_per_minute: Annotated[
        int | None,
        typer.Option("--tokens-per-minute", min=1, help="Tokens asked and answered at most."),
    ] = None,
    prices: Annotated[
        Path | None, typer.Option("--prices", exists=True, help="Price table over the shipped one.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what asking chat models would cost.")
    ] = False,
    batch: Annotated[
        bool,
        typer.Option("--batch", help="Ask in batches, at half the price; run again to collect."),
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="With --batch: wait for the answers.")
    ] = False,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", help="Exit 1 when a score is below, in [0, 1].")
    ] = None,
    max_left_out: MaxLeftOut = None,
    by: By = None,
    as_json: AsJson = False,
    html: Html = None,
    csv: Csv = None,
    export: Export = None,
    failures: Failures = 0,
) -> None:
    """Judge predictions and print scores with their denominators."""
    from sqljury.api import evaluation as api
    from sqljury.benchmarks import parse_mapping, read_cases

    gate = _gate(fail_under, max_left_out)
    judges = [
        _model_judge(spec, model_option or (), repeats, recorded) for spec in judge or ["execution"]
    ]
    key = {"databases": sources.databases, "format": format_, "map": mapping}
    if sources.schemas is not None:
        key["schemas"] = str(sources.schemas)
    if sources.suites is not None:
        key["suites"] = str(sources.suites)
    if shard is not None:
        key["shard"] = shard
    if not strip_fences:
        key["fences"] = "kept"
    key |= overlay_key(overlay)
    folder = running.run or api.default_run([*files, *(predictions or [])], key)
    cases = read_cases(
        files,
        predictions=predictions or None,
        format=format_,
        mapping=parse_mapping(mapping) if mapping else None,
        strip_fences=strip_fences,
    )
    for warning in cases.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if wait and not batch:
        raise InputError("SJ006", "--wait goes with --batch.")
    if shard is not None and (batch or dry_run):
        raise InputError("SJ006", "--shard goes neither with --batch nor with --dry-run.")
    settings: RunKeywords = {
        **sources.keywords,
        **running.keywords,
        "limits": _limits(running.limit_seconds, limit_rows, limit_bytes, limit_memory),
        "overlay": overlay,
        "llm": models.settings(
            folder / "ledger.sqlite",
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
            prices=None if prices is None else str(prices),
        ),
    }
    databases = sources.databases
    if dry_run:
        _print_dry_run(api.dry_run(cases, judges, databases, batch=batch, **settings))
        return
    done: Evaluation | UnderWay
    with progress() as on_progress:
        if batch:
            done = api.evaluate_in_batches(
                cases,
                judges,
                databases,
                run=folder,
                wait=wait,
                by=by or (),
                on_progress=on_progress,
                on_look=_BatchLooks(),
                **settings,
            )
        else:
            done = api.evaluate(
                cases,
                judges,
                databases,
                run=folder,
                shard=shard,
                by=by or (),
                on_progress=on_progress,
                **settings,
            )
        on_progress(-1, -1)
    if not isinstance(done, api.Evaluation):
        _print_under_way(done, as_json)
        raise typer.Exit(EXIT_INFRASTRUCTURE)
    with done as found:
        write_files(found, html, csv, export)
        print_summary_of(found, as_json)
        if failures:
            print_failures(found, failures)
        print_next(found, html)
        _check(gate, found, fail_under)


# The folders in which ROSE's reference implementation keeps what each judge said.
_RECORDED = {
    "rose": "ROSE",
    "prover": "ProverOnly",
    "flex": "FLEX",
    "llm_sql_solver": "llmsolver",
}


def _model_judge(spec: str, options: Sequence[str], repeats: int, recorded: Path | None) -> str:
    """The judge with what is asked of all model judges, or the recording that answers for it."""
    name = JudgeName.parse(spec)
    model = name.option("model")
    if recorded is not None and name.name in _RECORDED:
        replaced = JudgeName("recorded").with_options(
            dir=str(recorded), metric=_RECORDED[name.name]
        )
        own = {} if model is None else {"model": model[model.find(":") + 1 :]}
        return str(replaced.with_options(**own))
    if recorded is not None and name.name == "jury":
        return str(name.with_options(recorded=str(recorded)))
    if model is None and name.option("models") is None:
        return spec
    if repeats > 1 and name.option("repeats") is None:
        name = name.with_options(repeats=str(repeats))
    if options:
        joined = ";".join(filter(None, [name.option("model_options"), *options]))
        name = name.with_options(model_options=joined)
    return str(name)


class _BatchLooks:
    """Prints each look at batches that are waited for, unless it is what the last one saw."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, found: Collected) -> None:
        line = _batches_text(found.open, found.waiting, found.done)
        if found.open and line != self._last:
            typer.echo(f"waiting for {line}", err=True)
        self._last = line


def _batches_text(batches: int, questions: int, done: int) -> str:
    noun = "batch" if batches == 1 else "batches"
    return f"{batches:,} {noun}: {done:,} of {questions:,} questions are through"


def _print_under_way(found: UnderWay, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"under_way": asdict(found)}, indent=2))
        return
    if found.answers:
        typer.echo(f"{found.answers:,} answers came in")
    if found.handed_in:
        typer.echo(f"{found.handed_in:,} questions were handed in")
    if found.held_back:
        typer.echo(
            f"{found.held_back:,} questions are held back: with those under way they could cost "
            "more than --max-cost"
        )
    typer.echo(f"under way in {_batches_text(found.batches, found.questions, found.done)}")
    typer.echo("not everything is judged yet: the same command goes on, --wait waits")


def _print_dry_run(found: Estimate) -> None:
    money = "price not known" if found.money is None else f"{found.money:.2f} US dollars"
    typer.echo(
        f"at most {found.calls:,} calls, some {found.prompt_tokens:,} prompt and "
        f"{found.completion_tokens:,} completion tokens, {money}"
    )


def _limits(seconds: float, rows: int, size: str, memory: str) -> Limits:
    from sqljury.execution import Limits

    most = _bytes(memory)
    if most < _LEAST_MEMORY:
        raise InputError(
            "SJ002",
            f"--limit-memory {memory} is less than an engine needs to start.",
            hint="Write 1MiB or more; 1GiB is usual.",
        )
    return Limits(seconds=seconds, rows=rows, bytes=_bytes(size), memory=most)


_LEAST_MEMORY = 1024**2
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


def _bytes(text: str) -> int:
    """Bytes from ``268435456``, ``256MiB``, ``256MB``, ``256M``: all binary units."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if not match or float(match[1]) == 0:
        raise InputError("SJ002", f"{text!r} is not a size.", hint="Write 256MiB or 1GiB.")
    return int(float(match[1]) * _UNITS[match[2]])


def _gate(fail_under: float | None, max_left_out: str | None) -> LeftOutLimit:
    from sqljury.uses.evaluate.summary import check_threshold

    if fail_under is not None:
        check_threshold(fail_under)
    return LeftOutLimit.of(max_left_out, with_threshold=fail_under is not None)


def _check(gate: LeftOutLimit, found: Evaluation, threshold: float | None) -> None:
    from sqljury.uses.evaluate.summary import failing

    below = [] if threshold is None else failing(found.summary, threshold)
    gate.check(
        [judged_by(judge) for judge in found.summary.judges],
        [f"below {threshold:g}: {line}" for line in below],
    )
