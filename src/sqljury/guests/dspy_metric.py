"""A metric for DSPy: `dspy.Evaluate`, optimizers, and GEPA, which also reads the reason."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import sqljury as sj
from sqljury.benchmarks import cases_of_rows
from sqljury.closing import Closing
from sqljury.guests.assertion import message
from sqljury.judges import spec_of
from sqljury.uses.evaluate import counted_score
from sqljury.uses.inputs import databases_spec

_SQL = ("sql", "predicted_sql", "query", "answer")
"""The output fields that may hold the query, the surest first."""
_REFERENCE = ("reference", "reference_sqls", "query", "gold", "sql")
"""The fields of an example that may hold the reference, the surest first."""


class SQLMetric(Closing):
    """Scores the SQL of a prediction in [0, 1] by a judge, whose worker stays ready.

    Examples have ``reference`` (or ``query``, ``gold``, ``sql``), ``db_id`` and ``question``;
    predictions have ``sql`` (or ``query``, ``answer``).

    Args:
        databases: as for :class:`sqljury.Evaluator`.
        judge: the judge's name.
        settings: keywords of :class:`sqljury.Evaluator`.

    Raises:
        InputError: the judge or the databases do not exist.
    """

    __name__ = "sql_metric"

    def __init__(self, databases: Any, judge: str = "execution:strict", **settings: Any) -> None:
        made = sj.make_judge(judge)
        self._judge = spec_of(made)
        self._needs_reference = made.needs_reference
        self._evaluator = sj.Evaluator(databases, [judge], **settings)
        self._databases = databases_spec(databases)
        self._lock = threading.Lock()  # dspy.Evaluate calls from several threads

    def __call__(
        self,
        example: Mapping[str, Any],
        prediction: Mapping[str, Any],
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,  # noqa: ARG002  # GEPA gives it
    ) -> Any:
        """The score; True or False where an optimizer collects demonstrations (``trace``).

        GEPA, which names a predictor, gets a ``dspy.Prediction`` with ``score`` and ``feedback``:
        the reason, the queries and the rows that differ. An unknown score counts as 0.

        Raises:
            InputError: SJ857: no output field of the program holds the query, or the judge needs a
                reference and no field of the example holds it.
            InfrastructureError: the worker cannot work.
        """
        _check("prediction", prediction, _SQL)
        if self._needs_reference:
            _check("example", example, _REFERENCE)
        row = {name: example[name] for name in ("db_id", "question", "hint") if example.get(name)}
        row["reference"] = next((example[name] for name in _REFERENCE if example.get(name)), None)
        row["predicted_sql"] = next((prediction[name] for name in _SQL if prediction.get(name)), "")
        (case,) = cases_of_rows([row])
        with self._lock:
            verdict = self._evaluator.judge(case)[self._judge]
        score = counted_score(verdict.outcome, verdict.score) or 0.0
        if pred_name is not None:
            import dspy

            said = message(case, self._judge, verdict, self._databases)
            return dspy.Prediction(score=score, feedback=said)
        return verdict.outcome is sj.Outcome.CORRECT if trace is not None else score

    def close(self) -> None:
        """End the worker."""
        self._evaluator.close()


def _check(kind: str, fields: Mapping[str, Any], names: tuple[str, ...]) -> None:
    if not any(name in fields for name in names):
        raise sj.InputError(
            "SJ857",
            f"the {kind} has none of the fields {', '.join(names)}.",
            hint=f"Its fields are {', '.join(fields.keys())}.",
        )
