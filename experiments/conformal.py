"""Thresholds with a guarantee, on 200 random halves of recorded data.

    python experiments/conformal.py --data $DATA [--runs FOLDER]

TrustSQL's five recorded samples on Spider: the confidence is the share that agrees. Half of the
questions choose the threshold, the other half is scored. `harm R` promises that the share of
questions with a wrong answer is at most R in the mean; `risk R` that the share of wrong answers
among the answers is at most R in at least 90 % of the splits.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from sqljury.decision import Decision
from sqljury.uses.trust.files import TrustSettings, judged_run, systems_of
from sqljury.uses.trust.reliability import count
from sqljury.uses.trust.thresholds import conformal_threshold, selective_threshold, withhold

JUDGE = "execution:spider"
WAYS = ("voting:text", "voting:rows")
SPLITS = 200
CLS = "eval_spider_test_gpt4o_create_select_pos16neg16_clsprompt"


def main() -> None:
    """Split, choose, score, print."""
    options = _options()
    outputs = options.data / "trustsql" / "outputs"
    gate = str(outputs / CLS / "prediction.json.gz")
    with tempfile.TemporaryDirectory() as scratch:
        run = _run(options.data, outputs, Path(options.runs or scratch) / "pos8_voting5")
        print("| confidence | gate | rule | kept in the mean | splits kept | answered |")
        print("|---|---|---|---|---|---|")
        for way in WAYS:
            for gates in ((), (gate,)):
                (system,) = systems_of(run, TrustSettings(judge=JUDGE, confidence=way, gates=gates))
                name = f"| `{way}` | {'CLSPROMPT' if gates else ''} |"
                for risk in (0.05, 0.1, 0.2):
                    print(f"{name} harm {risk:g} | {_kept(system.decisions, risk, harm=True)} |")
                for risk in (0.2, 0.3, 0.4):
                    print(f"{name} risk {risk:g} | {_kept(system.decisions, risk, harm=False)} |")


def _run(data: Path, outputs: Path, folder: Path) -> str:
    votes = outputs / "eval_spider_test_gpt3.5turbo_colfk_pos8_voting5" / "prediction.json.gz"
    questions = data / "trustsql" / "derived" / "trustsql_spider_test_reconstructed.jsonl.gz"
    setup = TrustSettings(judge=JUDGE, gates=WAYS, mapping={"answerable": "in_spider_dev"})
    return judged_run([questions], setup, data / "spider" / "databases", [votes], folder)


def _kept(decisions: Sequence[Decision], risk: float, *, harm: bool) -> str:
    choose: Callable[[Sequence[Decision], float], float] = (
        conformal_threshold if harm else selective_threshold
    )
    found, covered = [], []
    generator = random.Random(0)
    for _ in range(SPLITS):
        shuffled = generator.sample(list(decisions), len(decisions))
        half = len(shuffled) // 2
        counts = count(withhold(shuffled[half:], choose(shuffled[:half], risk)))
        found.append((counts.harm if harm else counts.risk) or 0.0)
        covered.append(counts.coverage or 0.0)
    kept = sum(one <= risk for one in found)
    return (
        f"{100 * fmean(found):.1f} % | {100 * kept / SPLITS:.1f} % | {100 * fmean(covered):.1f} %"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the public data")
    parser.add_argument("--runs", type=Path, help="folder to keep the run in")
    return parser.parse_args()


if __name__ == "__main__":
    main()
