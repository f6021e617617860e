"""The cases with silver labels that the judge `jury` is trained on.

    python experiments/jury_cases.py DATA OUT.jsonl

Each source is a benchmark of its own, so that `sqljury train jury --weight` can weigh it:

- `methods`: verdicts that o3 gave as ROSE on 19 methods' answers to BIRD mini-dev. Where ROSE calls
  wrong what has the reference's rows, the two contradict each other: left out.
- `flex`: what three people say of 200 answers to BIRD dev (FLEX). Where they disagree: left out.
- `bugs`: queries for BIRD dev that experts call right or wrong (NL2SQL-Bugs), beside BIRD's own
  reference. Those that are the reference word by word say nothing: left out.

Of each question no more are kept than stand below, those whose rows differ first, in the order of a
hash; of a database that is at hand, all. No question of ROSE-VEC, of either half, is among them, by
its words or by its reference.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import sqljury as sj
from sqljury.benchmarks import read_rose_output, write_cases

MOST: Final = {"methods": 8, "flex": 9, "bugs": 9}
"""Cases of one question."""
WITH_ROWS: Final = ("superhero",)
"""Databases of BIRD that are at hand: all their cases are kept."""

Found = Iterator[tuple[sj.Case, bool]]
"""Cases, and whether the rows are known to be equal."""


def main() -> None:
    """Gather, leave out, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    gathered = {
        "methods": methods(options.data),
        "flex": flex(options.data),
        "bugs": bugs(options.data),
    }
    held_out = kept_aside(options.data)
    cases: list[sj.Case] = []
    for name, found in gathered.items():
        allowed = ((c, equal) for c, equal in found if not held_out & {*_asked(c)})
        chosen = list(_some(allowed, MOST[name]))
        right = sum(bool(case.label) for case in chosen)
        print(f"{name}: {len(chosen):,} cases, {right:,} of them right")
        cases += chosen
    write_cases(cases, options.out)


def kept_aside(data: Path) -> set[str]:
    """The questions of ROSE-VEC, and the references of those in BIRD dev and Spider."""
    asked = {
        _plain(one["question"]) for one in read(data / "rose-vec/questions_of_both_halves.json")
    }
    dev = read(data / "bird/dev.json")
    known = [one["SQL"] for one in dev if _plain(one["question"]) in asked]
    for name in ("bird", "spider"):
        known += [one["gold_sql"] for one in read(data / f"rose-vec/rose-vec-{name}.json")]
    return asked | {_plain(sql) for sql in known}


def methods(data: Path) -> Found:
    """ROSE's recordings of whole methods."""
    base = data / "rose-benchmarking"
    database = {str(one["question_id"]): one["db_id"] for one in read(data / "bird/dev.json")}
    for folder in sorted(base.iterdir()):
        if not (folder / f"EX-{folder.name}-eval").is_dir():
            continue
        equal = read_rose_output(folder / f"EX-{folder.name}-eval")
        for key, found in read_rose_output(folder / f"o3-{folder.name}-eval").items():
            is_equal = key in equal and equal[key].score == 1
            if found.score is None or (is_equal and not found.score) or key not in database:
                continue
            known = replace(
                found.case,
                benchmark="methods",
                id=key,
                source=folder.name,
                db_id=database[key],
                label=found.score == 1,
            )
            yield known, is_equal


def flex(data: Path) -> Found:
    """FLEX's two hundred, judged by three experts."""
    of_question = _by_question(data)
    for name in ("fn", "fp"):
        for number, one in enumerate(read(data / f"human/flex/agreement/{name}.jsonl.gz")):
            known = of_question.get(_plain(one["question"]))
            if known is not None and one["human_judge"] in (0, 1):
                case = sj.Case(
                    benchmark="flex",
                    id=str(known["question_id"]),
                    source=f"{name}-{number}",
                    db_id=known["db_id"],
                    question=one["question"],
                    hint=one["hint"] or None,
                    predicted_sql=one["pred_sql"],
                    reference_sqls=(one["gt_sql"],),
                    label=one["human_judge"] == 1,
                )
                yield case, one["ex"] == 1


def bugs(data: Path) -> Found:
    """NL2SQL-Bugs beside BIRD's references."""
    of_question = _by_question(data)
    for one in read(data / "human/nl2sql-bugs/NL2SQL-Bugs-with-evidence.json.gz"):
        known = of_question.get(_plain(one["question"]))
        if known is not None and _plain(known["SQL"]) != _plain(one["sql"]):
            case = sj.Case(
                benchmark="bugs",
                id=str(known["question_id"]),
                source=str(one["id"]),
                db_id=known["db_id"],
                question=one["question"],
                hint=one["evidence"] or None,
                predicted_sql=one["sql"],
                reference_sqls=(known["SQL"],),
                label=one["label"],
            )
            yield case, False


def read(path: Path) -> Any:
    """A JSON file, or the objects of a JSONL file."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file] if ".jsonl" in path.name else json.load(file)


def _some(found: Found, most: int) -> Iterator[sj.Case]:
    """Of each question the distinct predictions, at most so many."""
    distinct = {
        (one.id, _plain(one.predicted_sql)): (one, equal)
        for one, equal in found
        if isinstance(one.predicted_sql, str) and one.predicted_sql.strip()
    }
    ordered = sorted(distinct.values(), key=lambda it: (it[0].id, it[1], _hash(it[0])))
    for _, group in groupby(ordered, key=lambda it: it[0].id):
        of_question = list(group)
        different = [one for one, equal in of_question if not equal]
        same = [one for one, equal in of_question if equal]
        if of_question[0][0].db_id in WITH_ROWS:
            yield from different + same
        else:
            yield from different[: most - 1] + same[: 1 if different else most - 1]


def _by_question(data: Path) -> dict[str, Any]:
    return {_plain(one["question"]): one for one in read(data / "bird/dev.json")}


def _asked(case: sj.Case) -> tuple[str, str]:
    return _plain(case.question or ""), _plain(case.reference_sqls[0])


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(" ;")


def _hash(case: sj.Case) -> str:
    return sha256(f"{case.key}{case.predicted_sql}".encode()).hexdigest()


if __name__ == "__main__":
    main()
