"""The command line: a thin shell over :mod:`sqljury.api`.

Heavy imports stay inside the commands, so that ``sqljury --help`` answers at once.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sqljury.errors import (
    EXIT_BELOW_THRESHOLD,
    EXIT_INFRASTRUCTURE,
    EXIT_OK,
    InputError,
    SqljuryError,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sqljury.api import Evaluation
    from sqljury.execution import Limits
    from sqljury.llm import ClientSettings, Collected, Estimate, Spent
    from sqljury.runs import UnderWay
    from sqljury.uses.agree import Agreement
    from sqljury.uses.suite import SuiteReport
    from sqljury.verdict import Record

app = typer.Typer(
    name="sqljury",
    help="Does this SQL answer what the user asked, and how do we know?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_EXIT_INTERRUPTED = 130

Files = Annotated[
    list[Path], typer.Argument(help="Case files: references with or without predictions.")
]
RunFolder = Annotated[Path, typer.Argument(help="The folder of a run.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write a self-contained HTML report.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write a line per case and judge as CSV.")]
Export = Annotated[
    Path | None, typer.Option("--export", help="Write a line per case and judge as JSONL.")
]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from sqljury import __version__

        typer.echo(f"sqljury {__version__}")
        raise typer.Exit(EXIT_OK)


# ---------------------------------------------------------------- evaluate


@app.command()
def evaluate(
    files: Files,
    predictions: Annotated[
        list[Path] | None,
        typer.Option("--predictions", "-p", help="Prediction files, joined to the cases by id."),
    ] = None,
    databases: Annotated[
        str | None,
        typer.Option(
            "--databases", "-d", help="Folder (DB_ID/DB_ID.sqlite), file, or URL with {db_id}."
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", "-j", help="Judge, repeatable; see `sqljury judges`."),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="Format of the files; detected by default.")
    ] = None,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Key names: question=q,predicted_sql=sql.")
    ] = None,
    descriptions: Annotated[
        Path | None, typer.Option("--descriptions", help="Folder of column descriptions.")
    ] = None,
    schemas: Annotated[
        Path | None,
        typer.Option(
            "--schemas",
            "--schema",
            help="CREATE TABLE statements or tables.json, for judges that run nothing.",
        ),
    ] = None,
    suites: Annotated[
        Path | None,
        typer.Option("--suites", help="Folder of test suites: DB_ID/*.sqlite or DB_ID.tar.xz."),
    ] = None,
    run: Annotated[
        Path | None, typer.Option("--run", help="Folder of the run; the same again resumes.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=1, help="Processes; one per core.")
    ] = None,
    limit_seconds: Annotated[
        float, typer.Option("--limit-seconds", min=0.001, help="Seconds for one query.")
    ] = 30.0,
    limit_rows: Annotated[
        int, typer.Option("--limit-rows", min=1, help="Rows of one result.")
    ] = 1_000_000,
    limit_bytes: Annotated[
        str, typer.Option("--limit-bytes", help="Size of one result, such as 256MiB.")
    ] = "256MiB",
    limit_memory: Annotated[
        str, typer.Option("--limit-memory", help="Memory of the engine, such as 1GiB.")
    ] = "1GiB",
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="File that keeps what chat models answer.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", help="Answer from this ledger; ask nobody.")
    ] = None,
    recorded: Annotated[
        Path | None,
        typer.Option("--recorded", help="Folder of ROSE outputs that answer for the judges."),
    ] = None,
    model_option: Annotated[
        list[str] | None,
        typer.Option("--model-option", help="KEY=VALUE for all models, repeatable."),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, help="Ask each model judge so often; majority.")
    ] = 1,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, help="Calls to chat models at once.")
    ] = 8,
    requests_per_minute: Annotated[int | None, typer.Option("--requests-per-minute", min=1)] = None,
    tokens_per_minute: Annotated[int | None, typer.Option("--tokens-per-minute", min=1)] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="US dollars to spend at most.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option("--prices", help="Price table over the shipped one.")
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
    as_json: AsJson = False,
    html: Html = None,
    csv: Csv = None,
    export: Export = None,
) -> None:
    """Judge predictions and print scores with their denominators."""
    from sqljury import api
    from sqljury.benchmarks import parse_mapping, read_cases

    judges = [
        _model_judge(spec, model_option or (), repeats, recorded) for spec in judge or ["execution"]
    ]
    limits = _limits(limit_seconds, limit_rows, limit_bytes, limit_memory)
    options = {"databases": databases, "format": format_, "map": mapping}
    if schemas is not None:
        options["schemas"] = str(schemas)
    if suites is not None:
        options["suites"] = str(suites)
    folder = run or api.default_run([*files, *(predictions or [])], options)
    cases = read_cases(
        files,
        predictions=predictions or None,
        format=format_,
        mapping=parse_mapping(mapping) if mapping else None,
    )
    for warning in cases.warnings:
        typer.echo(f"warning: {warning}", err=True)
    llm = _client_settings(
        folder,
        ledger,
        replay,
        concurrency,
        requests_per_minute,
        tokens_per_minute,
        max_cost,
        prices,
    )
    if wait and not batch:
        raise InputError("SJ006", "--wait goes with --batch.")
    arguments: dict[str, Any] = {
        "descriptions": descriptions,
        "schemas": schemas,
        "suites": suites,
        "limits": limits,
        "workers": workers,
        "llm": llm,
    }
    if dry_run:
        _print_dry_run(api.dry_run(cases, judges, databases, batch=batch, **arguments))
        return
    arguments["run"] = folder
    with _progress() as on_progress:
        arguments["on_progress"] = on_progress
        if batch:
            looks = _BatchLooks()
            done = api.evaluate_in_batches(
                cases, judges, databases, wait=wait, on_look=looks, **arguments
            )
        else:
            done = api.evaluate(cases, judges, databases, **arguments)
        on_progress(-1, -1)
    if not isinstance(done, api.Evaluation):
        _print_under_way(done, as_json)
        raise typer.Exit(EXIT_INFRASTRUCTURE)
    with done as found:
        _write_files(found, html, csv, export)
        _print_summary(found, as_json)
        _exit_below(found, fail_under)


# The folders in which ROSE's reference implementation keeps what each judge said.
_RECORDED = {
    "rose": "ROSE",
    "prover": "ProverOnly",
    "flex": "FLEX",
    "llm_sql_solver": "llmsolver",
}


def _model_judge(spec: str, options: Sequence[str], repeats: int, recorded: Path | None) -> str:
    """The judge with what is asked of all model judges, or the recording that answers for it."""
    name = re.split("[:,]", spec, maxsplit=1)[0]
    if recorded is not None and name in _RECORDED:
        model = re.search(r",model=(?:[^:,]*:)?([^,]*)", spec)
        return f"recorded,dir={recorded},metric={_RECORDED[name]}" + (
            f",model={model[1]}" if model else ""
        )
    if not re.search(",models?=", spec):
        return spec
    if repeats > 1 and ",repeats=" not in spec:
        spec = f"{spec},repeats={repeats}"
    if not options:
        return spec
    joined = ";".join(options)
    if "model_options=" in spec:
        return re.sub(r"(model_options=[^,]*)", rf"\1;{joined}", spec)
    return f"{spec},model_options={joined}"


def _client_settings(
    folder: Path,
    ledger: Path | None,
    replay: Path | None,
    concurrency: int,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    max_cost: float | None,
    prices: Path | None,
) -> ClientSettings:
    from sqljury.llm import ClientSettings

    return ClientSettings(
        ledger=str(replay or ledger or folder / "ledger.sqlite"),
        replay=replay is not None,
        concurrency=concurrency,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        max_cost=max_cost,
        prices=None if prices is None else str(prices),
    )


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

    return Limits(seconds=seconds, rows=rows, bytes=_bytes(size), memory=_bytes(memory))


_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


def _bytes(text: str) -> int:
    """Bytes from ``268435456``, ``256MiB``, ``256MB``, ``256M``: all binary units."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if not match or float(match[1]) == 0:
        raise InputError("SJ002", f"{text!r} is not a size.", hint="Write 256MiB or 1GiB.")
    return int(float(match[1]) * _UNITS[match[2]])


