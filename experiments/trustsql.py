"""TrustSQL's recorded Spider runs, scored: the SQL prompt, its gates, DEMO and VOTING.

    python experiments/trustsql.py --data $DATA [--runs FOLDER]

The benchmark itself was never released. Its Spider test split is reconstructed: of the 1,054
recorded questions 527 stand in Spider's dev set with a reference, and count as answerable; the 527
others are taken for the unanswerable ones. Nothing is tuned: gates have their own thresholds.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sqljury.uses.trust import Trust
from sqljury.uses.trust.files import TrustSettings, judged_run, trust_files

JUDGE = "execution:spider"
VOTES = ("voting:text", "voting:canonical", "voting:rows")


# Tables 2 and 3, Spider: φ0 of ANS, of the 25 % mix and of all, φ10 of ANS and of all, φN so.
PUBLISHED: dict[str, tuple[float | None, ...]] = {
    "sql": (54.5, None, None, None, None, None, None),
    "cls": (52.4, 58.7, 67.6, -401.1, -245.2, -23.8e3, -32.8e3),
    "error": (44.2, 55.3, 72.0, -322.0, -112.5, -19.3e3, -19.3e3),
    "both": (42.7, 54.1, 71.3, -321.6, -111.2, -19.2e3, -19.1e3),
    "demo": (74.6, 72.2, 68.7, -179.7, -244.0, -13.3e3, -32.8e3),
    "voting": (11.6, 29.2, 55.1, -1.7, 42.8, -688.4, -1.2e3),
}


class Row(NamedTuple):
    """A line of the tables: whose predictions, through which gates, and what was published."""

    name: str
    predictions: str
    gates: tuple[str, ...] = ()
    published: tuple[float | None, ...] = (None,) * 7


def main() -> None:
    """Judge, score, print."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.runs or scratch)
        print("| | φ0 ANS | φ0 25 % | φ0 all | φ10 ANS | φ10 all | φN ANS | φN all |")
        print("|---|---|---|---|---|---|---|---|")
        for row in rows(options.data / "trustsql" / "outputs"):
            print(_line(row, _scored(row, options.data, folder)))


def rows(outputs: Path) -> Iterator[Row]:
    """The methods that were recorded."""
    sql, voted, shown = "pos8", "pos8_voting5", "pos8neg8_demo"
    cls = str(outputs / "eval_spider_test_gpt4o_create_select_pos16neg16_clsprompt")
    error = str(outputs / "eval_spider_test_gpt3.5turbo_colfk_pos8__gpt4o_colfk_errorprompt")
    cls, error = f"{cls}/prediction.json.gz", f"{error}/prediction.json.gz"
    is_sql = ("known_names",)
    yield Row("SQLPROMPT", sql, (), PUBLISHED["sql"])
    yield Row("SQLPROMPT, `known_names`", sql, is_sql)
    yield Row("CLSPROMPT → SQLPROMPT", sql, (cls,), PUBLISHED["cls"])
    yield Row("SQLPROMPT → SELFREF", sql, (error,), PUBLISHED["error"])
    yield Row("CLSPROMPT → SQLPROMPT → SELFREF", sql, (cls, error), PUBLISHED["both"])
    yield Row("… and `known_names`", sql, (cls, *is_sql, error))
    yield Row("SQLPROMPT[DEMO]", shown, (), PUBLISHED["demo"])
    for way in VOTES:
        yield Row(f"SQLPROMPT[VOTING], {way}", voted, (way,), PUBLISHED["voting"])
        yield Row("… and `known_names`", voted, (way, *is_sql))
    yield Row("CLSPROMPT → SQLPROMPT[VOTING], rows", voted, (cls, "voting:rows"))


def _scored(row: Row, data: Path, folder: Path) -> Trust:
    predictions = (
        data / "trustsql" / "outputs" / f"eval_spider_test_gpt3.5turbo_colfk_{row.predictions}"
    )
    wanted = (*VOTES, "known_names") if "voting" in row.predictions else ("known_names",)
    setup = TrustSettings(judge=JUDGE, gates=wanted, mapping={"answerable": "in_spider_dev"})
    run = judged_run(
        [data / "trustsql" / "derived" / "trustsql_spider_test_reconstructed.jsonl.gz"],
        setup,
        data / "spider" / "databases",
        [predictions / "prediction.json.gz"],
        folder / row.predictions,
    )
    (found,) = trust_files([run], TrustSettings(judge=JUDGE, gates=row.gates), bootstrap=0)
    return found


def _line(row: Row, found: Trust) -> str:
    ans, quarter, everything = (found.mixes[name].phi for name in found.mixes)
    figures = [ans["0"], quarter["0"], everything["0"]]
    figures += [mix[name] for name in ("10", "N") for mix in (ans, everything)]
    cells = [_cell(f, p) for f, p in zip(figures, row.published, strict=True)]
    return f"| {row.name} | {' | '.join(cells)} |"


def _cell(found: float | None, published: float | None) -> str:
    said = "" if published is None else f" ({published:,.1f})"
    return f"{100 * (found or 0.0):,.1f}{said}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the public data")
    parser.add_argument("--runs", type=Path, help="folder to keep the runs in")
    return parser.parse_args()


if __name__ == "__main__":
    main()
