"""`sqljury evaluate`: judge predictions, or write their features."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sqljury.cli.flags import Files, TypedWords, command, refuse_besides, refuse_without
from sqljury.cli.gate import check_gate, left_out_limit, refuse_missing_of_run
from sqljury.cli.judging import client, read, run_folder, run_keywords
from sqljury.cli.output import (
    print_failures,
    print_json,
    print_next,
    print_summary_of,
    write_files,
)
from sqljury.cli.progress import progress
from sqljury.cli.streams import echo
from sqljury.cli.system import answered, refuse_unreachable
from sqljury.cli.tracking import check_trackers, track
from sqljury.errors import EXIT_INFRASTRUCTURE, InputError
from sqljury.judge_name import JudgeName
from sqljury.settings import (
    Input,
    ModelCalls,
    Running,
    ScoreGate,
    Showing,
    Sources,
    SystemCalls,
    option,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqljury.case import Case
    from sqljury.llm import Collected, Estimate
    from sqljury.runs import UnderWay
    from sqljury.uses.evaluate.evaluation import Evaluation
    from sqljury.uses.evaluate.left_out import LeftOutLimit
    from sqljury.verdict import Billed

_FOR_FEATURES = (
    *("files", "predictions", "format", "map", "strip_fences", "overlay"),
    *("databases", "schemas", "descriptions", "suites", "run", "workers", "executor", "groups"),
    *("limits_seconds", "limits_rows", "limits_bytes", "limits_memory"),
)


@command()
def evaluate(
    typed: TypedWords,
    files: Files,
    *,
    judge: Annotated[
        tuple[str, ...],
        option("Judge, repeatable; see `sqljury list judges`.", "--judge", "-j"),
    ] = (),
    sources: Sources,
    reading: Input,
    system: SystemCalls,
    answers: Annotated[
        int,
        option(
            "With --system: how many answers to ask for per question.",
            *("--answers", "-n"),
            least=1,
            panel="System calls",
        ),
    ] = 1,
    running: Running,
    asking: ModelCalls,
    gate: ScoreGate,
    showing: Showing,
    features: Annotated[
        Path | None,
        option(
            "Write the features of each case as a row (.csv, .jsonl, .parquet); judge nothing.",
            "--features",
            is_written=True,
            panel="Features",
        ),
    ] = None,
    groups: Annotated[
        str,
        option(
            "With --features: groups of features, joined by + [all].", "--groups", panel="Features"
        ),
    ] = "",
) -> None:
    """Judge predictions and print scores with their denominators."""
    if features is not None:
        refuse_besides(typed, "--features", *_FOR_FEATURES)
        _write_features(files, features, groups, sources, reading, running)
        return
    refuse_without(typed, "--features", "groups")
    if system.system is None:
        refuse_without(typed, "--system", "seconds", "answers")
    elif reading.predictions or running.shard is not None or asking.dry_run:
        raise InputError("SJ006", "--system goes with none of --predictions, --shard, --dry-run.")
    if asking.wait and not asking.batch:
        raise InputError("SJ006", "--wait goes with --batch.")
    if running.shard is not None and (asking.batch or asking.dry_run):
        raise InputError("SJ006", "--shard goes neither with --batch nor with --dry-run.")
    if running.executor == "local":
        from sqljury.runs import start_workers_ahead

        start_workers_ahead([*files, *reading.predictions], running.workers)
    from sqljury.uses.evaluate import evaluation

    limit = left_out_limit(gate)
    check_trackers(showing.track)
    judges = [_model_judge(spec, asking) for spec in judge or ("execution",)]
    folder = run_folder(
        files,
        running,
        sources,
        reading,
        shard=running.shard,
        system=system.system,
        answers=answers if system.system is not None else None,
    )
    databases = sources.databases
    found_answers = None
    cases: Iterable[Case]
    if system.system is None:
        cases = read(files, reading)
    else:
        cases = found_answers = answered(files, sources, reading, asking, system, answers, folder)
    models = client(asking, folder / "ledger.sqlite")
    settings = run_keywords(sources, running, reading, models)
    if asking.dry_run:
        if (priced := evaluation.dry_run_on_warehouse(cases, databases, **settings)) is not None:
            echo(_statements_text(*priced))
            return
        found = evaluation.dry_run(cases, judges, databases, batch=asking.batch, **settings)
        echo(_dry_run_text(found))
        return
    done: Evaluation | UnderWay
    with progress() as on_progress:
        if asking.batch:
            done = evaluation.evaluate_in_batches(
                cases,
                judges,
                databases,
                run=folder,
                wait=asking.wait,
                by=showing.by,
                on_progress=on_progress,
                on_look=_BatchLooks(),
                **settings,
            )
        else:
            done = evaluation.evaluate(
                cases,
                judges,
                databases,
                run=folder,
                shard=running.shard,
                by=showing.by,
                on_progress=on_progress if showing.json else _importing_report(on_progress),
                **settings,
            )
    if not isinstance(done, evaluation.Evaluation):
        _print_under_way(done, showing.json)
        raise SystemExit(EXIT_INFRASTRUCTURE)
    with done as found_run:
        write_files(found_run, showing)
        print_summary_of(found_run, showing.json)
        if showing.failures:
            print_failures(found_run, showing.failures)
        print_next(found_run, showing.html)
        track(found_run, showing.track)
        if found_answers is not None:
            refuse_unreachable(found_answers.counts)
        _check(gate, limit, found_run)


def _importing_report(on_progress: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """The callback; it is first called when all cases are read, and this process waits."""

    def found(done: int, total: int) -> None:
        import sqljury.uses.evaluate.document  # noqa: F401

        on_progress(done, total)

    return found


def _write_features(
    files: list[Path],
    out: Path,
    groups: str,
    sources: Sources,
    reading: Input,
    running: Running,
) -> None:
    from sqljury.uses.features import check_features_path, write_features
    from sqljury.uses.features import features as find

    check_features_path(out)
    folder = run_folder(files, running, sources, reading, features=groups or "all")
    cases = read(files, reading)
    with progress("finding features", "found") as on_progress:
        found = find(
            cases,
            sources.databases,
            groups=groups,
            run=folder,
            on_progress=on_progress,
            **run_keywords(sources, running, reading),
        )
    write_features(out, found)
    echo(f"{len(found.rows):,} cases, {len(found.features)} features: {out}")
    for group, count in found.failed.items():
        echo(f"warning: the group {group} failed on {count:,} cases", err=True)
    echo(found.signature)
    refuse_missing_of_run(folder)


# The folder names under which ROSE's reference implementation keeps each judge's answers.
_RECORDED = {
    "rose": "ROSE",
    "prover": "ProverOnly",
    "flex": "FLEX",
    "llm_sql_solver": "llmsolver",
}


def _model_judge(spec: str, asking: ModelCalls) -> str:
    """The judge's name with the options for all model judges, or the recorded judge instead.

    A judge without a model stays as it is.
    """
    name, recorded = JudgeName.parse(spec), asking.recorded
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
    if asking.repeats > 1 and name.option("repeats") is None:
        name = name.with_options(repeats=str(asking.repeats))
    if asking.model_option:
        joined = ";".join(filter(None, [name.option("model_options"), *asking.model_option]))
        name = name.with_options(model_options=joined)
    return str(name)


class _BatchLooks:
    """Prints the state of the batches that are waited for, whenever it has changed."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, found: Collected) -> None:
        line = _batches_text(found.open, found.waiting, found.done)
        if found.open and line != self._last:
            echo(f"waiting for {line}", err=True)
        self._last = line


