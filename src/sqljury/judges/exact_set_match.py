"""Spider's exact set match: the clauses of prediction and reference are compared as sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.sql import Clauses, clauses_of, normalise_text, parse
from sqljury.sql.spider_grammar import OutsideGrammarError, as_read
from sqljury.verdict import Outcome, Verdict

COMPONENTS = (
    "select",
    "where",
    "group",
    "having",
    "order",
    "and_or",
    "iuen",
    "keywords",
    "tables",
    "others",
)


@register
@dataclass(frozen=True)
class ExactSetMatch(Judge):
    """Spider's exact set match: every clause has the same parts, in any order, without values.

    The comparison is that of the evaluation script: SELECT without DISTINCT; conditions without
    their right sides, unless these are subqueries; GROUP BY by column names; one direction for all
    of ORDER BY; whether there is a LIMIT; tables without their join conditions; columns that a
    foreign key makes equal count as one column. Subqueries in WHERE, HAVING and FROM must be the
    same in everything but values (in FROM: in values, too).

    It differs from the script where the script's parser fails: what its grammar lacks (INNER and
    outer joins, ``<>``, aliases without AS, CTEs, OFFSET, …) is parsed and compared instead of
    being counted as wrong, an OR after a comparison of two columns is not lost, and an alias is
    valid in its own SELECT only.

    If the prediction or every reference cannot be parsed, the verdict is ``unknown``; a statement
    that is no query is ``prediction_error``. The measures are 1 for each component that agrees with
    the closest reference.

    Args:
        grammar: ``official`` (``exact_set_match:official``) gives the script's results including
            the failures of its parser: a prediction that it cannot parse is incorrect, what it
            skips does not count, and a reference that it cannot parse is ``unknown`` (the script
            stops there). The schema must be known.
        values: compare values and the number of LIMIT as well.

    Source: Yu et al. 2018 (Spider), section 5.
    """

    name: ClassVar[str] = "exact_set_match"
    version: ClassVar[int] = 3
    needs: ClassVar[Needs] = Needs.REFERENCE
    variant: ClassVar[str] = "grammar"

    grammar: str = ""
    values: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown grammar."""
        if self.grammar not in ("", "official"):
            raise ValueError(f"there is no grammar {self.grammar!r}; known: official")

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if any reference has the same components."""
        if self.grammar == "official":
            return self._as_the_script(case, evidence)
        return self._judged(str(case.predicted_sql), case.reference_sqls, evidence)

    def _as_the_script(self, case: Case, evidence: Evidence) -> Verdict:
        schema = evidence.schema()
        if schema is None:
            return Verdict(outcome=Outcome.UNKNOWN, reason="the tables are not known")
        references = []
        with suppress(OutsideGrammarError):
            references = [as_read(sql, schema) for sql in case.reference_sqls]
        if not references:
            reason = "Spider's script cannot read the reference"
            return Verdict(outcome=Outcome.UNKNOWN, reason=reason)
        try:
            return self._judged(as_read(str(case.predicted_sql), schema), references, evidence)
        except OutsideGrammarError as error:
            return Verdict.incorrect(
                f"Spider's script cannot read it: {error}", measures=dict.fromkeys(COMPONENTS, 0.0)
            )

    def _judged(self, sql: str, texts: Sequence[str], evidence: Evidence) -> Verdict:
        text = normalise_text(sql, evidence.dialect)
        if any(normalise_text(ref, evidence.dialect) == text for ref in texts):
            return Verdict.correct("same text", measures=dict.fromkeys(COMPONENTS, 1.0))
        references = [found for ref in texts if (found := self._clauses(ref, evidence))]
        if not references:
            return Verdict(outcome=Outcome.UNKNOWN, reason="the reference cannot be parsed")
        prediction = self._clauses(sql, evidence)
        if prediction is None:
            measures = dict.fromkeys(COMPONENTS, 0.0)
            if parse(sql, evidence.dialect) is None:
                reason = "the prediction cannot be parsed"
                return Verdict(outcome=Outcome.UNKNOWN, reason=reason, measures=measures)
            return Verdict(
                outcome=Outcome.PREDICTION_ERROR,
                score=0.0,
                reason="the prediction is not a query",
                measures=measures,
            )
        agreements = [self._agreement(reference, prediction) for reference in references]
        best = max(agreements, key=lambda agreement: sum(agreement.values()))
        measures = {name: float(agrees) for name, agrees in best.items()}
        wrong = [name for name, agrees in best.items() if not agrees]
        if not wrong:
            return Verdict.correct("same components", measures=measures)
        return Verdict.incorrect(f"differs in: {', '.join(wrong)}", measures=measures)

    def _clauses(self, sql: str, evidence: Evidence) -> Clauses | None:
        return clauses_of(sql, evidence.dialect, evidence.schema(), values=self.values)

    def _agreement(self, reference: Clauses, prediction: Clauses) -> Mapping[str, bool]:
        r, p = reference, prediction
        limits = (r.limit, p.limit) if self.values else (bool(r.limit), bool(p.limit))
        agrees = (
            Counter(r.select) == Counter(p.select),
            Counter(r.where.parts) == Counter(p.where.parts),
            Counter(map(_column_name, r.group)) == Counter(map(_column_name, p.group)),
            not (r.group or p.group) or (r.group == p.group and r.having == p.having),
            not (r.order or p.order)
            or ((r.order, r.direction) == (p.order, p.direction) and limits[0] == limits[1]),
            set(r.where.connectors) == set(p.where.connectors),
            self._same_operands(r, p),
            set(_keywords(r)) == set(_keywords(p)) and (not self.values or limits[0] == limits[1]),
            Counter(r.tables) == Counter(p.tables),
            Counter(r.others) == Counter(p.others),
        )
        return dict(zip(COMPONENTS, agrees, strict=True))

    def _same_operands(self, reference: Clauses, prediction: Clauses) -> bool:
        """True if both have the same set operation (or none) and their second operands match."""
        if reference.set_operation != prediction.set_operation:
            return False
        if reference.operand is None or prediction.operand is None:
            return reference.operand is prediction.operand
        return all(self._agreement(reference.operand, prediction.operand).values())


def _column_name(text: str) -> str:
    """The name of a grouping column without its table, as both sides of a join are equal."""
    return text.rpartition(".")[2]


def _keywords(clauses: Clauses) -> Iterator[str]:
    yield from (name for name in ("where", "having") if getattr(clauses, name).parts)
    yield from (name for name in ("group", "order", "limit") if getattr(clauses, name))
    yield clauses.direction
    yield clauses.set_operation
    for conditions in (clauses.on, clauses.where, clauses.having):
        yield from (word for word in conditions.connectors if word == "or")
        for part in conditions.parts:
            yield from (word for word in ("in", "like") if part.operator == word)
            if part.negated:
                yield "not"
