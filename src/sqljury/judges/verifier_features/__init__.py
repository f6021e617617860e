"""The features of the small verifier: question, schema, query and rows as numbers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.execution import Execution
from sqljury.judges.verifier_features.asked import AskedQuestion, Index, ask, index_values
from sqljury.judges.verifier_features.candidate import Surprise, features_of, surprises
from sqljury.judges.verifier_features.facts import facts_of
from sqljury.schema import Schema
from sqljury.sql.resolve import resolve

if TYPE_CHECKING:
    from sqljury.learning.small_verifier import Expectations


# ------------------------------------------------------------
# The features of a case from its evidence; what does not depend on the query is cached.

_QUESTIONS = 64
_DATABASES = 4
_MOST_VALUES = 20
"""At most so many values of a query are searched for in their columns."""

T = TypeVar("T")


class Observer:
    """Turns cases into features, with the help of trained expectations."""

    def __init__(self, expectations: Expectations) -> None:
        self._expectations = expectations
        self._questions: OrderedDict[Hashable, AskedQuestion] = OrderedDict()
        self._indexes: OrderedDict[Hashable, Index | None] = OrderedDict()

    def features(self, case: Case, evidence: Evidence) -> dict[str, float]:
        """The features of a case that has a prediction and a schema, by name."""
        schema = evidence.schema()
        assert schema is not None, "needs SCHEMA"
        asked = self._asked(case, schema, evidence)
        sql = str(case.predicted_sql)
        run: Execution | None = evidence.rows(sql) if evidence.has_database else None
        missing = _missing(sql, schema, evidence) if evidence.has_database else -1
        return features_of(asked, facts_of(sql, evidence.dialect, schema), run, missing)

    def surprises(self, case: Case, evidence: Evidence) -> list[Surprise]:
        """The parts of the query that are unlikely for its question; empty if it cannot be read."""
        schema = evidence.schema()
        facts = schema and facts_of(str(case.predicted_sql), evidence.dialect, schema)
        return surprises(self._asked(case, schema, evidence), facts) if schema and facts else []

    def _asked(self, case: Case, schema: Schema, evidence: Evidence) -> AskedQuestion:
        question, hint = case.question or "", case.hint or ""
        key = (case.db_id, case.schema_sql, question, hint)
        return _kept(
            self._questions,
            key,
            _QUESTIONS,
            lambda: ask(question, hint, schema, self._index(schema, evidence), self._expectations),
        )

    def _index(self, schema: Schema, evidence: Evidence) -> Index | None:
        if not evidence.has_database:
            return None
        return _kept(
            self._indexes,
            evidence.case.db_id,
            _DATABASES,
            lambda: index_values(schema, evidence.dialect, evidence.rows),
        )


def _kept(memory: OrderedDict[Hashable, T], key: Hashable, most: int, find: Callable[[], T]) -> T:
    """The cached value of a key, computed if it is missing; the cache keeps the latest ``most``."""
    try:  # a jury with models judges in threads, and another thread may remove the key at any time
        memory.move_to_end(key)
        return memory[key]
    except KeyError:
        found = memory[key] = find()
    if len(memory) > most:
        memory.popitem(last=False)
    return found


def _missing(sql: str, schema: Schema, evidence: Evidence) -> int:
    """How many of the constants of a query do not occur in the columns they are compared with."""
    found = resolve(sql, evidence.dialect, schema)
    missing = 0
    for one in found.sought[:_MOST_VALUES] if found is not None else ():
        table = evidence.rows(one.statement(evidence.dialect)).table
        missing += table is not None and not table.rows
    return missing
