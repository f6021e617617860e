"""Results files: scores that a judge gave, beside what people say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqljury.benchmarks.fields import as_id, as_label, as_object, as_text, kind
from sqljury.benchmarks.files import FileKind, PathLike, Source
from sqljury.benchmarks.layout import Layout, missing_key
from sqljury.benchmarks.names import ALIASES, normal
from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.verdict import Outcome, Scored

_SLICES = ("db_id", "difficulty")
_FIELDS = ("id", "source", "benchmark", "judge", "outcome", "score", "label", *_SLICES)


@dataclass(frozen=True, slots=True)
class _Columns:
    layout: Layout
    has_scores: bool


def read_results(
    path: PathLike,
    *,
    label: str = "label",
) -> dict[str, list[Scored]]:
    """Scores by judge: ROSE's eval_results.json, our export, or any table with a score.

    A row's id is ``id/source`` where it has a source, as in a run. A score may be a number, a
    truth value or a word for one; without a score column, the outcomes are the scores.

    Args:
        label: the column that holds what people say; a file may lack it.

    Raises:
        InputError: SJ104 without a score, SJ116 for one that is no number, SJ109 for a label.
    """
    source = Source(path)
    columns = _columns(source, label)
    judges: dict[str, list[Scored]] = {}
    for judge, row in _rows(source, columns):
        judges.setdefault(judge, []).append(row)
    return judges


def read_labels(path: PathLike, column: str = "label") -> dict[str, bool]:
    """What people say, by id (``id/source`` where a row has a source); rows without are left out.

    Raises:
        InputError: SJ104 without the column, SJ109 for a label, SJ110 for an id with two labels.
    """
    source = Source(path)
    _check_table(source)
    if column not in source.keys:
        raise missing_key(column, source, hint="Use --label COLUMN.")
    layout = _layout(source, {"label": column})
    labels: dict[str, bool] = {}
    for position, record in enumerate(source.records()):
        data = as_object(record)
        said = as_label(layout.get(data, "label"), record.origin)
        key = _row_id(data, layout, position, record.origin)
        if said is not None and labels.setdefault(key, said) is not said:
            raise InputError("SJ110", f"two different labels for id {key!r}.", where=record.origin)
    return labels


def read_reasons(path: PathLike) -> dict[str, str]:
    """Why people labelled as they did, by id; empty where the file has no column `reason`."""
    source = Source(path)
    layout = _layout(source, {"reason": "reason"})
    found = {}
    for position, record in enumerate(source.records()):
        said = as_text(layout.get(as_object(record), "reason"), "reason", record.origin)
        if said:
            found[_row_id(as_object(record), layout, position, record.origin)] = said
    return found


def read_probabilities(path: PathLike) -> dict[str, float]:
    """With what probability each case of a file of labels was chosen, by id; empty where the file
    has no column `probability`.

    Raises:
        InputError: SJ116 for one that is no number in (0, 1].
    """
    source = Source(path)
    if "probability" not in source.keys:
        return {}
    layout = _layout(source, {})
    found = {}
    for position, record in enumerate(source.records()):
        data = as_object(record)
        said = as_score(data["probability"], record.origin)
        if said is None or not 0 < said <= 1:
            raise InputError("SJ116", f"probability {said} is not in (0, 1].", where=record.origin)
        found[_row_id(data, layout, position, record.origin)] = said
    return found


def _columns(source: Source, label: str) -> _Columns:
    _check_table(source)
    layout = _layout(source, {"label": label})
    if not layout.keys.keys() & {"score", "outcome"}:
        hint = "Results of a judge are wanted here: `sqljury evaluate --export FILE` writes them."
        raise missing_key("score", source, hint=hint)
    if label != "label" and label not in source.keys:
        raise missing_key(label, source, hint="Use --label COLUMN.")
    return _Columns(layout, "score" in layout.keys)


def _check_table(source: Source) -> None:
    if source.kind in (FileKind.TEXT, FileKind.JSON_OBJECT):
        raise InputError(
            "SJ108",
            f"results are a list or a table of rows, not {source.kind.value}.",
            where=source.name,
            hint="ROSE's eval_results.json, --export FILE.jsonl, or a CSV with score and label.",
        )
    if not source.head:
        raise InputError("SJ103", "there are no rows in the file.", where=source.name)


def _layout(source: Source, named: Mapping[str, str]) -> Layout:
    """The columns by their usual names; what is named is not guessed."""
    by_name = {normal(key): key for key in source.keys if key not in named.values()}
    found = dict(named)
    for field in _FIELDS:
        aliases = ALIASES.get(field, (field,))
        key = next((by_name[alias] for alias in aliases if alias in by_name), None)
        if key is not None:
            found.setdefault(field, key)
    return Layout(found)


_THRESHOLDS: Mapping[Outcome | None, float] = {Outcome.CORRECT: 0.0, Outcome.INCORRECT: math.inf}
"""A file that says correct or incorrect has its judge's own threshold in that."""


def _rows(source: Source, columns: _Columns) -> Iterator[tuple[str, Scored]]:
    layout = columns.layout
    for position, record in enumerate(source.records()):
        data = as_object(record)

        def text(field: str, data: Mapping[str, Json] = data, origin: str = record.origin) -> str:
            return as_text(layout.get(data, field), layout.keys.get(field, field), origin) or ""

        outcome = as_outcome(text("outcome"), record.origin)
        slices = {field: text(field) for field in _SLICES}
        yield (
            text("judge"),
            Scored(
                id=_row_id(data, layout, position, record.origin),
                score=_score(data, columns, outcome, record.origin),
                label=as_label(layout.get(data, "label"), record.origin),
                outcome=outcome,
                threshold=_THRESHOLDS.get(outcome, 0.5),
                benchmark=text("benchmark"),
                slices={field: value for field, value in slices.items() if value},
                origin=record.origin,
            ),
        )


def _row_id(data: Mapping[str, Json], layout: Layout, position: int, origin: str) -> str:
    source = as_text(layout.get(data, "source"), "source", origin)
    own = as_id(data, layout, position, origin)
    return f"{own}/{source}" if source else own


def as_outcome(text: str, origin: str) -> Outcome | None:
    """An outcome by its name; None where there is none."""
    try:
        return Outcome(text) if text else None
    except ValueError:
        raise InputError(
            "SJ116",
            f"{text!r} is no outcome.",
            where=origin,
            hint=f"Outcomes: {', '.join(Outcome)}.",
        ) from None


def _score(
    data: Mapping[str, Json], columns: _Columns, outcome: Outcome | None, origin: str
) -> float | None:
    if columns.has_scores:
        return as_score(columns.layout.get(data, "score"), origin)
    settled = outcome is not None and not outcome.left_out and outcome is not Outcome.UNKNOWN
    return float(outcome is Outcome.CORRECT) if settled else None


def as_score(value: Json, origin: str) -> float | None:
    """A score; None where there is none: null, NaN, an empty cell."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str):
        return _score_in(value, origin)
    if isinstance(value, int | float) and not math.isinf(value):
        return None if math.isnan(value) else float(value)
    raise InputError("SJ116", f"a score must be a number, not {kind(value)}.", where=origin)


def _score_in(text: str, origin: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        return as_score(number, origin)
    try:
        return float(bool(as_label(text, origin)))
    except InputError:
        raise InputError("SJ116", f"{text!r} is no score.", where=origin) from None
