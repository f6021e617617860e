"""Verifiers on a toy task: objectives, balance, prompts, sizes; with what they cost.

    python experiments/verifier.py [--out FOLDER] [--seeds 3] [--only TABLE ...]

Nothing published is measured here: there is no language model and no GPU in it. Questions about
64 tables of three columns (`which ships have age above 7`) are answered by two made-up
generators, a strong and a weak one, which take the wrong comparison or the wrong column at known
rates and end their queries in one of three ways that change nothing; the queries are executed and
labelled as GradeSQL labels.

Verifiers are networks of one layer and some ten thousand weights. One that begins at random does
not find what to compare in a prompt of 150 words within minutes; a language model brings that with
it. So each base is first taught to compare the bare question with the bare query, of the tables for
training. The tables say that the ways of training work on such a base and what they cost beside
each other, not what they are worth on Spider or BIRD.

Each row is trained on 20 questions about each of 32 tables and tested on up to 5 about each of the
others, eight candidates each. No question for testing reads as one that a verifier or its base was
trained on. There is one base of each size, so that seeds differ in the order of what is learnt, in
what is kept for validation and in new heads. Rows that are done are kept in FOLDER and not done
again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sqlite3
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "learning"))

from toy_verifier import write_base  # noqa: E402

from sqljury.benchmarks import read_cases  # noqa: E402
from sqljury.case import Case  # noqa: E402
from sqljury.databases import open_databases  # noqa: E402
from sqljury.evidence import DatabaseEvidence, Evidence, ExecutionCache  # noqa: E402
from sqljury.execution import Limits  # noqa: E402
from sqljury.judges.language_model_verifier import (  # noqa: E402
    VARIANTS,
    LanguageModelVerifier,
    VerifierPrompt,
)
from sqljury.learning.calibration import area_under_curve, reliability  # noqa: E402
from sqljury.learning.language_model.prefix_scoring import PromptText  # noqa: E402
from sqljury.learning.outcome_reward.examples import RewardExample, Settings  # noqa: E402
from sqljury.learning.outcome_reward.training import train_verifier  # noqa: E402
from sqljury.uses.train.verifier import train_verifier_on  # noqa: E402
from sqljury.uses.train.verifier_examples import label_of  # noqa: E402
from sqljury.verdict import Verdict  # noqa: E402

QUESTIONS = {"train": 20, "held": 5}
"""About each table; fewer where there are not as many."""
DATABASES = {"train": range(32), "held": range(32, 64)}
CANDIDATES = 8
WRONG = {"weak": {"compared": 0.4, "column": 0.15}, "strong": {"compared": 0.2, "column": 0.07}}
"""How often a generator gets a part of the query wrong."""
SETTINGS = Settings(
    epochs=2, learning_rate=1e-3, batch=16, at_once=16, lora_rank=0, evaluations=1, patience=9
)
BARE = 2000
"""Questions that bases learn from, with a right query and a wrong one each."""
BASE_SETTINGS = replace(SETTINGS, epochs=4, batch=32, at_once=32, seed=0)


@dataclass(frozen=True)
class Row:
    """One training."""

    generator: str = "weak"
    width: int = 32
    prompt: str = "sql"
    objective: str = "autoregressive"
    balance: bool = True

    def name(self, seed: int) -> str:
        parts = [str(value) for value in asdict(self).values()]
        return "_".join([*parts, str(seed)]).replace("+", "and")


BOTH = ("weak", "strong")
TABLES: dict[str, list[Row]] = {
    "objective": [Row(objective=one) for one in ("autoregressive", "bce", "sequence")],
    "balance": [Row(generator=g, balance=balance) for g in BOTH for balance in (True, False)],
    "size": [Row(generator=g, width=width) for g in BOTH for width in (16, 32, 64)],
    "prompt": [Row(prompt=one) for one in VARIANTS],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("verifier-experiment"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    made = Made(options.out)
    found: dict[Row, list[dict]] = {row: [] for name in options.only for row in TABLES[name]}
    for seed, row in itertools.product(range(options.seeds), found):
        found[row].append(made.result(row, seed))
    print_generators(found)
    for name in options.only:
        print_table(name, [(row, found[row]) for row in TABLES[name]])


# ---------------------------------------------------------------- tables

WHAT: dict[str, Callable[[Row], str]] = {
    "objective": lambda row: f"`{row.objective}`",
    "balance": lambda row: f"{row.generator}, {'balanced' if row.balance else 'all'}",
    "size": lambda row: f"{row.generator}, {row.width} numbers a token",
    "prompt": lambda row: f"`{row.prompt}`",
}


def print_table(table: str, rows: Sequence[tuple[Row, list[dict]]]) -> None:
    """Means over seeds, with the least and the most where they differ."""
    print(f"\n| {table} | examples | AUC | ECE | picks right, % | training, s | scoring, ms |")
    print("|---|---|---|---|---|---|---|")
    for row, found in rows:
        cells = [
            over_seeds(found, "examples", 0),
            *[over_seeds(found, name, 3) for name in ("auc", "ece")],
            over_seeds(found, "verifier", 1),
            over_seeds(found, "training_seconds", 0),
            f"{1000 * statistics.mean(one['seconds_a_candidate'] for one in found):.1f}",
        ]
        print(f"| {WHAT[table](row)} | {' | '.join(cells)} |", flush=True)


def print_generators(every: Mapping[Row, list[dict]]) -> None:
    """What picking without a verifier comes to, for each generator."""
    print("\n| picks right, % | first | vote | oracle |\n|---|---|---|---|")
    for generator, found in {row.generator: found[0] for row, found in every.items()}.items():
        cells = " | ".join(f"{found[name]:.1f}" for name in ("first", "vote", "oracle"))
        print(f"| {generator} | {cells} |")


def over_seeds(found: Sequence[dict], name: str, digits: int) -> str:
    values = [one[name] for one in found]
    mean, low, high = (
        f"{value:,.{digits}f}" for value in (statistics.mean(values), min(values), max(values))
    )
    return mean if low == high else f"{mean} ({low}–{high})"


class Made:
    """Database, pools and bases in a folder, and the rows that are done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.databases = folder / "databases"
        shops = [Shop.of(number) for part in DATABASES.values() for number in part]
        for shop in shops:
            path = self.databases / shop.name / f"{shop.name}.sqlite"
            if not path.exists():
                path.parent.mkdir(parents=True)
                shop.write(path)
        met: set[str] = set()
        for part, numbers in DATABASES.items():
            some = [shops[number] for number in numbers]
            for generator in WRONG:
                rng = random.Random(f"{generator} {part}")
                asked = ((shop, sampled(shop, QUESTIONS[part], met, rng)) for shop in some)
                lines = pool_of(asked, self.databases, generator, rng)
                text = "".join(json.dumps(line) + "\n" for line in lines)
                self.pool(generator, part).write_text(text)
            # What verifiers or their bases have met is not held out.
            met = {line["question"] for line in self.lines(part)}
            met |= {example.prompt.shared for example in bare_examples()}

    def pool(self, generator: str, part: str) -> Path:
        return self.folder / f"{generator}-{part}.jsonl"

    def lines(self, part: str) -> list[dict]:
        """Of the pools of both generators."""
        texts = [self.pool(generator, part).read_text() for generator in WRONG]
        return [json.loads(line) for text in texts for line in text.splitlines()]

    def result(self, row: Row, seed: int) -> dict:
        """What is measured of a row, now or before."""
        kept = self.folder / f"{row.name(seed)}.json"
        if not kept.exists():
            found = self.measured(row, seed)
            kept.write_text(json.dumps(found))
            print(f"{row.name(seed)}: {found}", file=sys.stderr, flush=True)
        return json.loads(kept.read_text())

    def measured(self, row: Row, seed: int) -> dict:
        base = self.base(row.width)
        out = self.folder / row.name(seed)
        start = time.process_time()
        trained = train_verifier_on(
            self.pool(row.generator, "train"),
            str(base),
            out,
            databases=self.databases,
            prompt=row.prompt,
            balance=row.balance,
            settings=replace(SETTINGS, objective=row.objective, seed=seed),
        )
        seconds = time.process_time() - start
        found = tested(out, self.pool(row.generator, "held"), self.databases)
        examples = trained.facts["training"]["examples"]
        return {**found, "examples": examples, "training_seconds": seconds}

    def base(self, width: int) -> Path:
        """A network that compares bare questions and queries; one of each size, trained once."""
        random_one, out = self.folder / f"random-{width}", self.folder / f"base-{width}"
        if not random_one.exists():
            write_base(random_one, self.vocabulary(), width=width)
        train_verifier(bare_examples(), str(random_one), out, BASE_SETTINGS, about={})
        return out

    def vocabulary(self) -> list[str]:
        """All words of all prompts, but not the marks of fences, which are of one question each."""
        counts: Counter[str] = Counter()
        prompts = [VerifierPrompt(variant) for variant in VARIANTS]
        for asked in known(self.pool("weak", "train"), self.databases):
            for one, prompt in itertools.product(asked, prompts):
                counts.update((prompt.shared(*one) + prompt.own(*one)).split())
        return sorted(word for word, count in counts.items() if count >= 200)