def _write_files(
    found: Evaluation, html: Path | None, csv: Path | None, export: Path | None
) -> None:
    if html is not None:
        from sqljury.reports.html import write_report

        write_report(html, found.summary, found.records(), title=found.run.folder.name)
    if csv is not None:
        from sqljury.reports.tabular import write_csv

        write_csv(csv, found.run.records(with_evidence=False))
    if export is not None:
        from sqljury.reports.jsonl import write_export

        write_export(export, found.run.records(with_evidence=False))


def _print_summary(found: Evaluation, as_json: bool) -> None:
    paid = found.run.paid
    if as_json:
        now = {} if paid is None else {"paid": asdict(paid)}
        typer.echo(json.dumps({**found.summary.to_json(), **now}, indent=2))
        return
    from sqljury.reports.terminal import print_summary

    print_summary(found.summary, _console())
    if paid is not None:
        typer.echo(f"this command paid for {_paid_text(paid)}", err=True)


def _paid_text(paid: Spent) -> str:
    if not paid.calls:
        return "no calls: nobody was asked, or the ledger had the answers"
    unpriced = f", {paid.unpriced:,} calls without a known price" if paid.unpriced else ""
    return f"{paid.calls:,} calls, {paid.tokens:,} tokens, ${paid.money:.4f}{unpriced}"


