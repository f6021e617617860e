"""Digests of the verdicts of every deterministic judge, so that two versions can be compared.

    python tools/verdict_digest.py --data FOLDER --out verdicts/ [--every 1]
    python tools/verdict_digest.py --compare verdicts-a/ verdicts-b/

Judged are: the candidates of the 17 systems on Spider dev, the three files of labelled pairs,
the shared half of ROSE-VEC, and the demo. A file a set of cases and judge holds each verdict on a
line; what is printed is its SHA-256. The judges
that search (`equivalence`, `graph_match`, `verifier`) see one case in 20 of the largest set.
`--every N` thins their cases out further. FOLDER: see docs/reproduce.md.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import sqljury as sj
from sqljury.demo import write_demo

FAST = (
    "execution:strict",
    "execution:spider",
    "execution:bird",
    "execution:rose",
    "execution:intent",
    "soft_f1",
    "executable",
    "nonempty",
    "known_values",
    "known_names",
    "exact_match",
    "exact_set_match",
    "astpm",
    "crystalbleu",
)
ON_TREES = (
    "relpm",
    "tree_match",
    "canonical",
    "canonical,permuted=true",
    "codebleu",
    "codebleu:operator",
)
SEARCHING = ("equivalence,seconds=60", "graph_match", "verifier")
NEED_ROWS = {name for name in FAST if name.startswith("execution")} | {
    "soft_f1",
    "executable",
    "nonempty",
    "known_values",
}


def main() -> None:
    """Judge and write, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--out", type=Path, default=Path("verdicts"))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--compare", type=Path, nargs=2)
    options = parser.parse_args()
    if options.compare:
        sys.exit(_compare(*options.compare))
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        for title, cases, arguments, every in _sets(options.data, Path(name)):
            for judge, judged in _plan(cases, arguments, every * options.every):
                if not judged:  # thinned out to nothing
                    continue
                digest = _write(options.out / f"{title}-{judge}.jsonl", judge, judged, arguments)
                print(f"{title:12} {judge:28} {digest}", flush=True)


def _sets(data: Path, folder: Path) -> Iterator[tuple[str, list[sj.Case], dict[str, str], int]]:
    """Title, cases, where databases or schemas are, and how much the searching judges thin out."""
    spider = data / "spider"
    systems = [
        case
        for case in sj.read_cases(data / "candidates" / "spider-dev-17-systems.jsonl.gz")
        if (spider / "databases" / case.db_id).is_dir()
    ]
    yield "systems", systems, {"databases": str(spider / "databases")}, 20
    for name, schemas in (
        ("Spider_pair_dev", spider / "tables.json"),
        ("SpiderDK_pair_dev", spider / "spider_dk" / "tables.json.gz"),
        ("Wikisql_pair_dev", None),
    ):
        found = {} if schemas is None else {"schemas": str(schemas)}
        yield name, list(sj.read_cases(data / "pairs" / f"{name}.csv.gz")), found, 4
    rose = list(sj.read_cases(data / "rose-vec" / "rose-vec-spider.json"))
    yield "rose-vec", rose, {"databases": str(spider / "databases")}, 1
    demo = write_demo(folder / "demo")
    yield "demo", list(sj.read_cases(demo.cases)), {"databases": str(demo.databases)}, 1


def _plan(
    cases: list[sj.Case], arguments: dict[str, str], every: int
) -> Iterator[tuple[str, list[sj.Case]]]:
    for judge in (*FAST, *ON_TREES, *SEARCHING):
        if judge in NEED_ROWS and "databases" not in arguments:
            continue
        step = every if judge in SEARCHING else 1
        yield judge, [case for case in cases if _hash(case) % step == 0]


def _hash(case: sj.Case) -> int:
    return int(hashlib.sha256(repr(case.key).encode()).hexdigest(), 16)


def _write(path: Path, judge: str, cases: list[sj.Case], arguments: dict[str, str]) -> str:
    digest = hashlib.sha256()
    with sj.evaluate(cases, [judge], **arguments) as found, path.open("w") as file:  # type: ignore[arg-type]
        for record in found.records():
            verdict = record.verdict
            line = json.dumps(
                [
                    record.case.name,
                    verdict.outcome,
                    verdict.score,
                    verdict.reason,
                    verdict.labels,
                    dict(verdict.measures),
                    dict(verdict.evidence),
                ],
                sort_keys=True,
                default=str,
            )
            file.write(line + "\n")
            digest.update(line.encode())
    return digest.hexdigest()[:16]


def _compare(before: Path, after: Path) -> int:
    """Print each file that differs, with its first difference; how many differ."""
    different = 0
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.jsonl")})
    for name in names:
        if not ((before / name).is_file() and (after / name).is_file()):
            print(f"{name}: in one folder only")
            different += 1
            continue
        with (before / name).open() as a, (after / name).open() as b:
            pairs = [pair for pair in itertools.zip_longest(a, b) if pair[0] != pair[1]]
        if pairs:
            different += 1
            print(f"{name}: {len(pairs)} verdicts differ, first\n  {pairs[0][0]}  {pairs[0][1]}")
    print(f"{len(names) - different} of {len(names)} files are the same to the byte")
    return 1 if different else 0


if __name__ == "__main__":
    main()
