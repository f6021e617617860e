"""Runs: judges over cases in worker processes, kept in a store that resumes."""

from sqljury.runs.rounds import UnderWay, run_in_batches
from sqljury.runs.runner import Run, RunJudge, RunOptions, open_run, run_judges

__all__ = [
    "Run",
    "RunJudge",
    "RunOptions",
    "UnderWay",
    "open_run",
    "run_in_batches",
    "run_judges",
]
