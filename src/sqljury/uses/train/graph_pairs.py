"""Labelled pairs of queries as graphs, to train a graph network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import NamedTuple

from sqljury.errors import InputError
from sqljury.isolation import mapped
from sqljury.likeness.graphs import GraphForm, PairGraph, QueryGraph, graph_of, pair_graph
from sqljury.schema import Schema
from sqljury.trees.nodes import Unreadable
from sqljury.writing import new_file, new_folder

TRAIN, VALIDATION = "train", "validation"
_TEXTS = ("db_id", "reference", "prediction")
_SHARE = 10
"""One of so many databases is for validation if the file does not say."""
_UNTYPED = 6
"""One of so many pairs gets a schema without types, as in some benchmarks."""
_WRITTEN = 4
"""Of so many training pairs, one gets faithful trees on both sides, one on the left only."""

OnProgress = Callable[[int, int], None]


class TrainingPair(NamedTuple):
    """Two queries on a database; ``label`` is True if they are equivalent."""

    db_id: str
    reference: str
    prediction: str
    label: bool
    split: str


@dataclass(frozen=True, slots=True)
class GraphPairs:
    """The pairs of a file that have graphs, in the file's order."""

    pairs: Sequence[TrainingPair]
    graphs: Sequence[PairGraph]
    """A graph per pair; equal queries of a database share one graph object."""
    left_out: int
    """The number of pairs with a query that cannot be parsed or an unknown database."""


