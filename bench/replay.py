"""Cases per second when ROSE is replayed from a ledger.

    python bench/replay.py [--cases 20000] [--workers 1 2]

A scripted model filled the ledger; the cases are the demonstration's with a question of their own
each, so that no answer serves twice. What the client costs by itself is in bench/llm.py.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import sqljury
from sqljury.case import Case
from sqljury.demo import write_demo
from sqljury.llm import ClientSettings
from sqljury.verdict import Outcome

_YES = {
    "expected_answer": "A list.",
    "sql_description": "It lists.",
    "reason": "It answers the question.",
    "evidence": "All rows.",
    "verdict": True,
    "judgement": "It stands.",
    "gold_correct": True,
    "ambiguity": "na",
}


def main() -> None:
    """Measure, print."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        _replay(Path(folder), options.cases, options.workers)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    return parser.parse_args()


# ---------------------------------------------------------------- replay


def _replay(folder: Path, count: int, workers: Sequence[int]) -> None:
    demo = write_demo(folder / "demo")
    cases = _many(list(sqljury.read_cases([demo.cases])), count)
    judge = f"rose,model=scripted:{_script(folder)},dated=2611"
    kept = ClientSettings(ledger=str(folder / "ledger.sqlite"))
    seconds, _ = _judged(cases, judge, demo.databases, folder / "filling", 1, kept)
    print(f"scripted model, ledger filled   {count / seconds:8,.0f} cases/s ({count:,} cases)")
    for number in workers:
        settings = replace(kept, replay=True)
        run = folder / f"replay{number}"
        seconds, rate = _judged(cases, judge, demo.databases, run, number, settings)
        print(
            f"replay, {number} worker(s)             {count / seconds:8,.0f} cases/s in all, "
            f"{rate:,.0f} in the steady state"
        )


def _many(demo: Sequence[Case], count: int) -> list[Case]:
    # The cases that run into a limit measure the limit.
    usable = [case for case in demo if "RECURSIVE" not in str(case.predicted_sql).upper()]
    found = []
    for number in range(count):
        case = usable[number * len(usable) // count]
        question = f"{case.question} (Request {number}.)"
        found.append(replace(case, id=str(number), question=question))
    return found


def _script(folder: Path) -> Path:
    """A model that says yes to everything, in the fields of whatever it is asked for."""
    path = folder / "yes.jsonl"
    path.write_text(json.dumps({"when": [], "answer": _YES}) + "\n")
    return path


def _judged(
    cases: Sequence[Case],
    judge: str,
    databases: Path,
    run: Path,
    workers: int,
    settings: ClientSettings,
) -> tuple[float, float]:
    """Seconds in all, and cases per second between a fifth and nine tenths of the verdicts."""
    seen: list[tuple[float, int]] = []

    def on_progress(done: int, total: int) -> None:
        if 0.2 * total <= done <= 0.9 * total:
            seen.append((time.perf_counter(), done))

    start = time.perf_counter()
    with sqljury.evaluate(
        cases, [judge], databases, run=run, workers=workers, llm=settings, on_progress=on_progress
    ) as found:
        seconds = time.perf_counter() - start
        unanswered = [
            record.verdict.reason
            for record in found.records()
            if record.verdict.outcome is Outcome.JUDGE_UNAVAILABLE
        ]
    assert not unanswered, unanswered[0]
    (begin, first), (end, last) = seen[0], seen[-1]
    return seconds, (last - first) / (end - begin)


if __name__ == "__main__":
    main()
