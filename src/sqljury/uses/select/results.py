"""The judge that finds which candidates of a pool return equal tables, for majority voting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.execution import ResultTable, Status
from sqljury.judge_name import JudgeName
from sqljury.judges import Judge, Needs, make_judge
from sqljury.judges.execution import ExecutionMatch, is_ordered, tie_groups
from sqljury.tables import Policy, compare
from sqljury.verdict import Outcome, Verdict


@dataclass(frozen=True)
class Results(Judge):
    """Runs each distinct query of a pool once and groups the queries with equal tables.

    Tables are compared under the policy `match` (``strict``, ``spider;keep_distinct=true``: variant
    and options of the judge ``execution``, separated by semicolons). The order of rows counts if
    the policy says so and more than half of the candidates have an ORDER BY. A table joins the
    first group whose first table it equals. The evidence has, for each distinct query in the order
    of the pool, ``status``, ``rows`` (their number) and ``group``, null if it does not run.
    """

    name: ClassVar[str] = "results"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.DATABASE
    sees_failures: ClassVar[bool] = True

    match: str = "strict"

    def __post_init__(self) -> None:
        _ = self._execution  # raises for a bad option now, not with the first case

    @cached_property
    def _execution(self) -> ExecutionMatch:
        judge = make_judge(JudgeName.parse(f"execution:{self.match}", ";"))
        assert isinstance(judge, ExecutionMatch)
        return judge

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` with the groups of one question's pool; ``unknown`` without a pool."""
        queries = list(dict.fromkeys(filter(None, case.pool)))
        if not queries:
            return Verdict(outcome=Outcome.UNKNOWN, reason="there is no pool")
        policy = self._execution.rules
        ordered = self._asks_for_order(case.pool, evidence.dialect)
        groups = _Groups(policy, ordered, evidence)
        found: list[dict[str, Json]] = []
        for text in queries:
            sql = self._execution.sql_to_run(text)
            run = evidence.rows(sql)
            if run.status is Status.UNAVAILABLE:
                return Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=run.message)
            rows = None if run.table is None else len(run.table.rows)
            group = None if run.table is None else groups.of(sql, run.table)
            found.append({"status": run.status.value, "rows": rows, "group": group})
        columns = {name: [one[name] for one in found] for name in ("status", "rows", "group")}
        reason = f"{len(queries)} distinct queries, {groups.count} distinct results"
        return Verdict.correct(reason, evidence={**columns, "ordered": ordered})

    def _asks_for_order(self, pool: Sequence[str | None], dialect: str) -> bool:
        known: dict[str, bool] = {}
        for sql in dict.fromkeys(filter(None, pool)):
            known[sql] = is_ordered(self._execution.rules, sql, dialect)
        return 2 * sum(known[sql] for sql in pool if sql) > sum(sql is not None for sql in pool)


@dataclass(slots=True)
class _Groups:
    """The groups so far; of each, only its first query is kept, not the table."""

    policy: Policy
    ordered: bool
    evidence: Evidence
    first: list[str] = field(default_factory=list)
    by_shape: dict[tuple[int, ...], list[int]] = field(default_factory=dict)
    by_rows: dict[bytes, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return len(self.first)

    def of(self, sql: str, table: ResultTable) -> int:
        """The number of the group to which a query's table belongs; a new one if none equals
        it."""
        # The same rows in the same order are equal under every policy.
        digest = _digest(table)
        known = self.by_rows.get(digest)
        if known is None:
            known = next(self._equal(sql, table), None)
        if known is None:
            known = self.count
            self.first.append(sql)
            self.by_shape.setdefault(self._shape(table), []).append(known)
        self.by_rows[digest] = known
        return known

    def _equal(self, sql: str, table: ResultTable) -> Iterator[int]:
        for group in self.by_shape.get(self._shape(table), ()):
            other = self.evidence.rows(self.first[group]).table
            if other is not None and self._same(self.first[group], other, sql, table):
                yield group

    def _shape(self, table: ResultTable) -> tuple[int, ...]:
        """A key that equal tables share: their numbers of columns and rows, if the policy compares
        these."""
        width = () if self.policy.extra_columns else (table.width,)
        rows = () if self.policy.duplicates == "set" else (len(table.rows),)
        empty = self.policy.empties_equal and not table.rows
        return (0,) if empty else (1, *width, *rows)

    def _same(self, left: str, a: ResultTable, right: str, b: ResultTable) -> bool:
        found = compare(a, b, self.policy, ordered=self.ordered)
        if not (found.only_order_differs and self.policy.free_ties):
            return found.equal is True
        # Either query's ORDER BY may be taken as the order; rows that tie under it are free.
        for sql, one, other in ((left, a, b), (right, b, a)):
            ties = tie_groups(sql, one, self.evidence.dialect, self.evidence.rows)
            if ties is not None and compare(one, other, self.policy, ordered=True, ties=ties):
                return True
        return False


def _digest(table: ResultTable) -> bytes:
    digest = blake2b(f"{table.width}".encode(), digest_size=16)
    for row in table.rows:
        digest.update(repr(row).encode("utf-8", "surrogatepass"))
    return digest.digest()
