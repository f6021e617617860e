"""Training examples of a verifier from labelled candidates, and the summary of its training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqljury.benchmarks.pools import recorded_verdict
from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.language_model_verifier import VerifierPrompt
from sqljury.learning.calibration import HIGHEST, LOWEST
from sqljury.learning.language_model.prefix_scoring import PromptText
from sqljury.learning.outcome_reward.examples import RewardExample
from sqljury.sql import without_comments


@dataclass
class VerifierExamples:
    """Makes training examples, and counts by reason the candidates that cannot be used.

    Not used are candidates without a label, a prediction, a question or a schema, repeated queries
    of one question, and, if the prompt shows rows, queries that fail (as in the paper).

    Args:
        prompt: makes the text that the model reads.
        label: the candidate's key that says whether it is right; empty: the label of the file's
            format, ``label`` or ``correct``.

    Source: GradeSQL (Tritto et al. 2026), section 3.2.
    """

    prompt: VerifierPrompt
    label: str = ""
    left_out: Counter[str] = field(default_factory=Counter)

    def of(self, found: Iterable[tuple[Case, Evidence]]) -> Iterator[RewardExample]:
        """A training example for each usable case; ``left_out`` counts why others are not.

        Raises:
            InputError: SJ109: a label is neither yes nor no.
        """
        seen: set[tuple[str, str]] = set()
        for case, evidence in found:
            why = self._useless(case, evidence, seen)
            if why:
                self.left_out[why] += 1
                continue
            label = label_of(case, self.label)
            prompt = PromptText(self.prompt.shared(case, evidence), self.prompt.own(case, evidence))
            yield RewardExample(question_of(case), prompt, bool(label))

    def _useless(self, case: Case, evidence: Evidence, seen: set[tuple[str, str]]) -> str:
        sql = case.predicted_sql
        if not case.question:
            return "no question"
        if not isinstance(sql, str) or not sql.strip():
            return "no prediction"
        if label_of(case, self.label) is None:
            return "no label"
        key = (question_of(case), " ".join(without_comments(sql, evidence.dialect).split()))
        if key in seen:
            return "duplicate"
        seen.add(key)
        if evidence.schema() is None:
            return "no schema"
        if self.prompt.shows_rows and not evidence.rows(sql).ok:
            return "fails"
        return ""


def label_of(case: Case, key: str = "") -> bool | None:
    """True if a candidate is right by its file; None if the file does not say."""
    if not key and case.label is not None:
        return case.label
    keys = (key,) if key else ("label", "correct")  # the second as ``sqljury label`` writes it
    found = next((case.extra[one] for one in keys if case.extra.get(one) is not None), None)
    return recorded_verdict(found, case.origin)


def question_of(case: Case) -> str:
    """The identity of a question: equal words and database make the same question."""
    return "\n".join((case.db_id, case.question or "", case.hint or ""))


def warnings_of(facts: Mapping[str, Any]) -> list[str]:
    """Warnings for the verifier's users, a line each: its temperature is at a bound."""
    temperature = facts["temperature"]
    found = []
    if temperature > 0.99 * HIGHEST:
        found.append(
            f"the temperature is at its bound, {HIGHEST:g}: on the validation questions the scores "
            "hardly tell right from wrong, and calibrated ones are all near a half."
        )
    if temperature < 1.01 * LOWEST:
        found.append(
            f"the temperature is at its bound, {LOWEST:g}: the validation questions hold no "
            "mistake to learn it from, and calibrated scores are all near 0 or 1."
        )
    return found


def training_text(facts: Mapping[str, Any], out: Path) -> str:
    """A summary of the training: the examples, and the figures on the validation questions."""
    learnt, held = facts["training"], facts["validation"]
    curves = held["reliability"]
    lines = [
        f"{out}: {facts['objective']}, prompt {facts['prompt']['variant']}",
        f"learnt from {learnt['examples']:,} candidates ({learnt['right']:,} right) of "
        f"{learnt['questions']:,} questions, best after {learnt['best_step']} of "
        f"{learnt['steps']} steps, {facts['seconds']:,.0f} s",
        f"validation, {held['examples']:,} candidates of other questions: AUC {held['auc']:.3f}, "
        f"accuracy {100 * held['accuracy']:.1f}, log loss {held['log_loss']:.3f}",
        f"temperature {facts['temperature']:.3f}: ECE {curves['before']['ece']:.3f} -> "
        f"{curves['after']['ece']:.3f}, Brier {curves['before']['brier']:.3f} -> "
        f"{curves['after']['brier']:.3f} (reliability.svg)",
    ]
    left = {**facts["data"]["left_out"], "too long": learnt["left_out_as_too_long"]}
    said = ", ".join(f"{why} {n:,}" for why, n in left.items() if n)
    return "\n".join([*lines, *([f"left out: {said}"] if said else [])])
