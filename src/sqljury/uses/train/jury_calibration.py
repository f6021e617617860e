"""Measure how reliable the models of a jury are, from a run of it and human labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sqljury.benchmarks import read_labels
from sqljury.errors import InputError
from sqljury.judge_name import JudgeName
from sqljury.learning.fusion import SHIPPED, Fusion, load_fusion
from sqljury.runs import open_run
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from sqljury.evidence_shapes import HeardFields
    from sqljury.learning.fusion import Asked, Opinions
    from sqljury.verdict import Record


@dataclass(frozen=True, slots=True)
class JuryCalibration:
    """The measured rates, the number of labelled cases they are from, and the models' names."""

    fusion: Fusion
    cases: int
    models: tuple[str, ...]


def calibrate_jury(
    run: PathLike, labels: PathLike, out: PathLike, *, label: str = "label", base: PathLike = ""
) -> JuryCalibration:
    """Count how models answered on labelled cases, and write it for ``jury,…,reliability=OUT``.

    Args:
        run: the folder of a run of a jury with ``target=1``, which asks every model about every
            case. A jury that stops when it is sure would ask some models about hard cases alone.
        labels: a file with the ids of cases and their human labels.
        out: the file to write.
        label: the column of the labels.
        base: a file of parameters to start from; by default the one shipped with sqljury.

    Raises:
        InputError: SJ355: no case has both a label and a model's answer.
    """
    people = read_labels(labels, label)
    with open_run(Path(run)) as found:
        known = [(dict(_opinions(one)), people.get(_row_id(one))) for one in found.records()]
    known = [(heard, said) for heard, said in known if heard and said is not None]
    if not known:
        raise InputError(
            "SJ355", "the run has no labelled case about which a model was asked.", where=str(run)
        )
    opinions, said = [heard for heard, _ in known], [bool(said) for _, said in known]
    fusion = load_fusion(base or SHIPPED).recounted(opinions, said)
    fusion.save(out)
    models = sorted({model for one in opinions for model in _models(one)})
    return JuryCalibration(fusion, len(known), tuple(models))


def _models(opinions: Opinions) -> Iterator[str]:
    for _, model in opinions:
        if model:  # recorded rows have none
            yield model


def _row_id(record: Record) -> str:
    return "/".join(part for part in (record.case.id, record.case.source) if part)


def _opinions(record: Record) -> Iterator[tuple[Asked, str]]:
    if JudgeName.parse(record.judge).name == "jury":
        for one in cast("Sequence[HeardFields]", record.verdict.evidence.get("asked", ())):
            yield (one["question"], one["model"]), one["answer"]
