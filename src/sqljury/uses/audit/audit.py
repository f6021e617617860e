"""Audits a benchmark's references: makes a case of each, and gathers the checks' findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace

from sqljury.case import Case, Json
from sqljury.evidence_shapes import faults_of
from sqljury.faults import Check
from sqljury.faults.wording import Wording, stem
from sqljury.verdict import Outcome, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """One possible fault that a check found in a reference, with what a person needs to decide."""

    benchmark: str
    id: str
    source: str = ""
    """``reference 2`` if the question has several references; empty if it has one."""
    db_id: str = ""
    question: str = ""
    hint: str = ""
    sql: str
    code: str
    name: str
    title: str
    weak: bool
    """True if fewer than half of the check's findings were faults when people read them."""
    likely: float
    """The probability of a fault, in [0, 1], from the share of faults among findings of the same
    check that people read."""
    reason: str
    part: str = ""
    evidence: Mapping[str, Json] = field(default_factory=dict)
    proposal: str | None = None
    returned: Mapping[str, Json] = field(default_factory=dict)
    """The results of the reference and of the proposal: columns, first rows, number of rows."""

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCount:
    """The counts of one check."""

    code: str
    name: str
    title: str
    weak: bool
    findings: int
    references: int
    """The number of references with a finding."""
    skipped: int
    """The number of references without what the check needs: a hint, a schema, rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The results of an audit.

    Args:
        references: the number of references.
        not_audited: the number of these that could not be checked, by reason.
        suspect: the number with a finding of a check that is not weak.
        hinted: the number with findings of weak checks only.
        signature: one line that says how this was computed.
    """

    references: int
    not_audited: Mapping[str, int]
    suspect: int
    hinted: int
    checks: tuple[CheckCount, ...]
    findings: tuple[AuditFinding, ...]
    signature: str = ""

    def with_findings(
        self, findings: Iterable[AuditFinding], looked_at: Mapping[Check, int]
    ) -> Audit:
        """The audit with the findings of checks that compare several references added.

        Args:
            looked_at: those checks, and the number of references that each could check.
        """
        every = (*self.findings, *findings)
        skipped = Counter({one.code: self.references - n for one, n in looked_at.items()})
        suspect, hinted = _suspects(every)
        return replace(
            self,
            suspect=suspect,
            hinted=hinted,
            checks=(*self.checks, *(_counted(one, list(every), skipped) for one in looked_at)),
            findings=every,
        )

    def to_json(self) -> dict[str, Json]:
        """A JSON object; the findings last."""
        return {
            "references": self.references,
            "not_audited": dict(self.not_audited),
            "suspect": self.suspect,
            "hinted": self.hinted,
            "signature": self.signature,
            "checks": [asdict(one) for one in self.checks],
            "findings": [one.to_json() for one in self.findings],
        }


def references_of(cases: Iterable[Case]) -> Iterator[Case]:
    """A case per question and distinct reference, with the reference as its prediction.

    A question with several predictions counts once.
    """
    seen: set[tuple[str, str, str]] = set()
    for case in cases:
        several = len(case.reference_sqls) > 1
        for number, sql in enumerate(case.reference_sqls, start=1):
            key = (case.benchmark, case.id, sql)
            if key not in seen:
                seen.add(key)
                yield replace(
                    case,
                    source=f"reference {number}" if several else "",
                    predicted_sql=sql,
                    reference_sqls=(),
                    pool=(),
                    label=None,
                )


def audit_of(records: Iterable[Record], checks: Iterable[Check], signature: str = "") -> Audit:
    """The audit made of the verdicts of the judge ``faults`` on references.

    Args:
        records: with evidence, in the order of the benchmark.
        checks: the checks that were run; each is listed, also without findings.
    """
    asked_for = tuple(checks)
    codes = {one.code for one in asked_for}
    findings: list[AuditFinding] = []
    skipped: Counter[str] = Counter()
    not_audited: Counter[str] = Counter()
    references = 0
    for record in records:
        references += 1
        if record.verdict.outcome not in (Outcome.CORRECT, Outcome.INCORRECT):
            not_audited[str(record.verdict.outcome)] += 1
            continue
        skipped.update(faults_of(record.verdict.evidence)["skipped"])
        findings += (one for one in _findings(record) if one.code in codes)
    suspect, hinted = _suspects(findings)
    return Audit(
        references=references,
        not_audited=dict(sorted(not_audited.items())),
        suspect=suspect,
        hinted=hinted,
        checks=tuple(_counted(check, findings, skipped) for check in asked_for),
        findings=tuple(findings),
        signature=signature,
    )


def _findings(record: Record) -> Iterator[AuditFinding]:
    case = record.case
    for told in faults_of(record.verdict.evidence)["findings"]:
        yield AuditFinding(
            benchmark=case.benchmark,
            id=case.id,
            source=case.source,
            db_id=case.db_id,
            question=case.question or "",
            hint=case.hint or "",
            sql=str(case.predicted_sql),
            **told,
        )


def _suspects(findings: Iterable[AuditFinding]) -> tuple[int, int]:
    """The number of references with a strong finding, and of those with weak ones only."""
    every = list(findings)
    strong = {_reference(one) for one in every if not one.weak}
    return len(strong), len(set(map(_reference, every)) - strong)


def _reference(finding: AuditFinding) -> tuple[str, str, str]:
    return (finding.benchmark, finding.id, finding.source)


def _counted(check: Check, findings: list[AuditFinding], skipped: Counter[str]) -> CheckCount:
    own = [one for one in findings if one.code == check.code]
    return CheckCount(
        code=check.code,
        name=check.name,
        title=check.title,
        weak=check.weak,
        findings=len(own),
        references=len(set(map(_reference, own))),
        skipped=skipped[check.code],
    )


# ------------------------------------------------------------
# Different references of the same question.


_FILLERS = frozenset(
    {
        *("a", "an", "and", "are", "do", "does", "find", "for", "from", "get", "give", "have"),
        *("in", "is", "list", "me", "of", "on", "please", "return", "show", "tell", "that", "the"),
        *(
            "there",
            "these",
            "they",
            "those",
            "to",
            "us",
            "want",
            "was",
            "were",
            "what",
            "which",
            "who",
        ),
        *("whose", "with"),
    }
)
"""Words ignored when questions are compared; none of them counts, compares or negates."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two different references of the same question."""

    first: Case
    second: Case
    """The one that comes later; both have their reference as ``predicted_sql``."""


def conflicts_of(references: Iterable[Case]) -> Iterator[Conflict]:
    """Each reference with the first different one of the same question, where there is one.

    Questions are the same if they are one question with several references; if they have the same
    id and database in several files (versions of a benchmark); or if they have the same words in
    the same order, except fillers and plural endings (paraphrases).

    Args:
        references: as :func:`references_of` returns them.
    """
    first: dict[tuple[str, ...], Case] = {}
    for case in references:
        for key in _question_keys(case):
            other = first.setdefault(key, case)
            if _text(other) != _text(case):
                yield Conflict(other, case)
                break


def _question_keys(case: Case) -> Iterator[tuple[str, ...]]:
    yield ("id", case.db_id, case.id)
    words = [stem(word) for word in Wording(case.question or "").words if word not in _FILLERS]
    if words:
        yield ("words", case.db_id, *words)


def _text(case: Case) -> str:
    return " ".join(str(case.predicted_sql).split()).rstrip("; ").casefold()
