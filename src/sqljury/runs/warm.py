"""Judges that stay ready between cases: one pool of workers per group of judges, no store."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace

from sqljury.case import Case
from sqljury.errors import InfrastructureError, SqljuryError
from sqljury.isolation import TemporaryFolder
from sqljury.judges import Judge, make_judge, spec_of
from sqljury.runs.fingerprints import Changes, DataFingerprints
from sqljury.runs.judge_groups import groups_of
from sqljury.runs.settings import RunSettings, default_client
from sqljury.runs.store import WorkItem
from sqljury.secrets import learn_from_environment, learn_from_urls
from sqljury.verdict import Verdict


class WarmJudges:
    """Judges in worker processes that wait for the next cases.

    Queries run in workers as in a run: in a sandbox, within limits, read-only. What a database
    returned is cached until one of its files changes; a database on a server must not change
    meanwhile.

    Args:
        judges: names of judges, or judges.

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
        self._settings = settings
        if settings.llm is None and any(group.asks_models for group in self._groups):
            folder = self._kept.enter_context(TemporaryFolder())
            self._settings = replace(settings, llm=default_client(folder))
        self._count = 0
        self._start()

    def judge(
        self, cases: Sequence[Case], only: Collection[str] | None = None
    ) -> list[dict[str, Verdict]]:
        """The verdicts on each case, by the judge's name, in the order of the judges.

        Args:
            only: the canonical names of the judges that judge these cases; None: all.

        Raises:
            SqljuryError: the workers cannot work, or a model's budget is spent.
        """
        if self._settings.overlay is not None:
            cases = list(self._settings.overlay.applied(cases))
        for case in cases:
            self._data.fingerprint(case)
        try:
            self._changes.check({case.db_id for case in cases})
        except InfrastructureError:  # a database file has changed: discard what was read from it
            self._restart()
        try:
            return self._judged([json.dumps(case.to_dict()) for case in cases], only)
        except SqljuryError:  # a worker that failed has stopped: the next case needs a new one
            self._restart()
            raise

    def _judged(
        self, bodies: Sequence[str], only: Collection[str] | None
    ) -> list[dict[str, Verdict]]:
        first = self._count
        self._count += len(bodies)
        found: list[dict[str, Verdict]] = [{} for _ in bodies]
        for group, pool in self._pools:
            names = [spec_of(judge) for judge in group.judges]
            places = tuple(n for n, name in enumerate(names) if only is None or name in only)
            if not places:
                continue
            items = [WorkItem(first + n, body, places, ("", b"")) for n, body in enumerate(bodies)]
            rows = [row for part in pool.run(items) for row in part]
            for row in sorted(rows, key=lambda row: row.judge):
                found[row.number - first][names[row.judge]] = row.verdict()
        return found

    def _restart(self) -> None:
        self._running.close()
        self._start()

    def _start(self) -> None:
        self._changes = Changes()
        self._data = DataFingerprints(self._settings, self._changes)
        self._running = ExitStack()
        self._pools = [
            (group, self._running.enter_context(group.workers(self._settings, self._changes)))
            for group in self._groups
        ]

    def close(self) -> None:
        """Ends the workers."""
        self._running.close()
        self._kept.close()
