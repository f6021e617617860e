"""Compare judges with human labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqljury.benchmarks import Overlay, check_shared_ids, read_labels, read_results
from sqljury.errors import InputError
from sqljury.runs import open_run
from sqljury.uses.agree.agreement import Agreement, agree
from sqljury.uses.agree.labels import records_under, scores_under
from sqljury.uses.inputs import overlay_from
from sqljury.verdict import Record, Scored
from sqljury.writing import PathLike


@dataclass(frozen=True, slots=True)
class AgreeInput:
    """One argument of ``agree``: a name, and the files or the run that are pooled under it."""

    name: str
    paths: tuple[Path, ...]

    @classmethod
    def parse(cls, text: str) -> AgreeInput:
        """Parse ``[NAME=]FILE[,FILE…]``."""
        name, equals, rest = text.partition("=")
        # A path may contain "=": text before it is a name only if it does not look like a path.
        if not equals or "/" in name or Path(text).exists():
            name, rest = "", text
        paths = tuple(Path(part) for part in rest.split(",") if part)
        if not paths:
            raise InputError("SJ510", f"{text!r} names no file.", hint="Write NAME=FILE[,FILE].")
        return cls(name, paths)


def agree_files(
    inputs: Sequence[str],
    *,
    label: str = "label",
    labels: Sequence[PathLike] = (),
    unknown: str = "no",
    seed: int = 0,
    overlay: PathLike | Sequence[PathLike] | None = None,
) -> Agreement:
    """Agreement of judges with human labels, from runs or results files.

    Args:
        inputs: ``RUN`` or ``[NAME=]FILE[,FILE…]``; files joined by commas are pooled.
        label: the column with the human labels.
        labels: files to take the labels from instead, joined by id. If the inputs pool several
            files, give as many label files, with paths that differ in the same parts.
        unknown: ``no`` counts cases without a score as no, ``exclude`` leaves them out.
        seed: the seed of the bootstrap.
        overlay: files of corrections. Verdicts on references that they correct are left out, and
            counted as ``reference_missing``, unless the run was judged with this overlay.

    Raises:
        InputError: files that cannot be used, or two judges of the same name.
    """
    corrections = overlay_from(overlay)
    parsed = [AgreeInput.parse(text) for text in inputs]
    single = all(len(given.paths) == 1 for given in parsed)
    people = _People(labels, label, single)
    judges: dict[str, list[Scored]] = {}
    for given in parsed:
        for name, rows in _scored(given, label, single, corrections).items():
            if name in judges:
                raise InputError(
                    "SJ511", f"two inputs are named {name!r}.", hint="Write NAME=FILE."
                )
            judges[name] = people.label(rows)
    return agree(judges, unknown="exclude" if unknown == "exclude" else "no", seed=seed)


class _People:
    """Human labels from separate files.

    Ids repeat from benchmark to benchmark: pooled results are joined by benchmark and id.
    """

    def __init__(self, files: Sequence[PathLike], column: str, single: bool) -> None:
        paths = [Path(file) for file in files]
        self._by_benchmark = {
            benchmark: read_labels(path, column)
            for benchmark, path in zip(
                benchmark_names(paths, single or len(paths) == 1), paths, strict=True
            )
        }

    def label(self, rows: list[Scored]) -> list[Scored]:
        """The rows with these labels; the rows unchanged if there are no label files."""
        if not self._by_benchmark:
            return rows
        by_question: dict[tuple[str, str], str] = {}
        found = [replace(row, label=self._label_of(row, by_question)) for row in rows]
        if all(row.label is None for row in found):
            ids = [id_ for labels in self._by_benchmark.values() for id_ in labels]
            check_shared_ids(ids, [row.id for row in rows], "the file of labels")
        return found

    def _label_of(self, row: Scored, by_question: dict[tuple[str, str], str]) -> bool | None:
        """The label of a row, or of its question; None if neither has one.

        ``by_question`` remembers which system's answer got the question's label: two answers to
        one question must not share it.
        """
        labels = self._labels_of(row)
        # Rows of a prediction source are id/source; the labels of a question have no source.
        question, _, source = row.id.rpartition("/")
        if row.id in labels or question not in labels:
            return labels.get(row.id)
        other = by_question.setdefault((row.benchmark, question), source)
        if other != source:
            raise InputError(
                "SJ513",
                f"{other!r} and {source!r} both answer the question {question!r}, and its label "
                "does not say whose answer it is about.",
                hint='Add a column "source" to the labels that names the system, or judge one '
                "system in a run.",
            )
        return labels[question]

    def _labels_of(self, row: Scored) -> Mapping[str, bool]:
        if len(self._by_benchmark) == 1:
            return next(iter(self._by_benchmark.values()))
        found = self._by_benchmark.get(row.benchmark)
        if found is None:
            raise InputError(
                "SJ512",
                f"no label file for {row.benchmark!r}; there are "
                f"{', '.join(map(repr, self._by_benchmark))}.",
                hint="Give one --labels file per pooled file, with names that differ alike.",
            )
        return found


def _scored(
    given: AgreeInput, label: str, single: bool, overlay: Overlay | None
) -> dict[str, list[Scored]]:
    pooled: dict[str, list[Scored]] = {}
    for path, benchmark in zip(given.paths, benchmark_names(given.paths, single), strict=True):
        found = _of_run(path, label, overlay) if path.is_dir() else _of_file(path, label, overlay)
        for judge, rows in found.items():
            name = _judge_name(given, judge, len(found), path)
            pooled.setdefault(name, []).extend(
                row if row.benchmark else replace(row, benchmark=benchmark) for row in rows
            )
    return pooled


def _judge_name(given: AgreeInput, judge: str, judges: int, path: Path) -> str:
    if not given.name:
        return judge or path.name.split(".")[0]
    return f"{given.name}/{judge}" if judges > 1 else given.name


def _of_file(path: Path, label: str, overlay: Overlay | None) -> dict[str, list[Scored]]:
    found = read_results(path, label=label)
    return {judge: list(scores_under(overlay, rows)) for judge, rows in found.items()}


def _of_run(folder: Path, label: str, overlay: Overlay | None) -> dict[str, list[Scored]]:
    rows: dict[str, list[Scored]] = {}
    with open_run(folder) as run:
        thresholds = {judge.name: judge.threshold for judge in run.judges}
        for record in records_under(overlay, run.records(with_evidence=False)):
            row = _scored_record(record, label, thresholds[record.judge])
            rows.setdefault(record.judge, []).append(row)
    return rows


def _scored_record(record: Record, label: str, threshold: float) -> Scored:
    case = record.case
    said = case.label if label == "label" else case.extra.get(label)
    slices = {
        "db_id": case.db_id,
        "difficulty": case.difficulty or "",
        "source": case.source,
        **_feature_slices(record.features),
    }
    return Scored(
        id="/".join(part for part in (case.id, case.source) if part),
        score=record.verdict.score,
        label=None if said is None else bool(said),
        outcome=record.verdict.outcome,
        threshold=threshold,
        benchmark=case.benchmark,
        slices={name: value for name, value in slices.items() if value},
        origin=case.origin,
    )


def _feature_slices(features: Sequence[str]) -> dict[str, str]:
    """Slices from features: ``hardness:easy`` gives a value, a plain feature gives yes or no."""
    if not features:
        return {}
    stated = dict(feature.split(":", 1) for feature in features if ":" in feature)
    plain = {name: "yes" if name in features else "no" for name in ("grouping", "set_operation")}
    return stated | plain


def benchmark_names(paths: Sequence[Path], single: bool) -> list[str]:
    """A name for each of several pooled files: the parts of its path that differ between them.

    So the files of two judges over the same benchmarks get the same names, and can be paired.

    >>> benchmark_names([Path("a/bird/EX/eval.json"), Path("a/spider/EX/eval.json")], False)
    ['bird', 'spider']
    """
    if single:
        return [""] * len(paths)
    if len(paths) == 1:
        return [paths[0].name.split(".")[0]]
    tokens = [re.split(r"[/_.]", str(path)) for path in paths]
    start = _common_length(tokens)
    end = _common_length([list(reversed(parts[start:])) for parts in tokens])
    return ["_".join(parts[start : len(parts) - end]) or str(i) for i, parts in enumerate(tokens)]


def _common_length(lists: Sequence[Sequence[str]]) -> int:
    length = 0
    for parts in zip(*lists, strict=False):
        if len(set(parts)) > 1:
            break
        length += 1
    return length
