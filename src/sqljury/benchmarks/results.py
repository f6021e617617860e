"""Files of scores, labels, decisions and log-probabilities by question id."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

from sqljury.benchmarks.fields import (
    Layout,
    as_id,
    as_label,
    as_object,
    as_prediction,
    as_text,
    kind,
    missing_key,
    suggest,
)
from sqljury.benchmarks.files import FileKind, FileRecord, PathLike, Source
from sqljury.benchmarks.formats import id_key
from sqljury.benchmarks.names import ALIASES, check_mapping, normal
from sqljury.benchmarks.pools import candidates_of, is_pool
from sqljury.case import MISSING, Json, Missing
from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError
from sqljury.verdict import Outcome, Scored

# ---------------------------------------------------------------- results

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
    """Scores by judge, from ROSE's eval_results.json, our export, or any table with a score.

    The id of a row is ``id/source`` if it has a source, as in a run. A score may be a number, a
    truth value or a word for one; without a score column, outcomes are used as scores.

    Args:
        label: the column with people's labels; a file may lack it.

    Raises:
        InputError: SJ104 if there is no score, SJ116 for a value that is not a number, SJ109 for
            one that is not a label.
    """
    source = Source(path)
    columns = _columns(source, label)
    judges: dict[str, list[Scored]] = {}
    for judge, row in _rows(source, columns):
        judges.setdefault(judge, []).append(row)
    return judges


def read_labels(path: PathLike, column: str = "label") -> dict[str, bool]:
    """People's labels, by id (``id/source`` if a row has a source); rows without a label are left
    out.

    Raises:
        InputError: SJ104 without the column, SJ109 for a value that is not a label, SJ110 for an id
            with two labels.
    """
    source = Source(path)
    _check_table(source)
    if column not in source.keys:
        raise missing_key(column, source, hint="Use --label COLUMN.")
    layout = _layout(source, {"label": column})
    labels: dict[str, bool] = {}
    for key, data, origin in _by_id(source, layout):
        said = as_label(layout.get(data, "label"), origin)
        if said is not None and labels.setdefault(key, said) is not said:
            raise InputError("SJ110", f"two different labels for id {key!r}.", where=origin)
    return labels


def _by_id(source: Source, layout: Layout) -> Iterator[tuple[str, Mapping[str, Json], str]]:
    """Per row: its id (with the source if it has one), its cells, and its position for messages."""
    for position, record in enumerate(source.records()):
        data, origin = as_object(record), record.origin
        by = as_text(layout.get(data, "source"), "source", origin)
        own = as_id(data, layout, position, origin)
        yield f"{own}/{by}" if by else own, data, origin


def read_reasons(path: PathLike) -> dict[str, str]:
    """Why people chose their labels, by id; empty if the file has no column `reason`."""
    source = Source(path)
    layout = _layout(source, {"reason": "reason"})
    rows = _by_id(source, layout)
    said = {key: as_text(layout.get(data, "reason"), "reason", at) for key, data, at in rows}
    return {key: reason for key, reason in said.items() if reason}


def read_probabilities(path: PathLike) -> dict[str, float]:
    """The probability with which each case of a file of labels was sampled, by id; empty if the
    file has no column `probability`.

    Raises:
        InputError: SJ116 for a value that is not a number in (0, 1].
    """
    source = Source(path)
    if "probability" not in source.keys:
        return {}
    layout = _layout(source, {})
    found = {}
    for key, data, origin in _by_id(source, layout):
        said = as_score(data["probability"], origin)
        if said is None or not 0 < said <= 1:
            raise InputError("SJ116", f"probability {said} is not in (0, 1].", where=origin)
        found[key] = said
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


def _check_table(
    source: Source,
    what: str = "results",
    hint: str = "ROSE's eval_results.json, --export FILE.jsonl, or a CSV with score and label.",
) -> None:
    if source.kind in (FileKind.TEXT, FileKind.JSON_OBJECT):
        raise InputError(
            "SJ108",
            f"{what} must be a list or a table of rows, not {source.kind.value}.",
            where=source.name,
            hint=hint,
        )
    if not source.head:
        raise InputError("SJ103", "there are no rows in the file.", where=source.name)


def _layout(source: Source, named: Mapping[str, str]) -> Layout:
    """The columns under their usual names; those that are named are not guessed."""
    by_name = {normal(key): key for key in source.keys if key not in named.values()}
    found = dict(named)
    for field in _FIELDS:
        aliases = ALIASES.get(field, (field,))
        key = next((by_name[alias] for alias in aliases if alias in by_name), None)
        if key is not None:
            found.setdefault(field, key)
    return Layout(found)


_THRESHOLDS: Mapping[Outcome | None, float] = {Outcome.CORRECT: 0.0, Outcome.INCORRECT: math.inf}
"""In a file that says correct or incorrect, the judge's own threshold is already applied."""