# ---------------------------------------------------------------- what verifiers are tested on


def known(pool: Path, databases: Path) -> Iterator[list[tuple[Case, Evidence]]]:
    """The candidates of each question with their evidence, whose database is open meanwhile."""
    cache, cases = ExecutionCache(), read_cases([pool])
    for question, group in itertools.groupby(cases, key=lambda case: (case.db_id, case.question)):
        database = open_databases(str(databases)).open(question[0])
        yield [(case, DatabaseEvidence(case, database, cache, Limits())) for case in group]
        database.close()


def tested(folder: Path, pool: Path, databases: Path) -> dict:
    """Accuracy of picking by score, in percent of the questions, and the quality of scores."""
    import numpy as np

    judge, groups, seconds = LanguageModelVerifier(str(folder)), [], 0.0
    judge.judge_many(next(known(pool, databases)))  # reads the model, which is no part of the cost
    for asked in known(pool, databases):
        _ = [judge.text.own(*one) for one in asked]  # rows are not part of what scoring costs
        start = time.process_time()
        found = judge.judge_many(asked)
        seconds += time.process_time() - start
        groups.append(
            [candidate_of(*one, verdict) for one, verdict in zip(asked, found, strict=True)]
        )
    every = [one for group in groups for one in group]
    probabilities, labels = [one.score for one in every], [one.right for one in every]

    def share(pick: Callable[[list[Candidate]], Candidate]) -> float:
        return 100 * sum(pick(group).right for group in groups) / len(groups)

    return {
        "first": share(lambda group: group[0]),
        "vote": share(
            lambda group: max(group, key=lambda one: sum(one.rows == o.rows for o in group))
        ),
        "verifier": share(lambda group: max(group, key=lambda one: one.score)),
        "oracle": share(lambda group: max(group, key=lambda one: one.right)),
        "auc": area_under_curve(np.array(probabilities), np.array(labels, dtype=float)),
        "ece": reliability(probabilities, labels).ece,
        "seconds_a_candidate": seconds / len(every),
    }


