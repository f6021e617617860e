"""VOTING with other numbers of samples, by resampling the five that TrustSQL recorded on Spider.

    python experiments/voting.py --data $DATA [--runs FOLDER]

With k samples a question is answered if all agree. A first sample j is drawn from the recorded
ones, k - 1 more with replacement; all agree with j with a probability of (share that agrees with j)
to the power of k - 1. The expectation is exact. Five samples know no rarer disagreement than a
fifth, so that with many draws more questions are answered than with as many new samples.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import sqljury
from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.decision import Decision, ReplyKind
from sqljury.uses.trust import DEFAULT_PENALTIES, reliability
from sqljury.uses.trust.records import confidences_of, decisions_of

JUDGE = "execution:spider"
WAYS = ("voting:text", "voting:canonical", "voting:rows")
# Table 6, Spider, ANS + UnANS: φ0, φ10, φN.
PUBLISHED = {
    5: (55.1, 42.8, -1.2e3),
    10: (52.8, 46.1, -647.2),
    20: (51.7, 49.8, -148.3),
    50: (50.6, 50.6, 50.6),
    100: (50.2, 50.2, 50.2),
}


def main() -> None:
    """Judge every sample, resample, print."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.runs or scratch) / "samples"
        cases = list(_samples(options.data))
        databases = options.data / "spider" / "databases"
        with sqljury.evaluate(cases, [JUDGE, *WAYS], databases, run=folder) as found:
            records = list(found.run.records(with_evidence=False))
    decisions = decisions_of(records, JUDGE)
    print("| samples agree by | samples | answered | risk | φ0 | φ10 | φN |")
    print("|---|---|---|---|---|---|---|")
    for way in WAYS:
        shares = [
            confidences_of(records, way, source)
            for source in sorted({decision.source for decision in decisions})
        ]
        for k in PUBLISHED:
            print(_line(way, k, decisions, shares))


def _samples(data: Path) -> Iterator[Case]:
    """A case for each sample, its source the sample's number."""
    folder = data / "trustsql"
    votes = folder / "outputs" / "eval_spider_test_gpt3.5turbo_colfk_pos8_voting5"
    for case in read_cases(
        folder / "derived" / "trustsql_spider_test_reconstructed.jsonl.gz",
        predictions=votes / "prediction.json.gz",
        mapping={"answerable": "in_spider_dev"},
    ):
        for number, sql in enumerate(case.pool):
            yield replace(case, predicted_sql=sql, source=str(number))


def _line(way: str, k: int, decisions: list[Decision], shares) -> str:  # type: ignore[no-untyped-def]
    n = len({decision.key for decision in decisions})
    answered = wrong = 0.0
    totals = [0.0 for _ in DEFAULT_PENALTIES]
    for decision in decisions:
        agree = (shares[int(decision.source)].get(decision.key) or 0.0) ** (k - 1)
        withheld = replace(decision, reply=ReplyKind.ABSTAINED)
        answered += agree
        wrong += agree * decision.is_wrong
        for i, penalty in enumerate(DEFAULT_PENALTIES):
            c = penalty.of(n)
            totals[i] += agree * reliability(decision, c) + (1 - agree) * reliability(withheld, c)
    size = len(decisions)
    cells = [f"{100 * answered / size:.1f}", f"{100 * wrong / answered:.1f}"]
    for total, published in zip(totals, PUBLISHED[k], strict=True):
        cells.append(f"{100 * total / size:,.1f} ({published:,.1f})")
    return f"| {way} | {k} | {' | '.join(cells)} |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the public data")
    parser.add_argument("--runs", type=Path, help="folder to keep the run in")
    return parser.parse_args()


if __name__ == "__main__":
    main()
