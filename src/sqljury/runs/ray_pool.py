"""A pool on several machines: Ray places one :class:`NodeJudges` per node and reports lost nodes.

The store, the ledger and the chat models stay with the driver: nodes receive cases and return
verdicts. The cases of a lost node go to other nodes.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqljury.case import Case
from sqljury.errors import InfrastructureError, InputError, MissingExtraError, SqljuryError
from sqljury.execution import MIB
from sqljury.isolation import TemporaryFolder
from sqljury.judges import make_judge
from sqljury.runs.fingerprints import Changes, DataContents, DataFingerprints
from sqljury.runs.messages import Setup
from sqljury.runs.pool import WorkerPool
from sqljury.runs.settings import confinement
from sqljury.runs.store import VerdictRow, WorkItem
from sqljury.settings import Sources
from sqljury.version import __version__

if TYPE_CHECKING:
    from sqljury.llm import Request, Spent

_FIELDS = ("databases", "descriptions", "schemas", "suites")


@dataclass(frozen=True, slots=True)
class Parcel:
    """Files to send: contents by their path in a folder, and the places they stand for."""

    files: Mapping[str, bytes]
    places: Mapping[str, str]
    """Paths relative to that folder, by the field of :class:`Sources`."""

    def unpacked(self, sources: Sources, folder: Path) -> Sources:
        """Writes the files; returns the same sources, in a folder of this machine."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return replace(sources, **{name: str(folder / at) for name, at in self.places.items()})


def paths_of(sources: Sources) -> dict[str, Path]:
    """The places on this machine's disk, by the field of :class:`Sources`.

    >>> paths_of(Sources(databases="postgresql://server/{db_id}", schemas="tables.json"))
    {'schemas': PosixPath('tables.json')}
    """
    named = {name: getattr(sources, name) for name in _FIELDS}
    return {name: Path(text) for name, text in named.items() if text and "://" not in text}


def packed(sources: Sources, db_ids: Iterable[str]) -> Parcel:
    """The files that a run reads for these databases.

    Raises:
        InputError: SJ424: a place is not a path, but several joined by commas.
    """
    files: dict[str, bytes] = {}
    places: dict[str, str] = {}
    wanted = {db_id.casefold() for db_id in db_ids}
    for name, path in paths_of(sources).items():
        if not path.exists():
            raise InputError(
                "SJ424",
                f"{name} {str(path)!r} cannot be sent to another machine: it is not a single file "
                "or folder.",
                hint="Name one folder, or databases on servers by their URL.",
            )
        places[name] = f"{name}/{path.name}"
        for file in [path] if path.is_file() else _within(path, wanted):
            inner = file.relative_to(path.parent)
            files[f"{name}/{inner}"] = file.read_bytes()
    return Parcel(files, places)


def _within(folder: Path, db_ids: set[str]) -> Iterator[Path]:
    """The files of a folder that belong to these databases: below DB_ID, or DB_ID with a suffix.

    The case of letters is ignored, as when databases and suites are looked up.
    """
    for file in sorted(folder.rglob("*")):
        first = file.relative_to(folder).parts[0].casefold()
        if file.is_file() and (first in db_ids or first.partition(".")[0] in db_ids):
            yield file


# ------------------------------------------------------------
# The judges on one of several machines: a pool of workers in one object, which Ray places.

_REPORT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class NodeSetup:
    """What a machine receives once."""

    pool: Setup
    """Setup of its workers; the machine itself decides how they are confined."""
    one_process: bool
    """True if the judges share one process, as those with a large model do."""
    contents: DataContents


def lacking(sources: Sources) -> list[str]:
    """The places of a run that do not exist on this machine."""
    return [name for name, path in paths_of(sources).items() if not path.exists()]


class NodeJudges:
    """The judges of a run on one machine.

    Args:
        setup: judges and settings.
        parcel: databases and schemas, for a machine that does not share the driver's disk.

    Raises:
        InfrastructureError: SJ423: its version of sqljury differs from the driver's.
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
        """Yields verdicts on some cases, twice a second.

        Raises:
            InfrastructureError: SJ425: a database has other contents here than at the driver.
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
        """Ends the workers; files that were sent are removed."""
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
        f"the {what} {db_id!r} is another here ({here or 'none'}) than on the node where the run "
        f"was started ({there or 'none'}); the values are fingerprints of the contents.",
        where=os.uname().nodename,
        hint="Bring contents and engine versions in line; what was found is kept.",
    )