class Candidate(NamedTuple):
    """A candidate that was scored."""

    right: bool
    rows: list[tuple[object, ...]]
    score: float


def candidate_of(case: Case, evidence: Evidence, verdict: Verdict) -> Candidate:
    rows = evidence.rows(case.predicted_sql).table.rows
    return Candidate(bool(label_of(case)), sorted(rows), verdict.score)


# ---------------------------------------------------------------- the task

NAMES = ("songs", "shops", "ships", "books", "roads", "lakes", "films", "trees")
COLUMNS = ("price", "size", "age", "rank", "weight", "length")
COMPARED = {"above": ">", "below": "<"}
ENDINGS = ("", " LIMIT 99", " ORDER BY 1")
"""What changes nothing here: more than one way to be right."""
LARGEST = 20


@dataclass(frozen=True)
class Meaning:
    """A question about a table, and the one condition that answers it."""

    table: str
    column: str
    compared: str
    number: int

    @property
    def question(self) -> str:
        return f"which {self.table} have {self.column} {self.compared} {self.number}"

    @property
    def sql(self) -> str:
        condition = f"{self.column} {COMPARED[self.compared]} {self.number}"
        return f"SELECT {self.column} FROM {self.table} WHERE {condition}"


@dataclass(frozen=True)
class Shop:
    """A database of one table with twelve rows."""

    name: str
    table: str
    columns: tuple[str, ...]

    @classmethod
    def of(cls, number: int) -> Shop:
        rng = random.Random(number)
        return cls(f"shop{number:02}", rng.choice(NAMES), tuple(rng.sample(COLUMNS, 3)))

    def write(self, path: Path) -> None:
        rng = random.Random(self.name)
        with sqlite3.connect(path) as connection:
            columns = ", ".join(f"{column} INTEGER" for column in self.columns)
            connection.execute(f"CREATE TABLE {self.table} ({columns})")
            rows = [[rng.randint(1, LARGEST) for _ in self.columns] for _ in range(12)]
            connection.executemany(f"INSERT INTO {self.table} VALUES (?, ?, ?)", rows)

    def questions(self) -> list[Meaning]:
        """All there are, but for the smallest and largest numbers: nearly all rows, or none."""
        numbers = range(3, LARGEST - 2)
        parts = itertools.product(self.columns, COMPARED, numbers)
        return [Meaning(self.table, *part) for part in parts]


