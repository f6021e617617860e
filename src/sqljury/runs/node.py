"""What judges on one machine of several: a pool of workers behind one object, which Ray places."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqljury.case import Case
from sqljury.errors import InfrastructureError
from sqljury.isolation import TemporaryFolder
from sqljury.judges import make_judge
from sqljury.runs.changes import Changes
from sqljury.runs.confinement import confinement
from sqljury.runs.fingerprints import DataContents, DataFingerprints
from sqljury.runs.messages import Setup
from sqljury.runs.parcel import Parcel, paths_of
from sqljury.runs.pool import WorkerPool
from sqljury.runs.store import VerdictRow, WorkItem
from sqljury.settings import Sources
from sqljury.version import __version__

_REPORT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class NodeSetup:
    """What a machine is told once."""

    pool: Setup
    """What its workers are told; how they are confined it finds by itself."""
    one_process: bool
    """Whether the judges share one process, as those do that hold a large model."""
    contents: DataContents


def lacking(sources: Sources) -> list[str]:
    """Which places of a run are not on this machine."""
    return [name for name, path in paths_of(sources).items() if not path.exists()]


class NodeJudges:
    """The judges of a run on one machine.

    Args:
        setup: judges and settings.
        parcel: databases and schemas, for a machine that does not share the driver's disk.

    Raises:
        InfrastructureError: SJ423: another version of sqljury than the driver's.
    """

    def __init__(self, setup: NodeSetup, version: str, parcel: Parcel | None = None) -> None:
        if version != __version__:
            raise InfrastructureError(
                "SJ423",
                f"sqljury {__version__} is installed on a node, the run is of {version}.",
                where=os.uname().nodename,
                hint="Install the same version on every node.",
            )
        self._setup = setup
        self._folder: TemporaryFolder | None = None
        self._pool: WorkerPool | None = None
        settings = setup.pool.settings
        if parcel is not None:
            self._folder = TemporaryFolder()
            sources = parcel.unpacked(settings.sources, Path(self._folder.path))
            settings = replace(settings, sources=sources)
        self._settings = settings
        self._data = DataFingerprints(settings, Changes())

    def judge(self, items: Sequence[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        """The verdicts on some cases, twice a second.

        Raises:
            InfrastructureError: SJ425: a database holds something else here than at the driver.
        """
        self._check(items)
        ready: list[VerdictRow] = []
        last = time.monotonic()
        for rows in self._workers().run(items):
            ready.extend(rows)
            if ready and time.monotonic() - last > _REPORT_SECONDS:
                yield tuple(ready)
                ready, last = [], time.monotonic()
        if ready:
            yield tuple(ready)

    def close(self) -> None:
        """End the workers; files that were sent are removed."""
        if self._pool is not None:
            self._pool.close()
        if self._folder is not None:
            self._folder.close()

    def _workers(self) -> WorkerPool:
        if self._pool is None:
            judges = tuple(make_judge(spec) for spec in self._setup.pool.judges)
            confined = confinement(judges, self._settings)
            pool = WorkerPool(
                replace(self._setup.pool, settings=self._settings, sandbox=confined.sandbox),
                1 if self._setup.one_process else self._settings.workers,
                environment=confined.environment,
            )
            self._pool = pool.__enter__()
        return self._pool

    def _check(self, items: Sequence[WorkItem]) -> None:
        for db_id in dict.fromkeys(item.group[0] for item in items):
            self._data.fingerprint(Case(id="", db_id=db_id))
            for what, here, there in (
                ("database", self._data.fingerprints, self._setup.contents.databases),
                ("test suite of", self._data.suites, self._setup.contents.suites),
            ):
                if here.get(db_id, "") != there.get(db_id, ""):
                    raise _another(what, db_id, here.get(db_id), there.get(db_id))


def _another(what: str, db_id: str, here: str | None, there: str | None) -> InfrastructureError:
    return InfrastructureError(
        "SJ425",
        f"the {what} {db_id!r} is another here ({here or 'none'}) than where the run was started "
        f"({there or 'none'}).",
        where=os.uname().nodename,
        hint="Bring contents and engine versions in line; what was found is kept.",
    )