# ------------------------------------------------------------
# The pool over all nodes.

_FIRST_CHUNK, _LARGEST_CHUNK = 64, 4096
_CHUNK_SECONDS = 4.0
"""Target duration of a chunk: at its end some of a node's workers wait for the others."""
_LARGEST_CHUNK_BYTES = 16 * MIB
_LARGEST_PIECE = 1024
"""Most cases of one question that stay together; thousands of candidates must not make one
chunk."""
_AHEAD = 2
"""Chunks that a node holds, so that it does not wait for the driver."""
_POLL_SECONDS = 0.2
_END_SECONDS = 3.0
_KNOCK_SECONDS = 5.0


@dataclass(eq=False, slots=True)
class _Node:
    """A Ray actor and its chunks; it is working on the first one."""

    actor: Any
    workers: int
    chunks: deque[tuple[Any, dict[int, WorkItem]]] = field(default_factory=deque)
    """Each chunk: the stream of its verdicts, and the cases whose verdicts are missing."""
    judged: int = 0
    seconds: float = 0.0

    def chunk_size(self) -> int:
        """The number of cases that it judges in some seconds, as far as its speed is known."""
        if not self.seconds:
            return _FIRST_CHUNK
        size = int(_CHUNK_SECONDS * self.judged / self.seconds)
        return max(_FIRST_CHUNK, min(_LARGEST_CHUNK, size))


