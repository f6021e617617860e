"""Execution accuracy: the rows of the prediction against the rows of the reference.

The parser is imported where it is needed: the process that starts workers makes this judge, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.execution import Execution as Run
from sqljury.execution import ResultTable
from sqljury.judges.base import Judge, Needs, predicted_rows, register
from sqljury.stored_table import StoredTable
from sqljury.tables import (
    Comparison,
    DifferingRows,
    Policy,
    compare,
    compare_stored,
    explain,
    make_policy,
    paired,
    render_cell,
)
from sqljury.verdict import Outcome, Verdict

_SHOWN_ROWS = 20
_EXPLAINED_ROWS = 10


@register
@dataclass(frozen=True)
class ExecutionMatch(Judge):
    """Execution accuracy: prediction and reference return the same rows under a policy.

    With several references, equal rows of one are enough. References and prediction can be result
    tables; only SQL needs a database.

    Args:
        policy: the variant: ``strict``, ``spider``, ``bird``, ``rose``, ``spider2``, ``ehrsql`` or
            ``intent``; the other options change single rules of it.
        duplicates: ``bag`` counts how often a row occurs, ``set`` does not.
        row_order: which ORDER BY of the reference makes row order count: ``top_level``,
            ``anywhere`` (also in subqueries) or none (``free``).
        column_order: ``given`` or ``any``.
        extra_columns: whether one side may have more columns.
        values: ``typed``, ``exact``, ``lenient``, ``text``, ``csv`` or ``rounded``.
        tolerance: numbers a and b are equal if |a - b| <= tolerance * max(1, |a|, |b|).
        keep_distinct: keep DISTINCT if the policy removes it.

    Source: Yu et al. 2018 (Spider); Zhong et al. 2020 (test suites); Li et al. 2023 (BIRD).
    """

    name: ClassVar[str] = "execution"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS
    variant: ClassVar[str] = "policy"
    takes_tables: ClassVar[bool] = True

    policy: str = "strict"
    duplicates: str | None = None
    row_order: str | None = None
    column_order: str | None = None
    extra_columns: bool | None = None
    values: str | None = None
    tolerance: float | None = None
    keep_distinct: bool = False

    def __post_init__(self) -> None:
        _ = self.rules  # a bad option is an error when the judge is made, not at the first case

    @cached_property
    def rules(self) -> Policy:
        """The comparison policy, options included."""
        chosen = {
            "duplicates": self.duplicates,
            "row_order": self.row_order,
            "column_order": self.column_order,
            "extra_columns": self.extra_columns,
            "values": self.values,
            "tolerance": self.tolerance,
            "remove_distinct": False if self.keep_distinct else None,
        }
        return make_policy(
            self.policy, **{name: value for name, value in chosen.items() if value is not None}
        )

    def signature_fields(self) -> dict[str, Json]:
        """How order and tolerance are compared, for the signature."""
        order = {"top_level": "reference", "anywhere": "reference", "free": "free"}
        return {"order": order[self.rules.row_order], "tol": f"{self.rules.tolerance:g}"}

    def sql_to_run(self, sql: str) -> str:
        """The text, without DISTINCT if the policy removes it, and as EHRSQL's script runs it if
        the policy says so."""
        if self.rules.fixed_clock:
            from sqljury.sql.ehrsql import as_ehrsql_runs

            return as_ehrsql_runs(sql)
        if not self.rules.remove_distinct:
            return sql
        from sqljury.sql import remove_distinct

        return remove_distinct(sql)

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if the rows equal those of a reference that runs."""
        rows = predicted_rows(self, case, evidence)
        if case.reference_tables:
            return self._judge_tables(case, rows)
        predicted = _title(rows) or self.sql_to_run(str(case.predicted_sql))
        first: _Compared | None = None
        undecided = False
        for text in case.reference_sqls:
            sql = self.sql_to_run(text)
            run = evidence.rows(sql)
            if run.table is None:
                continue
            table, prediction = run.table, rows
            if isinstance(prediction, StoredTable):
                as_text = self.rules.values == "csv"
                table, prediction = paired(table, prediction, as_text=as_text)
            compared = self._compare(
                _QueryRows(sql, table), _QueryRows(predicted, prediction), evidence
            )
            if compared.result.equal:
                return Verdict.correct("same rows", labels=tuple(compared.result.notes))
            undecided = undecided or compared.result.equal is None
            first = first or compared
        assert first is not None  # needs REFERENCE_ROWS
        return _undecided() if undecided else self._mismatch(first, evidence)

    def _judge_tables(self, case: Case, prediction: StoredTable | ResultTable) -> Verdict:
        """The verdict if the references are result tables.

        A mismatch is explained by the first reference with as many rows, else by the first.
        """
        explained: _Compared | None = None
        undecided = False
        for reference in case.reference_tables:
            if reference.problem:
                continue
            result, left, right = compare_stored(reference, prediction, self.rules)
            if result.equal:
                return Verdict.correct(f"same rows as {reference.name}", labels=result.notes)
            undecided = undecided or result.equal is None
            lacks = explained is None or len(explained.reference.table.rows) != len(right.rows)
            if lacks and (explained is None or len(left.rows) == len(right.rows)):
                ordered = reference.ordered and self.rules.row_order != "free"
                predicted = _title(prediction) or str(case.predicted_sql)
                sides = _QueryRows(_title(reference), left), _QueryRows(predicted, right)
                explained = _Compared(*sides, ordered, None, result)
        assert explained is not None  # needs REFERENCE_ROWS
        return _undecided() if undecided else self._explained(explained)

    def _compare(
        self, reference: _QueryRows, prediction: _QueryRows, evidence: Evidence
    ) -> _Compared:
        ordered = is_ordered(self.rules, reference.sql, evidence.dialect)
        ties: Sequence[int] | None = None
        result = compare(reference.table, prediction.table, self.rules, ordered=ordered)
        if result.only_order_differs and self.rules.free_ties:
            ties = tie_groups(reference.sql, reference.table, evidence.dialect, evidence.rows)
            if ties is not None:
                result = compare(
                    reference.table, prediction.table, self.rules, ordered=True, ties=ties
                )
        return _Compared(reference, prediction, ordered, ties, result)

    def _mismatch(self, compared: _Compared, evidence: Evidence) -> Verdict:
        cut = _limit_cuts_tie(compared.reference, evidence)
        return replace(self._explained(compared), labels=("limit_cuts_tie",) if cut else ())

    def _explained(self, compared: _Compared) -> Verdict:
        reference, prediction = compared.reference, compared.prediction
        explanation = explain(
            reference.table,
            prediction.table,
            self.rules,
            compared.result,
            ordered=compared.ordered,
            ties=compared.ties,
            max_rows=_EXPLAINED_ROWS,
        )
        return Verdict.incorrect(
            explanation.text,
            evidence={
                "explanation": explanation.to_dict(),
                "reference": reference.shown(explanation.missing),
                "prediction": prediction.shown(explanation.extra),
            },
        )