def _exit_below(found: Evaluation, threshold: float | None) -> None:
    if threshold is None:
        return
    from sqljury.uses.evaluate import failing

    below = failing(found.summary, threshold)
    for line in below:
        typer.echo(f"below {threshold:g}: {line}", err=True)
    if below:
        raise typer.Exit(EXIT_BELOW_THRESHOLD)


def _console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 100, soft_wrap=False)


# ---------------------------------------------------------------- agree


@app.command()
def agree(
    inputs: Annotated[
        list[str], typer.Argument(help="RUN or [NAME=]FILE[,FILE...]: one judge each.")
    ],
    label: Annotated[
        str, typer.Option("--label", help="Column that holds what people say.")
    ] = "label",
    labels: Annotated[
        list[Path] | None, typer.Option("--labels", help="File to take the labels from, by id.")
    ] = None,
    unknown: Annotated[
        str, typer.Option("--unknown", help="Cases without a score: no, or exclude.")
    ] = "no",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", help="STATISTIC=VALUE, such as kappa=0.75; exit 1 below."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare judges with human labels: kappa, accuracy, MCC, F1, AUC, and each other."""
    from sqljury.api import agree_files

    if unknown not in ("no", "exclude"):
        raise InputError("SJ003", f"--unknown {unknown} is neither no nor exclude.")
    found = agree_files(inputs, label=label, labels=labels or (), unknown=unknown, seed=seed)
    thresholds = [_threshold(text) for text in fail_under or ()]
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        from sqljury.reports.terminal import print_agreement

        print_agreement(found, _console())
    _exit_below_any(found, thresholds)


def _threshold(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise InputError(
            "SJ005", f"--fail-under {text!r} is not STATISTIC=VALUE.", hint="Write kappa=0.75."
        ) from None


def _exit_below_any(found: Agreement, thresholds: list[tuple[str, float]]) -> None:
    from sqljury.uses.agree import below

    lines = [line for name, value in thresholds for line in below(found, name, value)]
    for line in lines:
        typer.echo(f"below: {line}", err=True)
    if lines:
        raise typer.Exit(EXIT_BELOW_THRESHOLD)


# ---------------------------------------------------------------- trust


@app.command()
def trust(
    inputs: Annotated[
        list[str],
        typer.Argument(
            help="RUN or [NAME=]FILE of decisions; with --databases, questions to judge now."
        ),
    ],
    penalty: Annotated[
        list[str] | None,
        typer.Option("--penalty", "-c", help="What a wrong answer costs: a number, or N."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", "-j", help="Judge that says what is right.")
    ] = None,
    gate: Annotated[
        list[str] | None,
        typer.Option("--gate", help="JUDGE[>=T] or FILE of recorded answers that holds back."),
    ] = None,
    confidence: Annotated[
        str | None, typer.Option("--confidence", help="JUDGE[#MEASURE] that says how sure.")
    ] = None,
    verdicts: Annotated[
        Path | None, typer.Option("--verdicts", help="File that says which answers are right.")
    ] = None,
    predictions: Annotated[
        list[Path] | None,
        typer.Option("--predictions", "-p", help="Prediction files, joined to the questions."),
    ] = None,
    databases: Annotated[
        str | None, typer.Option("--databases", "-d", help="Databases to judge answers on.")
    ] = None,
    run: Annotated[
        Path | None, typer.Option("--run", help="Folder for the run that judges answers.")
    ] = None,
    validation: Annotated[
        str | None,
        typer.Option("--validation", help="RUN or FILE of decisions to choose thresholds on."),
    ] = None,
    risk: Annotated[
        list[float] | None,
        typer.Option("--risk", help="Risk that a threshold is to keep; 0.05 and 0.1."),
    ] = None,
    training: Annotated[
        Path | None,
        typer.Option("--train", help="Training cases: slices by seen and unseen SQL structure."),
    ] = None,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Key names: answerable=in_scope,predicted_sql=sql.")
    ] = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for the intervals.")
    ] = 1000,
    seed: Annotated[
        int, typer.Option("--seed", help="Seed of the bootstrap and of the 25 % mix.")
    ] = 0,
    as_json: AsJson = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write a line per question with its scores.")
    ] = None,
) -> None:
    """Score answers and abstentions together: reliability score, risk, coverage, thresholds."""
    from sqljury.api_trust import Setup, judged_run, references_of, systems_of, trust_files
    from sqljury.benchmarks import parse_mapping
    from sqljury.uses.trust import DEFAULT_PENALTIES, DEFAULT_RISKS, parse_penalty

    penalties = tuple(map(parse_penalty, penalty)) if penalty else DEFAULT_PENALTIES
    setup = Setup(
        judge=judge,
        verdicts=verdicts,
        gates=tuple(gate or ()),
        confidence=confidence,
        training=() if training is None else references_of(training),
        mapping=parse_mapping(mapping) if mapping else {},
    )
    is_run = any(Path(text).is_dir() for text in inputs)
    if databases is not None or predictions or (judge is not None and not is_run):
        with _progress() as on_progress:
            inputs = [judged_run(inputs, setup, databases, predictions or (), run, on_progress)]
            on_progress(-1, -1)
    found = trust_files(
        inputs,
        setup,
        penalties=penalties,
        validation=validation,
        risks=tuple(risk or DEFAULT_RISKS),
        bootstrap=bootstrap,
        seed=seed,
    )
    if csv is not None:
        from sqljury.reports.trust_csv import write_trust_csv

        systems = [system for text in inputs for system in systems_of(text, setup)]
        write_trust_csv(csv, [(s.name, s.decisions) for s in systems], penalties)
    if as_json:
        single = found[0].to_json() if len(found) == 1 else None
        typer.echo(json.dumps(single or {"systems": [f.to_json() for f in found]}, indent=2))
        return
    from sqljury.reports.trust_tables import print_trust

    print_trust(found, _console())


