"""What `sqljury train verifier` prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqljury.learning.calibration import HIGHEST, LOWEST


def warnings_of(facts: Mapping[str, Any]) -> list[str]:
    """What whoever uses the verifier should know, a line each."""
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
    """A few lines: what was learnt from, and how good it is on questions it has not seen."""
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
