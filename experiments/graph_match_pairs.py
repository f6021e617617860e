"""What the graph network was trained on: is it apart from what it is measured on, and what does it
add to features that train on nothing?

    python experiments/graph_match_pairs.py --data $DATA --pairs pairs.jsonl [--model FILE]
        [--most 3000] [--with-equivalence] [--without-check] [--runs FOLDER]

First: how many training queries equal, as texts (white space and case aside) or as canonical trees,
a query that something is measured on: Spider dev and test, Spider-DK, BIRD dev, and both sides of
FuncEvalGMN's pairs. Then a logistic combination of the network's score and of judges that train on
nothing, fitted on validation pairs of the training file (their databases are not among those that
the network was trained on), and scored on FuncEvalGMN's pairs; beside it the same without the
network, and each feature alone. --with-equivalence adds the score of the judge that labelled
the training pairs, and so has more weight than it should. Verdicts are kept in --runs, if given.
"""

from __future__ import annotations

import argparse
import gzip
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from labelled_pairs import FILES, judge_scores, labelled_pairs, network_scores
from numpy.typing import NDArray

import sqljury as sj
from sqljury.case import Case
from sqljury.databases import Schemas, read_schemas
from sqljury.equivalence.canonical import canonical
from sqljury.judges import make_judge, spec_of
from sqljury.learning.graph_matching.matcher import Matcher, load_matcher, shipped_model
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import DECLARED_ASSUMPTIONS, Context
from sqljury.trees.nodes import Scan, Unreadable
from sqljury.trees.walk import relations
from sqljury.uses.statistics import Bootstrap, ScoreTable
from sqljury.uses.train.graph_pairs import VALIDATION, TrainingPair, read_pairs

FEATURES = ("relpm", "astpm", "codebleu:operator", "crystalbleu", "canonical,permuted=true")


def main() -> None:
    """Check, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--pairs", type=Path, required=True, help="what `build pairs` wrote")
    parser.add_argument("--model", type=Path, help="in place of sqljury's own")
    parser.add_argument("--most", type=int, default=3000, help="validation pairs to fit on")
    parser.add_argument("--with-equivalence", action="store_true")
    parser.add_argument("--without-check", action="store_true", help="go on to the combination")
    parser.add_argument("--runs", type=Path, help="where verdicts are kept")
    options = parser.parse_args()
    pairs = read_pairs(options.pairs)
    if not options.without_check:
        apart(options.data, pairs)
    combined(options, [pair for pair in pairs if pair.split == VALIDATION][: options.most])


# ---------------------------------------------------------------- what is measured on


class Query(NamedTuple):
    """A text, and the schema it is read with."""

    sql: str
    schema: Schema | None


def apart(data: Path, pairs: Sequence[TrainingPair]) -> None:
    """Queries of training that are also measured on."""
    schemas = read_schemas(data / "spider" / "tables.json")
    trained = [
        Query(sql, schemas.get(pair.db_id))
        for pair in pairs
        for sql in (pair.reference, pair.prediction)
    ]
    texts = {text(query.sql) for query in trained}
    trees = dict.fromkeys(tree for query in distinct(trained) if (tree := tree_of(query)))
    databases = {pair.db_id for pair in pairs}
    print(f"{len(pairs):,} pairs of {len(databases)} databases, {len(trees):,} canonical trees")
    heads = f"{'queries':>9}{'read':>9}{'same text':>11}{'same tree':>11}{'empty':>11}"
    print(f"\n{'measured on':24}{heads}")
    for name, queries in measured(data).items():
        found = distinct(queries)
        known = [tree for query in found if (tree := tree_of(query))]
        same_text = sum(text(query.sql) in texts for query in found)
        same = [tree for tree in known if tree in trees]
        # What is certain to be empty reads no table: such queries of any database are one tree.
        empty = sum(not any(isinstance(part, Scan) for part in relations(tree)) for tree in same)
        print(f"{name:24}{len(found):9,}{len(known):9,}{same_text:11,}{len(same):11,}{empty:11,}")


def text(sql: str) -> str:
    """Without what white space and case say."""
    return " ".join(sql.lower().split()).rstrip("; ")


def distinct(queries: Iterable[Query]) -> list[Query]:
    """Each text and schema once."""
    found = {(text(query.sql), id(query.schema)): query for query in queries}
    return list(found.values())


def tree_of(query: Query) -> Any:
    """The canonical tree of a query, or None."""
    if query.schema is None:
        return None
    tree = build_tree(query.sql, query.schema, "sqlite")
    if isinstance(tree, Unreadable):
        return None
    return canonical(tree, Context(query.schema, "sqlite", DECLARED_ASSUMPTIONS)).relation


def measured(data: Path) -> dict[str, list[Query]]:
    """All queries that figures are given for, by where they are from."""
    spider = data / "spider"
    dev = read_schemas(spider / "tables.json")
    pairs = {
        f"pairs: {name}": [
            Query(sql, pair.schema) for pair in labelled_pairs(data, name) for sql in pair.texts
        ]
        for name in FILES
    }
    return {
        "Spider dev": list(of_gold(spider / "dev_gold.sql", dev)),
        "Spider test": list(
            of_gold(spider / "test_gold.sql", read_schemas(spider / "test_tables.json"))
        ),
        "BIRD dev": list(
            of_gold(
                data / "bird" / "dev_gold.sql.gz",
                read_schemas(data / "bird" / "dev_tables.json.gz"),
            )
        ),
        **pairs,
    }


def of_gold(path: Path, schemas: Schemas) -> Iterator[Query]:
    """A query and the name of its database a line."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            sql, _, db_id = line.rstrip("\n").rpartition("\t")
            if sql:
                yield Query(sql, schemas.get(db_id.strip()))


