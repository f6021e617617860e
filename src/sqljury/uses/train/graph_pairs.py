"""Labelled pairs of queries as graphs, to train a graph network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from sqljury.equivalence.canonical import rule_names
from sqljury.errors import InputError
from sqljury.isolation import mapped
from sqljury.likeness.graphs import GraphForm, PairGraph, QueryGraph, graphs_of, pair_graph
from sqljury.schema import Schema
from sqljury.trees.nodes import Unreadable
from sqljury.writing import new_file, new_folder

TRAIN, VALIDATION = "train", "validation"
_TEXTS = ("db_id", "reference", "prediction")
_SHARE = 10
"""One of so many databases is for validation if the file does not say."""
_LEFT_OUT = 0.4
"""The share of rewrite rules that one view of a training pair does without."""

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
    views: Sequence[Sequence[PairGraph]]
    """Per pair its graphs in one form or several, those that the judge reads first. Equal graphs
    are one object."""
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
            raise InputError("SJ029", f'"{key}" is not text.', where=where)
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
    without: frozenset[str]
    """The rewrite rules that are left out."""
    sql: str


def graph_pairs(
    pairs: Sequence[TrainingPair],
    sources: Sequence[Callable[[str], Schema | None]],
    *,
    form: GraphForm = "canonical",
    flows: bool = True,
    varied: bool = False,
    cache: Path | None = None,
    workers: int = 1,
    on_progress: OnProgress = lambda _done, _total: None,
) -> GraphPairs:
    """The graphs of all pairs; each query's graph is made once, and cached in a file.

    Args:
        sources: return the schema of a database. Six of ten pairs use the first source, two the
            last; one uses the first without types, one without keys. So the network learns from
            schemas that say more and less.
        form: see :func:`~sqljury.likeness.graphs.graph_of`. Canonical pairs have a second view,
            ``plausible``, as the judge reads both.
        varied: add two views to each training pair: canonical without two of five rewrite rules,
            and with one query or both as written. Few equivalent pairs have different canonical
            graphs. Without some rules many have, and they differ as those do for which there is no
            rule.
        cache: a file of graphs by a digest of all that they depend on; new graphs are added.
        workers: the number of processes that make graphs.
    """
    first = sources[0]
    known = [
        first,
        sources[-1],
        lambda name: _untyped(first(name)),
        lambda name: _free(first(name)),
    ]
    asked = [_views(pair, form, varied and pair.split == TRAIN) for pair in pairs]
    queries = list(dict.fromkeys(query for views in asked for both in views for query in both))
    graphs = _graphs(queries, known, flows, cache, workers, on_progress)
    kept, found = [], []
    for pair, views in zip(pairs, asked, strict=True):
        sides = [(graphs.get(one), graphs.get(other)) for one, other in views]
        made = [pair_graph(a, b) for a, b in sides if a is not None and b is not None]
        if len(made) == len(views):
            kept.append(pair)
            found.append(made)
    return GraphPairs(kept, found, len(pairs) - len(kept))


def _views(pair: TrainingPair, form: GraphForm, varied: bool) -> list[tuple[_Query, _Query]]:
    """For each view of a pair its two queries: source of the schema, form, rules left out."""
    texts = "\0".join((pair.db_id, pair.reference, pair.prediction))
    digest = hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    drawn = int(digest, 16)
    source = (0, 0, 0, 0, 0, 0, 1, 1, 2, 3)[drawn % 10]

    def view(
        left: GraphForm, right: GraphForm, without: frozenset[str] = frozenset()
    ) -> tuple[_Query, _Query]:
        return (
            _Query(pair.db_id, source, left, without, pair.reference),
            _Query(pair.db_id, source, right, without, pair.prediction),
        )

    if form != "canonical":
        return [view(form, form)]
    found = [view("canonical", "canonical"), view("plausible", "plausible")]
    if varied:
        random = Random(drawn)
        without = frozenset(name for name in rule_names() if random.random() < _LEFT_OUT)
        one: GraphForm = random.choice(("canonical", "plausible"))
        found.append(view(one, one, without))
        other: GraphForm = random.choice(("canonical", "plausible"))
        found.append(
            random.choice(
                (
                    view("faithful", "faithful"),
                    view("faithful", other),
                    view(other, "faithful"),
                )
            )
        )
    return found


def _untyped(schema: Schema | None) -> Schema | None:
    if schema is None:
        return None
    tables = tuple(
        replace(table, columns=tuple(replace(column, type="") for column in table.columns))
        for table in schema.tables
    )
    return replace(schema, tables=tables)


def _free(schema: Schema | None) -> Schema | None:
    """The schema without keys."""
    if schema is None:
        return None
    none: dict[str, Any] = {"primary_key": (), "unique": (), "foreign_keys": ()}
    return replace(schema, tables=tuple(replace(table, **none) for table in schema.tables))


class _GraphJob(NamedTuple):
    schema: Schema
    form: GraphForm
    without: frozenset[str]
    flows: bool
    sqls: tuple[str, ...]


def _made(job: _GraphJob) -> list[QueryGraph | None]:
    found = (
        graphs_of(sql, job.schema, forms=(job.form,), flows=job.flows, without=job.without)
        for sql in job.sqls
    )
    return [None if isinstance(graphs, Unreadable) else graphs[0] for graphs in found]


def _graphs(
    queries: Sequence[_Query],
    sources: Sequence[Callable[[str], Schema | None]],
    flows: bool,
    cache: Path | None,
    workers: int,
    on_progress: OnProgress,
) -> dict[_Query, QueryGraph | None]:
    kept = {} if cache is None else _read_cache(cache)
    grouped: dict[tuple[str, int, GraphForm, frozenset[str]], list[_Query]] = {}
    for query in queries:
        grouped.setdefault(query[:4], []).append(query)
    found: dict[_Query, QueryGraph | None] = {}
    keys: dict[_Query, str] = {}
    jobs: list[tuple[list[_Query], _GraphJob]] = []
    for (db_id, source, form, without), group in grouped.items():
        schema = sources[source](db_id)
        if schema is None:
            continue
        keys |= _keys(group, schema, flows)
        found |= {query: kept[keys[query]] for query in group if keys[query] in kept}
        missing = [query for query in group if query not in found]
        if missing:
            sqls = tuple(query.sql for query in missing)
            jobs.append((missing, _GraphJob(schema, form, without, flows, sqls)))
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
    one = queries[0]
    said = hashlib.sha256(
        f"{_VERSION}/{one.form}/{sorted(one.without)}/{flows}/{schema!r}/".encode()
    )
    found = {}
    for query in queries:
        digest = said.copy()
        digest.update(query.sql.encode("utf-8", "replace"))
        found[query] = digest.hexdigest()[:24]
    return found


# ---------------------------------------------------------------- the cache

_VERSION = 2
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
