"""What `sqljury train verifier` prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


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
