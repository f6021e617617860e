"""Judges grouped by how they run; each group has its own pool of workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqljury.errors import InputError
from sqljury.judges import Judge, Needs, spec_of
from sqljury.runs.fingerprints import Changes, DataContents
from sqljury.runs.messages import Setup
from sqljury.runs.pool import WorkerPool
from sqljury.runs.settings import LOCAL, RunSettings, confinement, store_key
from sqljury.runs.store import RunStore

if TYPE_CHECKING:
    from sqljury.isolation import Sandbox
    from sqljury.runs.ray_pool import RayPool


@dataclass(frozen=True, slots=True)
class JudgeGroup:
    """Judges that run in the same way: in several processes; in one process, with a large model on
    this machine; or in threads that wait for chat models."""

    judges: tuple[Judge, ...]
    asks_models: bool = False
    one_process: bool = False

    @property
    def one_by_one(self) -> bool:
        """True if each verdict is free of charge and does not depend on other cases of the
        batch."""
        together = any(judge.batch_size > 1 for judge in self.judges)
        return not self.asks_models and not self.one_process and not together

    def keys(self, settings: RunSettings) -> list[str]:
        """The keys of the judges in the store."""
        return [store_key(judge, settings.limits) for judge in self.judges]

    def has_work(self, store: RunStore, settings: RunSettings) -> bool:
        """True if a verdict is missing."""
        return store.count_work(self.keys(settings)) > 0

    def processes(self, settings: RunSettings) -> int:
        """The number of worker processes: one if a budget and a rate limit apply, which a replay
        has not."""
        return 1 if self.one_process or self._waits(settings) else settings.workers

    def _waits(self, settings: RunSettings) -> bool:
        asks = self.asks_models and not settings.dry_run and not settings.batch
        return asks and settings.llm is not None and not settings.llm.replay

    def pool(
        self,
        settings: RunSettings,
        changes: Changes,
        contents: Callable[[], DataContents] = DataContents,
    ) -> WorkerPool | RayPool:
        """The pool that judges, on this machine or on the nodes of a cluster.

        Args:
            contents: returns the fingerprints of databases and suites; called when they are known.
        """
        # Chat models are always asked from this machine, because they share one budget and one
        # rate.
        if settings.executor != LOCAL and not self.asks_models:
            return self._on_nodes(settings, changes, contents)
        return self.workers(settings, changes)

    def workers(self, settings: RunSettings, changes: Changes) -> WorkerPool:
        """A pool of processes on this machine."""
        confined = confinement(self.judges, settings)
        return WorkerPool(
            self._setup(settings, confined.sandbox),
            self.processes(settings),
            environment=self._environment(confined.environment, settings),
            check=changes.check,
        )

    def _on_nodes(
        self, settings: RunSettings, changes: Changes, contents: Callable[[], DataContents]
    ) -> RayPool:
        from sqljury.runs.ray_pool import NodeSetup, RayPool

        def setup() -> NodeSetup:
            here = replace(settings, executor=LOCAL)
            return NodeSetup(self._setup(here, None), self.one_process, contents())

        return RayPool(setup, settings.executor.partition(":")[2], changes.check)

    def _environment(self, known: Mapping[str, str], settings: RunSettings) -> Mapping[str, str]:
        """The environment variables; one thread for matrices if several processes share the
        cores."""
        return known if self.processes(settings) == 1 else {"OMP_NUM_THREADS": "1", **known}

    def _setup(self, settings: RunSettings, sandbox: Sandbox | None) -> Setup:
        llm = settings.llm if self.asks_models else None
        # Cases reach a worker with their corrections applied.
        return Setup(
            judges=tuple(_spec_for_worker(judge) for judge in self.judges),
            settings=replace(settings, llm=llm, overlay=None),
            sandbox=sandbox,
            threads=llm.concurrency if llm is not None and self._waits(settings) else 1,
            batch_size=1 if llm is not None else max(judge.batch_size for judge in self.judges),
        )


def groups_of(judges: Sequence[Judge]) -> tuple[JudgeGroup, ...]:
    """Judges grouped by how they run, the most expensive last."""
    asking = tuple(judge for judge in judges if judge.needs & Needs.LLM)
    local = tuple(judge for judge in judges if judge.one_process and judge not in asking)
    others = tuple(judge for judge in judges if judge not in asking and judge not in local)
    return (
        JudgeGroup(others),
        JudgeGroup(local, one_process=True),
        JudgeGroup(asking, asks_models=True),
    )


def _spec_for_worker(judge: Judge) -> str:
    """The text from which a worker makes an equal judge."""
    spec = spec_of(judge)
    if type(judge).__module__ == "__main__":
        raise InputError(
            "SJ411",
            f"the judge {type(judge).__qualname__} is defined in the script that runs; workers "
            "cannot import it from there.",
            hint="Move it to a module of its own and pass 'module:Class'.",
        )
    return spec
