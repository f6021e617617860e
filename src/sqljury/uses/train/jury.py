"""Train the jury's model on tables of features."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqljury.benchmarks.fields import as_object
from sqljury.benchmarks.files import FileRecord, PathLike, Source
from sqljury.errors import InputError
from sqljury.judges.jury_features import Feature, all_groups, chosen_groups, known_of_rows
from sqljury.learning.jury import PENALTIES, JuryModel, train_jury

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DATABASES: Final = 10
"""With so many databases the calibration is on databases that the trees have not seen, with fewer
on questions."""


def train_jury_on(
    tables: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    weights: Mapping[str, float] | None = None,
    groups: str = "",
    reference: str = "query",
    seed: int = 0,
) -> JuryModel:
    """Train a jury and write its file, for ``jury:offline,weights=OUT``.

    Args:
        tables: files that ``sqljury evaluate --features`` wrote as ``.jsonl``. Cases without a
            label are left out. Cases with the same database and id belong to one question. A
            field ``weight`` of a row multiplies that of its benchmark.
        weights: the weight of a benchmark's cases, by the benchmark's name, or of those of one
            database, by ``BENCHMARK/DATABASE``; by default 1. If a benchmark has a weight below 1
            and another one has not, its cases train the trees and do not count in the calibration.
        groups: names of groups of features to use, joined by ``+``; empty for all.
        reference: ``query``; ``rows`` for the features that are known where the reference is a
            result table; ``none`` for those that are known without a reference, for
            ``jury:offline,reference=false,weights=OUT``.
        seed: the seed of the folds and the trees.

    Raises:
        InputError: SJ347: a table that cannot be used; SJ348: no such group; SJ021: too few cases.
        MissingExtraError: SJ001: scikit-learn is not installed.
    """
    import numpy as np

    paths = [tables] if isinstance(tables, str | os.PathLike) else list(tables)
    rows = [row for path in paths for row in _labelled(Path(path))]
    found = {name for row in rows for name in row}
    chosen = chosen_groups(groups) if groups else all_groups()
    known: Mapping[str, Callable[[Feature], bool]] = {
        "query": lambda _: True,
        "rows": known_of_rows,
        "none": lambda one: one.alone,
    }
    features = [
        one
        for group in chosen
        for one in group.features
        if one.name in found and known[reference](one) and one.name not in PENALTIES
    ]
    if not rows or not features:
        where = ", ".join(str(path) for path in paths)
        raise InputError("SJ347", "no labelled case with features.", where=where)
    given = weights or {}
    card = {
        "tables": [Path(path).name for path in paths],
        "cases": dict(sorted(Counter(str(row["benchmark"]) for row in rows).items())),
        "weights": dict(sorted(given.items())),
        "groups": [group.name for group in chosen],
        "reference": reference,
        "seed": seed,
    }
    of_row = np.array([_weight(row, given) for row in rows])
    trusted = np.array([given.get(str(row["benchmark"]), 1.0) >= 1 for row in rows])
    names = ([row["db_id"] for row in rows], [f"{row['db_id']}/{row['id']}" for row in rows])
    model = train_jury(
        [one.name for one in features],
        [one.sign for one in features],
        _vectors(rows, [one.name for one in features]),
        np.array([row["label"] for row in rows], dtype=bool),
        of_row,
        names[0] if len(set(names[0])) >= _DATABASES else names[1],
        card=card,
        counted=of_row * trusted if trusted.any() else of_row,
        seed=seed,
    )
    model.save(out)
    return model


def _weight(row: Mapping[str, Any], known: Mapping[str, float]) -> float:
    benchmark = str(row["benchmark"])
    of_benchmark = known.get(f"{benchmark}/{row['db_id']}", known.get(benchmark, 1.0))
    own = row.get("weight", 1.0)
    if not isinstance(own, int | float) or not 0 <= own < inf:
        raise InputError("SJ347", f"weight {own!r} is not a number of at least 0.")
    return of_benchmark * own


def _labelled(path: Path) -> Iterator[Mapping[str, Any]]:
    for record in Source(path).records():
        row = _row(record)
        if row["label"] is not None:
            yield row


def _row(record: FileRecord) -> Mapping[str, Any]:
    row = as_object(record)
    for key in ("benchmark", "id", "db_id", "label"):
        if key not in row:
            raise InputError("SJ347", f"the row has no {key!r}.", where=record.origin)
    if not isinstance(row["label"], bool | None):
        raise InputError("SJ347", f"label {row['label']!r} is neither yes nor no.",
                         where=record.origin)  # fmt: skip
    return row


def _vectors(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> NDArray[Any]:
    """A matrix with a row for each case; unknown features are NaN."""
    import numpy as np

    try:
        return np.array([[row.get(name) for name in names] for row in rows], dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError("SJ347", f"a feature is not a number: {error}.") from None
