"""Case pages: chooses the cases that get a page and returns each page's content as JSON values.

The numbers of pages, rows, columns and characters are limited. Control characters in texts are
made visible here; :mod:`sqljury.reports.page` escapes texts for the browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappush, heappushpop
from itertools import groupby

from sqljury.case import Case, Json
from sqljury.difference import Difference
from sqljury.evidence_shapes import reasons_of
from sqljury.reports.evidence import (
    ShownTable,
    cause_of,
    cell_text,
    other_evidence,
    said,
    shown_tables,
)
from sqljury.reports.sqltext import compared, formatted
from sqljury.reports.words import case_facts, no_prediction, shortened, visible
from sqljury.verdict import Outcome, Record, Verdict

_LONGEST_TEXT = 4_000
_LONGEST_SQL = 8_000
_LONGEST_CELL = 120
_MOST_COLUMNS = 40
_LARGEST_TABLE = 3_000
"""The limit of characters of one result table; rows that differ may take it to twice that."""
MOST_TOLD_APART = 400
"""For at most so many cases the queries' differences are found, which takes some 30 ms each."""
ToldApart = Callable[[Case], Sequence[Difference]]
"""A function that returns the differences between a case's prediction and its reference, the
likeliest cause first; empty if unknown."""


@dataclass(frozen=True, slots=True)
class CasePages:
    """The case pages of a report, and the number of cases in all."""

    pages: tuple[_Page, ...]
    total: int
    told_apart: ToldApart = lambda _: ()

    @property
    def left_out(self) -> int:
        """The number of cases without a page."""
        return self.total - len(self.pages)

    @property
    def wrong(self) -> int:
        """The number of pages whose case some judge calls incorrect."""
        return sum(page.is_wrong for page in self.pages)

    def to_json(self, judges: Sequence[str]) -> Iterator[dict[str, Json]]:
        """Yields the page of each case as JSON; in it a judge is its position in ``judges``."""
        told = 0
        for page in self.pages:
            differences: Sequence[Difference] = ()
            if page.is_wrong and told < MOST_TOLD_APART:
                told += 1
                differences = self.told_apart(page.case)
            yield page.to_json(judges, differences)


def case_pages(
    records: Iterable[Record], most: int, told_apart: ToldApart = lambda _: ()
) -> CasePages:
    """The pages of at most ``most`` cases: those not correct first, then those left out of scores.

    Memory grows with ``most`` only, not with the length of the run.

    Args:
        records: those of one case must be adjacent, as runs return them.
    """
    heap: list[_Page] = []
    total = 0
    for _, group in groupby(records, key=lambda record: record.case.key):
        of_case = list(group)
        total += 1
        rank = (-_urgency(of_case), -total)
        if len(heap) < most:
            heappush(heap, _page(rank, of_case))
        elif heap and heap[0].rank < rank:
            heappushpop(heap, _page(rank, of_case))
    chosen = sorted(heap, key=lambda page: -page.rank[1])
    return CasePages(tuple(chosen), total, told_apart)


def case_page(
    records: Sequence[Record], judges: Sequence[str], differences: Sequence[Difference] = ()
) -> dict[str, Json]:
    """The page of one case as JSON values, as :meth:`CasePages.to_json` yields them.

    Args:
        records: the verdicts on the case, at least one.
        differences: between its prediction and its reference, the likeliest cause first.
    """
    return _page((0, 0), records).to_json(judges, differences)


def verdict_page(verdict: Verdict) -> tuple[dict[str, Json], list[Json]]:
    """A verdict as JSON values, and its result tables, as on a case's page."""
    tables: list[Json] = []
    return _verdict(Record(case=Case(id=""), judge="", verdict=verdict), tables), tables


def _urgency(records: Sequence[Record]) -> int:
    outcomes = [record.verdict.outcome for record in records]
    if any(o is not Outcome.CORRECT and not o.left_out for o in outcomes):
        return 0
    return 2 if all(o is Outcome.CORRECT for o in outcomes) else 1


@dataclass(frozen=True, slots=True)
class _Page:
    """A case with its verdicts, shortened; queries are formatted when the page is written."""

    rank: tuple[int, int]
    case: Case
    verdicts: tuple[tuple[str, dict[str, Json]], ...]
    tables: tuple[Json, ...]
    features: tuple[str, ...]
    without_rows: Mapping[str, Verdict]
    """By judge, the ``incorrect`` verdicts without their evidence, to find their causes."""

    def __lt__(self, other: _Page) -> bool:
        return self.rank < other.rank

    @property
    def is_wrong(self) -> bool:
        """True if some judge calls the case incorrect."""
        return bool(self.without_rows)

    def to_json(self, judges: Sequence[str], differences: Sequence[Difference]) -> dict[str, Json]:
        """The page; verdicts name their judge by its position in ``judges``."""
        return {
            **_described(self.case),
            **_queries(self.case),
            **self.judged(judges, differences),
            "features": [visible(name) for name in self.features],
            "differences": [_text(one.words) for one in differences],
        }

    def judged(self, judges: Sequence[str], differences: Sequence[Difference]) -> dict[str, Json]:
        verdicts = []
        for name, found in self.verdicts:
            verdict = {"judge": judges.index(name), **found}
            if differences and name in self.without_rows:
                verdict["cause"] = cause_of(self.without_rows[name], differences)
            verdicts.append(verdict)
        return {"verdicts": verdicts, "tables": list(self.tables)}


