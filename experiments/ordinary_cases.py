"""Ordinary predictions to be labelled, drawn by stratum, each with the predictions it stands for.

    python experiments/ordinary_cases.py DATA OUT.jsonl [--run FOLDER]
    python experiments/ordinary_cases.py DATA OUT.jsonl --labelled

The population: what 17 systems answer to Spider dev (without wta_1, whose database is not public),
what seven models answer to Spider-DK, and what 14 methods answer to BIRD's `superhero`. An answer
that several systems give is read once and stands for all of them. Questions of ROSE-VEC, of either
half, are left out. Judges are run on a first draw; their verdicts and the rows give the strata,
from which the second draw is made. Both draws follow a hash of the case's id.

With --labelled nothing is drawn: OUT holds the cases that `ordinary_labels.jsonl` has labels of,
also those of `written_predictions.jsonl`, which answer questions of Spider's training databases and
of KaggleDBQA.

OUT holds cases in sqljury's own format, with `stratum` and `weight` among their fields: the sum of
the weights of a stratum is the number of predictions in it. The judges' verdicts stay in FOLDER.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import sqljury as sj
from sqljury.benchmarks import read_cases, write_cases

LABELS: Final = Path(__file__).with_name("ordinary_labels.jsonl")
WRITTEN: Final = Path(__file__).with_name("written_predictions.jsonl")
FIRST: Final = {"spider-same": 1600, "spider-differ": 1500, "dk": 900, "superhero": 900}
"""Most cases of a group that judges are run on; a group not named is taken whole."""
SECOND: Final = {
    "same tree": 50,
    "same rows, same suite": 250,
    "same rows, suite differs": 400,
    "other order of columns": 90,
    "rows differ, trees close": 330,
    "rows differ, jury unsure": 180,
    "rows differ, jury accepts": 180,
    "rows differ": 100,
    "dk: same rows": 110,
    "dk: rows differ, trees close": 90,
    "dk: rows differ": 60,
    "superhero: same rows": 70,
    "superhero: rows differ, trees close": 60,
    "superhero: rows differ": 50,
}
"""Cases of a stratum that are labelled."""
JUDGES: Final = ("execution:spider", "canonical", "relpm:nodes", "jury:offline")
CLOSE: Final = 0.8
"""From this score of `relpm:nodes` on, two trees are close."""
UNSURE: Final = 0.15
"""How far from its threshold of .5 the jury's probability may be to count as unsure."""


def main() -> None:
    """Gather, judge, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--run", type=Path, default=Path("ordinary-run"))
    parser.add_argument("--labelled", action="store_true")
    options = parser.parse_args()
    data: Path = options.data
    excluded = {q["question"] for q in _json(data / "rose-vec/questions_of_both_halves.json")}
    groups: dict[str, list[sj.Case]] = defaultdict(list)
    for group, case in [*spider(data), *dk(data), *superhero(data)]:
        if case.question not in excluded:
            groups[group].append(case)
    if options.labelled:
        lines = LABELS.read_text(encoding="utf-8").splitlines()
        known = {json.loads(line)["id"] for line in lines}
        every = [*(c for cases in groups.values() for c in cases), *written(data)]
        found = {c.id: c for c in every if c.id in known}
        write_cases(_ordered(list(found.values())), options.out)
        return
    for group, cases in groups.items():
        print(f"{group}: {len(cases):,} queries of {_weight(cases):,.0f} predictions")
    drawn = {name: drawn_from(cases, FIRST.get(name)) for name, cases in groups.items()}
    strata = stratified(data, drawn, options.run)
    chosen: list[sj.Case] = []
    for name in SECOND:
        taken = drawn_from(strata[name], SECOND[name])
        print(f"{name}: {len(taken)} of {len(strata[name])}, for {_weight(taken):,.0f} predictions")
        chosen += [_with(case, stratum=name) for case in taken]
    write_cases(_ordered(chosen), options.out)


def _ordered(cases: list[sj.Case]) -> list[sj.Case]:
    return sorted(cases, key=lambda c: (c.db_id or "", c.question or "", c.id))


def spider(data: Path) -> Iterator[tuple[str, sj.Case]]:
    """17 systems' answers to Spider dev, by what rows and test suite say."""
    path = data / "candidates/spider-dev-17-systems.jsonl.gz"
    for question in map(json.loads, gzip.decompress(path.read_bytes()).splitlines()):
        if not question["has_db"]:
            continue
        spellings: dict[str, dict[str, Any]] = {}
        for candidate in question["candidates"]:
            first = spellings.setdefault(_plain(candidate["sql"]), {**candidate, "systems": []})
            first["systems"] = first["systems"] + candidate["systems"]
        for candidate in spellings.values():
            if candidate["ex"]:
                group = "spider-same" if candidate["ts"] else "spider-chance"
            else:
                group = "spider-columns" if candidate["ex_colperm"] else "spider-differ"
            yield (
                group,
                _case(
                    "spider-dev",
                    str(question["index"]),
                    question["db_id"],
                    question["question"],
                    None,
                    question["gold_sql"],
                    candidate["sql"],
                    candidate["systems"],
                ),
            )


def dk(data: Path) -> Iterator[tuple[str, sj.Case]]:
    """Seven models' answers to Spider-DK."""
    for case in read_cases(data / "pairs/SpiderDK_pair_dev.csv.gz"):
        if case.db_id == "wta_1":
            continue
        found = re.search(r"Question:\s*(.+?)\s*$", case.extra["prompt"], re.S)
        question = found.group(1) if found else None
        yield (
            "dk",
            _case(
                "spider-dk",
                case.id,
                case.db_id or "",
                question or "",
                None,
                case.reference_sqls[0],
                case.predicted_sql or "",
                [case.source or ""],
            ),
        )


