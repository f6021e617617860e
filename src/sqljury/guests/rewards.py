"""Reward functions for reinforcement learning of SQL: a number per completion.

One :class:`SQLReward` serves TRL (``reward_funcs=[reward]``), verl (``reward.compute_score``) and
OpenRLHF (``reward.reward_func``). It never raises because of a completion.
"""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqljury as sj
from sqljury.case import Json
from sqljury.closing import Closing
from sqljury.judges import spec_of
from sqljury.uses.evaluate import counted_score

PARTIAL: Mapping[str, float] = {"execution:strict": 0.7, "soft_f1": 0.2, "executable": 0.1}
"""Weights of judges that give partial credit: for rows that partly agree, for queries that run."""


class Reward(NamedTuple):
    """The reward of one completion."""

    total: float | None
    """The weighted mean of the parts, in [0, 1]; None if a part is unknown."""
    parts: Mapping[str, float | None]
    """The score by each judge, in [0, 1]; None if unknown."""


class SQLReward(Closing):
    """Scores completions by judges, whose workers stay ready between calls.

    Args:
        databases: as for :class:`sqljury.Evaluator`.
        judges: a judge, or judges with their weights, such as :data:`PARTIAL`.
        settings: keywords of :class:`sqljury.Evaluator`: ``limits``, ``workers`` …

    A prediction that fails, is refused or runs too long scores 0. If the reference fails, the
    database is missing or a verdict is ``unknown``, the total is None, and TRL leaves the
    completion out.

    Raises:
        InputError: a judge is unknown, or a weight is not above 0.
    """

    __name__ = "sql_reward"  # under which TRL logs it

    def __init__(
        self,
        databases: str | os.PathLike[str] | None,
        judges: str | Mapping[str, float] = "execution:strict",
        **settings: Any,
    ) -> None:
        weights = {judges: 1.0} if isinstance(judges, str) else dict(judges)
        if not weights or not all(0 < weight < math.inf for weight in weights.values()):
            raise sj.InputError("SJ851", "weights of judges must be above 0.")
        made = [sj.make_judge(name) for name in weights]
        self._weights = dict(zip(map(spec_of, made), weights.values(), strict=True))
        self._needs_reference = any(judge.needs_reference for judge in made)
        self._evaluator = sj.Evaluator(databases, list(weights), **settings)

    def rewards(self, cases: Sequence[sj.Case | Mapping[str, Json]]) -> list[Reward]:
        """The reward of each case.

        Args:
            cases: cases, or mappings with the usual keys; SQL is extracted from prose.

        Raises:
            InputError: a case has no prediction or no reference.

        If the workers cannot run, all totals are None and a warning says why, so that the training
        continues.
        """
        try:
            return [self._reward(found) for found in self._evaluator.judge_all(cases)]
        except sj.InfrastructureError as error:
            warnings.warn(f"no rewards: {error}", RuntimeWarning, stacklevel=2)
            return [Reward(None, {}) for _ in cases]

    def __call__(
        self, prompts: Sequence[Any], completions: Sequence[Any], **columns: Any
    ) -> list[float | None]:
        """The reward of each completion; TRL calls this.

        Args:
            prompts: the questions, if there is no column ``question``.
            completions: texts, or lists of messages, of which the last one counts.
            columns: the data set's other columns; ``reference`` (or ``query``, ``gold``),
                ``db_id``, ``hint`` and ``question`` are used.

        Raises:
            InputError: SJ851: a judge needs a reference, and no column holds it.
        """
        if self._needs_reference and columns.keys().isdisjoint(_REFERENCES):
            raise sj.InputError(
                "SJ851",
                f"no column holds the reference (columns: {', '.join(columns)}).",
                hint="Name the column reference.",
            )
        rows = []
        for place, (prompt, completion) in enumerate(zip(prompts, completions, strict=True)):
            known = {name: columns[name][place] for name in _COLUMNS if name in columns}
            row = {name: value for name, value in known.items() if value is not None}
            row.setdefault("question", _text(prompt))
            rows.append({**row, "predicted_sql": _text(completion)})
        return [reward.total for reward in self.rewards(rows)]

    def compute_score(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: str | Sequence[str],
        extra_info: Mapping[str, Any] | None = None,
    ) -> dict[str, float]:
        """``score``, the score by each judge, and ``left_out``; verl calls this.

        verl averages all numbers, so an unknown score is 0 here, and ``left_out`` is 1 then.

        Args:
            data_source: the benchmark's name.
            solution_str: the completion.
            ground_truth: the reference query, or several.
            extra_info: ``db_id``, and ``question`` if judges need it.
        """
        known = {name: value for name, value in (extra_info or {}).items() if name in _COLUMNS}
        case = {**known, "benchmark": data_source, "predicted_sql": solution_str}
        (reward,) = self.rewards([{**case, "reference": ground_truth}])
        parts = {name: reward.parts.get(name) or 0.0 for name in self._weights}
        return {"score": reward.total or 0.0, **parts, "left_out": float(reward.total is None)}

    def reward_func(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str]
    ) -> dict[str, Any]:
        """Tensors ``rewards`` and ``scores``, 0 if unknown; OpenRLHF calls this.

        Args:
            queries: each prompt with its completion.
            prompts: the prompts.
            labels: for each query a JSON object with ``reference`` and ``db_id``.

        Raises:
            InputError: SJ851: a label is not a JSON object.
        """
        import torch

        completions = [
            query.removeprefix(prompt) for query, prompt in zip(queries, prompts, strict=True)
        ]
        objects = [_object(label) for label in labels]
        columns = {name: [one.get(name) for one in objects] for name in _COLUMNS}
        found = self(prompts, completions, **columns)
        rewards = torch.tensor([reward or 0.0 for reward in found])
        left_out = torch.tensor([float(reward is None) for reward in found])
        return {"rewards": rewards, "scores": rewards, "extra_logs": {"left_out": left_out}}

    def close(self) -> None:
        """End the workers."""
        self._evaluator.close()

    def _reward(self, verdicts: Mapping[str, sj.Verdict]) -> Reward:
        parts = {name: _score(verdict) for name, verdict in verdicts.items()}
        if any(part is None for part in parts.values()):
            return Reward(None, parts)
        total = math.fsum(self._weights[name] * (part or 0.0) for name, part in parts.items())
        return Reward(total / math.fsum(self._weights.values()), parts)


_REFERENCES = ("reference", "reference_sqls", "query", "gold")
_COLUMNS = (*_REFERENCES, "db_id", "question", "hint")


def _score(verdict: sj.Verdict) -> float | None:
    if verdict.outcome is sj.Outcome.ABSTAINED:
        return 0.0  # a completion without SQL earns nothing
    return counted_score(verdict.outcome, verdict.score)


def _object(label: str) -> dict[str, Any]:
    try:
        found = json.loads(label)
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise sj.InputError(
            "SJ851",
            f"the label {str(label)[:80]!r} is no JSON object.",
            hint='Write {"reference": "SELECT …", "db_id": "…"}.',
        )
    return found


def _text(written: Any) -> str:
    """A text itself, or the content of a message or the last of several; else empty."""
    if isinstance(written, Sequence) and not isinstance(written, str):
        written = written[-1] if written else ""
    if isinstance(written, Mapping):
        written = written.get("content")
    return written if isinstance(written, str) else ""