def _batches_text(batches: int, questions: int, done: int) -> str:
    noun = "batch" if batches == 1 else "batches"
    return f"{batches:,} {noun}: {done:,} of {questions:,} questions are through"


def _print_under_way(found: UnderWay, as_json: bool) -> None:
    if as_json:
        print_json({"under_way": asdict(found)})
        return
    if found.answers:
        echo(f"{found.answers:,} answers came in")
    if found.handed_in:
        echo(f"{found.handed_in:,} questions were handed in")
    if found.held_back:
        echo(
            f"{found.held_back:,} questions are held back: with those under way they could cost "
            "more than --max-cost"
        )
    echo(f"under way in {_batches_text(found.batches, found.questions, found.done)}")
    echo("not everything is judged yet: the same command goes on, --wait waits")


def _statements_text(billed: Billed, refused: int) -> str:
    from sqljury.uses.evaluate.words import billed_text

    more = f"; {refused:,} would not run" if refused else ""
    return f"at most {billed_text(billed)}{more}. Calls to chat models are not in it."


def _dry_run_text(found: Estimate) -> str:
    money = "price not known" if found.money is None else f"{found.money:.2f} US dollars"
    return (
        f"at most {found.calls:,} calls, some {found.prompt_tokens:,} prompt and "
        f"{found.completion_tokens:,} completion tokens, {money}"
    )


def _check(gate: ScoreGate, limit: LeftOutLimit, found: Evaluation) -> None:
    from sqljury.uses.evaluate.left_out import GatedScore
    from sqljury.uses.evaluate.summary import failing

    least = gate.fail_under
    below = [] if least is None else failing(found.summary, least)
    check_gate(
        limit,
        [GatedScore.of(judge) for judge in found.summary.judges],
        [f"below {least:g}: {line}" for line in below],
    )
