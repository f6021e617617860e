"""Spider 2.0-Lite and Spider 2.0-Snow as published: questions, and results that are right."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from sqljury.benchmarks.fields import as_object, as_text
from sqljury.benchmarks.files import FileKind, Source
from sqljury.benchmarks.formats import Format, Options, register
from sqljury.benchmarks.result_tables import read_table
from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.stored_table import ReferenceTable, StoredTable

_GOLD = Path("evaluation_suite", "gold")
_DOCUMENTS = Path("resource", "documents")
_RESULT = re.compile(r"(?P<id>.+?)(?P<letter>_[a-z])?\.csv")


@register
class Spider2(Format):
    """Questions of spider2-lite.jsonl or spider2-snow.jsonl, with the results in the folder
    ``evaluation_suite/gold`` beside it as references."""

    name = "spider2"
    description = "Spider 2.0-Lite and -Snow: spider2-*.jsonl beside evaluation_suite/gold"
    priority = 20

    def claims(self, source: Source) -> bool:
        """True for records with an instance_id, beside a folder with their results."""
        return (
            source.kind in (FileKind.JSON_LINES, FileKind.JSON_LIST)
            and "instance_id" in source.keys
            and (source.path.parent / _GOLD / "exec_result").is_dir()
        )

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per question; several results are several references."""
        folder = source.path.parent
        gold = _Gold(folder / _GOLD)
        benchmark = source.stem if options.benchmark is None else options.benchmark
        used = {"instance_id", "db", "db_id", "question", "instruction", "external_knowledge"}
        for record in source.records():
            data, origin = as_object(record), record.origin

            def text(*keys: str, data: Mapping[str, Json] = data, origin: str = origin) -> str:
                key = next((key for key in keys if key in data), keys[0])
                return as_text(data.get(key), key, origin) or ""

            key = text("instance_id")
            if not key:
                raise InputError("SJ104", 'no "instance_id".', where=origin)
            document = text("external_knowledge")
            extra = {name: value for name, value in data.items() if name not in used}
            yield Case(
                id=key,
                db_id=text("db", "db_id"),
                question=text("question", "instruction") or None,
                hint=_document(folder, document),
                reference_sqls=gold.queries(key),
                reference_tables=() if options.no_tables else gold.results(key),
                benchmark=benchmark,
                extra={**extra, "document": document} if document else extra,
                origin=origin,
            )


def _document(folder: Path, name: str) -> str | None:
    """The text of a document of external knowledge; None without one, or if it is not there."""
    path = folder / _DOCUMENTS / Path(name).name
    if not name or not path.is_file():
        return None
    return path.read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class _Gold:
    """The folder ``gold``: results, the columns of them that count, and some of the queries."""

    folder: Path

    @property
    def _is_snow(self) -> bool:
        return (self.folder / "spider2snow_eval.jsonl").is_file()

    @cached_property
    def _standards(self) -> Mapping[str, Mapping[str, Any]]:
        found = sorted(self.folder.glob("*_eval.jsonl"))
        if len(found) != 1:
            raise InputError(
                "SJ101",
                f"{len(found)} files *_eval.jsonl, where one is expected.",
                where=str(self.folder),
                hint="Unpack the evaluation suite as it is published.",
            )
        standards = {}
        for number, line in enumerate(found[0].read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            where = f"{found[0].name}:{number}"
            try:
                data = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError("SJ106", f"broken JSON: {error}.", where=where) from None
            if not isinstance(data, dict) or not isinstance(data.get("instance_id"), str):
                raise InputError(
                    "SJ105", 'each line must be an object with "instance_id".', where=where
                )
            standards[data["instance_id"]] = data
        return standards

    @cached_property
    def _files(self) -> Mapping[str, Sequence[Path]]:
        """The files of results by question: ``ID.csv`` alone, else ``ID_a.csv``, ``ID_b.csv``, …"""
        found: dict[str, list[Path]] = defaultdict(list)
        paths = sorted((self.folder / "exec_result").glob("*.csv"))
        for path in paths:
            parts = _RESULT.fullmatch(path.name)
            if parts is not None and parts["letter"]:
                found[parts["id"]].append(path)
        return {**found, **{path.stem: [path] for path in paths}}

    def results(self, key: str) -> tuple[ReferenceTable, ...]:
        """The results of a question, with the columns that count as the published script takes
        them."""
        paths = self._files.get(key, ())
        standard = self._standards.get(key, {})
        is_single = [path.stem for path in paths] == [key]
        chosen = columns_that_count(standard.get("condition_cols"), len(paths), is_single=is_single)
        if chosen == [0] and not is_single and self._is_snow:
            chosen = [[0]]
        ordered = not standard.get("ignore_order", False)
        found = []
        for path, columns in zip(paths, chosen, strict=True):
            table = read_table(path)
            found.append(_reference(table, columns, ordered=ordered))
            if found[-1].problem:
                break  # the script stops at the first result that it cannot use
        if not found:
            return (ReferenceTable(name=f"{key}.csv", problem="no result is published"),)
        return tuple(found)

    def queries(self, key: str) -> tuple[str, ...]:
        """The published query of a question, if there is one."""
        path = self.folder / "sql" / f"{key}.sql"
        if not path.is_file():
            return ()
        text = path.read_text(encoding="utf-8-sig", errors="replace").strip()
        return (text,) if text else ()


def columns_that_count(stated: Any, results: int, *, is_single: bool) -> list[Any]:
    """``condition_cols`` for each result, as ``evaluate.py`` of Spider 2.0 hands them out.

    One list counts for all results, a list of lists has one for each. For a question with only one
    result ``ID_a.csv`` the script takes the first element of the list, a number: then only that
    column counts; the script of Lite takes a 0 for no list, so that all count. None stands for a
    result that has no list.

    >>> columns_that_count([1, 2], 2, is_single=False)
    [[1, 2], [1, 2]]
    >>> columns_that_count([1, 2], 1, is_single=False)
    [1]
    """
    if is_single or stated in (None, [], [[]], [None]):
        return [stated or [] if is_single else []] * results
    if results > 1 and not all(isinstance(one, list) for one in stated):
        return [stated] * results
    return [*stated[:results], *[None] * (results - len(stated))]


def _reference(table: StoredTable, columns: Any, *, ordered: bool) -> ReferenceTable:
    known = {field.name: getattr(table, field.name) for field in fields(StoredTable)}
    problem = table.problem
    counted: tuple[int, ...] = ()
    if columns is None:
        problem = problem or "condition_cols has no list for it"
    else:
        listed = columns if isinstance(columns, list) else [columns] if columns else []
        if all(type(one) is int and -table.width <= one < table.width for one in listed):
            counted = tuple(one % table.width for one in listed) or tuple(range(table.width))
        else:
            problem = problem or f"condition_cols={listed}, but it has {table.width} columns"
    return ReferenceTable(**{**known, "problem": problem}, counted=counted, ordered=ordered)