# ---------------------------------------------------------------- compare two queries

_VERDICTS = ("proved", "refuted", "no_counterexample", "unknown")


@app.command()
def compare(
    left: Annotated[str, typer.Argument(help="The reference: its ORDER BY binds.")],
    right: Annotated[str, typer.Argument(help="The query that is compared with it.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", help="CREATE TABLE statements, or tables.json.")
    ] = None,
    database: Annotated[
        str | None, typer.Option("--database", "-d", help="File or URL to take the schema from.")
    ] = None,
    db_id: Annotated[str, typer.Option("--db-id", help="Which one, where there are several.")] = "",
    policy: Annotated[
        str, typer.Option("--policy", help="When two results are the same: strict, spider, ...")
    ] = "strict",
    profiles: Annotated[
        str | None, typer.Option("--profiles", help="Data on which a difference counts.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the generated databases.")] = 0,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="Most time for generated databases.")
    ] = 5.0,
    assuming: Annotated[
        str | None,
        typer.Option("--assuming", help="What a proof may assume: primary_key+types+not_null."),
    ] = None,
    prove: Annotated[
        bool | None,
        typer.Option("--prove/--no-prove", help="Look for a proof [default: if z3 is installed]."),
    ] = None,
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", help="Exit 1 on these verdicts: refuted,unknown.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove two queries equal, or tell them apart by a small database."""
    from sqljury.api import COMPARED_PROFILES, compare_queries

    failing = [name.strip() for name in (fail_on or "").split(",") if name.strip()]
    unknown = [name for name in failing if name not in _VERDICTS]
    if unknown:
        raise InputError("SJ317", f"--fail-on {unknown[0]}.", hint=f"Known: {', '.join(_VERDICTS)}")
    found = compare_queries(
        left,
        right,
        schema=schema,
        database=database,
        db_id=db_id,
        policy=policy,
        profiles=profiles or COMPARED_PROFILES,
        seed=seed,
        seconds=seconds,
        assuming=assuming,
        prove=prove,
    )
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        from sqljury.reports.pair import pair_text

        typer.echo(pair_text(found))
    if found.verdict in failing:
        raise typer.Exit(EXIT_BELOW_THRESHOLD)


@app.command()
def diff(
    left: Annotated[str, typer.Argument(help="The reference.")],
    right: Annotated[str, typer.Argument(help="The query that is compared with it.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", help="CREATE TABLE statements, or tables.json.")
    ] = None,
    database: Annotated[
        str | None, typer.Option("--database", "-d", help="File or URL to take the schema from.")
    ] = None,
    db_id: Annotated[str, typer.Option("--db-id", help="Which one, where there are several.")] = "",
    as_written: Annotated[
        bool, typer.Option("--as-written", help="Do not rewrite away what does not matter.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say in words what a query does differently from a reference; nothing is executed."""
    from sqljury.api import diff_queries

    found = diff_queries(
        left, right, schema=schema, database=database, db_id=db_id, as_written=as_written
    )
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
        return
    if found.equal:
        assumed = ", ".join(found.assumptions)
        typer.echo(f"equal{f', assuming {assumed}' if assumed else ''}")
    for each in found.differences:
        typer.echo(f"- {each.words}")
    if not found.equal and not found.differences:
        typer.echo("the clauses are the same, but they stand together otherwise")


