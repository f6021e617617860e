"""Starts workers before anything is known of their work: they import their modules meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from sqljury.isolation import start_ahead

WORKER: Final = "sqljury.runs.worker"
"""The module that a worker runs."""
_WORTH_TWO: Final = 64 * 1024
"""Bytes of cases from which on a second worker judges more than its start costs."""


def start_workers_ahead(files: Iterable[Path], workers: int | None) -> None:
    """Starts one worker for few cases, else all.

    Args:
        files: the files of the cases and their predictions.
        workers: how many the run may use; None: one per core.
    """
    most = workers or os.cpu_count() or 1
    size = sum(os.path.getsize(file) for file in files if os.path.isfile(file))  # noqa: PTH113, PTH202
    start_ahead(WORKER, most if size > _WORTH_TWO else 1)
