"""Compare two runs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sqljury.api.failures import failures_among
from sqljury.api.inputs import PathLike
from sqljury.errors import InputError
from sqljury.runs import Run, open_run
from sqljury.uses.run_comparison import (
    RunComparison,
    compare_judge,
    data_changes,
    signature_changes,
)
from sqljury.verdict import Record


def compare_runs(first: PathLike, second: PathLike) -> RunComparison:
    """What is newly right and newly wrong in a second run, by cause, and whether that is chance.

    Both must have been judged by the same judges; what else differs (data, versions, limits) is
    named first.

    Args:
        first: a run's folder.
        second: that of the run to set against it.

    Raises:
        InputError: SJ401: a folder that is no run; SJ418: no judge or no case in common.
    """
    with open_run(Path(first)) as before, open_run(Path(second)) as after:
        return compared(before, after)


def compared(first: Run, second: Run) -> RunComparison:
    """As :func:`compare_runs`, of runs that are open."""
    signatures = [{judge.name: judge.signature for judge in run.judges} for run in (first, second)]
    judges = [name for name in signatures[0] if name in signatures[1]]
    if not judges:
        raise InputError(
            "SJ418", "the runs have no judge in common.", hint="Judge both by the same --judge."
        )
    causes = partial(failures_among, first), partial(failures_among, second)
    found = [
        compare_judge(judge, _records(first, judge), _records(second, judge), causes)
        for judge in judges
    ]
    if not any(one.paired.n for one in found):
        raise InputError(
            "SJ418", "the runs have no case in common.", hint="Cases are known by benchmark and id."
        )
    return RunComparison(
        first=str(first.folder),
        second=str(second.folder),
        changes=(
            *data_changes("database", _contents(first, "contents"), _contents(second, "contents")),
            *data_changes("test suite of", _contents(first, "suites"), _contents(second, "suites")),
            *signature_changes(*signatures),
        ),
        judges=tuple(found),
    )


def _contents(run: Run, kind: str) -> dict[str, str]:
    contents = run.manifest.get(kind)
    return contents if isinstance(contents, dict) else {}


def _records(run: Run, judge: str) -> list[Record]:
    return [record for record in run.records() if record.judge == judge]
