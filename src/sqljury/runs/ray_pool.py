"""A pool on several machines: Ray places one :class:`NodeJudges` a node and tells when one is lost.

The store, the ledger and what is asked of chat models stay with the driver: nodes are handed cases
and give verdicts back. The cases of a node that is lost go to the others.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqljury.errors import InfrastructureError, MissingExtraError, SqljuryError
from sqljury.execution import MIB
from sqljury.runs.node import NodeJudges, NodeSetup, lacking
from sqljury.runs.parcel import packed
from sqljury.runs.store import VerdictRow, WorkItem
from sqljury.version import __version__

if TYPE_CHECKING:
    from sqljury.llm import Request, Spent

_FIRST_CHUNK, _LARGEST_CHUNK = 64, 4096
_CHUNK_SECONDS = 4.0
"""Aim for this much work in a chunk: at its end some of a node's workers wait for the others."""
_LARGEST_CHUNK_BYTES = 16 * MIB
_LARGEST_PIECE = 1024
"""Cases of one question that are not parted; thousands of candidates must not make one chunk."""
_AHEAD = 2
"""Chunks that a node holds, so that it does not wait for the driver."""
_POLL_SECONDS = 0.2
_END_SECONDS = 3.0
_KNOCK_SECONDS = 5.0


@dataclass(eq=False, slots=True)
class _Node:
    """An actor, and the chunks it has, the one it is at first."""

    actor: Any
    workers: int
    chunks: deque[tuple[Any, dict[int, WorkItem]]] = field(default_factory=deque)
    """Each with the stream of its verdicts, and the cases that these are yet to come for."""
    judged: int = 0
    seconds: float = 0.0

    def chunk_size(self) -> int:
        """As many cases as it judges in some seconds, as far as that is known."""
        if not self.seconds:
            return _FIRST_CHUNK
        size = int(_CHUNK_SECONDS * self.judged / self.seconds)
        return max(_FIRST_CHUNK, min(_LARGEST_CHUNK, size))


class RayPool:
    """Judges of a run on all nodes of a Ray cluster.

    Args:
        setup: judges, settings, what the databases hold; asked for when the run begins.
        address: of the cluster, as ``ray.init`` takes it; empty for RAY_ADDRESS, or a cluster of
            this machine alone.
        check: called with the names of databases that verdicts were just found on.

    Raises:
        MissingExtraError: Ray is not installed.
        InfrastructureError: SJ422: there is no cluster there.
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
        """What lost nodes had yet to judge."""
        self._connected_here = False
        self.missing: dict[str, Request] = {}
        self.spent: Spent | None = None

    def __enter__(self) -> RayPool:
        ray = _ray()
        if not ray.is_initialized():
            self._connected_here = True
            try:
                _knock(self._address)
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
        """Judge all items; verdicts come as they are found, in no particular order.

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
                _end(self._nodes.pop().actor)

    # ------------------------------------------------------------ nodes

    def _placed(self) -> list[_Node]:
        """An actor on each node that is alive; those with a GPU, where a network wants one."""
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
        """Whole pieces: what judges see together is not parted."""
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
        """What the next stream that has something says; nothing after a while without."""
        ray = _ray()
        streams = {node.chunks[0][0]: node for node in self._nodes if node.chunks}
        ready, _ = ray.wait(list(streams), num_returns=1, timeout=_POLL_SECONDS)
        if not ready:
            yield ()  # a turn for the caller, who may have something to save
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
        except ray.exceptions.RayError:  # the node is gone, or what it said went with it
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
    """Cases of one question together, up to a bound that no order of nodes moves."""
    for _, group in itertools.groupby(items, lambda item: item.group):
        while piece := list(itertools.islice(group, _LARGEST_PIECE)):
            yield piece


def _end(actor: Any) -> None:
    """End its workers; where it is gone or busy Ray ends its process, and they end with it."""
    ray = _ray()
    with contextlib.suppress(Exception):
        ray.get(actor.close.remote(), timeout=_END_SECONDS)
    ray.kill(actor)


def _knock(address: str) -> None:
    """Fail at once where nobody listens: Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=_KNOCK_SECONDS).close()


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("ray", "distributed", "judging on several machines") from error
    return ray
