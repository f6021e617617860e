"""How often is the audit right?

    python experiments/audit.py DATA            # all of it
    python experiments/audit.py DATA --only bugs --databases building
    python experiments/audit.py DATA --only ambrosia

Compares the findings with what experts, corrections and a chat model say of the same queries. DATA
holds the public files under their sources' names (human/, bird/, rose-vec/, rose-benchmarking/).

Checks were written and tuned on Spider's training questions, on the even ids of Spider dev,
superhero and BIRD dev, and on five of BIRD's eleven databases of NL2SQL-Bugs; its figures are of
the other six unless `--databases building` asks otherwise. Of BIRD's only superhero has rows here:
the others are judged by schema and text. Nothing was tuned on AMBROSIA, which has its databases.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

import sqljury as sj
from sqljury.uses.statistics import Confusion, wilson_interval

BUILDING = {
    *("california_schools", "card_games", "codebase_community"),
    *("debit_card_specializing", "european_football_2"),
}
"""The databases of NL2SQL-Bugs that checks were tuned on."""

Query = dict[str, Any]
Flags = dict[str, tuple[bool, bool, float]]
"""By id: whether there is a fault, or a fault or a hint, and how likely a fault is."""


def read(path: Path) -> Any:
    """A JSON file, or the objects of a JSONL file."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file] if ".jsonl" in path.name else json.load(file)


def flags(data: Path, queries: Iterable[Query]) -> Flags:
    """What the audit finds in queries with id, db_id, question, hint and sql."""
    cases = [
        sj.Case(
            id=str(one["id"]),
            db_id=one["db_id"],
            question=one["question"],
            hint=one.get("hint") or None,
            reference_sqls=(one["sql"],),
        )
        for one in queries
    ]
    with tempfile.TemporaryDirectory() as folder:
        schemas = Path(folder) / "tables.json"
        schemas.write_bytes(gzip.decompress((data / "bird/dev_tables.json.gz").read_bytes()))
        found = sj.audit(cases, data / "bird/databases", schemas=schemas)
    strong = {one.id for one in found.findings if not one.weak}
    every = {one.id for one in found.findings}
    likely: dict[str, float] = {}
    for one in found.findings:
        likely[one.id] = max(likely.get(one.id, 0.0), one.likely)
    return {
        case.id: (case.id in strong, case.id in every, likely.get(case.id, 0.0)) for case in cases
    }


def show(name: str, pairs: Iterable[tuple[bool, bool]]) -> None:
    """Precision, recall and F1 of (is faulty, is flagged), with the counts behind them."""
    found = Confusion.of(pairs)
    tp, fp, fn, _ = found.counts
    f1 = found.statistics()["f1"]
    print(
        f"{name:34} n={found.n:5}  precision {share(tp, tp + fp)}  recall {share(tp, tp + fn)}  "
        f"F1 {'-' if f1 is None else f'{100 * f1:.1f}'}"
    )


def share(part: int, whole: int) -> str:
    """A share in percent with its interval (Wilson, 95 %) and the counts."""
    interval = wilson_interval(part, whole)
    if interval is None:
        return "-"
    low, high = interval
    return f"{100 * part / whole:.1f} [{100 * low:.1f}, {100 * high:.1f}] ({part}/{whole})"


def bugs(data: Path, databases: str) -> None:
    """NL2SQL-Bugs: experts' labels of queries, beside its recorded detectors by chat models."""
    folder = data / "human/nl2sql-bugs"
    all_queries = read(folder / "NL2SQL-Bugs-with-evidence.json.gz")
    building = databases == "building"
    queries = [one for one in all_queries if (one["db_id"] in BUILDING) == building]
    found = flags(data, [{**one, "hint": one["evidence"]} for one in queries])
    print(f"NL2SQL-Bugs, databases for {'building' if building else 'the figures'}")
    for place, name in enumerate(("faults", "faults and hints")):
        show(name, [(not one["label"], found[str(one["id"])][place]) for one in queries])
    ranked([(not one["label"], found[str(one["id"])][2], one["db_id"]) for one in queries])
    said = {(one["question"], one["sql"]): found[str(one["id"])] for one in queries}
    for file in sorted((folder / "recorded_llm_detector").iterdir()):
        detector(file, said)
    false_alarms(queries, found)


def ranked(rows: list[tuple[bool, float, str]]) -> None:
    """The area under the curve of how likely a fault is, and its calibration."""
    labels, likely, _ = (np.array(part) for part in zip(*rows, strict=True))
    rng = np.random.default_rng(0)
    areas = []
    for _ in range(1000):
        drawn = rng.integers(0, len(labels), len(labels))
        areas.append(roc_auc_score(labels[drawn], likely[drawn]))
    low, high = np.quantile(areas, (0.025, 0.975))
    print(f"AUC of how likely: {roc_auc_score(labels, likely):.3f} [{low:.3f}, {high:.3f}]")
    for lower, upper in ((0.0, 0.01), (0.01, 0.5), (0.5, 0.75), (0.75, 1.01)):
        within = (likely >= lower) & (likely < upper)
        if within.any():
            told = f"{likely[within].mean():.2f}"
            print(f"  said {told}: {share(int(labels[within].sum()), int(within.sum()))} faulty")