def misread(meaning: Meaning, part: str, shop: Shop, rng: random.Random) -> Meaning:
    """A meaning that differs in this part."""
    choices = {"compared": tuple(COMPARED), "column": shop.columns}[part]
    others = [one for one in choices if one != getattr(meaning, part)]
    return replace(meaning, **{part: rng.choice(others)})


def sampled(shop: Shop, most: int, met: Set[str], rng: random.Random) -> list[Meaning]:
    new = [meaning for meaning in shop.questions() if meaning.question not in met]
    return rng.sample(new, min(most, len(new)))


def pool_of(
    asked: Iterable[tuple[Shop, list[Meaning]]], folder: Path, generator: str, rng: random.Random
) -> Iterator[dict]:
    """Questions with what a generator writes for them, labelled by execution."""
    for shop, meanings in asked:
        with sqlite3.connect(folder / shop.name / f"{shop.name}.sqlite") as connection:
            for meaning in meanings:
                right = rows_of(connection, meaning.sql)
                candidates = [
                    {"sql": sql, "label": rows_of(connection, sql) == right}
                    for sql in candidates_of(meaning, shop, generator, rng)
                ]
                question = {"db_id": shop.name, "question": meaning.question}
                yield {**question, "candidates": candidates}


def candidates_of(meaning: Meaning, shop: Shop, generator: str, rng: random.Random) -> list[str]:
    found = []
    for _ in range(CANDIDATES):
        written = meaning
        for part, rate in WRONG[generator].items():
            if rng.random() < rate:
                written = misread(written, part, shop, rng)
        found.append(written.sql + rng.choice(ENDINGS))
    return found


def bare_examples() -> list[RewardExample]:
    """Questions and queries without a schema or any other word, of the tables for training."""
    rng = random.Random("bare")
    shops = [Shop.of(number) for number in DATABASES["train"]]
    every = [(meaning, shop) for shop in shops for meaning in shop.questions()]
    found = []
    for meaning, shop in rng.sample(every, BARE):
        wrong = misread(meaning, rng.choice(("compared", "column")), shop, rng)
        for written in (meaning, wrong):
            prompt = PromptText(meaning.question, f"{written.sql} Answer:")
            found.append(
                RewardExample(f"{shop.name} {meaning.question}", prompt, written is meaning)
            )
    return found


def rows_of(connection: sqlite3.Connection, sql: str) -> list:
    return sorted(connection.execute(sql).fetchall())


if __name__ == "__main__":
    main()
