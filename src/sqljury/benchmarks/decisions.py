"""Decision files: for each question whether it can be answered, what was replied, how surely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqljury.benchmarks.fields import as_id, as_label, as_object, as_prediction, as_text
from sqljury.benchmarks.files import FileKind, FileRecord, PathLike, Source
from sqljury.benchmarks.layout import Layout, missing_key, suggest
from sqljury.benchmarks.mapping import check_mapping
from sqljury.benchmarks.names import ALIASES, normal
from sqljury.benchmarks.pools import is_pool
from sqljury.benchmarks.results import as_outcome, as_score
from sqljury.case import MISSING, Json, Missing
from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError
from sqljury.verdict import Outcome

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
"""What the questions of a decision file can be cut by: the type of unanswerable question, seen
or unseen SQL structure, …"""


def read_decisions(path: PathLike, *, mapping: Mapping[str, str] | None = None) -> list[Decision]:
    """The decisions of a JSON list, JSON lines, CSV or Parquet.

    ``predicted_sql`` that is null (or ``null``, ``not_answerable``) is an abstention, absent it is
    missing, empty it is SQL that cannot run; or ``reply`` says it, as `sqljury trust --csv` has
    it. Without ``answerable`` a question can be answered.

    Raises:
        InputError: SJ104 without ``predicted_sql``, SJ108 for a file that holds no rows, SJ109,
            SJ116 for a value that is none.
    """
    source = Source(path)
    if source.kind in (FileKind.TEXT, FileKind.JSON_OBJECT):
        raise InputError(
            "SJ108",
            f"decisions are a list or a table of rows, not {source.kind.value}.",
            where=source.name,
            hint="Predictions by id are given with --predictions, the questions first.",
        )
    if not source.head:
        raise InputError("SJ103", "there are no rows in the file.", where=source.name)
    layout = _layout(source, mapping or {})
    return list(_decisions(source, layout))


def _layout(source: Source, mapping: Mapping[str, str]) -> Layout:
    check_mapping(mapping, _NAMES)
    keys = dict.fromkeys(source.keys)
    # JSON lines may bring a key late: here a missing prediction is what the rows are about.
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


def _decisions(source: Source, layout: Layout) -> Iterator[Decision]:
    for position, record in enumerate(source.records()):
        yield _decision(position, record, layout)


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
    """What a prediction is a reply of."""
    if sql is None:
        return ReplyKind.ABSTAINED
    return ReplyKind.MISSING if sql is MISSING else ReplyKind.ANSWERED


def _reply(text: str, origin: str) -> ReplyKind:
    try:
        return ReplyKind(text)
    except ValueError:
        hint = f"One of {', '.join(ReplyKind)}."
        raise InputError("SJ116", f"{text!r} is no reply.", where=origin, hint=hint) from None


def _outcome(sql: str | Missing | None, stated: Outcome | None) -> Outcome | None:
    empty = isinstance(sql, str) and not sql.strip()
    return Outcome.PREDICTION_ERROR if empty and stated is None else stated


def _correct(value: Json, outcome: Outcome | None, origin: str) -> bool | None:
    said = as_label(value, origin)
    if said is not None or outcome is None or outcome.left_out or outcome is Outcome.ABSTAINED:
        return said
    return outcome is Outcome.CORRECT