def read_pairs(path: Path) -> list[TrainingPair]:
    """The pairs of a file that ``sqljury build pairs`` wrote: a JSON object per line.

    Required are ``db_id``, ``reference``, ``prediction`` and ``label`` (0 or 1). Without ``split``
    (train or validation), a tenth of the databases is for validation.

    Raises:
        InputError: SJ029: the file cannot be read or is empty, or a line is not such a pair.
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


def _pair(line: str, where: str) -> TrainingPair:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
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
    if split is None:
        digest = int(hashlib.sha256(db_id.encode()).hexdigest(), 16)
        split = VALIDATION if digest % _SHARE == 0 else TRAIN
    if split not in (TRAIN, VALIDATION):
        raise InputError("SJ029", f'"split" is neither {TRAIN} nor {VALIDATION}.', where=where)
    return TrainingPair(db_id, reference, prediction, bool(label), split)


# ---------------------------------------------------------------- graphs


class _Query(NamedTuple):
    db_id: str
    source: int
    """The index of the source of its schema."""
    form: GraphForm
    sql: str


def graph_pairs(
    pairs: Sequence[TrainingPair],
    sources: Sequence[Callable[[str], Schema | None]],
    *,
    form: GraphForm = "canonical",
    flows: bool = True,
    as_written: bool = False,
    cache: Path | None = None,
    workers: int = 1,
    on_progress: OnProgress = lambda _done, _total: None,
) -> GraphPairs:
    """The graphs of all pairs; each query's graph is made once, and cached in a file.

    Args:
        sources: return the schema of a database. Each pair uses one of them, chosen by its texts,
            so that the network is trained on the types and keys of each. One pair in six uses the
            first source without types.
        form: see :func:`~sqljury.likeness.graphs.graph_of`.
        as_written: if True, half of the training pairs have a faithful tree on one side or both.
            Among canonical trees few equivalent pairs differ, so there is little to learn from.
        cache: a file of graphs by a digest of all that they depend on; new graphs are added.
        workers: the number of processes that make graphs.
    """
    first = sources[0]
    sources = [*sources, lambda db_id: _untyped(first(db_id))]
    sides = [_sides(pair, len(sources), form, as_written) for pair in pairs]
    queries = list(dict.fromkeys(query for both in sides for query in both))
    graphs = _graphs(queries, sources, flows, cache, workers, on_progress)
    kept, found = [], []
    for pair, (one, other) in zip(pairs, sides, strict=True):
        left, right = graphs.get(one), graphs.get(other)
        if left is not None and right is not None:
            kept.append(pair)
            found.append(pair_graph(left, right))
    return GraphPairs(kept, found, len(pairs) - len(kept))


def _sides(
    pair: TrainingPair, sources: int, form: GraphForm, as_written: bool
) -> tuple[_Query, _Query]:
    """Source of the schema and form of the tree of both queries; the last source has no types."""
    texts = "\0".join((pair.db_id, pair.reference, pair.prediction))
    drawn = int.from_bytes(hashlib.sha256(texts.encode("utf-8", "replace")).digest()[:8])
    drawn, untyped = divmod(drawn, _UNTYPED)
    drawn, source = divmod(drawn, sources - 1)
    source = sources - 1 if untyped == 0 else source
    written = drawn % _WRITTEN if as_written and pair.split == TRAIN else _WRITTEN
    left: GraphForm = "faithful" if written == 0 else form
    right: GraphForm = "faithful" if written in (0, 1) else form
    return (
        _Query(pair.db_id, source, left, pair.reference),
        _Query(pair.db_id, source, right, pair.prediction),
    )


def _untyped(schema: Schema | None) -> Schema | None:
    if schema is None:
        return None
    tables = tuple(
        replace(table, columns=tuple(replace(column, type="") for column in table.columns))
        for table in schema.tables
    )
    return replace(schema, tables=tables)


class _GraphJob(NamedTuple):
    schema: Schema
    form: GraphForm
    flows: bool
    sqls: tuple[str, ...]


def _made(job: _GraphJob) -> list[QueryGraph | None]:
    graphs = (graph_of(sql, job.schema, form=job.form, flows=job.flows) for sql in job.sqls)
    return [None if isinstance(graph, Unreadable) else graph for graph in graphs]


def _graphs(
    queries: Sequence[_Query],
    sources: Sequence[Callable[[str], Schema | None]],
    flows: bool,
    cache: Path | None,
    workers: int,
    on_progress: OnProgress,
) -> dict[_Query, QueryGraph | None]:
    kept = {} if cache is None else _read_cache(cache)
    grouped: dict[tuple[str, int, GraphForm], list[_Query]] = {}
    for query in queries:
        grouped.setdefault(query[:3], []).append(query)
    found: dict[_Query, QueryGraph | None] = {}
    keys: dict[_Query, str] = {}
    jobs: list[tuple[list[_Query], _GraphJob]] = []
    for (db_id, source, form), group in grouped.items():
        schema = sources[source](db_id)
        if schema is None:
            continue
        keys |= _keys(group, schema, flows)
        found |= {query: kept[keys[query]] for query in group if keys[query] in kept}
        missing = [query for query in group if query not in found]
        if missing:
            sqls = tuple(query.sql for query in missing)
            jobs.append((missing, _GraphJob(schema, form, flows, sqls)))
    on_progress(len(found), len(queries))
    made = mapped(_made, [job for _, job in jobs], workers)
    for (missing, _), graphs in zip(jobs, made, strict=True):
        found.update(zip(missing, graphs, strict=True))
        on_progress(len(found), len(queries))
    if cache is not None and jobs:
        kept.update((keys[query], graph) for query, graph in found.items())
        _write_cache(cache, kept)
    return found


def _keys(queries: Sequence[_Query], schema: Schema, flows: bool) -> dict[_Query, str]:
    """The cache's key of each query: a digest of all that its graph depends on."""
    said = hashlib.sha256(f"{_VERSION}/{queries[0].form}/{flows}/{schema!r}/".encode())
    found = {}
    for query in queries:
        digest = said.copy()
        digest.update(query.sql.encode("utf-8", "replace"))
        found[query] = digest.hexdigest()[:24]
    return found


# ---------------------------------------------------------------- the cache

_VERSION = 1
"""The version of cached graphs: change it whenever the same query gives another graph."""


def _read_cache(path: Path) -> dict[str, QueryGraph | None]:
    if not path.is_file():
        return {}
    found: dict[str, QueryGraph | None] = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            key, parts = json.loads(line)
            if parts is not None:
                parts = {name: tuple(value) for name, value in parts.items()}
                parts["edges"] = tuple(map(tuple, parts["edges"]))
            found[key] = parts and QueryGraph(**parts)
    return found


def _write_cache(path: Path, graphs: Mapping[str, QueryGraph | None]) -> None:
    new_folder(path.parent)
    with new_file(path) as file:
        for key, graph in graphs.items():
            parts = graph and {one.name: getattr(graph, one.name) for one in fields(graph)}
            file.write(json.dumps([key, parts], ensure_ascii=True) + "\n")
