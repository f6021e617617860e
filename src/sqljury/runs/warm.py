"""Judges that stay ready between cases: one worker for each way that judges run, no store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from sqljury.case import Case
from sqljury.errors import InfrastructureError, SqljuryError
from sqljury.isolation import TemporaryFolder
from sqljury.judges import Judge, make_judge, spec_of
from sqljury.runs.fingerprints import Changes, DataFingerprints
from sqljury.runs.judge_groups import JudgeGroup, groups_of
from sqljury.runs.pool import WorkerPool
from sqljury.runs.settings import RunSettings, default_client
from sqljury.runs.store import WorkItem
from sqljury.secrets import learn_from_environment, learn_from_urls
from sqljury.verdict import Verdict


class WarmJudges:
    """Judges in worker processes that wait for the next case.

    Queries run in workers as in a run: in a sandbox, within limits, read-only. What a database
    returned is remembered until one of its files changes; on a server it must not change
    meanwhile.

    Args:
        judges: names, or judges.

    Raises:
        InputError: an unknown judge.
        InfrastructureError: the workers cannot work.
    """

    def __init__(self, judges: Sequence[str | Judge], settings: RunSettings) -> None:
        learn_from_environment()
        learn_from_urls(settings.sources.databases or "")
        made = [make_judge(spec) for spec in judges]
        self._groups = [group for group in groups_of(made) if group.judges]
        self._kept = ExitStack()
        self._settings = replace(settings, workers=1)
        if settings.llm is None and any(group.asks_models for group in self._groups):
            folder = self._kept.enter_context(TemporaryFolder())
            self._settings = replace(self._settings, llm=default_client(folder))
        self._count = 0
        self._start()

    def judge(self, case: Case) -> dict[str, Verdict]:
        """The verdict of each judge, by its name, in the order of the judges.

        Raises:
            SqljuryError: the workers cannot work, or a model's budget is spent.
        """
        if self._settings.overlay is not None:
            (case,) = self._settings.overlay.applied([case])
        self._data.fingerprint(case)
        try:
            self._changes.check([case.db_id])
        except InfrastructureError:  # the file is another one: forget what was read from it
            self._running.close()
            self._start()
        self._count += 1
        body = json.dumps(case.to_dict())
        try:
            return {
                spec_of(judge): verdict
                for group, pool in self._pools
                for judge, verdict in zip(
                    group.judges, self._judged(group, pool, body), strict=True
                )
            }
        except SqljuryError:
            # A worker that failed has stopped: the next case needs a new one.
            self._running.close()
            self._start()
            raise

    def _judged(self, group: JudgeGroup, pool: WorkerPool, body: str) -> list[Verdict]:
        places = tuple(range(len(group.judges)))
        item = WorkItem(self._count, body, places, group=("", b""))
        rows = [row for found in pool.run([item]) for row in found]
        return [row.verdict() for row in sorted(rows, key=lambda row: row.judge)]

    def _start(self) -> None:
        self._changes = Changes()
        self._data = DataFingerprints(self._settings, self._changes)
        self._running = ExitStack()
        self._pools = [
            (group, self._running.enter_context(group.workers(self._settings, self._changes)))
            for group in self._groups
        ]

    def close(self) -> None:
        """End the workers."""
        self._running.close()
        self._kept.close()
