"""Prediction files, joined to their references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqljury.benchmarks.bird import prediction, split
from sqljury.benchmarks.fields import (
    FAILED,
    Layout,
    as_samples,
    as_sql,
    build,
    guess,
    guessed,
    missing_key,
    suggest,
)
from sqljury.benchmarks.files import FileKind, FileRecord, Source
from sqljury.benchmarks.formats import Options, id_key
from sqljury.benchmarks.pools import Pools, is_pool
from sqljury.benchmarks.result_tables import PredictionFolder
from sqljury.benchmarks.spider import is_gold, split_line
from sqljury.case import MISSING, Case, Json, Missing
from sqljury.errors import InputError
from sqljury.stored_table import StoredTable


@dataclass(frozen=True, slots=True)
class Prediction:
    """One prediction in a prediction file."""

    sql: str | Missing | None
    origin: str
    db_id: str | None = None
    label: bool | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    pool: tuple[str | None, ...] = ()
    table: StoredTable | None = None
    """Its result, if that is what is given instead of SQL."""

    def joined(self, reference: Case, source: str) -> Case:
        """The reference's case with this prediction."""
        return replace(
            reference,
            predicted_sql=self.sql,
            predicted_table=self.table,
            pool=self.pool,
            source=source,
            label=self.label,
            db_id=reference.db_id or self.db_id or "",
            extra={**reference.extra, **self.extra},
            origin=self.origin,
        )


@dataclass(frozen=True, slots=True)
class References:
    """What a join needs to know about the references, in the order of their file."""

    name: str
    ids: Sequence[str]
    db_ids: Sequence[str]
    states_ids: bool
    """False if the positions of the references are used as their ids."""


