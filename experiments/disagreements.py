"""Where people's labels of pairs and the judge `equivalence` disagree: a sample to be read.

    python experiments/disagreements.py --data $DATA [--sample 23] [--json]

Of each of the three files of labelled pairs (Zhan et al. 2024) come as many disagreements as asked
for, if there are, in the order of a hash of the two queries, so that nobody chooses. Pairs that
differ in white space alone count once. Below one half, or without a score, the judge says no. With
each pair stand the label, the verdict, and the witness or what a proof assumes.
docs/equivalence-disagreements.md says who is right.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqljury
from sqljury.verdict import Record

JUDGE = "equivalence,column_order=any"
FILES = {
    # The file, and the schemas of the databases that are not there.
    "Spider": ("Spider_pair_dev", "spider/tables.json"),
    "Spider-DK": ("SpiderDK_pair_dev", "spider/spider_dk/tables.json.gz"),
    "WikiSQL": ("Wikisql_pair_dev", None),
}


def main() -> None:
    """Judge, choose, print."""
    options = _options()
    for name, (file, schemas) in FILES.items():
        path = options.data / "pairs" / f"{file}.csv.gz"
        databases = None if schemas is None else options.data / "spider" / "databases"
        others = None if schemas is None else options.data / schemas
        with sqljury.evaluate([path], [JUDGE], databases, schemas=others) as found:
            records = list(_distinct(found.records()))
        against = sorted(filter(_disagrees, records), key=_order)
        counts = {label: sum(r.case.label is label for r in against) for label in (True, False)}
        print(
            f"\n{name}: {len(records):,} distinct pairs, {len(against)} disagreements: "
            f"{counts[True]} labelled equivalent, {counts[False]} labelled different"
        )
        for number, record in enumerate(against[: options.sample], 1):
            if options.json:
                print(json.dumps({"file": name, "number": number, **_told(record)}))
            else:
                _show(name, number, record)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=23, help="so many of each file")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser.parse_args()


def _texts(record: Record) -> tuple[str, str]:
    reference, prediction = record.case.reference_sqls[0], str(record.case.predicted_sql)
    return " ".join(reference.split()), " ".join(prediction.split())


def _distinct(records: Iterator[Record]) -> Iterator[Record]:
    seen: set[tuple[str, ...]] = set()
    for record in records:
        key = (record.case.db_id, str(record.case.schema_sql), *_texts(record))
        if key not in seen:
            seen.add(key)
            yield record


def _disagrees(record: Record) -> bool:
    says_yes = (record.verdict.score or 0.0) >= 0.5
    return record.case.label is not None and record.case.label is not says_yes


def _order(record: Record) -> str:
    return sha256("\0".join(_texts(record)).encode()).hexdigest()


def _told(record: Record) -> dict[str, Any]:
    left, right = _texts(record)
    evidence = record.verdict.evidence
    return {
        "id": record.case.id,
        "db_id": record.case.db_id,
        "question": record.case.question,
        "reference": left,
        "prediction": right,
        "label": record.case.label,
        "verdict": (record.verdict.labels or (str(record.verdict.outcome),))[0],
        "score": record.verdict.score,
        "reason": record.verdict.reason,
        "assumptions": evidence.get("assumptions"),
        "witness": evidence.get("witness"),
    }


def _show(name: str, number: int, record: Record) -> None:
    told = _told(record)
    label = "equivalent" if told["label"] else "different"
    print(f"\n{name} {number} (id {told['id']}, {told['db_id']}): labelled {label}; "
          f"{told['verdict']}: {told['reason']}")  # fmt: skip
    print(f"  question   {told['question']}")
    print(f"  reference  {told['reference']}\n  prediction {told['prediction']}")
    if told["verdict"] == "proved":
        print(f"  assuming   {', '.join(told['assumptions']) or 'nothing'}")
    if told["witness"] is not None:
        for line in told["witness"]["sql"].splitlines():
            print(f"    {line}")
        print(f"    left  {told['witness']['left'][:6]}\n    right {told['witness']['right'][:6]}")


if __name__ == "__main__":
    main()
