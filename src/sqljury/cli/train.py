"""`sqljury train`: train the models that judges and `generate` use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from sqljury.cli.flags import OneWorker, Out, command
from sqljury.cli.output import print_json
from sqljury.cli.progress import progress
from sqljury.cli.streams import echo
from sqljury.errors import InputError
from sqljury.learning.generator import GeneratorSettings
from sqljury.learning.graph_matching.options import NetworkOptions, TrainingOptions
from sqljury.learning.outcome_reward.examples import Settings
from sqljury.settings import Argument, Drawing, Showing, Sources, only, option

if TYPE_CHECKING:
    from sqljury.learning.graph_matching.training import Epoch
    from sqljury.likeness.graphs import GraphForm

_Seed = Annotated[Drawing, only("seed")]
_Schemas = Annotated[Sources, only("databases", "schemas")]
_Folder = Annotated[Path, option("Folder to write.", "--out", "-o")]


@command("train", "detector")
def train_detector(
    inputs: Annotated[
        list[str],
        Argument(help="Files of questions with `answerable`, or RUNs with verdicts."),
    ],
    *,
    out: Out,
    kind: Annotated[
        str, option("novelty, forest (RF, RF*) or distance (FEATMD, FEATRMD).", "--kind")
    ] = "novelty",
    representation: Annotated[
        str | None,
        option(
            "Vectors of the texts: lsa, embeddings[,model=FOLDER-OR-NAME] or "
            "hidden,model=FOLDER[,layer=N][,pooling=last].",
            "--representation",
        ),
    ] = None,
    background: Annotated[
        Path | None,
        option("File of any questions: the distance is relative to theirs.", "--background"),
    ] = None,
    pool_background: Annotated[
        bool, option("Add the answerable questions to --background.", "--pool-background")
    ] = False,
    judge: Annotated[
        str | None, option("Judge of the run that says what is right.", "--judge", "-j")
    ] = None,
    drawing: _Seed,
) -> None:
    """Train a detector of unanswerable questions or wrong SQL.

    The judge `detector` uses it.
    """
    from sqljury.uses.train.detector import train_detector_on

    if kind not in ("novelty", "forest", "distance"):
        raise InputError("SJ003", f"--kind {kind} is none of novelty, forest, distance.")
    if kind == "forest" and representation is not None:
        raise InputError("SJ006", "--representation is for novelty and distance.")
    if kind != "distance" and background is not None:
        raise InputError("SJ006", "--background is for --kind distance.")
    if pool_background and background is None:
        raise InputError("SJ006", "--pool-background goes with --background.")
    model, yes, no = train_detector_on(
        inputs,
        judge=judge,
        kind=kind,
        vectors=representation,
        background=background,
        pooled=pool_background,
        seed=drawing.seed,
    )
    model.save(out)
    echo(f"{out}: {model.kind} that reads the {model.reads}, from {yes:,} yes, {no:,} no")


@command("train", "graph-match")
def train_graph_match(
    pairs: Annotated[Path, Argument(help="The file of labelled pairs that `build pairs` wrote.")],
    *,
    out: Out,
    sources: _Schemas,
    form: Annotated[
        str, option("Graphs to compare: canonical, faithful or syntax.", "--form")
    ] = "canonical",
    flows: Annotated[
        bool, option("Add edges for logic and data flow.", "--flows/--no-flows")
    ] = True,
    varied: Annotated[
        bool,
        option(
            "Train also on graphs made with some rewrite rules only, and of queries as written.",
            "--varied/--canonical-only",
        ),
    ] = True,
    work: Annotated[
        Path | None, option("Folder of graphs and checkpoints [default: OUT.work].", "--work")
    ] = None,
    workers: OneWorker = 1,
    network: NetworkOptions,
    training: TrainingOptions,
) -> None:
    """Train the network of the judge `graph_match`.

    With --databases and --schemas, some pairs get their schema from one, some from the other. The
    same command again resumes.
    """
    from sqljury.uses.train.graph_match import train_graph_match

    with progress() as on_graphs:
        trained = train_graph_match(
            pairs,
            out,
            databases=sources.databases,
            schemas=sources.schemas,
            form=cast("GraphForm", form),
            flows=flows,
            varied=varied,
            network=network,
            training=training,
            work=work,
            workers=workers,
            on_graphs=on_graphs,
            on_epoch=_print_epoch,
        )
    best, held = trained.best, trained.matcher.notes["validated"]
    echo(
        f"{out}: epoch {best.number} of {trained.train:,} views of pairs; on "
        f"{trained.validation:,} pairs of other databases AUC {held['auc']:.4f}, accuracy "
        f"{held['accuracy']:.4f} from a score of {trained.matcher.threshold:.3f}; "
        f"{trained.left_out:,} pairs left out"
    )


def _print_epoch(epoch: Epoch) -> None:
    said = f"epoch {epoch.number}: loss {epoch.loss:.4f}, validation AUC {epoch.auc:.4f}"
    echo(f"{said}, accuracy {epoch.accuracy:.4f}", err=True)


@command("train", "jury")
def train_jury(
    tables: Annotated[
        list[Path],
        Argument(help="Tables of labelled cases: `sqljury evaluate --features` as .jsonl."),
    ],
    *,
    out: Out,
    weight: Annotated[
        tuple[str, ...],
        option(
            "Weight of a benchmark's cases, or of one database's: NAME[/DATABASE]=NUMBER [1].",
            "--weight",
        ),
    ] = (),
    groups: Annotated[
        str, option("Groups of features to use, joined by + [all].", "--groups")
    ] = "",
    reference: Annotated[
        str, option("What is known of references: query, rows (a result table), none.")
    ] = "query",
    drawing: _Seed,
) -> None:
    """Train the trees of the judge `jury` on labelled features.

    Use them as `jury:offline,weights=OUT`, with `reference=false` after `--reference none`.
    """
    from sqljury.uses.train.jury import train_jury_on

    if reference not in ("query", "rows", "none"):
        raise InputError("SJ003", f"--reference {reference} is none of query, rows, none.")
    weights = dict(_weight(text) for text in weight)
    model = train_jury_on(
        tables,
        out,
        weights=weights,
        groups=groups,
        reference=reference,
        seed=drawing.seed,
    )
    cases = sum(model.card["cases"].values())
    echo(f"{out}: {len(model.names)} features of {cases:,} cases")


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        found = float(number)
    except ValueError:
        found = -1.0
    if not name or not 0 <= found < float("inf"):
        raise InputError("SJ003", f"--weight {text} is not NAME=NUMBER.")
    return name, found


@contextmanager
def _steps(
    name: str,
) -> Iterator[tuple[Callable[[int, int], None], Callable[[int, int, str], None]]]:
    """Two callbacks: one shows progress, the other also prints new validation measures.

    Under a launcher such as torchrun all processes train; only the first prints.
    """
    with progress(name, f"{name}:") if _is_first() else nullcontext(_silent) as on_progress:
        last = ""

        def on_step(done: int, total: int, measures: str) -> None:
            nonlocal last
            on_progress(done, total)
            if _is_first() and measures and measures != last:
                last = measures
                echo(f"step {done:,} of {total:,}: validation {measures}", err=True)

        yield on_progress, on_step


def _is_first() -> bool:
    """True if this process is the first that a launcher started, or the only one."""
    return os.environ.get("RANK", "0") == "0"


def _silent(_done: int, _total: int) -> None:
    """The progress callback of the other processes: prints nothing."""


@command("train", "generator")
def train_generator(
    *,
    data: Annotated[tuple[Path, ...], option("Questions with references; repeatable.", "--data")],
    base: Annotated[str, option("Folder of an encoder with a decoder (T5, BART).", "--base")],
    out: _Folder,
    sources: _Schemas,
    settings: GeneratorSettings,
    showing: Annotated[Showing, only("json")],
) -> None:
    """Train a T5-like model that writes SQL.

    Use it as `generate --model local:OUT --style serialized`. The same command again resumes.
    """
    from sqljury.uses.train.generator import train_generator_on

    with _steps("generator") as (_, on_step):
        facts = train_generator_on(
            data,
            base,
            out,
            databases=sources.databases,
            schemas=sources.schemas,
            settings=settings,
            on_step=on_step,
        )
    if not _is_first():
        return
    if showing.json:
        print_json(facts)
        return
    trained, validated = facts["training"], facts["validation"]
    echo(
        f"{out}: {trained['examples']:,} questions in {trained['steps']:,} steps, the best after "
        f"{trained['best_step']:,}; loss {validated['loss']:.3f} on {validated['examples']:,} "
        f"kept back; {trained['left_out_as_too_long']:,} too long\n"
        f"next: sqljury generate QUESTIONS --model local:{out} --style serialized --out POOL"
    )


@command("train", "verifier")
def train_verifier(
    *,
    data: Annotated[
        tuple[Path, ...], option("Labelled pool, as `label` writes it; repeatable.", "--data")
    ],
    base: Annotated[str, option("Folder of a causal language model, or of an adapter.", "--base")],
    out: _Folder,
    sources: _Schemas,
    prompt: Annotated[
        str,
        option("The model reads: sql, data (rows), data+sql, or instruction (both).", "--prompt"),
    ] = "sql",
    balance: Annotated[
        bool, option("Keep as many right as wrong per question.", "--balance/--no-balance")
    ] = True,
    label: Annotated[
        str, option("Key of a candidate that says whether it is right.", "--label")
    ] = "",
    settings: Settings,
    showing: Annotated[Showing, only("json")],
) -> None:
    """Train a language model as the judge `verifier`.

    It says whether a query answers its question. Use it as `verifier,model=OUT`. The same command
    again resumes.
    """
    from sqljury.reports.plots import write_reliability
    from sqljury.uses.train.verifier import train_verifier_on
    from sqljury.uses.train.verifier_examples import training_text, warnings_of

    with _steps("verifier") as (on_prepared, on_step):
        found = train_verifier_on(
            data,
            base,
            out,
            databases=sources.databases,
            schemas=sources.schemas,
            prompt=prompt,
            balance=balance,
            label=label,
            settings=settings,
            on_prepared=on_prepared,
            on_step=on_step,
        )
    if not _is_first():
        return
    for warning in warnings_of(found.facts):
        echo(f"warning: {warning}", err=True)
    write_reliability(out / "reliability.svg", {"before": found.before, "after": found.after})
    if showing.json:
        print_json(found.facts)
    else:
        echo(training_text(found.facts, out))