# ---------------------------------------------------------------- the combination


def combined(options: argparse.Namespace, pairs: Sequence[TrainingPair]) -> None:
    """Fit on validation pairs, score the labelled files."""
    matcher = load_matcher(options.model or shipped_model())
    judges = [*FEATURES, *(("equivalence,column_order=any",) if options.with_equivalence else ())]
    known = of_training(options, pairs, judges, matcher)
    labels = np.array([pair.label for pair in pairs])
    print(f"\nfitted on {len(labels):,} validation pairs, {labels.sum():,} of them equivalent")
    fits = {"with the network": slice(None), "without it": slice(1, None)}
    models = {name: fitted(known[:, part], labels) for name, part in fits.items()}
    names = ["graph_match", *judges]
    for name, part in fits.items():
        weights = zip(names[part], models[name][-1].coef_[0], strict=True)
        print(f"{name}: {', '.join(f'{judge} {weight:.2f}' for judge, weight in weights)}")
    print(f"\n{'AUC [95 %]':30}" + "".join(f"{name:>26}" for name in FILES))
    lines: dict[str, list[str]] = {}
    for name in FILES:
        found = labelled_pairs(options.data, name)
        said = [pair.label for pair in found]
        columns = network_scores(((*p.texts, p.schema) for p in found), [matcher])
        columns += judge_scores(options.data, name, judges, options.runs)
        table = np.array([[score or 0.0 for score in column] for column in columns]).T
        for place, judge in enumerate(names):
            lines.setdefault(judge, []).append(with_interval(table[:, place], said))
        for fit, part in fits.items():
            scores = models[fit].predict_proba(table[:, part])[:, 1]
            lines.setdefault(f"combination {fit}", []).append(with_interval(scores, said))
    for name, cells in lines.items():
        print(f"{name:30}" + "".join(f"{cell:>26}" for cell in cells))


def of_training(
    options: argparse.Namespace,
    pairs: Sequence[TrainingPair],
    judges: Sequence[str],
    matcher: Matcher,
) -> NDArray[np.float64]:
    """The scores of the network and of judges (a column each; 0 where there is none)."""
    path = options.data / "spider" / "tables.json"
    schemas = read_schemas(path).by_id
    texts = ((pair.reference, pair.prediction, schemas[pair.db_id]) for pair in pairs)
    (network,) = network_scores(texts, [matcher])
    cases = [
        Case(
            id=str(number),
            db_id=pair.db_id,
            predicted_sql=pair.prediction,
            reference_sqls=(pair.reference,),
        )
        for number, pair in enumerate(pairs)
    ]
    columns = {spec_of(make_judge(judge)): place for place, judge in enumerate(judges, 1)}
    found = np.zeros((len(pairs), 1 + len(judges)))
    found[:, 0] = [score or 0.0 for score in network]
    where = options.runs and options.runs / "validation"
    with sj.evaluate(cases, list(judges), schemas=path, run=where) as run:
        for record in run.records():
            found[int(record.case.id), columns[record.judge]] = record.verdict.score or 0.0
    return found


def fitted(table: NDArray[np.float64], labels: NDArray[np.bool_]) -> Any:
    """A logistic model of scaled features."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(table, labels)


def with_interval(scores: NDArray[np.float64], labels: Sequence[bool]) -> str:
    """AUC and its interval."""
    table = ScoreTable.of(list(map(float, scores)), labels)
    low, high = Bootstrap().association(table)["auc"] or (float("nan"), float("nan"))
    return f"{table.statistics()['auc']:.4f} [{low:.4f}, {high:.4f}]"


if __name__ == "__main__":
    main()
