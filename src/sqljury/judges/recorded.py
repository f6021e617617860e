"""Verdicts from the output files of ROSE's reference implementation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from sqljury.benchmarks import (
    RecordedJudgement,
    RecordedRun,
    find_rose_outputs,
    read_rose_output,
    recording_fingerprint,
)
from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.verdict import Outcome, Verdict


@register
@dataclass(frozen=True)
class Recorded(Judge):
    """Verdicts that an earlier run recorded: an output folder of ROSE, or a tree of such folders.

    The judgement of a case is found by id, and by its benchmark if folders are named after
    benchmarks (`rose-vec-bird/o3/ROSE`). A judgement of another query is not used.

    Args:
        dir: the folder.
        metric: the name of the last folder, if there are several: `ROSE`, `FLEX`, `ProverOnly`.
        model: the name of the folder above it: `o3`.

    Source: ROSE (ACL 2026, arXiv:2604.12988), its published output.
    """

    name: ClassVar[str] = "recorded"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.NOTHING
    sees_failures: ClassVar[bool] = True

    dir: str = ""
    metric: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        if not self.dir:
            raise InputError(
                "SJ353",
                "the judge recorded needs a folder.",
                hint="Write --judge recorded,dir=FOLDER.",
            )
        _ = self._runs  # a folder that holds nothing is an error when the judge is made

    def signature_fields(self) -> dict[str, Json]:
        """A digest of the recordings."""
        digests = (recording_fingerprint(run.folder) for run in self._runs)
        return {"recorded": hashlib.sha256("".join(digests).encode()).hexdigest()[:8]}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:  # noqa: ARG002 - a judge's shape
        """The recorded verdict."""
        found = self._judgements(case).get(case.id)
        if found is None:
            return _unavailable("there is no recorded judgement")
        if _squeezed(found.case.predicted_sql) != _squeezed(case.predicted_sql):
            return _unavailable("the recorded judgement is on another query")
        if found.score is None:
            return _unavailable("the recorded judgement has no score")
        return _verdict(found, found.score)

    @cached_property
    def _runs(self) -> Sequence[RecordedRun]:
        found = find_rose_outputs(self.dir)
        chosen = [run for run in found if self._is_meant(run)]
        if not chosen:
            names = ", ".join(dict.fromkeys(f"{run.model}/{run.metric}" for run in found))
            raise InputError(
                "SJ353",
                f"no recordings of model={self.model or 'any'}, metric={self.metric or 'any'}.",
                where=self.dir,
                hint=f"There is: {names}.",
            )
        return chosen

    def _is_meant(self, run: RecordedRun) -> bool:
        # A run without parts is the given folder itself, which needs no further choice.
        return not run.parts or (
            self.metric in ("", run.metric) and (not self.model or self.model in run.parts)
        )

    @cached_property
    def _read(self) -> dict[RecordedRun, dict[str, RecordedJudgement]]:
        return {}

    def _judgements(self, case: Case) -> Mapping[str, RecordedJudgement]:
        run = self._run_of(case.benchmark)
        if run not in self._read:
            self._read[run] = read_rose_output(run.folder)
        return self._read[run]

    def _run_of(self, benchmark: str) -> RecordedRun:
        named = [run for run in self._runs if benchmark in run.parts]
        found = named or self._runs
        if len(found) > 1:
            names = ", ".join("/".join(run.parts) for run in found[:3])
            raise InputError(
                "SJ353",
                f"{len(found)} recordings could be of {benchmark or 'these cases'}: {names}, ….",
                where=self.dir,
                hint="Name one with metric=… and model=…, or give its folder.",
            )
        return found[0]


def _verdict(found: RecordedJudgement, score: float) -> Verdict:
    right = score >= 0.5
    outcome = found.outcome or (Outcome.CORRECT if right else Outcome.INCORRECT)
    stages = {"prover": found.prover, "refuter": found.refuter}
    evidence: dict[str, Json] = {
        name: answer.to_json() for name, answer in stages.items() if answer is not None
    }
    if found.rows_equal is not None:
        evidence["rows_equal"] = found.rows_equal
    if found.problems:
        evidence["problems"] = list(found.problems)
    return Verdict(
        outcome=outcome,
        score=None if outcome is Outcome.UNKNOWN else score,
        reason=found.reason,
        labels=found.labels,
        evidence=evidence,
    )


def _unavailable(reason: str) -> Verdict:
    return Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=reason)


def _squeezed(sql: object) -> object:
    """A query with single spaces only, as some recordings changed white space."""
    return " ".join(sql.split()) if isinstance(sql, str) else sql
