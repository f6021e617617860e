"""What the verdicts of a run say of its benchmark, and of the judges that gave them."""

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
    """What the verdicts of a run say of its benchmark.

    Raises:
        InputError: the folder is not a run, or nothing in it speaks of references.
    """
    from sqljury.uses.audit.diagnose import diagnose

    with open_run(Path(folder)) as run:
        return diagnose(run.records())


def stability_of_run(folder: PathLike) -> list[Stability]:
    """How much the repeats of each judge agree (``rose,model=…,repeats=5``); none where nobody
    was asked twice.

    Raises:
        InputError: the folder is not a run.
    """
    from sqljury.uses.agree.stability import stability_of_repeats

    with open_run(Path(folder)) as run:
        return stability_of_repeats(run.records())


def review_flags(folder: PathLike, review: PathLike) -> list[FlagPrecision]:
    """Write what the judges of a run flagged into a file for people to confirm, and count.

    Args:
        review: a line a flag (JSONL). Lines that are there stay as they are, their ``confirmed``
            (true, false) counts, and flags that are not there are added.

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