@app.command()
def plan(
    sql: Annotated[str, typer.Argument(help="The query.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", help="CREATE TABLE statements, or tables.json.")
    ] = None,
    database: Annotated[
        str | None, typer.Option("--database", "-d", help="File or URL to take the schema from.")
    ] = None,
    db_id: Annotated[str, typer.Option("--db-id", help="Which one, where there are several.")] = "",
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="The query's: sqlite, postgres, mysql, ...")
    ] = None,
    canonical: Annotated[
        bool, typer.Option("--canonical", help="Rewrite away what does not change the rows.")
    ] = False,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the tree into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a query computes, as a tree of operators; nothing is executed."""
    from sqljury.api import plan_query

    found = plan_query(
        sql, schema=schema, database=database, db_id=db_id, dialect=dialect, canonical=canonical
    )
    if svg is not None:
        from sqljury.reports.writing import new_file

        with new_file(svg) as file:
            file.write(found.svg)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
        return
    typer.echo(found.text)
    if found.assumptions:
        typer.echo(f"\nassuming {', '.join(found.assumptions)}")


# ---------------------------------------------------------------- train

trainers = typer.Typer(help="Train models that judges use.", no_args_is_help=True)
app.add_typer(trainers, name="train")


@trainers.command("detector")
def train_detector(
    inputs: Annotated[
        list[str],
        typer.Argument(help="Files of questions (what can be answered), or RUNs (what is right)."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.")],
    kind: Annotated[
        str, typer.Option("--kind", help="novelty, forest (RF, RF*) or distance (FEATMD, FEATRMD).")
    ] = "novelty",
    background: Annotated[
        Path | None,
        typer.Option("--background", help="Any questions: makes the distance relative."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", "-j", help="Judge of the run that says what is right.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed")] = 0,
) -> None:
    """Train a detector of questions to abstain from, or of wrong SQL, for the judge `detector`."""
    from sqljury.api_trust import train_detector_on

    if kind not in ("novelty", "forest", "distance"):
        raise InputError("SJ003", f"--kind {kind} is none of novelty, forest, distance.")
    model, yes, no = train_detector_on(
        inputs, judge=judge, kind=kind, background=background, seed=seed
    )
    model.save(out)
    typer.echo(f"{out}: {model.kind} that reads the {model.reads}, from {yes:,} yes, {no:,} no")


# ---------------------------------------------------------------- build

builders = typer.Typer(help="Build benchmarks.", no_args_is_help=True)
app.add_typer(builders, name="build")


@builders.command("trust")
def build_trust(
    questions: Annotated[
        list[Path], typer.Argument(help="Files of questions with their reference SQL.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write; names the benchmark.")],
    databases: Annotated[
        str | None,
        typer.Option("--databases", "-d", help="Folder, file, or URL with {db_id}."),
    ] = None,
    schemas: Annotated[
        Path | None,
        typer.Option("--schemas", "--schema", help="CREATE TABLE statements or tables.json."),
    ] = None,
    kinds: Annotated[
        str | None, typer.Option("--kinds", help="Of unanswerable questions, joined by commas.")
    ] = None,
    out_of_domain: Annotated[
        Path | None, typer.Option("--out-of-domain", help="Text file with a question a line.")
    ] = None,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Key names: question=q,reference_sqls=sql.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed")] = 0,
    as_json: AsJson = False,
) -> None:
    """Build a benchmark with unanswerable questions, split by question and SQL structure."""
    from sqljury.api_build import build_trust_files
    from sqljury.benchmarks import parse_mapping
    from sqljury.reports.build_card import card_text
    from sqljury.uses.building import KINDS

    card = build_trust_files(
        questions,
        out,
        databases=databases,
        schemas=schemas,
        seed=seed,
        kinds=KINDS if kinds is None else [kind.strip() for kind in kinds.split(",")],
        out_of_domain=out_of_domain,
        mapping=parse_mapping(mapping or ""),
    )
    typer.echo(json.dumps(card.to_json(), indent=2) if as_json else card_text(card))


# ---------------------------------------------------------------- look at a run


@app.command()
def report(
    run: RunFolder,
    html: Html = None,
    csv: Csv = None,
    export: Export = None,
    rose_output: Annotated[
        Path | None,
        typer.Option("--rose-output", help="Write the folders that ROSE's own scripts read."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a run again, or write it as HTML, CSV, JSONL, or as ROSE's output."""
    from sqljury.api import load_run

    with load_run(run) as found:
        _write_files(found, html, csv, export)
        written = [path for path in (html, csv, export) if path is not None]
        if rose_output is not None:
            from sqljury.benchmarks import write_rose_output

            written += write_rose_output(found.records(), rose_output)
        if not written:
            _print_summary(found, as_json)
        for path in written:
            typer.echo(str(path))


