"""The figures of docs/trust.md: TrustSQL's recorded Spider runs, and detectors on EHRSQL-2024."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqljury.benchmarks import read_cases
from sqljury.databases import read_schemas
from sqljury.learning.detector import train_detector, train_distance
from sqljury.uses.building.benchmark import statistics_of
from sqljury.uses.building.trust import build_trust_files
from sqljury.uses.statistics import ScoreTable
from sqljury.uses.trust.files import TrustSettings, judged_run, trust_files
from sqljury.uses.trust.records import answerable_examples

JUDGE = "execution:spider"


def percent(value: float | None) -> float:
    return round(100 * (value or 0.0), 1)


@pytest.fixture(scope="module")
def outputs(data_dir: Path) -> Path:
    return data_dir / "trustsql" / "outputs"


def run(data: Path, predictions: str, folder: Path) -> str:
    recorded = data / "trustsql" / "outputs" / f"eval_spider_test_gpt3.5turbo_colfk_{predictions}"
    return judged_run(
        [data / "trustsql" / "derived" / "trustsql_spider_test_reconstructed.jsonl.gz"],
        TrustSettings(judge=JUDGE, gates=("known_names",), mapping={"answerable": "in_spider_dev"}),
        data / "spider" / "databases",
        [recorded / "prediction.json.gz"],
        folder / predictions,
    )


@pytest.mark.data
def test_recorded_gates(data_dir: Path, outputs: Path, tmp_path: Path) -> None:
    cls = f"{outputs}/eval_spider_test_gpt4o_create_select_pos16neg16_clsprompt/prediction.json.gz"
    error = f"{outputs}/eval_spider_test_gpt3.5turbo_colfk_pos8__gpt4o_colfk_errorprompt/prediction.json.gz"
    folder = run(data_dir, "pos8", tmp_path)
    expected = {
        (): (74.8, 59.8, 37.4, -177.6, -588.8),
        ("known_names",): (74.8, 75.9, 78.6, -158.6, -126.4),
        (cls,): (54.6, 61.9, 74.4, -127.5, -46.1),
        (error,): (63.9, 62.4, 58.9, -97.3, -252.3),
        (cls, error): (45.4, 56.1, 72.2, -72.3, 8.6),
    }
    for gates, figures in expected.items():
        (found,) = trust_files([folder], TrustSettings(judge=JUDGE, gates=gates), bootstrap=0)
        ans, quarter, everything = found.mixes.values()
        phis = [mix.phi["0"] for mix in (ans, quarter, everything)]
        phis += [mix.phi["10"] for mix in (ans, everything)]
        assert tuple(map(percent, phis)) == figures
        assert percent(found.baselines["oracle"]["N"]) == 87.4


@pytest.mark.data
def test_recorded_demonstrations(data_dir: Path, tmp_path: Path) -> None:
    folder = run(data_dir, "pos8neg8_demo", tmp_path)
    (found,) = trust_files([folder], TrustSettings(judge=JUDGE), bootstrap=0)
    assert [percent(found.mixes[mix].phi["0"]) for mix in found.mixes] == [75.1, 71.5, 67.1]
    assert percent(found.phi["10"]) == -262.1


@pytest.mark.data
@pytest.mark.slow
def test_detectors_of_unanswerable_questions(data_dir: Path) -> None:
    folder = data_dir / "trustsql" / "ehrsql-2024"
    train, test = (
        list(answerable_examples(read_cases(folder / part / "data.json.gz")))
        for part in ("train", "test")
    )
    for kind, auc in (("forest", 85.2), ("novelty", 98.6)):
        model = train_detector(
            [one.question for one in train],
            [one.is_right for one in train],
            kind="forest" if kind == "forest" else "novelty",
        )
        scores = model.scores([one.question for one in test])
        table = ScoreTable.of(scores, [one.is_right for one in test])
        assert percent(table.statistics()["auc"]) == pytest.approx(auc, abs=0.3)


@pytest.mark.data
@pytest.mark.slow
def test_distances_of_sentence_vectors(data_dir: Path, sentence_model: str) -> None:
    folder = data_dir / "trustsql" / "ehrsql-2024"
    train, test = (
        list(answerable_examples(read_cases(folder / part / "data.json.gz")))
        for part in ("train", "test")
    )
    asked = [one.question for one in train if one.is_right]
    model = train_distance(asked, vectors=f"embeddings,model={sentence_model}")
    scores = model.scores([one.question for one in test])
    table = ScoreTable.of(scores, [one.is_right for one in test])
    assert percent(table.statistics()["auc"]) == pytest.approx(96.5, abs=0.3)


# name → tables, columns, questions, SQL templates, questions to one, words of a query
TABLE_4 = {
    "geography": (8, 31, 877, 246, 3.6, 28.8),
    "restaurants": (3, 12, 378, 23, 16.4, 34.5),
    "academic": (15, 42, 196, 185, 1.1, 40.2),
    "yelp": (7, 38, 128, 110, 1.2, 32.5),
    "imdb": (16, 65, 131, 89, 1.5, 32.7),
    "scholar": (12, 28, 817, 193, 4.2, 41.6),
    "atis": (25, 131, 5280, 947, 5.6, 107.3),
    "advising": (18, 124, 4387, 205, 21.4, 54.6),
}


@pytest.mark.data
@pytest.mark.parametrize("name", TABLE_4)
def test_table_4(data_dir: Path, name: str) -> None:
    """As printed, but that GeoQuery has 7 tables there (as its database), Advising 12 and 84."""
    folder = data_dir / "classical/text2sql-data"
    schema = read_schemas(folder / f"{name}-schema.csv.gz").get(name)
    assert schema is not None
    found = statistics_of(list(read_cases(folder / f"{name}.json.gz")), [schema])
    means = (round(found.per_template or 0, 1), round(found.length or 0, 1))
    counts = (found.tables, found.columns, found.questions, found.templates)
    assert (*counts, *means) == TABLE_4[name]


@pytest.mark.data
@pytest.mark.slow
def test_spider_dev_in_halves(data_dir: Path, tmp_path: Path) -> None:
    """The second half of dev's databases is the published test split."""
    spider = data_dir / "spider"
    build_trust_files(
        spider / "dev.json", tmp_path, schemas=spider / "tables.json", splitting="databases"
    )
    test = {case.question for case in read_cases(tmp_path / "test.jsonl") if case.answerable}
    questions = data_dir / "trustsql/derived/trustsql_spider_test_reconstructed.jsonl.gz"
    published = {
        case.question
        for case in read_cases(questions, mapping={"answerable": "in_spider_dev"})
        if case.answerable
    }
    assert (len(published), published) == (527, test)
