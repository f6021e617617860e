"""Build benchmarks from files of questions, databases and schemas."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sqljury.api import PathLike
from sqljury.benchmarks import read_cases, write_cases
from sqljury.case import Case
from sqljury.databases import Database, open_databases, read_schemas
from sqljury.errors import InputError
from sqljury.execution import Execution, Limits
from sqljury.reports.build_card import card_text
from sqljury.reports.writing import new_file
from sqljury.schema import Schema
from sqljury.uses.building import KINDS, Card, build_trust
from sqljury.uses.building.out_of_domain import questions_in

DEFAULT_LIMITS = Limits(seconds=10.0, rows=100_000)
"""What a reference may use before its question is left out."""


def build_trust_files(
    questions: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    databases: PathLike | None = None,
    schemas: PathLike | None = None,
    seed: int = 0,
    kinds: Sequence[str] = KINDS,
    out_of_domain: PathLike | None = None,
    mapping: Mapping[str, str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Card:
    """Write a benchmark in the manner of TrustSQL: ``train.jsonl``, ``validation.jsonl``,
    ``test.jsonl``, ``left_out.jsonl``, ``card.json`` and ``README.md``.

    Args:
        questions: files of questions with their reference SQL.
        out: the folder; its name is the benchmark's.
        databases: whose schemas are asked about, and that references are run on.
        schemas: a file of schemas, for databases that are not there.
        kinds: of unanswerable questions.
        out_of_domain: a text file with a question a line, instead of those that come along.

    Raises:
        InputError: SJ560: no such kind, no usable question, neither databases nor schemas;
            and whatever is wrong with the files.
    """
    _check_kinds(kinds)
    paths = [questions] if isinstance(questions, str | os.PathLike) else list(questions)
    asked = None if out_of_domain is None else _questions(Path(out_of_domain))
    cases = list(read_cases(paths, mapping=mapping))
    with _Places(databases, schemas) as places:
        known = places.schemas({case.db_id for case in cases})
        built = build_trust(
            cases,
            known,
            lambda db_id, sql: places.run(db_id, sql, limits),
            name=Path(out).resolve().name,
            sources=[Path(p).name for p in (*paths, databases, schemas, out_of_domain) if p],
            seed=seed,
            kinds=kinds,
            questions=asked,
        )
    if not any(built.splits.values()):
        raise InputError(
            "SJ560",
            "no question can be used.",
            hint=f"Left out: {', '.join(f'{why} {n}' for why, n in built.card.left_out.items())}.",
        )
    _write(Path(out), {**built.splits, "left_out": built.left_out}, built.card)
    return built.card


def _check_kinds(kinds: Sequence[str]) -> None:
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise InputError(
            "SJ560", f"no kind {', '.join(unknown) or '…'}.", hint=f"Kinds: {', '.join(KINDS)}."
        )


def _questions(path: Path) -> tuple[str, ...]:
    try:
        found = questions_in(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("SJ101", f"{error}.", where=str(path)) from None
    if not found:
        raise InputError("SJ103", "there is no question in the file.", where=str(path))
    return found


def _write(out: Path, parts: Mapping[str, Iterable[Case]], card: Card) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("SJ801", f"cannot make {out}: {error.strerror or error}.") from None
    for name, found in parts.items():
        write_cases(found, out / f"{name}.jsonl")
    with new_file(out / "card.json") as file:
        file.write(json.dumps(card.to_json(), indent=2, ensure_ascii=False) + "\n")
    with new_file(out / "README.md") as file:
        file.write(card_text(card))


class _Places:
    """Databases and schemas by name; databases stay open until all is done."""

    def __init__(self, databases: PathLike | None, schemas: PathLike | None) -> None:
        if databases is None and schemas is None:
            raise InputError(
                "SJ560", "nothing to ask about.", hint="Give --databases, --schemas, or both."
            )
        self._databases = None if databases is None else open_databases(str(databases))
        self._schemas = None if schemas is None else read_schemas(str(schemas))
        self._open: dict[str, Database | None] = {}

    def __enter__(self) -> _Places:
        return self

    def __exit__(self, *_: object) -> None:
        for database in filter(None, self._open.values()):
            database.close()

    def schemas(self, asked: set[str]) -> dict[str, Schema]:
        """The schemas of the databases that are asked about, and of all others that are there."""
        listed = set(self._databases.ids() or ()) if self._databases is not None else set()
        if self._schemas is not None:
            listed |= set(self._schemas.by_id)
        folded = {name.casefold() for name in asked}
        others = {name for name in listed if name and name.casefold() not in folded}
        found = {name: self._schema(name, keep=name in asked) for name in sorted(asked | others)}
        return {name: schema for name, schema in found.items() if schema is not None}

    def _schema(self, name: str, *, keep: bool) -> Schema | None:
        database = self._database(name)
        if database is None:
            return None if self._schemas is None else self._schemas.get(name)
        schema = database.schema()
        if not keep:
            database.close()
            del self._open[name]
        return schema

    def _database(self, name: str) -> Database | None:
        if name not in self._open:
            self._open[name] = None if self._databases is None else self._databases.open(name)
        return self._open[name]

    def run(self, db_id: str, sql: str, limits: Limits) -> Execution | None:
        """Run a reference; None where there is no database."""
        database = self._database(db_id)
        return None if database is None else database.execute(sql, limits)