@app.command()
def show(
    run: RunFolder,
    case_id: Annotated[str, typer.Argument(help="The case's id, or benchmark/id/source.")],
) -> None:
    """Print one case: both queries, both results, and what each judge says."""
    from sqljury.api import load_run
    from sqljury.reports.terminal import print_record

    with load_run(run) as found:
        cases = _grouped(found, case_id)
        if not cases:
            raise InputError("SJ412", f"no case {case_id!r} in {run}.")
        for records in cases:
            print_record(records, _console())


def _grouped(found: Evaluation, case_id: str) -> list[list[Record]]:
    from itertools import groupby

    records = list(found.records(case_id=case_id)) or [
        record for record in found.records() if record.case.name == case_id
    ]
    return [list(group) for _, group in groupby(records, key=lambda record: record.case.key)]


# ---------------------------------------------------------------- ROSE's recordings


@app.command("rose-vec")
def rose_vec(
    folder: Annotated[Path, typer.Argument(help="Tree of ROSE's output folders.")],
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", help="File with the experts' labels, once for each set."),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for the intervals.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Print the tables of ROSE's paper from recordings: metrics, models, ablations."""
    from sqljury.api import rose_vec as tables

    found = tables(folder, labels=labels or (), bootstrap=bootstrap, seed=seed)
    if html is not None:
        from sqljury.reports.rose_pages import write_rose_vec_html

        write_rose_vec_html(html, found)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    from sqljury.reports.rose_tables import print_rose_vec

    print_rose_vec(found, _console())


@app.command()
def methods(
    folder: Annotated[Path, typer.Argument(help="Folder of recorded methods, with methods.csv.")],
    seed: Annotated[int, typer.Option("--seed", help="Seed of bootstrap and permutations.")] = 0,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Compare recorded methods by EX and by ROSE: gaps, labels, the paper's findings."""
    from sqljury.api import methods as compare

    found = compare(folder, seed=seed)
    if html is not None:
        from sqljury.reports.rose_pages import write_methods_html

        write_methods_html(html, found)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    from sqljury.reports.rose_tables import print_methods

    print_methods(found, _console())


@app.command()
def diagnose(
    run: RunFolder,
    most: Annotated[
        int, typer.Option("--most", min=0, help="How many suspicious references to print.")
    ] = 20,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Say what a run's verdicts say of the benchmark: faulty references, ambiguous questions."""
    from sqljury.api import diagnose_run, stability_of_run

    found, repeated = diagnose_run(run), stability_of_run(run)
    if html is not None:
        from sqljury.reports.rose_pages import write_diagnosis_html

        write_diagnosis_html(html, found, title=f"Diagnosis of {run.name}")
    if as_json:
        stability = [runs.to_json() for runs in repeated]
        typer.echo(json.dumps({**found.to_json(), "stability": stability}, indent=2))
        return
    from sqljury.reports.rose_tables import print_diagnosis, print_stability

    print_diagnosis(found, _console(), most=most)
    for runs in repeated:
        print_stability(runs, _console())


# ---------------------------------------------------------------- demo


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Option("--folder", help="Where the databases, the run and the report go.")
    ] = Path("sqljury-demo"),
    workers: Annotated[int | None, typer.Option("--workers", "-w", min=1)] = None,
) -> None:
    """Evaluate the bundled cases: no key, no network, no server."""
    from sqljury import api
    from sqljury.benchmarks import read_cases
    from sqljury.demo import LIMITS, ROSE, write_demo
    from sqljury.llm import ClientSettings, Ledger
    from sqljury.reports.html import write_report
    from sqljury.reports.terminal import print_agreement, print_summary

    files = write_demo(folder)
    ledger = folder / "ledger.sqlite"
    with Ledger(ledger) as answers:
        answers.import_jsonl(files.ledger)
    judges = ["execution:strict", "execution:spider", "execution:bird", "execution:intent"]
    with (
        _progress() as on_progress,
        api.evaluate(
            read_cases(files.cases),
            [*judges, "exact_match", "exact_set_match", "soft_f1", ROSE],
            files.databases,
            descriptions=files.descriptions,
            run=folder / "run",
            limits=LIMITS,
            workers=workers,
            llm=ClientSettings(ledger=str(ledger), replay=True),
            on_progress=on_progress,
        ) as found,
    ):
        on_progress(-1, -1)
        agreement = api.agree_files([str(folder / "run")])
        page = folder / "report.html"
        write_report(page, found.summary, found.records(), title="demo", agreement=agreement)
        print_summary(found.summary, _console())
        print_agreement(agreement, _console())
        typer.echo("The answers behind `rose` are a script's, recorded: no model was asked.")
        typer.echo(f"report: {page.resolve()}")
        typer.echo(f"one case: sqljury show {folder / 'run'} 1")


