"""Train a graph network on labelled pairs of queries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqljury.databases import read_schemas, schema_reader
from sqljury.errors import InputError
from sqljury.learning.graph_matching.options import NetworkOptions, TrainingOptions
from sqljury.likeness.graphs import GRAPH_FORMS, GraphForm, PairGraph
from sqljury.reports.scatter import curves_svg
from sqljury.schema import Schema
from sqljury.uses.train.graph_pairs import TRAIN, GraphPairs, graph_pairs, read_pairs
from sqljury.writing import PathLike, new_file, new_folder

if TYPE_CHECKING:
    from sqljury.learning.graph_matching.matcher import Matcher
    from sqljury.learning.graph_matching.training import Epoch, Trainer


@dataclass(frozen=True, slots=True)
class TrainedMatch:
    """A trained network, and its training."""

    matcher: Matcher
    epochs: tuple[Epoch, ...]
    train: int
    """The number of views of training pairs; those of equal graphs are not among them."""
    validation: int
    left_out: int
    """The number of pairs without graphs: a query cannot be read, or a database is not known."""

    @property
    def best(self) -> Epoch:
        """The epoch whose weights were taken: the first with the highest validation AUC."""
        return max(self.epochs, key=lambda epoch: epoch.auc)


def train_graph_match(
    pairs: PathLike,
    out: PathLike,
    *,
    databases: PathLike | None = None,
    schemas: PathLike | None = None,
    form: GraphForm = "canonical",
    flows: bool = True,
    varied: bool = True,
    network: NetworkOptions | None = None,
    training: TrainingOptions | None = None,
    work: PathLike | None = None,
    workers: int = 1,
    on_graphs: Callable[[int, int], None] = lambda _done, _total: None,
    on_epoch: Callable[[Epoch], None] = lambda _epoch: None,
) -> TrainedMatch:
    """Train the network of the judge ``graph_match``; write it and its curve (JSON, SVG).

    Graphs, and a checkpoint after each epoch, are kept in ``work``: the same call again resumes.

    Args:
        pairs: a file that ``sqljury build pairs`` wrote; see
            :func:`~sqljury.uses.train.graph_pairs.read_pairs`.
        out: the model file; the curve is written to the same folder.
        databases: the databases whose schemas are read.
        schemas: a file of schemas. With ``databases`` too, some pairs get their schema from the
            one, some from the other, so that the network learns from the types and keys of both.
        form: the form of the graphs.
        flows: add edges for logic and data flow.
        varied: see :func:`~sqljury.uses.train.graph_pairs.graph_pairs`.
        work: the folder of graphs and checkpoints [default: ``out`` with the suffix ``.work``].
        workers: the number of processes that make graphs.

    Raises:
        InputError: SJ029: no pairs; SJ320: no schemas for them; SJ021: a label is missing, or no
            pair has graphs; SJ003: no such form; SJ801: a file cannot be written.
        MissingExtraError: torch is not installed.

    Source: Zhan et al. 2024 (FuncEvalGMN), sections 4 and 5.
    """
    from sqljury.learning.graph_matching.matcher import need_torch

    if form not in GRAPH_FORMS:
        raise InputError("SJ003", f"--form {form} is none of {', '.join(GRAPH_FORMS)}.")
    need_torch("Training a graph network")
    target, path = Path(out), Path(pairs)
    folder = Path(work) if work is not None else target.with_suffix(".work")
    network, training = network or NetworkOptions(), training or TrainingOptions()
    sources = _sources(databases, schemas)

    found = graph_pairs(
        read_pairs(path),
        sources,
        form=form,
        flows=flows,
        varied=varied,
        cache=folder / "graphs.jsonl",
        workers=workers,
        on_progress=on_graphs,
    )
    if not found.pairs:
        raise InputError(
            "SJ021", "the queries of no pair can be read.", hint="Are these the pairs' databases?"
        )
    views = ["canonical", "plausible"] if form == "canonical" else [form]
    trainer = _trainer(found, network, training, folder, on_epoch)
    graphs = {"form": form, "views": views, "flows": flows, "varied": varied}
    matcher, epochs = trainer.run({**graphs, **_facts(path, found, training)})
    trained = TrainedMatch(
        matcher,
        tuple(epochs),
        len(trainer.training.learnt()[0]),
        len(trainer.validation.labels),
        found.left_out,
    )
    trained.matcher.save(target)
    _write_curve(target, trained)
    return trained


def _sources(
    databases: PathLike | None, schemas: PathLike | None
) -> list[Callable[[str], Schema | None]]:
    found: list[Callable[[str], Schema | None]] = []
    if schemas is not None:
        found.append(read_schemas(str(schemas)).get)
    if databases is not None:
        found.append(schema_reader(databases))
    if not found:
        raise InputError(
            "SJ320",
            "no schemas.",
            hint="Give --databases, --schemas, or both: then pairs take turns.",
        )
    return found


def _trainer(
    found: GraphPairs,
    network: NetworkOptions,
    training: TrainingOptions,
    folder: Path,
    on_epoch: Callable[[Epoch], None],
) -> Trainer:
    import numpy as np

    from sqljury.learning.graph_matching.graphs import Vocabulary
    from sqljury.learning.graph_matching.matcher import encode
    from sqljury.learning.graph_matching.network import packed
    from sqljury.learning.graph_matching.training import Examples, Trainer

    is_train = np.array([pair.split == TRAIN for pair in found.pairs], dtype=bool)
    known = {
        id(graph): graph
        for views, own in zip(found.views, is_train, strict=True)
        if own
        for pair in views
        for graph in (pair.left, pair.right)
    }
    vocabulary = Vocabulary.of(known.values())
    labels = np.array([pair.label for pair in found.pairs], dtype=bool)
    # Equal graphs are no examples: their score is 1.
    places = np.full((len(labels), max(map(len, found.views))), -1, dtype=np.int64)
    differing: list[PairGraph] = []
    for number, views in enumerate(found.views):
        for view, pair in enumerate(views):
            if pair.left != pair.right:
                places[number, view] = len(differing)
                differing.append(pair)
    data = packed(*encode(differing, vocabulary))
    held = len(found.views[int(np.argmin(is_train))])
    fingerprint = hashlib.sha256(repr((found.pairs, found.views)).encode()).hexdigest()
    key = hashlib.sha256(repr((fingerprint, network, training)).encode()).hexdigest()[:8]
    new_folder(folder)
    return Trainer(
        data,
        Examples(places[is_train], labels[is_train]),
        Examples(places[~is_train, :held], labels[~is_train]),
        vocabulary,
        network,
        training,
        fingerprint,
        folder / f"checkpoint-{key}.npz",
        on_epoch,
    )


def _facts(path: Path, found: GraphPairs, training: TrainingOptions) -> dict[str, Any]:
    return {
        "pairs": path.name,
        "pairs_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "train": sum(pair.split == TRAIN for pair in found.pairs),
        "validation": sum(pair.split != TRAIN for pair in found.pairs),
        "training": training.to_json(),
    }


def _write_curve(target: Path, trained: TrainedMatch) -> None:
    with new_file(target.with_suffix(".curve.json")) as file:
        file.write(json.dumps([asdict(epoch) for epoch in trained.epochs], indent=2) + "\n")
    line = [epoch.auc for epoch in trained.epochs]
    with new_file(target.with_suffix(".curve.svg")) as file:
        file.write(curves_svg("AUC on validation pairs", [(target.stem, line)]))
