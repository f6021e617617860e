"""Compare two runs case by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import partial
from pathlib import Path

from sqljury.api.failures import failures_among
from sqljury.api.inputs import PathLike
from sqljury.errors import InputError
from sqljury.runs import Run, open_run
from sqljury.uses.evaluate.comparison import (
    Answered,
    CaseKey,
    RunComparison,
    compare_judge,
    data_changes,
    signature_changes,
)
from sqljury.uses.evaluate.failures import Failure


def compare_runs(first: PathLike, second: PathLike) -> RunComparison:
    """The cases that are newly right and newly wrong in a second run, by cause, with paired tests.

    The judges that both runs have are compared. Other differences (data, versions, limits) are in
    ``changes``.

    Args:
        first: the folder of the earlier run.
        second: the folder of the later run.

    Raises:
        InputError: SJ401: a folder that is no run; SJ418: no judge or no case in common.
    """
    with open_run(Path(first)) as before, open_run(Path(second)) as after:
        return compared(before, after)


def compared(first: Run, second: Run) -> RunComparison:
    """Compare two open runs; see :func:`compare_runs`."""
    signatures = [{judge.name: judge.signature for judge in run.judges} for run in (first, second)]
    judges = [name for name in signatures[0] if name in signatures[1]]
    if not judges:
        raise InputError(
            "SJ418", "the runs have no judge in common.", hint="Judge both by the same --judge."
        )
    found = [
        compare_judge(
            judge,
            _answered(first, judge),
            _answered(second, judge),
            (partial(_failures, first, judge), partial(_failures, second, judge)),
        )
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


def _answered(run: Run, judge: str) -> list[Answered]:
    records = run.records(with_evidence=False)
    return [Answered.of(record) for record in records if record.judge == judge]


def _failures(run: Run, judge: str, keys: Set[CaseKey]) -> Mapping[str, Sequence[Failure]]:
    """The failures among some cases, by cause; reads these cases again with their evidence."""
    if not keys:
        return {}
    records = (one for one in run.records() if one.judge == judge and one.case.key in keys)
    return failures_among(run, records)