# ---------------------------------------------------------------- ledgers

suites_app = typer.Typer(help="Several databases for one schema.", no_args_is_help=True)
app.add_typer(suites_app, name="suite")


@suites_app.command("build")
def build_suite(
    files: Files,
    databases: Annotated[
        str, typer.Option("--databases", "-d", help="Folder (DB_ID/DB_ID.sqlite) or file.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder of the suites; again resumes.")],
    databases_per_query: Annotated[
        int, typer.Option("--databases-per-query", min=1, help="Databases to try per reference.")
    ] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the databases.")] = 0,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=1, help="Processes, one database each.")
    ] = 1,
    format_: Annotated[
        str | None, typer.Option("--format", help="Format of the files; detected by default.")
    ] = None,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Key names: question=q,reference_sql=sql.")
    ] = None,
) -> None:
    """Build test suites that tell references from queries with small mistakes."""
    from sqljury import api
    from sqljury.benchmarks import parse_mapping, read_cases
    from sqljury.reports.suite import report_text, total_text

    cases = read_cases(files, format=format_, mapping=parse_mapping(mapping) if mapping else None)
    for warning in cases.warnings:
        typer.echo(f"warning: {warning}", err=True)
    done = 0

    def show(report: SuiteReport, total: int) -> None:
        nonlocal done
        done += 1
        typer.echo(f"{done} of {total}  {report_text(report)}", err=True)

    reports = api.build_suites(
        cases,
        databases,
        out,
        databases_per_query=databases_per_query,
        seed=seed,
        workers=workers,
        on_report=show,
    )
    typer.echo(total_text(reports))


ledgers = typer.Typer(help="Carry a ledger from place to place.", no_args_is_help=True)
app.add_typer(ledgers, name="ledger")


@ledgers.command("export")
def export_ledger(
    ledger: Annotated[Path, typer.Argument(help="The ledger, an SQLite file.")],
    file: Annotated[Path, typer.Argument(help="JSONL file to write, sorted by key.")],
) -> None:
    """Write a ledger as lines of JSON."""
    from sqljury.llm import Ledger

    with Ledger(ledger, read_only=True) as answers:
        typer.echo(f"{answers.export_jsonl(file):,} answers")


@ledgers.command("import")
def import_ledger(
    file: Annotated[Path, typer.Argument(help="JSONL file that `ledger export` wrote.")],
    ledger: Annotated[Path, typer.Argument(help="The ledger to add to; made if absent.")],
) -> None:
    """Add lines of JSON to a ledger; answers that are there stay."""
    from sqljury.llm import Ledger

    with Ledger(ledger) as answers:
        typer.echo(f"{answers.import_jsonl(file):,} answers")


@ledgers.command("batches")
def list_batches(
    ledger: Annotated[Path, typer.Argument(help="The ledger, an SQLite file.")],
    forget: Annotated[
        str | None,
        typer.Option("--forget", help="Id of a batch not to look for any more."),
    ] = None,
) -> None:
    """List the batches that a ledger knows, and the questions that they have yet to answer."""
    from sqljury.llm import Ledger

    with Ledger(ledger, read_only=forget is None) as answers:
        if forget is not None:
            answers.close_batch(forget, "forgotten")
        for batch, model, submitted, state, waiting in answers.batches():
            typer.echo(
                f"{batch}  {':'.join(json.loads(model)[:2])}  {submitted}  {state}  {waiting:,}"
            )


