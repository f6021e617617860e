"""Find faults of a benchmark, and instability of judges, from the verdicts of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.api.inputs import PathLike
from sqljury.benchmarks import Source, as_object
from sqljury.runs import open_run
from sqljury.writing import write_json_lines

if TYPE_CHECKING:
    from sqljury.uses.agree.stability import Stability
    from sqljury.uses.audit.diagnose import DiagnosisReport
    from sqljury.uses.audit.flagged import FlagPrecision


def diagnose_run(folder: PathLike) -> DiagnosisReport:
    """Faulty references and ambiguous questions of a benchmark, by the verdicts of a run.

    Raises:
        InputError: the folder is not a run, or no verdict in it is about references.
    """
    from sqljury.uses.audit.diagnose import diagnose

    with open_run(Path(folder)) as run:
        return diagnose(run.records())


def stability_of_run(folder: PathLike) -> list[Stability]:
    """How much the repeats of each judge agree (``rose,model=…,repeats=5``).

    Empty if no judge asked its model more than once.

    Raises:
        InputError: the folder is not a run.
    """
    from sqljury.uses.agree.stability import stability_of_repeats

    with open_run(Path(folder)) as run:
        return stability_of_repeats(run.records())


def review_flags(folder: PathLike, review: PathLike) -> list[FlagPrecision]:
    """Write the flags of a run's judges to a file for human review; count the confirmed ones.

    Args:
        review: the file, with a flag a line (JSONL). Existing lines stay as they are, and their
            ``confirmed`` (true, false) is counted; new flags are added.

    Raises:
        InputError: the folder is not a run; SJ526: a line of the file is no flag.
    """
    from sqljury.uses.audit.flagged import confirmation, flags_of, precision_of

    with open_run(Path(folder)) as run:
        flags, by_judge = flags_of(run.records())
    path = Path(review)
    known = []
    if path.exists() and path.stat().st_size:
        known = [(as_object(one), one.origin) for one in Source(path).records()]
    said = dict(confirmation(line, origin) for line, origin in known)
    new = [flag.to_json() for flag in flags if flag.key not in said]
    if new or not path.exists():
        write_json_lines(path, (*(line for line, _ in known), *new))
    return precision_of(by_judge, said)