class RayPool:
    """Judges of a run, on all nodes of a Ray cluster.

    Args:
        setup: returns judges, settings and database fingerprints; called when the run begins.
        address: the cluster's address, as ``ray.init`` takes it; empty for RAY_ADDRESS, or for a
            cluster of this machine alone.
        check: called with the names of databases of new verdicts.

    Raises:
        MissingExtraError: Ray is not installed.
        InfrastructureError: SJ422: there is no cluster at that address.
    """

    def __init__(
        self,
        setup: Callable[[], NodeSetup],
        address: str,
        check: Callable[[Iterable[str]], None] = lambda _: None,
    ) -> None:
        self._setup, self._address, self._check = setup, address, check
        self._nodes: list[_Node] = []
        self._again: deque[list[WorkItem]] = deque()
        """Cases that lost nodes did not judge."""
        self._connected_here = False
        self.missing: dict[str, Request] = {}
        self.spent: Spent | None = None

    def __enter__(self) -> RayPool:
        ray = _ray()
        if not ray.is_initialized():
            self._connected_here = True
            try:
                # Fail at once if nothing listens there: Ray itself would wait for minutes.
                host, _, port = self._address.rpartition(":")
                if host and port.isdigit():
                    socket.create_connection((host, int(port)), timeout=_KNOCK_SECONDS).close()
                ray.init(address=self._address or None, log_to_driver=False, logging_level="ERROR")
            except (OSError, RuntimeError, ConnectionError, ValueError) as error:
                raise InfrastructureError(
                    "SJ422",
                    f"no Ray cluster can be reached at {self._address or 'this machine'}: "
                    f"{str(error).partition(chr(10))[0]}.",
                    hint="`ray status` says which are there; --executor ray:HOST:6379 names one.",
                ) from error
        return self

    def __exit__(self, *_: object) -> None:
        if self._connected_here:
            _ray().shutdown()

    def run(self, items: Iterable[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        """Judges all items; yields verdicts as they are found, in no particular order.

        Raises:
            SqljuryError: the nodes cannot work, or all of them are lost.
        """
        pieces = _pieces(items)
        first = next(pieces, None)
        if first is None:
            return
        source = itertools.chain([first], pieces)
        try:
            self._nodes = self._placed()
            self._fill(source)
            while any(node.chunks for node in self._nodes):
                yield from self._next()
                self._fill(source)
        finally:
            while self._nodes:
                actor = self._nodes.pop().actor
                ray = _ray()
                # If the actor is gone or busy, Ray ends its process, and its workers end with it.
                with contextlib.suppress(Exception):
                    ray.get(actor.close.remote(), timeout=_END_SECONDS)
                ray.kill(actor)

    # ------------------------------------------------------------ nodes

    def _placed(self) -> list[_Node]:
        """One actor on each live node; only on nodes with a GPU if a judge's network needs one."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray = _ray()
        setup = self._setup()
        alive = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        with_gpu = [node for node in alive if node["Resources"].get("GPU")]
        chosen = with_gpu if setup.one_process and with_gpu else alive
        parcel = None
        nodes = []
        for node in chosen:
            on = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            look = ray.remote(lacking).options(num_cpus=0, scheduling_strategy=on)
            missing = ray.get(look.remote(setup.pool.settings.sources))
            if missing and parcel is None:
                parcel = ray.put(packed(setup.pool.settings.sources, setup.contents.databases))
            # As many workers as the node lends to Ray.
            workers = max(1, int(node["Resources"]["CPU"]))
            settings = replace(setup.pool.settings, workers=workers)
            actor = ray.remote(NodeJudges).options(
                num_cpus=workers,
                num_gpus=1 if setup.one_process and with_gpu else 0,
                scheduling_strategy=on,
            )
            own = replace(setup, pool=replace(setup.pool, settings=settings))
            made = actor.remote(own, __version__, parcel if missing else None)
            nodes.append(_Node(made, workers))
        return nodes

    def _lost(self, node: _Node) -> None:
        self._nodes.remove(node)
        for _, waiting in node.chunks:
            self._again.extend(_pieces(waiting.values()))
        node.chunks.clear()
        if not self._nodes:
            raise InfrastructureError(
                "SJ426",
                "all nodes of the Ray cluster are lost.",
                hint="What was found is kept. Run the same command again once there are some.",
            )

    # ------------------------------------------------------------ chunks

    def _fill(self, source: Iterator[list[WorkItem]]) -> None:
        for depth in range(_AHEAD):
            for node in self._nodes:
                if len(node.chunks) > depth:
                    continue
                items = self._chunk(source, node.chunk_size())
                if items:
                    stream = node.actor.judge.options(num_returns="streaming").remote(items)
                    node.chunks.append((stream, {item.number: item for item in items}))

    def _chunk(self, source: Iterator[list[WorkItem]], size: int) -> list[WorkItem]:
        """Takes whole pieces, so that cases that are judged together are not separated."""
        items: list[WorkItem] = []
        weight = 0
        while len(items) < size and weight < _LARGEST_CHUNK_BYTES:
            piece = self._again.popleft() if self._again else next(source, None)
            if piece is None:
                break
            items += piece
            weight += sum(len(item.body) for item in piece)
        return items

    def _next(self) -> Iterator[tuple[VerdictRow, ...]]:
        """Yields what the streams with news report; an empty tuple after a while without news."""
        ray = _ray()
        streams = {node.chunks[0][0]: node for node in self._nodes if node.chunks}
        ready, _ = ray.wait(list(streams), num_returns=1, timeout=_POLL_SECONDS)
        if not ready:
            yield ()  # lets the caller act, e.g. save verdicts
        for stream in ready:
            yield self._heard(streams[stream])

    def _heard(self, node: _Node) -> tuple[VerdictRow, ...]:
        ray = _ray()
        stream, waiting = node.chunks[0]
        try:
            rows: tuple[VerdictRow, ...] = ray.get(next(stream))
        except StopIteration:
            node.chunks.popleft()
            return ()
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, SqljuryError):
                raise error.cause from None
            raise
        except ray.exceptions.RayError:  # the node is lost, or its report was lost with it
            self._lost(node)
            return ()
        found = {row.number: waiting[row.number] for row in rows if row.number in waiting}
        self._check({item.group[0] for item in found.values()})
        node.judged += len(found)
        node.seconds += sum(row.seconds for row in rows) / node.workers
        for number in found:
            del waiting[number]
        return rows


def _pieces(items: Iterable[WorkItem]) -> Iterator[list[WorkItem]]:
    """Groups the cases of one question, up to a limit that does not depend on the order of
    nodes."""
    for _, group in itertools.groupby(items, lambda item: item.group):
        while piece := list(itertools.islice(group, _LARGEST_PIECE)):
            yield piece


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("ray", "distributed", "judging on several machines") from error
    return ray
