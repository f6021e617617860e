"""An audit as a self-contained HTML page: a card for each finding, filters, queries to copy."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqljury.case import Json
from sqljury.evidence_shapes import ShownRows, shown_rows
from sqljury.reports import words
from sqljury.reports.html import environment, scripts, style
from sqljury.reports.sqltext import Segments, compared
from sqljury.writing import PathLike, new_file

if TYPE_CHECKING:
    from sqljury.uses.audit import Audit, AuditFinding

_MOST_CHARACTERS = 600
"""Of a text that shows a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """Rows as a card shows them."""

    name: str
    rows: Sequence[Sequence[Json]]
    columns: Sequence[str] = ()
    more: int = 0
    """Rows that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Card:
    """A finding as the template shows it."""

    code: str
    name: str
    db: str
    weak: bool
    likely: str
    question: str
    hint: str
    reason: str
    sql: Sequence[Segments]
    proposal: Sequence[Segments] = ()
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[_Shown] = ()
    returned: _Shown | None = None
    proposal_returned: _Shown | None = None
    difference: str = ""


def write_audit_page(path: PathLike, found: Audit, *, title: str) -> None:
    """Write the findings, a card each: question, hint, the reference with its guilty part marked,
    what shows the fault, the proposal, and what both return. The same input gives the same bytes.

    Raises:
        InputError: the file cannot be written.
    """
    looked_at = found.references - sum(found.not_audited.values())
    used, hashes = scripts("audit")
    page = (
        environment()
        .get_template("audit.html.j2")
        .stream(
            title=words.visible(title),
            lead=f"{words.count(looked_at)} of {words.count(found.references)} references audited: "
            f"{words.count(found.suspect)} with a fault, {words.count(found.hinted)} more with a "
            "hint.",
            checks=[one for one in found.checks if one.findings],
            databases=sorted({words.visible(one.db_id) for one in found.findings}),
            cards=(_card(one) for one in found.findings),
            signature=words.visible(found.signature),
            style=style(),
            scripts=used,
            script_hashes=hashes,
        )
    )
    with new_file(path) as file:
        file.writelines(page)


def _card(one: AuditFinding) -> _Card:
    sql, proposal = _queries(one)
    facts, tables = _evidence(one.evidence)
    returned = {name: one.returned.get(name) for name in ("reference", "proposal")}
    return _Card(
        code=one.code,
        name=" / ".join(filter(None, (words.visible(one.id), one.source, one.name))),
        db=words.visible(one.db_id),
        weak=one.weak,
        likely=words.percent(one.likely, 0),
        question=words.visible(one.question),
        hint=words.visible(one.hint),
        reason=words.visible(one.reason),
        sql=sql,
        proposal=proposal,
        facts=facts,
        tables=tables,
        returned=_table("returns", shown_rows(returned, "reference")),
        proposal_returned=_table("returns", shown_rows(returned, "proposal")),
        difference=words.visible(str(one.returned.get("difference", ""))),
    )


def _queries(one: AuditFinding) -> tuple[list[Segments], list[Segments]]:
    """The lines of both queries; what differs is marked, or what the finding points at."""
    if one.proposal is None:
        return [_pointed_at(words.visible(one.sql), one.part)], []
    lines = compared(one.sql, one.proposal)
    left = [line.left for line in lines if line.left is not None]
    return left, [line.right for line in lines if line.right is not None]


def _pointed_at(sql: str, part: str) -> Segments:
    """The query cut where the guilty part stands: plain, marked, plain, …"""
    if not part:
        return (sql,)
    inside = re.escape(part)
    start, end = (r"\b" if char.isalnum() else "" for char in (part[0], part[-1]))
    return tuple(re.split(f"({start}{inside}{end})", sql, flags=re.IGNORECASE))


def _evidence(evidence: Mapping[str, Json]) -> tuple[list[tuple[str, str]], list[_Shown]]:
    """Texts and tables."""
    facts, tables = [], []
    for name, value in evidence.items():
        head = name.replace("_", " ")
        if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            tables.append(_Shown(name=head, rows=value))
        elif value not in (None, "", [], {}):
            facts += _facts(head, value)
    return facts, tables


def _facts(name: str, value: Json) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [one for key, part in value.items() for one in _facts(f"{name}: {key}", part)]
    if isinstance(value, list):
        value = ", ".join(one if isinstance(one, str) else json.dumps(one) for one in value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return [(name, words.shortened(words.visible(text), _MOST_CHARACTERS))] if text else []


def _table(name: str, table: ShownRows | None) -> _Shown | None:
    if not table:
        return None
    count = table["row_count"]
    return _Shown(
        name=f"{name} {words.count(count)} {'row' if count == 1 else 'rows'}",
        rows=table["rows"],
        columns=[words.visible(str(column)) for column in table["columns"]],
        more=count - len(table["rows"]),
    )
