"""What the verdicts of a run say of its benchmark, and of the judges that gave them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.api.inputs import PathLike
from sqljury.runs import open_run

if TYPE_CHECKING:
    from sqljury.uses.diagnose import DiagnosisReport
    from sqljury.uses.stability import Stability


def diagnose_run(folder: PathLike) -> DiagnosisReport:
    """What the verdicts of a run say of its benchmark.

    Raises:
        InputError: the folder is not a run, or nothing in it speaks of references.
    """
    from sqljury.uses.diagnose import diagnose

    with open_run(Path(folder)) as run:
        return diagnose(run.records())


def stability_of_run(folder: PathLike) -> list[Stability]:
    """How much the repeats of each judge agree (``rose,model=…,repeats=5``); none where nobody
    was asked twice.

    Raises:
        InputError: the folder is not a run.
    """
    from sqljury.uses.stability import stability_of_repeats

    with open_run(Path(folder)) as run:
        return stability_of_repeats(run.records())
