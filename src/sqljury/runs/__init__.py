"""Runs: judges applied to cases in worker processes, with a store from which a stopped run
resumes."""

from typing import TYPE_CHECKING

from sqljury.rooms import lazily

if TYPE_CHECKING:
    from sqljury.runs.ahead import start_workers_ahead
    from sqljury.runs.merging import merge_runs
    from sqljury.runs.prices import statement_prices
    from sqljury.runs.rounds import UnderWay, run_in_batches
    from sqljury.runs.runner import Run, RunJudge, open_run, run_judges
    from sqljury.runs.settings import Billing, RunSettings, Shard
    from sqljury.runs.store import RUN_FILE
    from sqljury.runs.warm import WarmJudges
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "RUN_FILE",
    "Billing",
    "Run",
    "RunJudge",
    "RunSettings",
    "Shard",
    "UnderWay",
    "WarmJudges",
    "merge_runs",
    "open_run",
    "run_in_batches",
    "run_judges",
    "start_workers_ahead",
    "statement_prices",
]
