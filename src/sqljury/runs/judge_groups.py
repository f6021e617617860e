"""Judges by how they run: each group has a pool of workers, which may use only what they need."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sqljury.databases import Sources, open_databases, open_suites, reached
from sqljury.errors import InputError
from sqljury.isolation import Sandbox, own_uid, without_secrets
from sqljury.judges import Judge, Needs, spec_of
from sqljury.runs.fingerprints import Changes, DataContents
from sqljury.runs.messages import Setup
from sqljury.runs.pool import WorkerPool
from sqljury.runs.settings import LOCAL, RunSettings, store_key
from sqljury.runs.store import RunStore

if TYPE_CHECKING:
    from sqljury.runs.ray_pool import RayPool

_CLIENT_VARIABLES = ("PG", "MYSQL", "MARIADB", "SSL_CERT_", "KRB5", "LOCALDOMAIN", "RES_OPTIONS")
_CLIENT_FILES = (
    *("~/.pgpass", "~/.pg_service.conf", "~/.postgresql", "~/.my.cnf", "~/.mylogin.cnf"),
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/ssl", "/etc/pki"),
    *("/etc/ca-certificates", "/etc/crypto-policies", "/etc/krb5.conf", "/etc/krb5.conf.d"),
    *("/etc/my.cnf", "/etc/mysql", "/etc/postgresql-common", "/usr/share", "/run/systemd/resolve"),
    "/proc",  # how much memory a server's process holds; what else it holds the kernel keeps shut
)
_PATH_IN_URL = re.compile(r"[?&](?:ssl|service|pass)[a-z_]*=(/[^&,]*)")
_KNOWN_SERVERS = frozenset({"postgresql", "postgres", "mysql", "mariadb"})
_SECRET = re.compile(r"KEY|TOKEN|SECRET|CREDENTIAL", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Confinement:
    """How workers are confined: their sandbox, or None, and their variables."""

    sandbox: Sandbox | None
    environment: Mapping[str, str]


def confinement(judges: Sequence[Judge], settings: RunSettings) -> Confinement:
    """How the workers of these judges are confined: as the judge that needs most.

    * Judges of your own, and those that run a network on this machine, may do what you may.
    * Judges that ask chat models read any file, write beside their ledger, have the network and
      all variables, and may start programs.
    * All others read databases, schemas, suites and the files that they name, and write nothing.
      Where databases are on servers they have the network, and the variables of those servers'
      clients.
    """
    if any(_is_unknown(judge) for judge in judges):
        return Confinement(None, os.environ)
    if any(judge.needs & Needs.LLM for judge in judges):
        return Confinement(_asking(settings), os.environ)
    sources = settings.sources
    paths, schemes = _of_databases(sources)
    reads = [*paths, *_named(judges), *_given(sources)]
    if not schemes:
        known = tuple(dict.fromkeys(map(str, reads)))
        uid, _ = own_uid(known)
        sandbox = Sandbox(reads=known, writes=(), uid=uid)
        return Confinement(sandbox, without_secrets(os.environ))
    if not _KNOWN_SERVERS.issuperset(schemes):  # a driver that we know nothing of
        sandbox = Sandbox(reads=None, writes=(), network=True)
        variables = without_secrets(os.environ, whole=lambda name: not _SECRET.search(name))
        return Confinement(sandbox, variables)
    reads += [Path(file).expanduser() for file in _CLIENT_FILES]
    reads += [Path(path) for path in _PATH_IN_URL.findall(unquote(sources.databases or ""))]
    variables = without_secrets(os.environ, *_CLIENT_VARIABLES)
    reads += [Path(text) for name, text in variables.items() if name.startswith(_CLIENT_VARIABLES)]
    sandbox = Sandbox(reads=tuple(map(str, reads)), writes=(), network=True)
    return Confinement(sandbox, variables)


def _is_unknown(judge: Judge) -> bool:
    """Whether a judge may need anything: a plugin, or torch with its compilers and devices."""
    built_in = type(judge).__module__.startswith("sqljury.judges.")
    return not built_in or judge.runs_network or any("scripted:" in text for text in _texts(judge))


def _asking(settings: RunSettings) -> Sandbox:
    ledger = None if settings.llm is None else settings.llm.ledger
    folder = () if ledger is None else (str(Path(ledger).resolve().parent),)
    for place in folder:
        Path(place).mkdir(parents=True, exist_ok=True)
    return Sandbox(reads=None, writes=folder, network=True, programs=True)


def _of_databases(sources: Sources) -> tuple[list[Path], list[str]]:
    if sources.databases is None:
        return [], []
    return reached(open_databases(sources.databases, descriptions=sources.descriptions))


def _given(sources: Sources) -> list[Path]:
    paths = [] if sources.suites is None else open_suites(sources.suites).reached()
    return [*paths, *([] if sources.schemas is None else [Path(sources.schemas)])]


def _named(judges: Sequence[Judge]) -> list[Path]:
    """Files and folders that are options of judges."""
    return [Path(text) for judge in judges for text in _texts(judge) if text and _is_path(text)]


def _is_path(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # too long for a path, or no path at all
        return False


def _texts(judge: Judge) -> list[str]:
    if not is_dataclass(judge):
        return []
    values = [getattr(judge, field.name) for field in fields(judge)]
    return [value for value in values if isinstance(value, str)]


# ------------------------------------------------------------
# Judges by how they run: each group has a pool of workers of its own.


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
        """With one thread for matrices in each process where there are several: they share the
        cores."""
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