class Joined:
    """One system's predictions, by the position of their reference.

    Lines, lists without ids and tables without ids belong to the reference at the same position.
    Keys of an object may be the references' ids or their positions: the reading is used that fits
    all keys and contradicts no database. If both fit and differ, this is an error, not a guess. If
    rows have ids and the references have these ids, they are joined by id.
    """

    def __init__(
        self, source: Source | PredictionFolder, references: References, mapping: Mapping[str, str]
    ) -> None:
        self.warnings: list[str] = []
        self.name = source.name
        self.is_by_position = False
        """True if only the order tells which prediction belongs to which reference."""
        self._references = references
        self._states_ids = source.kind is not FileKind.JSON_OBJECT
        keyed, ordered = _read(source, mapping)
        self._by_position = self._in_order(ordered) if keyed is None else self._by_key(keyed)
        self._warn_of_missing()

    def join(self, position: int, reference: Case, source: str) -> Case:
        """The reference's case with this system's prediction; MISSING if there is none."""
        found = self._by_position.get(position)
        if found is not None:
            return found.joined(reference, source)
        # A label in the reference file was about the file's own prediction.
        own = reference.predicted_sql is not MISSING
        return replace(
            reference,
            predicted_sql=MISSING,
            predicted_table=None,
            source=source,
            label=None if own else reference.label,
        )

    def _in_order(self, found: list[Prediction]) -> dict[int, Prediction]:
        n = len(self._references.ids)
        while len(found) > n and found[-1].sql == "" and found[-1].db_id is None:
            found.pop()  # blank lines at the end of a file
        if len(found) > n:
            raise InputError(
                "SJ111",
                f"{len(found)} predictions, but {self._references.name} has {n} references.",
                where=self.name,
                hint="Predictions without ids must be in the order of the references.",
            )
        aligned = dict(enumerate(found))
        self._refuse_other_ids(found)
        self.is_by_position = True
        for position, one in aligned.items():
            if _differs(one, self._references.db_ids[position]):
                raise self._misplaced(one, position)
        return aligned

    def _refuse_other_ids(self, found: list[Prediction]) -> None:
        """Raises if a column has the references' ids in another order: the positions are then
        wrong."""
        if not self._references.states_ids:
            return
        ids = self._references.ids
        counted = [[str(place + first) for place in range(len(found))] for first in (0, 1)]
        for key in found[0].extra if len(found) > 1 else ():
            said = [str(one.extra.get(key)) for one in found]
            in_place = said in (list(ids[: len(found)]), *counted)
            if not in_place and len({*said}) == len(said) and {*said} <= {*ids}:
                raise InputError(
                    "SJ112",
                    f"{key!r} holds ids of {self._references.name}, in another order than there.",
                    where=self.name,
                    hint=f"Use --map id={key}.",
                )

    def _by_key(self, found: Mapping[str, Prediction]) -> dict[int, Prediction]:
        index = self._index(found)
        strange = [key for key in found if key not in index]
        if strange:
            self.warnings.append(
                f"{self.name}: {_count(len(strange), 'prediction')} for no reference of "
                f"{self._references.name}, not used (first: {strange[0]})."
            )
        self._warn_of_order(found, index)
        return {index[key]: one for key, one in found.items() if key in index}

    def _index(self, found: Mapping[str, Prediction]) -> Mapping[str, int]:
        """Key -> position of the reference; keys are positions or ids, whichever fits."""
        ids = {name: position for position, name in enumerate(self._references.ids)}
        positions = {str(position): position for position in range(len(ids))}
        fits = []
        if found.keys() <= positions.keys() and not self._contradiction(found, positions):
            fits.append(positions)
        # Predictions for other ids are fine if every reference has one.
        chosen = ids.keys() <= found.keys() and ids != positions
        if (chosen or found.keys() <= ids.keys()) and not self._contradiction(found, ids):
            fits.append(ids)
            if self._states_ids:
                return ids
        if len(fits) == 2 and any(positions.get(key) != ids.get(key) for key in found):
            raise InputError(
                "SJ112",
                f"the keys fit {self._references.name} both as ids and as positions.",
                where=self.name,
                hint='Write a list of {"question_id": …, "predicted_sql": …}, or all predictions, '
                "or name the databases: SQL<tab>----- bird -----<tab>db_id.",
            )
        if fits:
            return fits[0]
        return self._partly(found, ids, positions)

    def _partly(
        self, found: Mapping[str, Prediction], ids: dict[str, int], positions: dict[str, int]
    ) -> Mapping[str, int]:
        """If neither fits all keys: the shared ids, if the databases confirm them."""
        wrong = self._contradiction(found, ids) or self._contradiction(found, positions)
        shared = [one for key, one in found.items() if key in ids]
        if shared and not self._contradiction(found, ids) and all(one.db_id for one in shared):
            return ids
        if wrong:
            raise self._misplaced(*wrong)
        key = next((key for key in found if key not in ids), "")
        raise InputError(
            "SJ112",
            f"the key {key!r} is not an id of {self._references.name}, and not all keys are "
            "positions.",
            where=self.name,
            hint=f"Its {len(ids):,} ids are {_few(self._references.ids)}.",
        )

    def _contradiction(
        self, found: Mapping[str, Prediction], index: Mapping[str, int]
    ) -> tuple[Prediction, int] | None:
        """The first prediction whose database differs from its reference's, with the position; or
        None."""
        for key, one in found.items():
            position = index.get(key)
            if position is not None and _differs(one, self._references.db_ids[position]):
                return one, position
        return None

    def _misplaced(self, one: Prediction, position: int) -> InputError:
        references = self._references
        return InputError(
            "SJ113",
            f"the prediction is for database {one.db_id!r}, but its reference "
            f"({references.ids[position]}) for {references.db_ids[position]!r}.",
            where=one.origin,
            hint=f"Do these predictions belong to {references.name}?",
        )

    def _warn_of_order(self, found: Mapping[str, Prediction], index: Mapping[str, int]) -> None:
        """Warns that positions are valid only for the very file that was predicted for.

        BIRD's mini-dev was published in two orders that differ in the last 16 questions, all of one
        database; a prediction file does not show which one was used.
        """
        ids = self._references.ids
        self.is_by_position = not self._references.states_ids
        if any(key in index and ids[index[key]] != key for key in found):
            self.is_by_position = True
            self.warnings.append(
                f"{self.name}: its keys are positions in {self._references.name}, not its ids; "
                "right only if the predictions were made for this file in this order."
            )

    def _warn_of_missing(self) -> None:
        ids = self._references.ids
        missing = [name for at, name in enumerate(ids) if at not in self._by_position]
        if missing:
            self.warnings.append(
                f"{self.name}: no prediction for {len(missing)} of {len(ids)} references of "
                f"{self._references.name} (first: {missing[0]}); they count as prediction_missing."
            )


