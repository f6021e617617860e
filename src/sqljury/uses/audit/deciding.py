"""Decisions of people about an audit's findings, kept as an overlay from the first one on."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sqljury.benchmarks import (
    Overlay,
    OverlayDecision,
    Source,
    as_object,
    overlay_of,
    signed,
    write_overlay,
)
from sqljury.errors import InputError
from sqljury.uses.audit.audit import AuditFinding
from sqljury.uses.audit.overlays import correction_of
from sqljury.writing import is_begun, json_line, shown_path, unwritable

_FIELDS: Final = frozenset(field.name for field in fields(AuditFinding))


class FindingDecision(StrEnum):
    """What a person decides about a finding: as in an overlay, or that there is no fault."""

    REPLACE = "replace"
    AMBIGUOUS = "ambiguous"
    EXCLUDE = "exclude"
    REJECT = "reject"
    """The reference is right; the overlay does not mention it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A person's decision about a finding.

    Args:
        new_sql: the new reference, if it is replaced by another query than the proposal.
        why: the reason; empty for the finding's own.
        at: the time, as ISO 8601 in UTC.
    """

    decision: FindingDecision
    by: str
    new_sql: str = ""
    why: str = ""
    at: str = ""


_BEGINNING = b'{"finding": '
"""How each line of the log begins."""


class FindingDecisions:
    """The findings of an audit with what people decided about them.

    Each decision is appended to a log next to the overlay (``NAME.decisions.jsonl``), which keeps
    rejections too, and then the overlay is written anew.

    Args:
        findings: an audit's export.
        overlay: the overlay to write.
        key: an SSH key that signs each correction.

    Raises:
        InputError: SJ534: a line is not a finding; SJ539: the overlay is there already, and has no
            log of decisions.
    """

    def __init__(self, findings: Path, overlay: Path, key: Path | None = None) -> None:
        self.overlay = overlay
        self.log = overlay.with_suffix(".decisions.jsonl")
        self._key = key
        self._turn = threading.Lock()
        read = [_finding(as_object(one), one.origin) for one in Source(findings).records()]
        found = {key_of(one): one for one in read}
        self.findings: Mapping[str, AuditFinding] = dict(
            sorted(found.items(), key=lambda item: -item[1].likely)
        )
        """By key, the likeliest fault first."""
        self.decided: dict[str, Decided] = {}
        if self.log.exists():
            self._read_log()
        elif overlay.exists():
            raise InputError(
                "SJ539",
                "the overlay exists and was not made from decisions here.",
                where=shown_path(overlay),
                hint="Name another one; overlays are merged by giving --overlay twice.",
            )

    def _read_log(self) -> None:
        try:
            for line in self.log.read_bytes().splitlines(keepends=True):
                # Without an end: left by a killed process, or the only line of another file.
                if line.endswith(b"\n") or not is_begun(line, _BEGINNING):
                    event = json.loads(line)
                    self._take(event["finding"], _decided(event["decided"]))
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise InputError(
                "SJ534", f"not a log of decisions: {error}.", where=shown_path(self.log)
            ) from error

    def _take(self, key: str, decided: Decided | None) -> None:
        self.decided.pop(key, None)
        if decided is not None:
            self.decided[key] = decided

    def decide(self, key: str, decided: Decided | None) -> None:
        """Store a decision, or take it back with None, and write the overlay.

        Raises:
            InputError: SJ412: there is no such finding; SJ534: no name, or nothing to replace the
                reference with; SJ533: the decision contradicts one about the same reference.
        """
        if key not in self.findings:
            raise InputError("SJ412", "there is no such finding.")
        if decided is not None and not decided.by.strip():
            raise InputError("SJ534", "the name of the person who decides is empty: enter one.")
        with self._turn:
            if decided is not None:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                decided = Decided(**{**asdict(decided), "at": now})
            former = dict(self.decided)
            self._take(key, decided)
            try:
                made = self.corrections()
                if self._key is not None:
                    made = signed(made, self._key)
            except BaseException:
                self.decided = former
                raise
            self._append({"finding": key, "decided": None if decided is None else asdict(decided)})
            write_overlay(made, self.overlay)

    def _append(self, event: Mapping[str, Any]) -> None:
        line = json_line(event).encode()
        try:
            with self.log.open("a+b") as file:
                file.seek(0)
                whole = file.read()
                # What a killed process left of its line is cut off.
                file.truncate(whole.rfind(b"\n") + 1)
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise unwritable(self.log, error) from error

    def corrections(self) -> Overlay:
        """The overlay of what is decided.

        Raises:
            InputError: SJ533, SJ534: as for :meth:`decide`.
        """
        return overlay_of(
            correction_of(
                {
                    **self.findings[key].to_json(),
                    "decision": OverlayDecision(one.decision),
                    "new_sql": one.new_sql or None,
                    "why": one.why or None,
                },
                key,
                one.by,
                one.at[:10],
            )
            for key, one in self.decided.items()
            if one.decision is not FindingDecision.REJECT and key in self.findings
        )


def key_of(finding: AuditFinding) -> str:
    """Twelve hex digits that identify a finding: check, question, reference, place and reason."""
    told = [finding.code, finding.id, finding.db_id, finding.sql, finding.part, finding.reason]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]


def _finding(data: Mapping[str, Any], origin: str) -> AuditFinding:
    try:
        return AuditFinding(**{name: value for name, value in data.items() if name in _FIELDS})
    except TypeError as error:
        raise InputError(
            "SJ534",
            f"not a finding: {error}.",
            where=origin,
            hint="sqljury audit BENCHMARK --export FILE writes them.",
        ) from error


def _decided(data: Mapping[str, Any] | None) -> Decided | None:
    if data is None:
        return None
    return Decided(**{**data, "decision": FindingDecision(data["decision"])})