@dataclass(frozen=True, slots=True)
class _QueryRows:
    """A query and its rows."""

    sql: str
    table: ResultTable

    def shown(self, differing: DifferingRows) -> dict[str, Json]:
        """The first rows as JSON for display; ``marks`` are the numbers of those that the other
        side lacks."""
        rows = self.table.rows[:_SHOWN_ROWS]
        return {
            "sql": self.sql,
            "columns": list(self.table.columns),
            "rows": [[render_cell(cell) for cell in row] for row in rows],
            "row_count": len(self.table.rows),
            "marks": sorted(index for index in differing.places if index < _SHOWN_ROWS),
        }


@dataclass(frozen=True, slots=True)
class _Compared:
    reference: _QueryRows
    prediction: _QueryRows
    ordered: bool
    ties: Sequence[int] | None
    result: Comparison = field(kw_only=False)


def _title(table: StoredTable | ResultTable) -> str:
    """What stands in place of a table's SQL: a comment with the file's name; empty for rows that a
    query returned."""
    return f"-- result table {table.name}" if isinstance(table, StoredTable) else ""


def _undecided() -> Verdict:
    return Verdict(
        outcome=Outcome.UNKNOWN,
        reason="too many ways to match the columns: the search was ended",
    )


def is_ordered(rules: Policy, sql: str, dialect: str) -> bool:
    """True if the policy compares the order of the rows, given the reference's ORDER BY."""
    if rules.row_order == "free":
        return False
    from sqljury.sql import any_order, top_level_order

    return any_order(sql) if rules.row_order == "anywhere" else top_level_order(sql, dialect)


def tie_groups(
    sql: str,
    rows: ResultTable,
    dialect: str,
    run: Callable[[str], Run],
    *,
    collated: bool = False,
) -> list[int] | None:
    """Per row of an ordered query, the number of its group of rows with equal order keys.

    None if the order keys cannot be added to the query's output, or if the query with them fails
    or returns other rows.

    Args:
        rows: the query's result.
        run: executes a query.
        collated: the columns' collations may treat texts as equal that differ in case or blanks.
    """
    from sqljury.sql import keyed_for_ties

    keyed = keyed_for_ties(sql, dialect)
    if keyed is None:
        return None
    keyed = replace(keyed, fold=keyed.fold or collated)
    table = run(keyed.sql).table
    if table is None or [keyed.plain(row) for row in table.rows] != rows.rows:
        return None
    groups: list[int] = []
    last: object = None
    for row in table.rows:
        keys = keyed.keys(row)
        groups.append(groups[-1] + (keys != last) if groups else 0)
        last = keys
    return groups


def _limit_cuts_tie(reference: _QueryRows, evidence: Evidence) -> bool:
    """True if the reference's LIMIT leaves out a row with the same order keys as the last one."""
    from sqljury.sql import without_limit

    wider = without_limit(reference.sql, evidence.dialect)
    if wider is None or wider.limit == 0:
        return False
    table = evidence.rows(wider.query.sql).table
    if table is None or len(table.rows) <= wider.limit:
        return False
    last, next_one = table.rows[wider.limit - 1 : wider.limit + 1]
    return wider.query.keys(last) == wider.query.keys(next_one)
