"""Labelled pairs of queries as graphs: what a graph network is trained on."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from sqljury.errors import InputError
from sqljury.queries.graphs import GraphForm, PairGraph, QueryGraph, graph_of, pair_graph
from sqljury.queries.trees.nodes import Unreadable
from sqljury.schema import Schema

TRAIN, VALIDATION = "train", "validation"
_TEXTS = ("db_id", "reference", "prediction")
_SHARE = 10
"""One of so many databases is for validation where the file does not say."""
_UNTYPED = 6
"""One of so many pairs is seen with a schema without types, as some benchmarks have them."""

OnProgress = Callable[[int, int], None]


class LabelledPair(NamedTuple):
    """Two queries on a database; ``label`` says whether they are equivalent."""

    db_id: str
    reference: str
    prediction: str
    label: bool
    split: str


@dataclass(frozen=True, slots=True)
class GraphPairs:
    """The pairs of a file that have graphs, in its order."""

    pairs: Sequence[LabelledPair]
    graphs: Sequence[PairGraph]
    """Equal queries of a database share one graph object."""
    left_out: int
    """Pairs of which a query cannot be read, or whose database is not known."""


def read_pairs(path: Path) -> list[LabelledPair]:
    """The pairs of a file that ``sqljury build pairs`` wrote: a JSON object a line.

    Needed are ``db_id``, ``reference``, ``prediction`` and ``label`` (0 or 1); without ``split``
    (train or validation) a tenth of the databases is for validation.

    Raises:
        InputError: SJ029: the file is not there, or a line is not such a pair.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("SJ029", f"cannot be read: {error}.", where=str(path)) from None
    found = [
        _pair(line, f"{path}:{number}")
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    if not found:
        raise InputError("SJ029", "there is no pair in it.", where=str(path))
    return found


def _pair(line: str, where: str) -> LabelledPair:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise InputError("SJ029", f"not JSON: {error}.", where=where) from None
    if not isinstance(record, dict):
        raise InputError("SJ029", "not a JSON object.", where=where)
    texts = [record.get(key) for key in _TEXTS]
    for key, value in zip(_TEXTS, texts, strict=True):
        if not isinstance(value, str):
            raise InputError("SJ029", f'"{key}" is no text.', where=where)
    db_id, reference, prediction = map(str, texts)
    label, split = record.get("label"), record.get("split")
    if label not in (0, 1):
        raise InputError("SJ029", '"label" is neither 0 nor 1.', where=where)
    split = _split_of(db_id) if split is None else split
    if split not in (TRAIN, VALIDATION):
        raise InputError("SJ029", f'"split" is neither {TRAIN} nor {VALIDATION}.', where=where)
    return LabelledPair(db_id, reference, prediction, bool(label), split)


def _split_of(db_id: str) -> str:
    digest = int(hashlib.sha256(db_id.encode()).hexdigest(), 16)
    return VALIDATION if digest % _SHARE == 0 else TRAIN


# ---------------------------------------------------------------- graphs


class _Query(NamedTuple):
    db_id: str
    source: int
    """Which source of schemas it is read with."""
    sql: str


def graph_pairs(
    pairs: Sequence[LabelledPair],
    sources: Sequence[Callable[[str], Schema | None]],
    *,
    form: GraphForm = "canonical",
    flows: bool = True,
    cache: Path | None = None,
    workers: int = 1,
    on_progress: OnProgress = lambda _done, _total: None,
) -> GraphPairs:
    """The graphs of all pairs; each query's graph is made once, and kept in a file.

    Args:
        sources: of schemas; with several, pairs take turns, so that the network meets the types
            and keys of each. Every sixth pair is seen with the first source's names and keys, but
            without types.
        form: see :func:`~sqljury.queries.graphs.graph_of`.
        cache: graphs by a digest of all they depend on; replaced with what was there and what is
            needed now.
        workers: processes that make graphs; more than one need an importable main module.
    """
    first = sources[0]
    sources = [*sources, lambda db_id: _untyped(first(db_id))]
    turns = [(pair, _turn(place, len(sources))) for place, pair in enumerate(pairs)]
    queries = dict.fromkeys(
        _Query(pair.db_id, turn, sql)
        for pair, turn in turns
        for sql in (pair.reference, pair.prediction)
    )
    graphs = _graphs(list(queries), sources, form, flows, cache, workers, on_progress)
    kept, found = [], []
    for pair, turn in turns:
        left, right = (
            graphs.get(_Query(pair.db_id, turn, sql)) for sql in (pair.reference, pair.prediction)
        )
        if left is not None and right is not None:
            kept.append(pair)
            found.append(pair_graph(left, right))
    return GraphPairs(kept, found, len(pairs) - len(kept))


def _turn(place: int, sources: int) -> int:
    """Which source a pair is read with; the last one is that without types."""
    return sources - 1 if place % _UNTYPED == _UNTYPED - 1 else place % (sources - 1)


def _untyped(schema: Schema | None) -> Schema | None:
    if schema is None:
        return None
    tables = tuple(
        replace(table, columns=tuple(replace(column, type="") for column in table.columns))
        for table in schema.tables
    )
    return replace(schema, tables=tables)


class _Job(NamedTuple):
    schema: Schema
    form: GraphForm
    flows: bool
    sqls: tuple[str, ...]


def _made(job: _Job) -> list[QueryGraph | None]:
    graphs = (graph_of(sql, job.schema, form=job.form, flows=job.flows) for sql in job.sqls)
    return [None if isinstance(graph, Unreadable) else graph for graph in graphs]


def _graphs(
    queries: Sequence[_Query],
    sources: Sequence[Callable[[str], Schema | None]],
    form: GraphForm,
    flows: bool,
    cache: Path | None,
    workers: int,
    on_progress: OnProgress,
) -> dict[_Query, QueryGraph | None]:
    kept = {} if cache is None else _read_cache(cache)
    grouped: dict[tuple[str, int], list[str]] = {}
    for query in queries:
        grouped.setdefault((query.db_id, query.source), []).append(query.sql)
    found: dict[_Query, QueryGraph | None] = {}
    keys: dict[_Query, str] = {}
    jobs: list[tuple[tuple[str, int], _Job]] = []
    for (db_id, source), sqls in grouped.items():
        schema = sources[source](db_id)
        if schema is None:
            continue
        said = f"{_VERSION}/{form}/{flows}/{schema!r}/"
        missing = []
        for sql in sqls:
            query = _Query(db_id, source, sql)
            keys[query] = hashlib.sha256((said + sql).encode("utf-8", "replace")).hexdigest()[:24]
            if keys[query] in kept:
                found[query] = kept[keys[query]]
            else:
                missing.append(sql)
        if missing:
            jobs.append(((db_id, source), _Job(schema, form, flows, tuple(missing))))
    total = len(queries)
    on_progress(len(found), total)
    for ((db_id, source), job), graphs in zip(
        jobs, _mapped([job for _, job in jobs], workers), strict=True
    ):
        made = zip((_Query(db_id, source, sql) for sql in job.sqls), graphs, strict=True)
        found.update(made)
        on_progress(len(found), total)
    if cache is not None and jobs:
        kept.update((keys[query], graph) for query, graph in found.items())
        _write_cache(cache, kept)
    return found


def _mapped(jobs: Sequence[_Job], workers: int) -> Iterable[list[QueryGraph | None]]:
    if workers == 1 or len(jobs) < 2:
        yield from map(_made, jobs)
        return
    # Not forked: the caller may have threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=context) as pool:
        yield from pool.map(_made, jobs)


# ---------------------------------------------------------------- the cache

_VERSION = 1
"""Of what graphs look like: change it with ``queries.graphs`` or ``queries.canonical``."""


def _read_cache(path: Path) -> dict[str, QueryGraph | None]:
    if not path.is_file():
        return {}
    found: dict[str, QueryGraph | None] = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            key, parts = json.loads(line)
            found[key] = None if parts is None else _graph(parts)
    return found


def _graph(parts: Mapping[str, Any]) -> QueryGraph:
    values = {name: tuple(value) for name, value in parts.items()}
    return QueryGraph(**{**values, "edges": tuple(map(tuple, parts["edges"]))})


def _write_cache(path: Path, graphs: Mapping[str, QueryGraph | None]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.writelines(_lines(graphs))
    part.replace(path)


def _lines(graphs: Mapping[str, QueryGraph | None]) -> Iterator[str]:
    for key, graph in graphs.items():
        parts = (
            None if graph is None else {one.name: getattr(graph, one.name) for one in fields(graph)}
        )
        yield json.dumps([key, parts], ensure_ascii=True) + "\n"