def detector(file: Path, said: dict[tuple[str, str], tuple[bool, bool, float]]) -> None:
    """A recorded detector, and the audit on the same queries."""
    rows = [one for one in read(file) if (one["question"], one["sql"]) in said]
    rows = [one for one in rows if one["prediction"] is not None]
    show(
        file.name.split("_results")[0].split("results")[0][:24],
        [(not one["label"], not one["prediction"]) for one in rows],
    )
    pairs = [(not one["label"], said[one["question"], one["sql"]][0]) for one in rows]
    show("  faults, on the same", pairs)


def false_alarms(queries: list[Query], found: Flags) -> None:
    """How often queries that experts hold right are flagged: 300 of them, drawn."""
    right = [one for one in queries if one["label"]]
    drawn = random.Random(0).sample(right, min(300, len(right)))
    for place, name in enumerate(("faults", "faults and hints")):
        alarms = sum(found[str(one["id"])][place] for one in drawn)
        print(f"false alarms, {name}: {share(alarms, len(drawn))}")


def flex(data: Path, _: str) -> None:
    """FLEX: predictions that experts hold right or wrong (a majority of three)."""
    files = [data / f"human/flex/agreement/{name}.jsonl.gz" for name in ("fn", "fp")]
    rows = [
        {**one, "id": str(number), "db_id": one["schema"].split()[1], "sql": one["pred_sql"]}
        for number, one in enumerate(one for file in files for one in read(file))
    ]
    found = flags(data, rows)
    print("FLEX, predictions (its databases are two, one of them for building)")
    for place, name in enumerate(("faults", "faults and hints")):
        show(name, [(float(one["human_judge"]) < 0.5, found[one["id"]][place]) for one in rows])
    wrong = [
        {**one, "sql": one["gt_sql"]} for one in rows if one["ex"] == 0 and one["human_judge"] > 0.5
    ]
    again = flags(data, wrong)
    flagged = sum(strong for strong, *_ in again.values())
    print(f"references that reject what experts hold right: {share(flagged, len(wrong))} flagged")


def arcwise(data: Path, _: str) -> None:
    """Arcwise: references of BIRD's mini-dev that were corrected since."""
    old = {str(one["question_id"]): one for one in read(data / "bird/dev.json")}
    new = {str(one["question_id"]): one for one in read(data / "bird/arcwise/mini_dev_sqlite.json")}
    shared = sorted(old.keys() & new.keys(), key=int)
    rows = [
        {**old[id_], "id": id_, "hint": old[id_]["evidence"], "sql": old[id_]["SQL"]}
        for id_ in shared
    ]
    corrected = {id_: plain(old[id_]["SQL"]) != plain(new[id_]["SQL"]) for id_ in shared}
    found = flags(data, rows)
    print(f"Arcwise: {sum(corrected.values())} of {len(shared)} references corrected")
    for place, name in enumerate(("faults", "faults and hints")):
        show(name, [(corrected[id_], found[id_][place]) for id_ in shared])


def plain(sql: str) -> str:
    return " ".join(sql.lower().replace("`", '"').split()).rstrip("; ")


def rose_vec(data: Path, _: str) -> None:
    """ROSE-VEC: annotators' reasons that call the reference false (the half that is shared)."""
    rows = {
        str(one["question_id"]): {**one, "id": str(one["question_id"]), "sql": one["gold_sql"]}
        for one in read(data / "rose-vec/rose-vec-bird.json")
    }
    for one in rows.values():
        one["hint"] = one.get("evidence")
    doubted = {
        id_: "GOLD" in f"{one.get('reason_1')} {one.get('reason_2')}".upper()
        for id_, one in rows.items()
    }
    found = flags(data, rows.values())
    print("ROSE-VEC, BIRD: a reason of an annotator calls the reference false")
    for place, name in enumerate(("faults", "faults and hints")):
        show(name, [(doubted[id_], found[id_][place]) for id_ in rows])


