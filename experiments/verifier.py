"""Verifiers on a toy task: balance, prompts, objectives, sizes; with what they cost.

    python experiments/verifier.py [--out FOLDER] [--seeds 1]

Nothing published is measured here: there is no language model and no GPU in it. Questions about
four small tables are answered by two made-up generators, a strong and a weak one, which write the
right query with a word or two wrong at known rates; their queries are executed and labelled as
GradeSQL labels. Verifiers are networks of some ten thousand weights that begin at random. So the
tables say that the ways of training work and what they cost beside each other, not what they are
worth on Spider or BIRD.

Each row is trained on 2500 questions and tested on 120 others, eight candidates each, which no row
was tuned on. Rows that are done are kept in FOLDER and not done again.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "learning"))

from toy_verifier import COLUMNS, TABLES, Meaning, any_meaning, misread, write_base  # noqa: E402

from sqljury.api.verifier_training import train_verifier_on  # noqa: E402
from sqljury.benchmarks import read_cases  # noqa: E402
from sqljury.databases import open_databases  # noqa: E402
from sqljury.evidence import DatabaseEvidence, ExecutionCache  # noqa: E402
from sqljury.execution import Limits  # noqa: E402
from sqljury.judges.language_model_verifier import LanguageModelVerifier, scores  # noqa: E402
from sqljury.judges.verifier_prompt import VerifierPrompt  # noqa: E402
from sqljury.learning.calibration import reliability  # noqa: E402
from sqljury.learning.outcome_reward.settings import Settings  # noqa: E402
from sqljury.learning.outcome_reward.validation import area_under_curve  # noqa: E402
from sqljury.uses.verifier_examples import label_of, question_of  # noqa: E402

TRAINING, HELD, CANDIDATES = 2500, 120, 8
WRONG = {"weak": {"compared": 0.55, "number": 0.1}, "strong": {"compared": 0.25, "number": 0.05}}
"""How often a generator gets a part of the query wrong."""
SETTINGS = Settings(
    epochs=4, learning_rate=1e-2, batch=64, at_once=64, lora_rank=0, evaluations=1, patience=9
)


@dataclass(frozen=True)
class Row:
    """One training."""

    table: str
    generator: str = "weak"
    width: int = 32
    prompt: str = "sql"
    objective: str = "autoregressive"
    balance: bool = True

    def name(self, seed: int) -> str:
        parts = [str(value) for value in asdict(self).values()]
        return "_".join([*parts, str(seed)]).replace("+", "and")


ROWS = (
    Row("objective"),
    Row("objective", objective="bce"),
    Row("objective", objective="sequence"),
    Row("balance", balance=False),
    Row("balance", generator="strong"),
    Row("balance", generator="strong", balance=False),
    Row("size", width=16),
    Row("size", width=64),
    Row("size", generator="strong", width=16),
    Row("size", generator="strong", width=64),
    Row("prompt", prompt="data"),
    Row("prompt", prompt="data+sql"),
    Row("prompt", prompt="instruction"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("verifier-experiment"))
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    made = Made(options.out)
    for row in ROWS:
        for seed in range(options.seeds):
            found = made.result(row, seed)
            print(line(row, seed, found), flush=True)


def line(row: Row, seed: int, found: dict) -> str:
    what = f"{row.generator:6} w{row.width:<3} {row.prompt:11} {row.objective:14}"
    return (
        f"{row.table:9} {what} {'balanced' if row.balance else 'all':8} seed {seed}: "
        f"first {found['first']:5.1f} vote {found['vote']:5.1f} verifier {found['verifier']:5.1f} "
        f"oracle {found['oracle']:5.1f} | AUC {found['auc']:.3f} ECE {found['ece']:.3f} | "
        f"{found['examples']:5} examples, {found['training_seconds']:5.0f} s, "
        f"{1000 * found['seconds_a_candidate']:.1f} ms a candidate"
    )


class Made:
    """Database, pools and bases in a folder, and the rows that are done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "databases" / "shop" / "shop.sqlite"
        self.database.parent.mkdir(parents=True, exist_ok=True)
        if not self.database.exists():
            write_database(self.database)
        for generator in WRONG:
            for part, count in (("train", TRAINING), ("held", HELD)):
                path = self.pool(generator, part)
                if not path.exists():
                    write_pool(path, self.database, generator, count, part)

    def pool(self, generator: str, part: str) -> Path:
        return self.folder / f"{generator}-{part}.jsonl"

    def result(self, row: Row, seed: int) -> dict:
        kept = self.folder / f"{row.name(seed)}.json"
        if not kept.exists():
            kept.write_text(json.dumps(self.measured(row, seed)))
        return json.loads(kept.read_text())

    def measured(self, row: Row, seed: int) -> dict:
        base = self.folder / f"base-{row.width}-{seed}"
        if not base.exists():
            write_base(base, self.vocabulary(), width=row.width, seed=seed)
        out = self.folder / row.name(seed)
        start = time.process_time()
        trained = train_verifier_on(
            self.pool(row.generator, "train"),
            str(base),
            out,
            databases=self.folder / "databases",
            prompt=row.prompt,
            balance=row.balance,
            settings=replace(SETTINGS, objective=row.objective, seed=seed),
        )
        seconds = time.process_time() - start
        found = tested(out, self.pool(row.generator, "held"), self.folder / "databases")
        examples = trained.facts["training"]["examples"]
        return {**found, "examples": examples, "training_seconds": seconds}

    def vocabulary(self) -> list[str]:
        """All words of all prompts, but not the marks of fences, which occur once."""
        counts: dict[str, int] = {}
        with known(self.pool("weak", "train"), self.folder / "databases", 400) as cases:
            for variant in ("instruction", "data", "sql", "data+sql"):
                prompt = VerifierPrompt(variant)
                for case, evidence in cases:
                    text = prompt.shared(case, evidence) + prompt.own(case, evidence)
                    for word in text.split():
                        counts[word] = counts.get(word, 0) + 1
        return sorted(word for word, count in counts.items() if count >= 20)


