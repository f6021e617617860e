"""`sqljury label-cases`: people label cases, in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sqljury.cli.flags import TypedWords, command, refuse_besides, refuse_without
from sqljury.cli.judging import read
from sqljury.cli.output import console, print_json
from sqljury.cli.streams import echo
from sqljury.errors import InputError
from sqljury.settings import Argument, Input, Showing, only, option

if TYPE_CHECKING:
    from sqljury.uses.label import LabelStore, LabelVote

_ANSWERS = "[c]orrect, [i]ncorrect, [s]kip, [u]ndo, [q]uit"


@command(name="label-cases")
def label_cases(
    typed: TypedWords,
    cases: Annotated[
        list[Path] | None,
        Argument(help="Case files, or a run; not needed once --labels exists."),
    ] = None,
    *,
    labels: Annotated[
        Path,
        option("The project's file (JSONL); made from the cases if there is none.", "--labels"),
    ] = Path("labels.jsonl"),
    annotator: Annotated[str | None, option("Your name, as annotator.", "--annotator")] = None,
    annotators: Annotated[
        str, option("New project: all annotators, joined by commas.", "--annotators")
    ] = "",
    votes: Annotated[
        int | None, option("New project: annotators of each case [2, or 1].", "--votes", least=1)
    ] = None,
    seed: Annotated[int, option("New project: seed of assignment and order.", "--seed")] = 0,
    hide_reference: Annotated[
        bool, option("New project: do not show references.", "--hide-reference")
    ] = False,
    until: Annotated[
        float,
        option(
            "New project: advise to stop when half of κ's interval is at most this.",
            "--until",
            least=0.0,
        ),
    ] = 0.1,
    reading: Annotated[Input, only("predictions", "format", "map")],
    import_from: Annotated[
        Path | None,
        option("Take labels from another project, an export, or a file with labels.", "--import"),
    ] = None,
    export: Annotated[
        Path | None,
        option("Write the cases that all agree on, as ROSE-VEC.", "--export", is_written=True),
    ] = None,
    all_votes: Annotated[
        bool, option("With --export: every case, with all votes and decisions.", "--all-votes")
    ] = False,
    showing: Annotated[Showing, only("json")],
) -> None:
    """Label cases by hand: is the predicted SQL right?

    Each case goes to two annotators who do not see each other's labels. The first command names the
    cases and all annotators; the others need --labels and --annotator. In a browser: `sqljury view
    --labels FILE`. Without --annotator it prints how far the project is.
    """
    from sqljury.uses.label import LabelStore, export_labels, import_labels, progress_of

    if export is None:
        refuse_without(typed, "--export", "all_votes")
    _make(typed, cases, labels, _names(annotators, annotator), reading, votes, seed,
          hide_reference, until)  # fmt: skip
    with LabelStore(labels) as store:
        if import_from is not None:
            found = import_labels(store, import_from, annotator)
            echo(
                f"{found.taken:,} labels taken, {found.known:,} known, {found.unknown:,} of other "
                f"cases, {found.not_assigned:,} by people who do not label the case",
                err=True,
            )
        if export is not None:
            count = export_labels(store, export, all_votes=all_votes)
            echo(f"{export}: {count:,} cases")
        elif annotator is not None and import_from is None:
            _ask(store, annotator)
        elif showing.json:
            print_json(progress_of(store).to_json())
        else:
            _print_progress(store)


def _names(annotators: str, annotator: str | None) -> tuple[str, ...]:
    named = tuple(name for name in annotators.split(",") if name.strip())
    return named or ((annotator,) if annotator else ())


def _make(
    typed: TypedWords,
    cases: list[Path] | None,
    labels: Path,
    names: tuple[str, ...],
    reading: Input,
    votes: int | None,
    seed: int,
    hide_reference: bool,
    until: float,
) -> None:
    """Make the project's file if there is none."""
    from sqljury.runs import RUN_FILE
    from sqljury.uses.label import LabelProject, LabelStore, cases_to_label

    if labels.exists():
        mode = f"the existing project {labels}; --labels FILE makes another"
        refuse_besides(
            typed, mode, "labels", "annotator", "import_from", "export", "all_votes", "json"
        )
        return
    if not cases:
        raise InputError("SJ101", "no such file.", where=str(labels), hint="Give cases to label.")
    if not names:
        raise InputError("SJ553", "no annotators: give --annotators Ida,Ben,… or --annotator NAME.")
    is_run = len(cases) == 1 and (cases[0] / RUN_FILE).is_file()
    project = LabelProject(
        annotators=names,
        votes=votes or min(2, len(names)),
        seed=seed,
        hide_reference=hide_reference,
        until=until,
    )
    source = cases_to_label(cases[0] if is_run else read(cases, reading))
    LabelStore.create(labels, project, source).close()
    echo(f"project: {labels}", err=True)


def _ask(store: LabelStore, annotator: str) -> None:
    """Show cases and store what is typed, until there is none left or the person quits."""
    import typer

    number = store.next_case(annotator)
    while number is not None:
        done, total = store.counts(annotator)
        _show(store, number, f"{done + 1:,} of {total:,}")
        typed = typer.prompt(_ANSWERS, prompt_suffix="? ").strip().lower()[:1]
        if typed == "q":
            break
        if typed == "u":
            undone = store.undo(annotator)
            echo("nothing to undo" if undone is None else "the latest label is withdrawn")
            number = store.next_case(annotator) if undone is None else undone
        elif typed == "s":
            number = store.next_case(annotator, after=number)
        elif typed in ("c", "i"):
            store.vote(number, annotator, _vote(typed == "c", store.project.hide_reference))
            store.refresh()
            number = store.next_case(annotator)
    done, total = store.counts(annotator)
    echo(f"{annotator}: {done:,} of {total:,} labelled")


def _vote(correct: bool, hides_reference: bool) -> LabelVote:
    import typer

    from sqljury.uses.label import LabelVote

    reason = typer.prompt("reason (may be empty)", default="", show_default=False)
    ambiguous = typer.confirm("is the question ambiguous?", default=False)
    faulty = not hides_reference and typer.confirm("is the reference faulty?", default=False)
    return LabelVote(correct=correct, reason=reason, ambiguous=ambiguous, faulty_reference=faulty)


def _show(store: LabelStore, number: int, place: str) -> None:
    from sqljury.reports.sqltext import formatted
    from sqljury.reports.words import no_prediction, visible

    case = store.cases[number].case
    echo(f"\n--- {place}: {visible(case.name)} ({visible(case.db_id)})")
    for name, text in (("Question", case.question), ("Hint", case.hint), ("", case.criteria)):
        if text:
            echo(f"{name + ': ' if name else ''}{visible(text)}")
    if case.schema_sql:
        echo(f"\n{visible(case.schema_sql)}")
    prediction = case.predicted_sql
    shown = formatted(prediction) if isinstance(prediction, str) else no_prediction(case)
    echo(f"\nPrediction:\n{visible(shown)}")
    if not store.project.hide_reference:
        for sql in case.reference_sqls:
            echo(f"\nReference:\n{visible(formatted(sql))}")
    echo("")


def _print_progress(store: LabelStore) -> None:
    from sqljury.reports.terminal import print_document
    from sqljury.uses.label import progress_of
    from sqljury.uses.label.document import progress_document

    print_document(progress_document(progress_of(store), title=store.path.name), console())
