"""Judges by how they run: each group has a pool of workers of its own."""

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
    """Judges that run in the same way: on rows in processes, by a large model of this machine in
    one, or waiting for chat models in threads."""

    judges: tuple[Judge, ...]
    asks_models: bool = False
    one_process: bool = False

    @property
    def one_by_one(self) -> bool:
        """Whether a verdict neither costs money nor depends on what is judged beside the case."""
        together = any(judge.batch_size > 1 for judge in self.judges)
        return not self.asks_models and not self.one_process and not together

    def keys(self, settings: RunSettings) -> list[str]:
        """Of the judges, in the store."""
        return [store_key(judge, settings.limits) for judge in self.judges]

    def has_work(self, store: RunStore, settings: RunSettings) -> bool:
        """Whether a judge has yet to see a case."""
        return store.count_work(self.keys(settings)) > 0

    def processes(self, settings: RunSettings) -> int:
        """One process keeps to one budget and one rate; a replay has neither."""
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
        """Who judges, here or on the nodes of a cluster.

        Args:
            contents: what databases and suites hold, once that is known.
        """
        # One budget and one rate for chat models: they are asked from here.
        if settings.executor != LOCAL and not self.asks_models:
            return self._on_nodes(settings, changes, contents)
        return self.workers(settings, changes)

    def workers(self, settings: RunSettings, changes: Changes) -> WorkerPool:
        """Processes of this machine."""
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
        """The variables, with one thread for matrices where several processes share the cores."""
        return known if self.processes(settings) == 1 else {"OMP_NUM_THREADS": "1", **known}

    def _setup(self, settings: RunSettings, sandbox: Sandbox | None) -> Setup:
        llm = settings.llm if self.asks_models else None
        # Cases come to a worker corrected.
        return Setup(
            judges=tuple(_spec_for_worker(judge) for judge in self.judges),
            settings=replace(settings, llm=llm, overlay=None),
            sandbox=sandbox,
            threads=llm.concurrency if llm is not None and self._waits(settings) else 1,
            batch_size=1 if llm is not None else max(judge.batch_size for judge in self.judges),
        )


def groups_of(judges: Sequence[Judge]) -> tuple[JudgeGroup, ...]:
    """Judges by how they run, those that cost most last."""
    asking = tuple(judge for judge in judges if judge.needs & Needs.LLM)
    local = tuple(judge for judge in judges if judge.one_process and judge not in asking)
    others = tuple(judge for judge in judges if judge not in asking and judge not in local)
    return (
        JudgeGroup(others),
        JudgeGroup(local, one_process=True),
        JudgeGroup(asking, asks_models=True),
    )


def _spec_for_worker(judge: Judge) -> str:
    """The text from which a worker makes the same judge."""
    spec = spec_of(judge)
    if type(judge).__module__ == "__main__":
        raise InputError(
            "SJ411",
            f"the judge {type(judge).__qualname__} is defined in the script that runs; workers "
            "cannot import it from there.",
            hint="Move it to a module of its own and pass 'module:Class'.",
        )
    return spec