# ---------------------------------------------------------------- what verifiers are tested on


@contextmanager
def known(pool: Path, databases: Path, most: int | None = None) -> Iterator[list]:
    """Cases with their evidence, while their database is open."""
    database = open_databases(str(databases)).open("shop")
    cache = ExecutionCache()
    cases = list(read_cases([pool]))[:most]
    yield [(case, DatabaseEvidence(case, database, cache, Limits())) for case in cases]
    database.close()


def tested(folder: Path, pool: Path, databases: Path) -> dict:
    """Accuracy of picking by score, in percent of the questions, and the quality of scores."""
    import numpy as np

    with known(pool, databases) as asked:
        start = time.process_time()
        found = scores(LanguageModelVerifier(str(folder)), asked)
        seconds = time.process_time() - start
        answers = [repr(evidence.rows(case.predicted_sql).table.rows) for case, evidence in asked]
    probabilities = np.array([verdict.score for verdict in found])
    labels = np.array([bool(label_of(case)) for case, _ in asked])
    questions: dict[str, list[int]] = {}
    for place, (case, _) in enumerate(asked):
        questions.setdefault(question_of(case), []).append(place)
    groups = list(questions.values())

    def voted(group: list[int]) -> int:
        given = [answers[place] for place in group]
        return max(group, key=lambda place: (given.count(answers[place]), -place))

    def share(pick) -> float:
        return 100 * sum(bool(labels[pick(group)]) for group in groups) / len(groups)

    return {
        "first": share(lambda group: group[0]),
        "vote": share(voted),
        "verifier": share(lambda group: max(group, key=lambda place: probabilities[place])),
        "oracle": share(lambda group: max(group, key=lambda place: labels[place])),
        "auc": area_under_curve(probabilities, labels.astype(float)),
        "ece": reliability(probabilities.tolist(), labels.tolist()).ece,
        "seconds_a_candidate": seconds / len(asked),
    }


# ---------------------------------------------------------------- the task


def write_database(path: Path) -> None:
    rng = random.Random(0)
    with sqlite3.connect(path) as connection:
        for table in TABLES:
            columns = ", ".join(f"{column} INTEGER" for column in COLUMNS)
            connection.execute(f"CREATE TABLE {table} ({columns})")
            rows = [[rng.randrange(1, 40) for _ in COLUMNS] for _ in range(25)]
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)


def write_pool(path: Path, database: Path, generator: str, count: int, part: str) -> None:
    """Questions with what a generator writes for them, labelled by execution."""
    rng = random.Random(f"{generator} {part}")
    with sqlite3.connect(database) as connection, path.open("w") as file:
        for number in range(count):
            meaning = any_meaning(rng)
            right = rows_of(connection, meaning)
            candidates = []
            for _ in range(CANDIDATES):
                written = meaning
                for name, rate in WRONG[generator].items():
                    if rng.random() < rate:
                        written = misread(written, rng, (name,))
                label = "correct" if rows_of(connection, written) == right else "incorrect"
                candidates.append({"sql": written.sql, "label": label})
            line = {"question_id": number, "db_id": "shop", "question": meaning.question}
            file.write(json.dumps({**line, "candidates": candidates}) + "\n")


def rows_of(connection: sqlite3.Connection, meaning: Meaning) -> list:
    return connection.execute(meaning.sql).fetchall()


if __name__ == "__main__":
    main()