def _rows(source: Source, columns: _Columns) -> Iterator[tuple[str, Scored]]:
    layout = columns.layout
    for key, data, origin in _by_id(source, layout):

        def text(field: str, data: Mapping[str, Json] = data, origin: str = origin) -> str:
            return as_text(layout.get(data, field), layout.keys.get(field, field), origin) or ""

        outcome = as_outcome(text("outcome"), origin)
        slices = {field: text(field) for field in _SLICES}
        yield (
            text("judge"),
            Scored(
                id=key,
                score=_score(data, columns, outcome, origin),
                label=as_label(layout.get(data, "label"), origin),
                outcome=outcome,
                threshold=_THRESHOLDS.get(outcome, 0.5),
                benchmark=text("benchmark"),
                slices={field: value for field, value in slices.items() if value},
                origin=origin,
            ),
        )


def as_outcome(text: str, origin: str) -> Outcome | None:
    """An outcome by its name; None for an empty text."""
    try:
        return Outcome(text) if text else None
    except ValueError:
        raise InputError(
            "SJ116",
            f"{text!r} is not an outcome.",
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
    """A score; None for null, NaN or an empty cell."""
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
        raise InputError("SJ116", f"{text!r} is not a score.", where=origin) from None


# ---------------------------------------------------------------- decisions
#
# Decision files: per question, whether it is answerable, the reply, and how confident the system
# was.


_NAMES: dict[str, tuple[str, ...]] = {
    "id": ALIASES["id"],
    "question": ALIASES["question"],
    "predicted_sql": (*ALIASES["predicted_sql"], "sql"),
    "reply": ("reply",),
    "answerable": ALIASES["answerable"],
    "correct": ("correct", "is_correct"),
    "outcome": ("outcome",),
    "confidence": ("confidence",),
    "benchmark": ALIASES["benchmark"],
    "source": ALIASES["source"],
    "type": ("type", "unanswerable_type"),
    "structure": ("structure", "sql_structure"),
    "db_id": ALIASES["db_id"],
    "difficulty": ALIASES["difficulty"],
}
SLICES = ("type", "structure", "db_id", "difficulty")
"""Columns by which the questions of a decision file can be split: the type of unanswerable
question, seen or unseen SQL structure, …"""


def read_decisions(path: PathLike, *, mapping: Mapping[str, str] | None = None) -> list[Decision]:
    """The decisions in a JSON list, JSON lines, CSV or Parquet file.

    If ``predicted_sql`` is null (or ``null``, ``not_answerable``), it is an abstention; if absent,
    it is missing; if empty, it is SQL that cannot run. A column ``reply`` may say it instead, as in
    the output of `sqljury trust --csv`. Without ``answerable`` a question counts as answerable.

    Raises:
        InputError: SJ104 without ``predicted_sql``, SJ108 for a file without rows, SJ109, SJ116 for
            a value of the wrong kind.
    """
    source = Source(path)
    by_id = "Predictions by id are given with --predictions, the questions first."
    _check_table(source, "decisions", by_id)
    layout = _decision_layout(source, mapping or {})
    return [_decision(at, record, layout) for at, record in enumerate(source.records())]


def _decision_layout(source: Source, mapping: Mapping[str, str]) -> Layout:
    check_mapping(mapping, _NAMES)
    keys = dict.fromkeys(source.keys)
    # In JSON lines a key may appear late: a row without a prediction is valid here.
    for record in source.records():
        keys |= dict.fromkeys(as_object(record))
    by_name = {normal(key): key for key in keys if key not in mapping.values()}
    found = {
        field: by_name[name]
        for field, names in _NAMES.items()
        for name in reversed(names)
        if name in by_name
    }
    if not {"predicted_sql", "reply"} & {*found, *mapping}:
        if is_pool(source):
            raise missing_key(
                "predicted_sql", source, hint="A pool of candidates is judged first: --databases."
            )
        raise missing_key("predicted_sql", source, hint=suggest("predicted_sql", source))
    return Layout({**found, **mapping}, id_is_mapped="id" in mapping)


def _decision(position: int, record: FileRecord, layout: Layout) -> Decision:
    data, origin = as_object(record), record.origin

    def text(field: str) -> str:
        return as_text(layout.get(data, field), layout.keys.get(field, field), origin) or ""

    sql = as_prediction(data, layout, origin)
    outcome = _outcome(sql, as_outcome(text("outcome"), origin))
    answerable = as_label(layout.get(data, "answerable"), origin)
    return Decision(
        id=as_id(data, layout, position, origin),
        answerable=answerable is not False,
        reply=_reply(text("reply"), origin) if "reply" in layout.keys else reply_of(sql),
        correct=_correct(layout.get(data, "correct"), outcome, origin),
        confidence=as_score(layout.get(data, "confidence"), origin),
        outcome=outcome,
        benchmark=text("benchmark"),
        source=text("source"),
        slices={name: value for name in SLICES if (value := text(name))},
        origin=origin,
        question=text("question"),
        sql=sql if isinstance(sql, str) else "",
    )


def reply_of(sql: str | Missing | None) -> ReplyKind:
    """The kind of reply that a prediction is."""
    if sql is None:
        return ReplyKind.ABSTAINED
    return ReplyKind.MISSING if sql is MISSING else ReplyKind.ANSWERED


def _reply(text: str, origin: str) -> ReplyKind:
    try:
        return ReplyKind(text)
    except ValueError:
        hint = f"One of {', '.join(ReplyKind)}."
        raise InputError("SJ116", f"{text!r} is not a reply.", where=origin, hint=hint) from None


def _outcome(sql: str | Missing | None, stated: Outcome | None) -> Outcome | None:
    empty = isinstance(sql, str) and not sql.strip()
    return Outcome.PREDICTION_ERROR if empty and stated is None else stated


def _correct(value: Json, outcome: Outcome | None, origin: str) -> bool | None:
    said = as_label(value, origin)
    if said is not None or outcome is None or outcome.left_out or outcome is Outcome.ABSTAINED:
        return said
    return outcome is Outcome.CORRECT


# ---------------------------------------------------------------- logprobs
#
# Token log-probabilities of predictions, by question id.


_KEYS = ("logprobs", "token_logprobs")


class Token(NamedTuple):
    """The natural log-probability of a token, and those of the most likely tokens at its place."""

    logprob: float
    likeliest: tuple[float, ...] = ()


def read_logprobs(path: PathLike) -> dict[str, tuple[Token, ...]]:
    """From an object by id, rows with an id and ``logprobs``, or a pool (its first candidates).

    The value of a prediction is a list of numbers, or OpenAI's list of ``{"logprob",
    "top_logprobs"}``, also under ``content``.

    Raises:
        InputError: SJ104 without the key; SJ108, SJ116 for a value that is not a log-probability.
    """
    source = Source(path)
    if source.kind is FileKind.JSON_OBJECT:
        return {
            key: tuple(_tokens(value, f'{source.name}["{key}"]'))
            for key, value in source.entries.items()
        }
    if is_pool(source):
        return dict(_of_pool(source))
    by_name = {normal(key): key for key in source.keys}
    key = next((by_name[name] for name in _KEYS if name in by_name), None)
    if key is None:
        raise missing_key(_KEYS[0], source)
    layout = Layout(id_key(source))
    found = {}
    for position, record in enumerate(source.records()):
        data = as_object(record)
        tokens = tuple(_tokens(data.get(key), record.origin))
        found[as_id(data, layout, position, record.origin)] = tokens
    return found


def _of_pool(source: Source) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """The tokens of each question's first candidate, which is the prediction."""
    layout = Layout(id_key(source))
    for position, record in enumerate(source.records()):
        first = next(iter(candidates_of(record)), {})
        if _KEYS[0] in first:
            key = as_id(as_object(record), layout, position, record.origin)
            yield key, tuple(_tokens(first[_KEYS[0]], record.origin))


def _tokens(value: Json, origin: str) -> Iterator[Token]:
    if isinstance(value, dict):
        value = value.get("content")
    if not isinstance(value, list):
        raise InputError(
            "SJ108", f"log-probabilities must be a list, not {kind(value)}.", where=origin
        )
    for one in value:
        if isinstance(one, dict):
            others = one.get("top_logprobs") or []
            likeliest = tuple(_number(other.get("logprob"), origin) for other in others)
            yield Token(_number(one.get("logprob"), origin), likeliest)
        else:
            yield Token(_number(one, origin))


def _number(value: Json, origin: str) -> float:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else nan
    # Some servers round up; the logarithm of a probability is at most 0.
    if isnan(number) or number > 1e-3:
        raise InputError("SJ116", f"{value!r} is not a log-probability.", where=origin)
    return min(0.0, float(number))


# ---------------------------------------------------------------- trustsql
#
# Recorded answers of TrustSQL's classifiers, by question id.


# The positive answers to prompts about answerability and about errors, in lower case.
_GO = ("answerable", "correct")
_STAY = ("not_answerable", "unanswerable", "incorrect", "null")


def read_gate(path: PathLike) -> dict[str, float | None]:
    """A classifier's answer per question: 1 to answer, 0 to abstain, or a score between.

    Reads an object of answers by id, such as TrustSQL's ``prediction.json`` of its classifiers
    (``{"04365723": ["not_answerable"], …}``), or a table with an id and a score. An answer that is
    neither yes nor no gives None.

    Raises:
        InputError: SJ108 for an object with other contents.
    """
    source = Source(path)
    if source.kind is not FileKind.JSON_OBJECT:
        rows = [row for found in read_results(path).values() for row in found]
        return {row.id: row.score for row in rows}
    return {key: _said(value, f'{source.name}["{key}"]') for key, value in source.entries.items()}


def _said(value: Json, origin: str) -> float | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return float(value)
    if not isinstance(value, str):
        raise InputError(
            "SJ108", f"an answer must be a word or a number, not {kind(value)}.", where=origin
        )
    word = value.strip().strip(".'\"").lower()
    return 1.0 if word in _GO else 0.0 if word in _STAY else None