def _page(rank: tuple[int, int], records: Sequence[Record]) -> _Page:
    tables: list[Json] = []
    verdicts = tuple((record.judge, _verdict(record, tables)) for record in records)
    wrong = {
        record.judge: replace(record.verdict, evidence={})
        for record in records
        if record.verdict.outcome is Outcome.INCORRECT
    }
    features = records[0].features
    return _Page(rank, records[0].case, verdicts, tuple(tables), features, wrong)


def _verdict(record: Record, tables: list[Json]) -> dict[str, Json]:
    """One verdict as JSON; its result tables are added to ``tables`` unless already there.

    Judges share executions, so several verdicts may have the same tables. ``reason`` is the first
    sentence, ``lines`` has the others.
    """
    verdict = record.verdict
    lines = [_text(line) for line in said(verdict)]
    is_wrong = verdict.outcome is not Outcome.CORRECT and not verdict.outcome.left_out
    page: dict[str, Json] = {
        "outcome": str(verdict.outcome),
        "score": verdict.score,
        "reason": lines[0] if lines else "",
        "cause": visible(cause_of(verdict)) if is_wrong else None,
        "labels": [visible(label) for label in verdict.labels],
        "measures": {visible(name): value for name, value in sorted(verdict.measures.items())},
        "lines": lines[1:],
        # What speaks for the prediction and against it, with its weight.
        "weighed": [[_text(one["text"]), one["weight"]] for one in reasons_of(verdict.evidence)],
        # Other evidence by name: as names and texts if it is a flat object, else as JSON text.
        "other": [
            [visible(name), _answer(value) or _text(_pretty(value))]
            for name, value in other_evidence(verdict.evidence).items()
            if name != "witness"
        ],
        "counterexample": _counterexample(verdict),
    }
    pair = shown_tables(verdict.evidence)
    if pair is not None:
        both = [_table(side) for side in pair]
        if both not in tables:
            tables.append(both)
        page["tables"] = tables.index(both)
    return {name: value for name, value in page.items() if value not in (None, "", [], {})}


def _counterexample(verdict: Verdict) -> Json:
    """The database on which the queries differ, its texts made visible; None if there is none."""
    if "witness" not in verdict.evidence:
        return None
    # Reading its script needs the parser, which most pages do without.
    from sqljury.reports.counterexample import counterexample_of

    found = counterexample_of(verdict.evidence)
    return None if found is None else {**found, "sql": _sql(str(found["sql"]))}


def _answer(value: Json) -> list[list[str]]:
    """Names and texts of the fields of a flat JSON object; empty for anything else."""
    if not isinstance(value, dict) or any(isinstance(part, dict | list) for part in value.values()):
        return []
    return [
        [visible(name), _text(part if isinstance(part, str) else _pretty(part))]
        for name, part in value.items()
        if part not in ("", None)
    ]


def _pretty(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)


def _table(table: ShownTable) -> dict[str, Json]:
    width = min(len(table.columns), _MOST_COLUMNS)
    rows: list[tuple[int, int, list[int], list[str | None]]] = []
    size = 0
    for row in table.rows:
        cells = [
            None if cell is None else cell_text(cell, _LONGEST_CELL) for cell in row.cells[:width]
        ]
        size += sum(len(cell or "") + 3 for cell in cells)
        # The reader wants the rows that differ: they are kept longest.
        if size <= _LARGEST_TABLE or (row.differs and size <= 2 * _LARGEST_TABLE) or not rows:
            differing = sorted(column for column in row.differing if column < width)
            rows.append((row.number, int(row.differs), differing, cells))
    return {
        "columns": [shortened(visible(name), _LONGEST_CELL) for name in table.columns[:width]],
        "hidden_columns": len(table.columns) - width,
        "numeric": [column for column in range(width) if table.is_numeric(column)],
        "rows": rows,
        "count": table.row_count,
        "hidden_differing": max(0, table.differing - sum(row[1] for row in rows)),
    }


def _described(case: Case) -> dict[str, Json]:
    facts = {name: _text(value) for name, value in case_facts(case)}
    return {
        "id": _text(case.name),
        "db": visible(case.db_id),
        "asked": _text("/".join((case.benchmark, case.id))),
        "system": visible(case.source),
        "difficulty": visible(case.difficulty or ""),
        "question": facts.pop("question", ""),
        "facts": facts,
    }


def _queries(case: Case) -> dict[str, Json]:
    """The queries as written, and formatted: side by side if there are both."""
    prediction = case.predicted_sql if isinstance(case.predicted_sql, str) else None
    references = [_sql(sql) for sql in case.reference_sqls]
    page: dict[str, Json] = {"references": references, "no_prediction": no_prediction(case)}
    if prediction is not None:
        page["prediction"] = _sql(prediction)
    if prediction is not None and case.reference_sqls:
        page["diff"] = [
            [None if side is None else list(side) for side in (line.left, line.right)]
            for line in compared(_cut(case.reference_sqls[0]), prediction)
        ]
    elif prediction is not None or references:
        page["laid_out"] = visible(formatted(_cut(prediction or case.reference_sqls[0])))
    return page


def _cut(sql: str) -> str:
    return shortened(sql, _LONGEST_SQL)


def _sql(sql: str) -> str:
    return visible(_cut(sql.replace("\r\n", "\n")))


def _text(text: str) -> str:
    return shortened(visible(text), _LONGEST_TEXT)