def o3(data: Path, _: str) -> None:
    """The recorded o3: references that it calls false for half of the methods it looked at."""
    votes: dict[str, list[bool]] = {}
    for file in sorted((data / "rose-benchmarking").glob("*/o3-*/refuter_output.json.gz")):
        for one in read(file):
            result = one.get("result") or {}
            if isinstance(result.get("gold_correct"), bool):
                votes.setdefault(str(one["question_id"]), []).append(not result["gold_correct"])
    mini = {str(one["question_id"]): one for one in read(data / "rose-vec/mini_dev.json")}
    rows = [
        {**mini[id_], "id": id_, "hint": mini[id_]["evidence"], "sql": mini[id_]["SQL"]}
        for id_ in sorted(votes.keys() & mini.keys(), key=int)
    ]
    found = flags(data, rows)
    doubted = {one["id"]: 2 * sum(votes[one["id"]]) >= len(votes[one["id"]]) for one in rows}
    print(f"o3 on mini-dev: it doubts {sum(doubted.values())} of {len(rows)} references")
    for place, name in enumerate(("faults", "faults and hints")):
        show(name, [(doubted[one["id"]], found[one["id"]][place]) for one in rows])
    apart = [one["id"] for one in rows if doubted[one["id"]] != found[one["id"]][0]]
    drawn = random.Random(0).sample(apart, min(20, len(apart)))
    print("20 of the disagreements, by id:", " ".join(sorted(drawn, key=int)))


def ambrosia(data: Path, _: str) -> None:
    """AMBROSIA: questions that experts wrote to have several readings, each with its query.

    A question with several references: does the audit say that they are of different meaning?
    And a question with one of them: is it told from the reading that was spelled out?
    """
    with tempfile.TemporaryDirectory() as folder:
        examples = unpacked(data / "human/ambrosia/ambrosia.tar.xz", Path(folder))
        several = [case(one, f"{n}", one["question"], one["sqls"]) for n, one in examples]
        found = sj.audit(several, folder, checks="AU602")
        told = {one.id for one in found.findings}
        print(f"AMBROSIA, references side by side: {len(several)} ambiguous questions")
        for kind in ("scope", "attachment", "vague"):
            own = [str(n) for n, one in examples if one["kind"] == kind]
            print(f"  {kind}: conflict shown {share(len(told & set(own)), len(own))}")
        readings = [
            case(one, f"{n} {number} {asked}", question, [sql])
            for n, one in examples
            for number, (sql, clear) in enumerate(zip(one["sqls"], one["readings"], strict=True))
            for asked, question in (("clear", clear), ("ambiguous", one["question"]))
        ]
        # Not AU602, to which the same question with its other readings would give them away.
        found = sj.audit(readings, folder, checks="AU1+AU2+AU3+AU4+AU5")
    likely: dict[str, float] = {}
    for one in found.findings:
        likely[one.id] = max(likely.get(one.id, 0.0), one.likely)
    for weak, name in ((False, "faults"), (True, "faults and hints")):
        flagged = {one.id for one in found.findings if weak or not one.weak}
        show(name, [(one.id.endswith("ambiguous"), one.id in flagged) for one in readings])
    rows = [(one.id.endswith("ambiguous"), likely.get(one.id, 0.0), "") for one in readings]
    ranked(rows)


def unpacked(archive: Path, folder: Path) -> list[tuple[int, Query]]:
    """AMBROSIA's examples, numbered, and their databases as folder/db/db.sqlite."""
    found: list[Query] = []
    with tarfile.open(archive) as files:
        for member in files:
            place = Path(member.name)
            if not member.isfile() or len(place.parts) < 4:
                continue
            kind, domain, name = place.parts[-4:-1]
            db_id = re.sub(r"\W+", "_", f"{domain}_{name}").lower()
            opened = files.extractfile(member)
            assert opened is not None
            if place.name == "examples.json":
                found += (readings_of(one, kind, db_id) for one in json.load(opened))
            elif place.stem == name:
                (folder / db_id).mkdir(exist_ok=True)
                (folder / db_id / f"{db_id}.sqlite").write_bytes(opened.read())
    return list(enumerate(sorted(found, key=lambda one: (one["db_id"], one["question"]))))


def readings_of(example: Query, kind: str, db_id: str) -> Query:
    """An example with its queries and readings as lists."""
    numbers = [n for n in "123" if f"sql_query{n}" in example]
    return {
        "kind": kind,
        "db_id": db_id,
        "question": example["question"],
        "sqls": [example[f"sql_query{n}"] for n in numbers],
        "readings": [example[f"interpretation{n}"] for n in numbers],
    }


def case(example: Query, id_: str, question: str, sqls: list[str]) -> sj.Case:
    """A question of AMBROSIA with some of its queries as references."""
    return sj.Case(id=id_, db_id=example["db_id"], question=question, reference_sqls=tuple(sqls))


PARTS: dict[str, Callable[[Path, str], None]] = {
    "bugs": bugs,
    "flex": flex,
    "arcwise": arcwise,
    "rose_vec": rose_vec,
    "o3": o3,
    "ambrosia": ambrosia,
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--databases", choices=("building", "figures"), default="figures")
    options = parser.parse_args()
    for name, part in PARTS.items():
        if options.only in (None, name):
            part(options.data, options.databases)
            print()


if __name__ == "__main__":
    main()
