"""`sqljury gate`, and the thresholds of other commands: exit code 1, or 3 for missing verdicts.

A verdict that is missing because the infrastructure failed says nothing about the prediction. So
a command that judges ends with exit code 3 while any is missing, whatever the score of the others.
A threshold on a score also limits how many cases are left out of it, by default to none:
otherwise the score could be raised by leaving out cases.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sqljury.cli.flags import RunFolder, command
from sqljury.cli.output import show
from sqljury.cli.streams import echo
from sqljury.errors import EXIT_BELOW_THRESHOLD, InputError
from sqljury.settings import GateFiles, RegressionLimits, ScoreGate, Showing, only
from sqljury.writing import unwritable, write_text

if TYPE_CHECKING:
    from sqljury.reports.document import ReportDocument
    from sqljury.uses.evaluate.left_out import GatedScore, LeftOutLimit
    from sqljury.uses.gate import GateResult
    from sqljury.uses.gate.ci import Places


@command()
def gate(
    run: RunFolder,
    *,
    limits: RegressionLimits,
    files: GateFiles,
    showing: Annotated[Showing, only("json")],
) -> None:
    """Fail if a run is worse than a baseline.

    The exit code is 1 if a judge's score fell by more than --max-drop points or fell significantly
    (--alpha), if cases cannot be compared (--max-left-out), or if a score is below its --threshold.
    Newly wrong cases are listed by cause; on GitHub Actions they are also annotated at their line.
    """
    from sqljury.uses.evaluate.evaluation import load_run
    from sqljury.uses.gate import gate as decide
    from sqljury.uses.gate.ci import case_places
    from sqljury.uses.gate.document import gate_document

    if limits.baseline is None and not limits.threshold and files.write_baseline is None:
        raise InputError(
            "SJ517",
            "there is nothing to check.",
            hint="Give --baseline, --threshold or --write-baseline.",
        )
    on_github = os.environ.get("GITHUB_ACTIONS") == "true"
    with load_run(run) as found:
        result = decide(
            found,
            limits.baseline,
            max_drop=limits.max_drop,
            alpha=limits.alpha,
            max_left_out=limits.max_left_out,
            thresholds=dict(map(_threshold, limits.threshold)),
        )
        if files.write_baseline is not None and (result.passed or limits.baseline is None):
            found.write_baseline(files.write_baseline)
        shows_places = on_github or files.junit is not None or files.gitlab is not None
        places = case_places(found.run, _repository_root()) if shows_places else {}
    document = gate_document(result)
    _write_reports(files, result, document, places)
    if on_github:
        _show_on_github(result, document, places, showing)
    else:
        show(document, result.to_json(), showing)
    if not result.passed:
        raise SystemExit(EXIT_BELOW_THRESHOLD)


def _threshold(text: str) -> tuple[str, float]:
    judge, _, least = text.rpartition("=")
    try:
        return judge, float(least)
    except ValueError:
        raise InputError(
            "SJ517",
            f"--threshold {text} is not JUDGE=SCORE.",
            hint="Write execution:strict=0.8 for 80 %.",
        ) from None


def _repository_root() -> Path:
    """The root of the checked out repository on GitHub or GitLab; else the current folder."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR") or ".")


def _write_reports(
    files: GateFiles, result: GateResult, document: ReportDocument, places: Places
) -> None:
    import json

    from sqljury.reports.markdown import markdown_document
    from sqljury.uses.gate.ci import gitlab_report, junit_xml

    if files.junit is not None:
        write_text(files.junit, junit_xml(result, places))
    if files.gitlab is not None:
        write_text(files.gitlab, json.dumps(gitlab_report(result, places), indent=1) + "\n")
    if files.comment is not None:
        write_text(files.comment, markdown_document(document))


def _show_on_github(
    result: GateResult, document: ReportDocument, places: Places, showing: Showing
) -> None:
    """Print the result and the annotations, and append to the summary of the job's step.

    GitHub reads commands from what is printed. A random token, which no text of a case can know,
    stops this while the result is printed.
    """
    from secrets import token_hex

    from sqljury.reports.markdown import markdown_document
    from sqljury.uses.gate.ci import github_annotations

    token = token_hex(16)
    if not showing.json:
        echo(f"::stop-commands::{token}")
    show(document, result.to_json(), showing)
    if not showing.json:
        echo(f"::{token}::")
    for line in github_annotations(result, places):
        echo(line, err=True)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(markdown_document(document))
        except OSError as error:
            raise unwritable(summary, error) from error


def check_gate(
    limit: LeftOutLimit, judged: Sequence[GatedScore], below: Sequence[str] = ()
) -> None:
    """Print which gates are not passed, and end the command if there is one.

    Args:
        below: the lines that say which scores are below a threshold.

    Raises:
        InfrastructureError: SJ416: verdicts are missing.
        SystemExit: a score is below its threshold, or too many cases were left out.
    """
    from sqljury.uses.evaluate.left_out import refuse_missing

    too_many = [f"left out: {one.name}: {said}" for one in judged if (said := limit.exceeded(one))]
    lines = [*below, *too_many]
    for line in lines:
        echo(line, err=True)
    refuse_missing(judged)
    if lines:
        raise SystemExit(EXIT_BELOW_THRESHOLD)


def left_out_limit(gate: ScoreGate, *, with_threshold: bool = False) -> LeftOutLimit:
    """The limit on cases left out that the options give; also checks the threshold's range.

    Called before the work, so that a wrong option is reported at once.

    Args:
        with_threshold: the command has a threshold of its own, so that no case may be left out
            unless --max-left-out says otherwise.

    Raises:
        InputError: SJ508: neither a number nor a share; or a threshold outside of [0, 1].
    """
    from sqljury.uses.evaluate.left_out import LeftOutLimit
    from sqljury.uses.evaluate.summary import check_threshold

    if gate.fail_under is not None:
        check_threshold(gate.fail_under)
    if gate.max_left_out is None:
        return LeftOutLimit(0.0 if with_threshold or gate.fail_under is not None else None)
    return LeftOutLimit.parse(gate.max_left_out)


def warn_of_missing(judged: Sequence[GatedScore]) -> None:
    """Print a warning if verdicts are missing; for commands without a gate that judge nothing."""
    from sqljury.uses.evaluate.summary import missing_text

    for one in judged:
        if one.missing:
            text = missing_text(one.name, one.missing, one.total, one.reasons)
            echo(f"warning: {text}", err=True)


def refuse_missing_of_run(folder: Path) -> None:
    """Raise if verdicts are missing in the run that this command judged.

    Raises:
        InfrastructureError: SJ416.
    """
    from sqljury.uses.evaluate.evaluation import load_run
    from sqljury.uses.evaluate.left_out import GatedScore, refuse_missing

    with load_run(folder) as found:
        refuse_missing([GatedScore.of(judge) for judge in found.summary.judges])