def superhero(data: Path) -> Iterator[tuple[str, sj.Case]]:
    """14 methods' answers to the questions that BIRD dev has for `superhero`."""
    questions = {q["question_id"]: q for q in _json(data / "bird/dev.json")}
    answers: dict[tuple[int, str], tuple[str, list[str]]] = {}
    for path in sorted((data / "rose-benchmarking/method_results/dev").glob("*.json.gz")):
        for answer in json.loads(gzip.decompress(path.read_bytes())):
            if answer["db_id"] == "superhero" and answer["predicted_sql"]:
                key = (answer["question_id"], _plain(answer["predicted_sql"]))
                answers.setdefault(key, (answer["predicted_sql"], []))[1].append(path.name)
    for (number, _), (sql, systems) in answers.items():
        known = questions[number]
        yield (
            "superhero",
            _case(
                "bird-dev",
                str(number),
                "superhero",
                known["question"],
                known["evidence"],
                known["SQL"],
                sql,
                systems,
            ),
        )


def written(data: Path) -> Iterator[sj.Case]:
    """The queries of `written_predictions.jsonl`. Their ids name the question: `spider-train:INDEX`
    in Spider-Syn's training file, `kaggle-dbqa:FILE-INDEX` in KaggleDBQA's examples."""
    text = (data / "spider/spider_syn/train_spider.json.gz").read_bytes()
    files = {"spider-train": json.loads(gzip.decompress(text))}
    for path in (data / "kaggle-dbqa/examples").glob("*.json"):
        files[path.stem] = _json(path)
    for one in map(json.loads, WRITTEN.read_text(encoding="utf-8").splitlines()):
        benchmark, place, _ = one["id"].split(":")
        file, _, index = place.rpartition("-")
        asked = files[file or benchmark][int(index)]
        question = asked.get("SpiderQuestion") or asked["question"]
        sql, writers = one["sql"], one["writers"]
        yield _case(benchmark, place, asked["db_id"], question, None, asked["query"], sql, writers)


def stratified(data: Path, drawn: dict[str, list[sj.Case]], run: Path) -> dict[str, list[sj.Case]]:
    """The cases of the first draw by stratum, after the judges' verdicts."""
    strata: dict[str, list[sj.Case]] = defaultdict(list)
    for prefix, folder in (
        ("spider", "spider/databases"),
        ("dk", "spider/databases"),
        ("superhero", "bird/databases"),
    ):
        cases = [c for name in drawn if name.startswith(prefix) for c in drawn[name]]
        group_of = {c.id: n for n in drawn if n.startswith(prefix) for c in drawn[n]}
        result = sj.evaluate(
            cases, judges=JUDGES, databases=data / folder, run=run / prefix, workers=2
        )
        by_case: dict[str, dict[str, Any]] = defaultdict(dict)
        for record in result.records():
            by_case[record.case.id][record.judge] = record.verdict
        for case in cases:
            name = _stratum(prefix, group_of[case.id], by_case[case.id])
            if name:
                strata[name].append(case)
    return strata


def _stratum(prefix: str, group: str, verdicts: dict[str, Any]) -> str | None:
    """The stratum of a case; None where a query fails, which needs no reader."""
    rows, same, tree, jury = (verdicts[j] for j in JUDGES)
    if rows.outcome not in ("correct", "incorrect"):
        return None
    close = (tree.score or 0) >= CLOSE
    if prefix != "spider":
        if rows.outcome == "correct":
            return f"{prefix}: same rows"
        return f"{prefix}: rows differ, trees close" if close else f"{prefix}: rows differ"
    if group == "spider-same":
        return "same tree" if same.outcome == "correct" else "same rows, same suite"
    if group == "spider-chance":
        return "same rows, suite differs"
    if group == "spider-columns":
        return "other order of columns"
    if close:
        return "rows differ, trees close"
    if abs((jury.score or 0) - 0.5) <= UNSURE:
        return "rows differ, jury unsure"
    return "rows differ, jury accepts" if jury.outcome == "correct" else "rows differ"


def drawn_from(cases: list[sj.Case], most: int | None) -> list[sj.Case]:
    """At most so many cases, in the order of a hash, their weights raised to stand for all."""
    if most is None or len(cases) <= most:
        return cases
    taken = sorted(cases, key=lambda c: sha256(c.id.encode()).hexdigest())[:most]
    factor = _weight(cases) / _weight(taken)
    return [_with(c, weight=c.extra["weight"] * factor) for c in taken]


def _case(
    benchmark: str,
    question_id: str,
    db_id: str,
    question: str,
    hint: str | None,
    reference: str,
    predicted: str,
    systems: list[str],
) -> sj.Case:
    return sj.Case(
        id=f"{benchmark}:{question_id}:{sha256(predicted.encode()).hexdigest()[:8]}",
        benchmark=benchmark,
        db_id=db_id,
        question=question,
        hint=hint,
        reference_sqls=(reference,),
        predicted_sql=predicted,
        extra={"weight": float(len(systems)), "systems": sorted(systems)},
    )


def _with(case: sj.Case, **fields: Any) -> sj.Case:
    return replace(case, extra={**case.extra, **fields})


def _weight(cases: list[sj.Case]) -> float:
    return sum(case.extra["weight"] for case in cases)


def _plain(sql: str) -> str:
    """The text without differences of space and of letter case outside quotes."""
    parts = re.split(r"('[^']*'|\"[^\"]*\")", sql.strip().rstrip(";"))
    plain = "".join(p if i % 2 else re.sub(r"\s+", " ", p).lower() for i, p in enumerate(parts))
    return re.sub(r"\s*([(),=<>])\s*", r"\1", plain).strip()


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
