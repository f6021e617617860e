"""ROSE's tables, from folders of its recordings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.benchmarks import (
    find_rose_outputs,
    read_cases,
    read_rose_output,
)
from sqljury.errors import InputError
from sqljury.papers.recorded_methods import read_rose_methods
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from sqljury.papers.methods import Methods
    from sqljury.papers.rose_vec import RoseVec


def rose_vec(
    folder: PathLike, *, labels: Sequence[PathLike] = (), bootstrap: int = 1000, seed: int = 0
) -> RoseVec:
    """The tables of ROSE's paper from a tree of its output folders.

    Args:
        labels: the files with the experts' labels, one for each set; by default the
            ``rose-vec-*.json`` in the folder or in one above it.
        bootstrap: resamples for the intervals; 0 for none.

    Raises:
        InputError: no recordings, no labels, or recordings of other cases.
    """
    from sqljury.papers.rose_vec import Recording
    from sqljury.papers.rose_vec import rose_vec as tables

    recordings = (
        # Set, model and metric, however far down the tree the folder begins.
        Recording(folders=run.folder.resolve().parts[-3:], judgements=read_rose_output(run.folder))
        for run in find_rose_outputs(folder)
    )
    files = [Path(file) for file in labels] or _label_files(Path(folder))
    sets = {path.name.split(".")[0]: list(read_cases(path, strip_fences=False)) for path in files}
    return tables(recordings, sets, bootstrap=bootstrap, seed=seed)


def _label_files(folder: Path) -> list[Path]:
    for place in (folder, *folder.resolve().parents[:3]):
        found = sorted(path for path in place.glob("rose-vec-*.json*") if path.is_file())
        if found:
            return found
    raise InputError(
        "SJ521",
        "no rose-vec-*.json with the experts' labels beside the recordings.",
        where=str(folder),
        hint="Name them with --labels FILE, once for each set.",
    )


def methods(folder: PathLike, *, seed: int = 0) -> Methods:
    """EX and ROSE of recorded methods, and the four findings about them.

    Raises:
        InputError: no recorded methods.
    """
    from sqljury.papers.methods import methods as compare

    return compare(read_rose_methods(folder), seed=seed)
