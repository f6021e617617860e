"""`sqljury generate`, `label`, `select` and `trust`: candidates, picking one, and abstaining."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sqljury.cli.flags import TypedWords, command, refuse_besides, refuse_without
from sqljury.cli.gate import check_gate, left_out_limit, refuse_missing_of_run
from sqljury.cli.judging import client, mapping_of, run_folder, run_keywords
from sqljury.cli.output import console, paid_text, print_json, show
from sqljury.cli.progress import progress
from sqljury.cli.streams import echo
from sqljury.cli.system import print_calls, refuse_unreachable
from sqljury.errors import InputError
from sqljury.settings import (
    Argument,
    Drawing,
    Input,
    ModelCalls,
    Running,
    Sampling,
    ScoreGate,
    Showing,
    Sources,
    SystemCalls,
    only,
    option,
)

if TYPE_CHECKING:
    from sqljury.uses.evaluate.left_out import GatedScore
    from sqljury.uses.select import Selection

_FOR_A_SYSTEM = (
    *("questions", "out", "databases", "schemas", "n", "seconds", "map", "ledger", "replay"),
    "concurrency",
)
_Schemas = Annotated[Sources, only("databases", "schemas")]
_Running = Annotated[Running, only("run", "workers", "executor", "limits_seconds")]


@command()
def generate(
    typed: TypedWords,
    questions: Annotated[list[Path], Argument(help="Files of questions.")],
    *,
    out: Annotated[
        Path,
        option(
            "The pool to write (JSONL); the same command again resumes.",
            *("--out", "-o"),
            is_written=True,
        ),
    ],
    sources: _Schemas,
    sampling: Sampling,
    system: SystemCalls,
    reading: Annotated[Input, only("map")],
    asking: Annotated[
        ModelCalls, only("model_option", "ledger", "replay", "max_cost", "concurrency")
    ],
) -> None:
    """Sample candidates from a model or a system under test, and write them as a pool."""
    from sqljury.judges.model_judge import option_pairs
    from sqljury.uses.generating.pools import generate_pool

    if system.system is not None:
        refuse_besides(typed, "--system", *_FOR_A_SYSTEM)
    else:
        refuse_without(typed, "--system", "seconds")
    options = option_pairs(";".join(asking.model_option))
    models = client(asking, out.with_name(f"{out.name}.ledger.sqlite"))
    with progress("sampling", "sampled") as on_progress:
        found = generate_pool(
            questions,
            out,
            replace(sampling, options=options),
            databases=sources.databases,
            schemas=sources.schemas,
            llm=models,
            mapping=mapping_of(reading),
            system=system,
            on_progress=on_progress,
        )
    kept = f", {found.kept:,} were there" if found.kept else ""
    echo(f"{out}: {sampling.n} candidates for each of {found.sampled:,} questions{kept}")
    if found.abstained:
        ways = ", ".join(f"{count:,} {way}" for way, count in found.abstained.items())
        echo(f"say that there is no query: {ways}")
    if found.empty:
        echo(f"hold neither a query nor that there is none: {found.empty:,}")
    if system.system is not None:
        print_calls(found, sampling.n, models.ledger)
        refuse_unreachable(found)
    elif found.paid is not None:
        echo(f"this command paid for {paid_text(found.paid)}", err=True)


@command()
def label(
    pool: Annotated[list[Path], Argument(help="Pools: questions with candidates.")],
    *,
    out: Annotated[
        Path, option("The labelled pool to write (JSONL).", "--out", "-o", is_written=True)
    ],
    sources: Annotated[Sources, only("databases", "schemas", "suites")],
    judge: Annotated[str, option("Judge that says what is right.", "--judge", "-j")] = "execution",
    balance: Annotated[
        bool, option("Keep as many right as wrong candidates per question.", "--balance")
    ] = False,
    drawing: Annotated[Drawing, only("seed")],
    reading: Annotated[Input, only("overlay")],
    running: _Running,
    asking: Annotated[ModelCalls, only("ledger", "replay", "max_cost", "concurrency")],
    showing: Annotated[Showing, only("json")],
) -> None:
    """Label the candidates of a pool as right or wrong by a judge.

    Writes the labelled pool, and prints how many candidates are right, wrong or without a label.
    """
    from sqljury.uses.generating.pools import label_pool
    from sqljury.uses.labelling import print_labels

    folder = run_folder(pool, running, sources, reading, use="label")
    models = client(asking, folder / "ledger.sqlite")
    with progress() as on_progress:
        found = label_pool(
            pool,
            out,
            sources.databases,
            judge=judge,
            balance=balance,
            seed=drawing.seed,
            run=folder,
            on_progress=on_progress,
            **run_keywords(sources, running, reading, models),
        )
    if showing.json:
        print_json(found.to_json())
    else:
        print_labels(found, console())
        echo(f"{out}: {'balanced' if balance else 'all'} labelled candidates")
    refuse_missing_of_run(folder)


@command()
def select(
    files: Annotated[
        list[Path],
        Argument(help="Files of pools (questions with candidates); with -p, of questions."),
    ],
    *,
    sources: Sources,
    reading: Annotated[Input, only("predictions", "format", "overlay")],
    strategy: Annotated[
        tuple[str, ...],
        option(
            "first, random, execution, majority, verifier, verifier-majority, judge:NAME, "
            "system:NAME, oracle; repeatable.",
            *("--strategy", "-s"),
        ),
    ] = (),
    judge: Annotated[
        str | None, option("Judge that says what is right [execution].", "--judge", "-j")
    ] = None,
    label: Annotated[
        str | None, option("Field of the candidates that says what is right.", "--label")
    ] = None,
    match: Annotated[
        str | None,
        option(
            "Policy by which results are equal: strict,column_order=any [the judge's].", "--match"
        ),
    ] = None,
    keep_failing: Annotated[
        bool, option("Let strategies by score pick queries that do not run.", "--keep-failing")
    ] = False,
    running: _Running,
    asking: Annotated[ModelCalls, only("ledger", "replay", "max_cost")],
    drawing: Annotated[Drawing, only("seed")],
    resamples: Annotated[
        int, option("Random orders averaged in a vote's curve.", "--resamples", least=1)
    ] = 400,
    out: Annotated[
        Path | None,
        option("Write the picked candidates, a case per line.", "--out", is_written=True),
    ] = None,
    gate: ScoreGate,
    showing: Annotated[Showing, only("json", "html")],
) -> None:
    """Pick one candidate per question; compare ways of picking."""
    from sqljury.uses.select.document import selection_document
    from sqljury.uses.select.picking import DEFAULT_STRATEGIES, write_picks
    from sqljury.uses.select.picking import select as select_from

    limit = left_out_limit(gate)
    folder = run_folder(files, running, sources, reading, use="select")
    models = client(asking, folder / "ledger.sqlite")
    with progress() as on_progress:
        found = select_from(
            files,
            strategy or DEFAULT_STRATEGIES,
            sources.databases,
            judge=judge,
            label=label,
            match=match,
            keep_failing=keep_failing,
            predictions=reading.predictions or None,
            format=reading.format,
            run=folder,
            seed=drawing.seed,
            resamples=resamples,
            on_progress=on_progress,
            **run_keywords(sources, running, reading, models),
        )
    if out is not None:
        write_picks(found, out)
    show(selection_document(found, title=files[0].name), found.to_json(), showing)
    check_gate(limit, [_judged(found)], _below(found, gate.fail_under))


def _below(found: Selection, threshold: float | None) -> list[str]:
    if threshold is None:
        return []
    below = [one for one in found.strategies if one.accuracy is None or one.accuracy < threshold]
    scores = ("nothing was scored" if o.accuracy is None else f"{o.accuracy:.4f}" for o in below)
    return [
        f"below {threshold:g}: {one.name}: {score} over {one.n} questions"
        for one, score in zip(below, scores, strict=True)
    ]


def _judged(found: Selection) -> GatedScore:
    from sqljury.uses.evaluate.left_out import GatedScore

    # Questions whose candidates have no label are in no denominator either.
    unsaid = found.total - found.n - sum(found.left_out.values())
    return GatedScore(
        name="select",
        total=found.total,
        left_out={**found.left_out, "nothing says what is right": unsaid},
        missing=found.missing,
        reasons=found.missing_reasons,
    )


@command()
def trust(
    inputs: Annotated[
        list[str],
        Argument(help="RUN or [NAME=]FILE of decisions; with --databases, questions to judge now."),
    ],
    *,
    penalty: Annotated[
        tuple[str, ...],
        option("Cost of a wrong answer: a number, or N (question count).", "--penalty", "-c"),
    ] = (),
    judge: Annotated[str | None, option("Judge that says what is right.", "--judge", "-j")] = None,
    gate: Annotated[
        tuple[str, ...],
        option(
            "JUDGE[>=T] or FILE of recorded answers: abstain where it scores below T.", "--gate"
        ),
    ] = (),
    confidence: Annotated[
        str | None, option("JUDGE[#MEASURE] whose score is the confidence.", "--confidence")
    ] = None,
    verdicts: Annotated[
        Path | None, option("File that says which answers are right.", "--verdicts")
    ] = None,
    sources: Annotated[Sources, only("databases")],
    reading: Annotated[Input, only("predictions", "map", "overlay")],
    running: Annotated[Running, only("run")],
    validation: Annotated[
        str | None, option("RUN or FILE of decisions to choose thresholds on.", "--validation")
    ] = None,
    risk: Annotated[
        tuple[float, ...], option("Highest risk for a chosen threshold [0.05 and 0.1].", "--risk")
    ] = (),
    training: Annotated[
        Path | None,
        option("Training cases: also score seen and unseen SQL apart.", "--train"),
    ] = None,
    drawing: Drawing,
    showing: Annotated[Showing, only("json", "html", "csv")],
) -> None:
    """Score answers and abstentions together.

    Prints reliability score, risk and coverage. Thresholds can be chosen on other questions
    (--validation).
    """
    from sqljury.uses.inputs import overlay_from
    from sqljury.uses.trust import DEFAULT_PENALTIES, DEFAULT_RISKS, parse_penalty
    from sqljury.uses.trust.document import trust_document, write_trust_csv
    from sqljury.uses.trust.files import TrustSettings, judged_run, references_of, trust_files

    penalties = tuple(map(parse_penalty, penalty)) if penalty else DEFAULT_PENALTIES
    setup = TrustSettings(
        judge=judge,
        verdicts=verdicts,
        gates=gate,
        confidence=confidence,
        training=() if training is None else references_of(training),
        mapping=mapping_of(reading) or {},
        overlay=overlay_from(reading.overlay or None),
    )
    is_run = any(Path(text).is_dir() for text in inputs)
    if is_run and reading.map:
        raise InputError("SJ006", "--map names columns of files, and a run is given.")
    judges = bool(
        sources.databases is not None or reading.predictions or (judge is not None and not is_run)
    )
    if judges:
        with progress() as on_progress:
            inputs = [
                judged_run(
                    inputs,
                    setup,
                    sources.databases,
                    reading.predictions,
                    running.run,
                    on_progress,
                )
            ]
    found = trust_files(
        inputs,
        setup,
        penalties=penalties,
        validation=validation,
        risks=risk or DEFAULT_RISKS,
        bootstrap=drawing.bootstrap,
        seed=drawing.seed,
    )
    if showing.csv is not None:
        write_trust_csv(showing.csv, found, penalties)
    each = [one.to_json() for one in found]
    show(trust_document(found), each[0] if len(each) == 1 else {"systems": each}, showing)
    if judges:
        refuse_missing_of_run(Path(inputs[0]))