# ---------------------------------------------------------------- what there is


@app.command()
def formats() -> None:
    """List the file formats that are read."""
    from sqljury.benchmarks import formats as known

    for name, line in known().items():
        typer.echo(f"{name:10} {line}")


@app.command()
def judges() -> None:
    """List the judges, what each needs, and its options with their defaults."""
    from sqljury.judges import options_of, registered

    for name, cls in registered().items():
        needs = [flag.name.lower().replace("_", " ") for flag in cls.needs]
        first_line = (cls.__doc__ or "").strip().splitlines()[0]
        typer.echo(f"{name:16} {first_line}")
        typer.echo(f"{'':16} needs: {', '.join(needs) or 'nothing'}")
        options = [f"{key}={default}" for key, default in options_of(cls).items()]
        if options:
            typer.echo(f"{'':16} options: {', '.join(options)}")


@app.command()
def explain(
    code: Annotated[str, typer.Argument(help="A code such as SJ104.")],
) -> None:
    """Explain an error code."""
    from sqljury.errors import CATALOGUE

    found = CATALOGUE.get(code.upper())
    if found is None:
        raise InputError("SJ004", f"there is no code {code!r}.", hint=f"Known: {_known_codes()}.")
    title, text = found
    typer.echo(f"{code.upper()}: {title}\n\n{text}")


def _known_codes() -> str:
    from sqljury.errors import CATALOGUE

    return ", ".join(sorted(CATALOGUE))


@app.command()
def doctor(
    databases: Annotated[
        str | None,
        typer.Option("--databases", "-d", help="Also try to open what is here, read-only."),
    ] = None,
    db_id: Annotated[
        str | None, typer.Option("--db-id", help="The database to open for the {db_id} of a URL.")
    ] = None,
) -> None:
    """Check engines and drivers; print the command that fixes each."""
    from sqljury.doctor import checks, database_checks

    for check in [*checks(), *(database_checks(databases, db_id) if databases else ())]:
        typer.echo(f"{check.mark:8}{check.name:15}{check.detail}")


# ---------------------------------------------------------------- progress and errors


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A progress callback: a bar on a terminal, a line now and then elsewhere; (-1, -1) ends it."""
    if sys.stderr.isatty():
        with _bar() as update:
            yield update
    else:
        yield _lines()


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Eta

    columns = (
        TextColumn("judging"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        Eta(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("judging", total=None, rate="")
    start: list[tuple[float, int]] = []

    def update(done: int, total: int) -> None:
        if done < 0:
            bar.stop()
            return
        if not start:
            start.append((time.monotonic(), done))
        seconds = time.monotonic() - start[0][0]
        rate = f"{(done - start[0][1]) / seconds:,.0f}/s" if seconds > 0.5 else ""
        bar.update(task, completed=done, total=total, rate=rate)

    with bar:
        yield update


def _lines(every: float = 10.0) -> Callable[[int, int], None]:
    start = time.monotonic()
    state = {"next": start + every, "first": -1}

    def update(done: int, total: int) -> None:
        now = time.monotonic()
        if state["first"] < 0:
            state["first"] = done
        if done < 0 or now < state["next"]:
            return
        state["next"] = now + every
        rate = (done - state["first"]) / (now - start)
        eta = f", {(total - done) / rate:,.0f} s left" if rate > 0 else ""
        typer.echo(f"judged {done:,} of {total:,} ({rate:,.0f}/s{eta})", err=True)

    return update


def main() -> NoReturn:
    """The entry point: errors become one line and an exit code."""
    try:
        result = app(standalone_mode=False)
        if result == _EXIT_INTERRUPTED:  # how newer typers say KeyboardInterrupt
            raise KeyboardInterrupt
        sys.exit(result if isinstance(result, int) else EXIT_OK)
    except SqljuryError as error:
        _fail(f"error: {error}", error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _fail("stopped; what was judged is kept, the same command goes on.", _EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.exit(EXIT_OK)
    except Exception as error:
        # Usage errors: typer carries click inside it, so their class has no public name.
        if hasattr(error, "show") and hasattr(error, "exit_code"):
            error.show()
            sys.exit(error.exit_code)
        raise


def _fail(text: str, code: int) -> NoReturn:
    print(text, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
