"""Train detectors of unanswerable questions or wrong SQL, from files of questions or runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.benchmarks import (
    read_cases,
)
from sqljury.errors import InputError
from sqljury.runs import open_run
from sqljury.uses.trust.records import (
    DetectorExample,
    answerable_examples,
    right_examples,
)
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from sqljury.learning.detector import DistanceDetector, Kind, Reads, TrainedDetector
from sqljury.uses.trust.files import canonical_judge, check_judge


def train_detector_on(
    inputs: Sequence[str],
    *,
    judge: str | None = None,
    kind: str = "novelty",
    vectors: str | None = None,
    background: PathLike | None = None,
    pooled: bool = False,
    seed: int = 0,
) -> tuple[TrainedDetector | DistanceDetector, int, int]:
    """Train a detector of unanswerable questions or wrong SQL.

    Returns the detector, the number of positive examples (answerable, right) and of negative ones.

    Args:
        inputs: files of questions, to learn which can be answered; or runs, to learn from their
            verdicts which SQL is right.
        judge: the judge whose verdicts are used; by default the run's first.
        kind: ``novelty``, ``forest``, or ``distance``, which learns from positive examples alone.
        vectors: the representation of texts, for ``novelty`` and ``distance``
            (:mod:`sqljury.learning.representations`).
        background: a file of any questions: the distance is then relative to theirs.
        pooled: add the answerable questions to the background.

    Raises:
        InputError: files or runs that cannot be used; SJ021: too few examples; SJ022, SJ028: no
            such representation.
        MissingExtraError: scikit-learn, or a package of the representation, is not installed.
    """
    from sqljury.learning.detector import text_of, train_detector, train_distance

    runs = [text for text in inputs if Path(text).is_dir()]
    if runs and len(runs) < len(inputs):
        raise InputError(
            "SJ006",
            "runs and files of questions cannot be mixed.",
            hint="Give runs to learn what SQL is right, or files to learn what can be answered.",
        )
    reads: Reads = "sql" if runs else "question"
    examples = [
        example
        for text in inputs
        for example in (
            _run_examples(Path(text), judge)
            if runs
            else answerable_examples(read_cases(text, questions=True))
        )
    ]
    labels = [example.is_right for example in examples]
    texts = [text_of(example.question, example.sql, reads) for example in examples]
    counts = (sum(labels), len(labels) - sum(labels))
    if kind == "distance":
        answerable = [text for text, yes in zip(texts, labels, strict=True) if yes]
        around = (
            []
            if background is None
            else [c.question or "" for c in read_cases(background, questions=True)]
        )
        near = train_distance(
            answerable,
            background=around,
            pooled=pooled,
            vectors=vectors or "lsa",
            reads=reads,
            seed=seed,
        )
        return near, *counts
    chosen: Kind = "forest" if kind == "forest" else "novelty"
    found = train_detector(texts, labels, kind=chosen, vectors=vectors, reads=reads, seed=seed)
    return found, *counts


def _run_examples(folder: Path, judge: str | None) -> Iterator[DetectorExample]:
    with open_run(folder) as run:
        thresholds = {one.name: one.threshold for one in run.judges}
        records = list(run.records(with_evidence=False))
    name = canonical_judge(judge or "", thresholds) or next(iter(thresholds))
    check_judge(name, thresholds, folder)
    return right_examples(records, name, thresholds[name])