def _differs(one: Prediction, db_id: str) -> bool:
    return bool(one.db_id and db_id and one.db_id != db_id)


def _few(ids: Sequence[str]) -> str:
    """The first ids and the last one, as text."""
    return ", ".join(ids if len(ids) < 5 else [*ids[:3], "…", ids[-1]])


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _read(
    source: Source | PredictionFolder, mapping: Mapping[str, str]
) -> tuple[dict[str, Prediction] | None, list[Prediction]]:
    """Predictions by key; or None, and predictions in order."""
    if isinstance(source, PredictionFolder):
        return dict(_of_folder(source)), []
    if source.kind is FileKind.TEXT:
        return None, list(_lines(source))
    if source.kind is FileKind.JSON_OBJECT:
        return _of_object(source), []
    if not source.head:
        raise InputError("SJ103", "there are no predictions in the file.", where=source.name)
    if not any(isinstance(record.data, dict) for record in source.head):
        return None, [_bare(record) for record in source.records()]
    if is_pool(source):
        return _of_pool(source, mapping)
    first = guess(source.keys, mapping, source.at_head, predictions=True)
    if "predicted_sql" not in first.keys:
        raise missing_key("predicted_sql", source, hint=suggest("predicted_sql", source))
    found = (
        _of_record(position, record, layout)
        for position, (record, layout) in enumerate(guessed(source, mapping, predictions=True))
    )
    if "id" not in first.keys:
        return None, [one for _, one in found]
    return _unique(found), []


def _lines(source: Source) -> Iterator[Prediction]:
    """One prediction per line; a blank line is an empty prediction, as in Spider's scripts."""
    named = is_gold(source.queries())
    for line in source.queries():
        text, db_id = split(line.text)
        if db_id is None:
            text, db_id = split_line(text, named)
        sql = as_sql(text, "prediction", line.origin)
        yield Prediction(sql, line.origin, db_id or None)


def _of_folder(source: PredictionFolder) -> Iterator[tuple[str, Prediction]]:
    for key, found in source.texts_and_tables():
        origin = f"{source.name}/{source.files[key].name}"
        if isinstance(found, str):
            yield key, Prediction(as_sql(found, key, origin), origin)
        else:
            yield key, Prediction(MISSING, origin, table=found)


def _of_object(source: Source) -> dict[str, Prediction]:
    found = {}
    for key, value in source.entries.items():
        origin = f'{source.name}["{key}"]'
        if isinstance(value, list) and value:
            # Several samples per question, as in TrustSQL's votes: the first is the prediction.
            pool = as_samples(value, key, origin)
            found[key] = Prediction(pool[0], origin, pool=pool)
        else:
            sql, db_id = prediction(value, key, origin)
            found[key] = Prediction(sql, origin, db_id)
    return found


def _bare(record: FileRecord) -> Prediction:
    sql, db_id = prediction(record.data, "prediction", record.origin)
    return Prediction(sql, record.origin, db_id)


def _of_record(position: int, record: FileRecord, layout: Layout) -> tuple[str, Prediction]:
    case = build(record, replace(layout, failed=(FAILED,)), position=position, stem="")
    sql, db_id = case.predicted_sql, None
    if isinstance(sql, str):
        sql, db_id = split(sql)
    one = Prediction(sql, case.origin, case.db_id or db_id, case.label, case.extra)
    return case.id, one


def _of_pool(
    source: Source, mapping: Mapping[str, str]
) -> tuple[dict[str, Prediction] | None, list[Prediction]]:
    """The first candidate of each question is the prediction, all of them are its samples."""
    found = [
        (case.id, Prediction(case.predicted_sql, case.origin, case.db_id or None, pool=case.pool))
        for case in Pools().read(source, Options(mapping, samples=True))
    ]
    if id_key(source):
        return _unique(iter(found)), []
    return None, [one for _, one in found]


def _unique(found: Iterator[tuple[str, Prediction]]) -> dict[str, Prediction]:
    out: dict[str, Prediction] = {}
    for key, one in found:
        if key in out:
            raise InputError(
                "SJ110",
                f"two predictions for id {key!r}; the other is at {out[key].origin}.",
                where=one.origin,
                hint="Give each system's predictions in a file of its own.",
            )
        out[key] = one
    return out
