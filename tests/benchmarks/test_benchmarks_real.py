"""The published files, read whole: nothing lost, nothing doubled, nothing mistaken."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from sqljury.benchmarks import (
    fingerprint,
    read_cases,
    read_labels,
    read_results,
    write_cases,
)
from sqljury.case import MISSING, Case
from sqljury.errors import InputError

pytestmark = pytest.mark.data


def rows(path: Path) -> list[dict[str, object]]:
    """What the file holds, by the standard library alone."""
    data = path.read_bytes()
    found: list[dict[str, object]] = json.loads(
        gzip.decompress(data) if path.suffix == ".gz" else data
    )
    return found


FILES = [
    # file, cases, with a prediction, with a reference, labelled true, labelled false
    ("rose-vec/rose-vec-bird.json", 168, 168, 168, None, None),
    ("rose-vec/rose-vec-spider.json", 134, 134, 134, None, None),
    ("rose-vec/mini_dev.json", 500, 0, 500, 0, 0),
    ("bird/dev.json", 1534, 0, 1534, 0, 0),
    ("bird/dev_gold.sql.gz", 1534, 0, 1534, 0, 0),
    ("bird/arcwise/mini_dev_sqlite_gold.sql", 500, 0, 500, 0, 0),
    ("bird/arcwise/mini_dev_sqlite.json", 500, 0, 500, 0, 0),
    ("bird/ibm/bird_mini_dev_sqlite.json.gz", 500, 0, 500, 0, 0),
    ("spider/dev.json", 1034, 0, 1034, 0, 0),
    ("spider/dev_gold.sql", 1034, 0, 1034, 0, 0),
    ("spider/test_gold.sql", 2147, 0, 2147, 0, 0),
    ("spider/train_gold.sql.gz", 8659, 0, 8659, 0, 0),
    ("spider/spider_syn/dev.json.gz", 1034, 0, 1034, 0, 0),
    ("spider/spider_syn/train_spider.json.gz", 7000, 0, 7000, 0, 0),
    ("spider/spider_dk/Spider-DK.json", 535, 0, 535, 0, 0),
    ("spider/ibm/spider-realistic.json.gz", 508, 0, 508, 0, 0),
    ("spider/ibm/spider-dev-converted.json.gz", 1034, 0, 1034, 0, 0),
    ("pairs/Spider_pair_dev.csv.gz", 1644, 1644, 1644, 740, 904),
    ("pairs/SpiderDK_pair_dev.csv.gz", 1877, 1877, 1877, 503, 1374),
    ("pairs/Wikisql_pair_dev.csv.gz", 823, 823, 823, 248, 575),
    ("candidates/raw/DIN-SQL/CodeX/DIN-SQL.csv.gz", 1034, 1034, 1034, 0, 0),
    ("candidates/raw/DIN-SQL/GPT4_results/GPT4_few_shot.csv.gz", 1034, 1034, 1034, 0, 0),
    ("human/nl2sql-bugs/NL2SQL-Bugs-with-evidence.json.gz", 1996, 1996, 0, None, None),
    ("trustsql/ehrsql-2024/valid/annotated.json.gz", 1163, 0, 931, 0, 0),
]


@pytest.mark.parametrize(("file", "n", "predicted", "referenced", "yes", "no"), FILES)
def test_file(
    data_dir: Path,
    file: str,
    n: int,
    predicted: int,
    referenced: int,
    yes: int | None,
    no: int | None,
) -> None:
    cases = list(read_cases(data_dir / file))
    assert len(cases) == n
    assert sum(case.predicted_sql is not MISSING for case in cases) == predicted
    assert sum(bool(case.reference_sqls) for case in cases) == referenced
    labels = Counter(case.label for case in cases)
    if yes is None:
        assert labels[True] + labels[False] == n
    else:
        assert (labels[True], labels[False]) == (yes, no)
    assert len({case.key for case in cases}) == n


def test_rose_vec_fields(data_dir: Path) -> None:
    path = data_dir / "rose-vec/rose-vec-bird.json"
    for case, raw in zip(read_cases(path), rows(path), strict=True):
        assert case.id == str(raw["question_id"])
        assert case.db_id == raw["db_id"]
        assert case.predicted_sql == raw["predicted_sql"]
        assert case.reference_sqls == (raw["gold_sql"],)
        assert case.label is raw["label"]
        assert case.hint == (raw["evidence"] or None)
        assert case.benchmark == "rose-vec-bird"
        assert case.extra == {key: raw[key] for key in ("reason_1", "reason_2") if key in raw}


def test_ehrsql_null_reference_is_an_unanswerable_question(data_dir: Path) -> None:
    cases = list(read_cases(data_dir / "trustsql/ehrsql-2024/valid/annotated.json.gz"))
    assert sum(case.answerable is False for case in cases) == 232
    assert all(bool(case.reference_sqls) != (case.answerable is False) for case in cases)


def test_origin_is_the_line(data_dir: Path) -> None:
    path = data_dir / "rose-vec/rose-vec-spider.json"
    lines = path.read_text(encoding="utf-8").split("\n")
    for case in read_cases(path):
        name, _, line = case.origin.rpartition(":")
        assert name == "rose-vec-spider.json"
        assert lines[int(line) - 1].strip() == "{"
        assert f'"question_id": {case.id},' in lines[int(line)]


def test_spider_synonyms_are_asked(data_dir: Path) -> None:
    first = next(read_cases(data_dir / "spider/spider_syn/dev.json.gz"))
    assert first.question == "How many vocalists do we have?"
    assert first.extra["SpiderQuestion"] == "How many singers do we have?"


def test_spider_parse_is_neither_prediction_nor_extra(data_dir: Path) -> None:
    case = next(read_cases(data_dir / "spider/dev.json"))
    assert case.predicted_sql is MISSING
    assert not case.extra


# --- predictions


MINI_DEV = ["bird/arcwise/mini_dev_sqlite.json", "rose-vec/mini_dev.json"]


@pytest.mark.parametrize("file", MINI_DEV)
def test_every_mini_dev_prediction_file(data_dir: Path, file: str) -> None:
    references = data_dir / file
    files = sorted((data_dir / "bird/mini_dev_predictions").rglob("*.json.gz"))
    assert len(files) == 13
    cases = read_cases(references, predictions=files, strip_fences=False)
    assert len(cases.warnings) == 13
    assert all("its keys are positions in" in warning for warning in cases.warnings)
    found = list(cases)
    assert len(found) == 500 * 13
    assert len({case.key for case in found}) == 500 * 13
    raw = {path.name.removesuffix(".json.gz"): rows(path) for path in files}
    questions = rows(references)
    for number, case in enumerate(found):
        position = number // 13
        text = raw[case.source][str(position)]  # type: ignore[call-overload]
        assert case.id.removesuffix("#2") == str(questions[position]["question_id"])
        assert f"{case.predicted_sql}\t----- bird -----\t{case.db_id}" == text


def test_questions_that_stand_twice(data_dir: Path) -> None:
    """The first release of mini-dev repeats two questions, and is in another order than later ones."""
    first, later = (list(read_cases(data_dir / file)) for file in MINI_DEV)
    assert [case.id for case in first if "#" in case.id] == ["137#2", "138#2"]
    assert [case.id for case in first[:484]] == [case.id for case in later[:484]]
    assert all(
        one.id != other.id and one.db_id == other.db_id
        for one, other in zip(first[484:], later[484:], strict=True)
    )


BIRD_DEV = [
    "Alpha-SQL/bird_dev_pred_sqls.json.gz",
    "CHESS-GPT-4o-mini/bird_dev.json.gz",
    "CodeS/results/predict_dev-codes-15b-bird-with-evidence.json.gz",
    "CodeS/results/predict_dev-codes-1b-bird.json.gz",
    "CodeS/results/predict_dev-codes-7b-bird.json.gz",
    "GSR/output/GSR-dev.sql.gz",
    "RSL-SQL/main_result/BIRD_DEV/deepseek/step1/preliminary_sql.txt.gz",
    "RSL-SQL/main_result/BIRD_DEV/gpt-4o/step4/final_sql.txt.gz",
    "SuperSQL/bird_dev.sql.gz",
    "TA-SQL/results/predict_dev.json.gz",
    "csc_sql/data/bird_dev/32b/sampling_think_sql_merge_pred_major_voting_sqls.sql.gz",
]


@pytest.mark.parametrize("file", BIRD_DEV)
def test_bird_dev_predictions(data_dir: Path, file: str) -> None:
    cases = read_cases(data_dir / "bird/dev.json", predictions=data_dir / "candidates/raw" / file)
    assert not cases.warnings
    found = list(cases)
    assert len(found) == 1534
    assert all(isinstance(case.predicted_sql, str) for case in found)
    assert all("----- bird" not in str(case.predicted_sql) for case in found)


SPIDER_DEV = [
    "C3SQL/predicted_sql.txt.gz",
    "CodeS/results/pred_sqls-codes-15b-spider.txt.gz",
    "CodeS/results/pred_sqls-codes-1b-spider.txt.gz",
    "CodeS/results/pred_sqls-codes-3b-spider.txt.gz",
    "CodeS/results/pred_sqls-codes-7b-spider.txt.gz",
    "DAIL-SQL/results/DAIL-SQL+GPT-4+self-consistency.txt.gz",
    "DAIL-SQL/results/DAIL-SQL+GPT-4.txt.gz",
    "DAIL-SQL/results/graphix_result.txt.gz",
    "DIN-SQL/CodeX/CodeX_few-shot.csv.gz",
    "DIN-SQL/CodeX/DIN-SQL.csv.gz",
    "DIN-SQL/GPT4_results/DIN-SQL.csv.gz",
    "DIN-SQL/GPT4_results/GPT4_few_shot.csv.gz",
    "DIN-SQL/GPT4_results/GPT4_zero_shot.csv.gz",
    "DTS-SQL/results/deepseek_spider_validation_set/Predicted.txt.gz",
    "DTS-SQL/results/mistral_spider_validation_set/Predicted.txt.gz",
    "SuperSQL/spider_dev.sql.gz",
    "TA-ACL/spider_dev.sql.gz",
    "TA-SQL/results/spider_predict_dev.sql.gz",
]


def test_every_spider_prediction_file_at_once(data_dir: Path) -> None:
    files = [data_dir / "candidates/raw" / file for file in SPIDER_DEV]
    cases = read_cases(data_dir / "spider/dev_gold.sql", predictions=files)
    assert not cases.warnings
    found = list(cases)
    assert len(found) == 1034 * len(files)
    assert all(isinstance(case.predicted_sql, str) and case.predicted_sql for case in found)
    assert not any(str(case.predicted_sql).endswith(("\r", f"\t{case.db_id}")) for case in found)
    # Files of the same name are told apart by as many folders as it takes.
    sources = Counter(case.source for case in found)
    assert len(sources) == len(files)
    assert "deepseek_spider_validation_set/Predicted" in sources


def test_a_tab_inside_a_query_stays(data_dir: Path) -> None:
    file = data_dir / "candidates/raw/C3SQL/predicted_sql.txt.gz"
    cases = read_cases(data_dir / "spider/dev_gold.sql", predictions=file)
    assert sum("\t" in str(case.predicted_sql) for case in cases) == 1


def test_spider_questions_with_predictions(data_dir: Path) -> None:
    file = data_dir / "candidates/raw/SuperSQL/spider_dev.sql.gz"
    found = list(read_cases(data_dir / "spider/dev.json", predictions=file))
    assert len(found) == 1034
    assert found[0].question == "How many singers do we have?"
    assert found[1033].origin == "spider_dev.sql.gz:1034"


@pytest.mark.parametrize("model", ["deepseek", "mistral"])
def test_spider_test_predictions(data_dir: Path, model: str) -> None:
    folder = data_dir / f"candidates/raw/DTS-SQL/results/{model}_spider_test_set"
    gold = data_dir / "spider/test_gold.sql"
    cases = read_cases(gold, predictions=folder / "Predicted.txt.gz")
    assert not cases.warnings
    assert sum(1 for _ in cases) == 2147


def test_corrected_bird_agents_are_keyed_by_question_id(data_dir: Path) -> None:
    files = sorted((data_dir / "human/uiuc-corrected-bird/agents").rglob("*.json"))
    assert len(files) == 30
    cases = read_cases(data_dir / "bird/dev.json", predictions=files)
    assert len(cases.warnings) == 30
    predicted = Counter(case.source for case in cases if case.predicted_sql is not MISSING)
    assert len(predicted) == 30
    assert set(predicted.values()) == {100}
    assert "CHESS/dev_old" in predicted


def test_predictions_for_all_of_dev_on_mini_dev(data_dir: Path) -> None:
    """Keys 0 to 1533 are ids for the 500 questions of mini-dev, not positions."""
    file = data_dir / "candidates/raw/Alpha-SQL/bird_dev_pred_sqls.json.gz"
    raw = rows(file)
    cases = read_cases(data_dir / "rose-vec/mini_dev.json", predictions=file)
    assert "1034 predictions for no reference" in cases.warnings[0]
    for case in cases:
        assert case.predicted_sql == raw[case.id]  # type: ignore[call-overload]


def test_every_method_result(data_dir: Path) -> None:
    files = sorted((data_dir / "rose-benchmarking/method_results").rglob("*.json.gz"))
    assert len(files) == 33
    failed = 0
    for path in files:
        cases = list(read_cases(path, strip_fences=False))
        assert len(cases) in (484, 500, 1534)
        assert all(isinstance(case.predicted_sql, str) for case in cases)
        failed += sum(raw["predicted_sql"] == 0 for raw in rows(path))
        assert all(
            case.predicted_sql == (raw["predicted_sql"] or "")
            for case, raw in zip(cases, rows(path), strict=True)
        )
    # BIRD's scripts write the number 0 where a model gave nothing.
    assert failed > 0


def test_method_result_as_predictions(data_dir: Path) -> None:
    file = data_dir / "rose-benchmarking/method_results/mini_dev/alpha-result.json.gz"
    cases = read_cases(data_dir / "rose-vec/mini_dev.json", predictions=file)
    assert "no prediction for 16 of 500 references" in cases.warnings[0]
    found = list(cases)
    assert len(found) == 500
    assert sum(case.predicted_sql is MISSING for case in found) == 16


# --- pools


def test_spider_dev_pools(data_dir: Path) -> None:
    cases = list(read_cases(data_dir / "candidates/spider-dev-17-systems.jsonl.gz"))
    assert len(cases) == 12354
    assert sum(bool(case.extra["has_db"]) for case in cases) == 11708
    assert len({case.key for case in cases}) == len(cases)
    first = cases[0]
    assert (first.id, first.source, first.db_id) == ("0", "0", "concert_singer")
    assert first.extra["ex"] is True
    assert "codes-1b" in first.extra["systems"]
    assert "candidates" not in first.extra


def test_spider_test_pools(data_dir: Path) -> None:
    cases = list(read_cases(data_dir / "candidates/spider-test-6-systems.jsonl.gz"))
    assert len(cases) == 6199
    assert sum(bool(case.extra["has_db"]) for case in cases) == 5510
    assert {case.question for case in cases} == {None}


def test_sampled_pools(data_dir: Path) -> None:
    folder = data_dir / "candidates/contextual-bird-california_schools"
    for path in sorted(folder.glob("*/candidates.jsonl.gz")):
        cases = list(read_cases(path))
        assert len({case.id for case in cases}) == 30
        for case in cases:
            assert len(case.extra["logprobs"]) == case.extra["count"]
        assert sum(case.extra["count"] for case in cases) <= 30 * 256


# --- pairs


def test_pairs_fields(data_dir: Path) -> None:
    case = next(read_cases(data_dir / "pairs/SpiderDK_pair_dev.csv.gz"))
    assert case.db_id == "wta_1"
    assert case.reference_sqls[0].startswith("SELECT count(DISTINCT winner_name)")
    assert case.predicted_sql == "SELECT * FROM players WHERE hand = 'left';"
    assert case.label is False
    assert float(case.extra["gmn_score"]) < 0


# --- results


def recorded(data_dir: Path, judge: str) -> dict[str, Path]:
    root = data_dir / "rose-vec/recorded/rose-vec"
    return {
        part: root / f"rose-vec-{part}" / judge / "eval_results.json" for part in ("bird", "spider")
    }


@pytest.mark.parametrize(
    "judge",
    [
        *(f"decisive/{name}" for name in ("EM", "ETM", "EX")),
        *(f"o3/{name}" for name in ("FLEX", "llmsolver", "ProverOnly", "ROSE")),
    ],
)
def test_recorded_results(data_dir: Path, judge: str) -> None:
    pooled = 0
    for part, path in recorded(data_dir, judge).items():
        found = read_results(path)
        assert list(found) == [""]
        scored = found[""]
        raw = rows(path)
        assert [row.id for row in scored] == [str(one["question_id"]) for one in raw]
        assert [row.score for row in scored] == [one["score"] for one in raw]
        assert [row.label for row in scored] == [one["label"] for one in raw]
        own = read_labels(data_dir / f"rose-vec/rose-vec-{part}.json", "label")
        assert own == {row.id: row.label for row in scored}
        pooled += len(scored)
    assert pooled == 302


def test_every_recorded_result(data_dir: Path) -> None:
    files = sorted((data_dir / "rose-vec/recorded").rglob("eval_results.json"))
    files += sorted((data_dir / "rose-benchmarking").rglob("eval_results.json.gz"))
    assert len(files) > 70
    for path in files:
        (scored,) = read_results(path).values()
        assert len(scored) == len(rows(path))
        assert all(row.score in (0.0, 1.0) for row in scored)


def test_eval_results_are_cases_too(data_dir: Path, tmp_path: Path) -> None:
    path = recorded(data_dir, "o3/ROSE")["bird"]
    cases = list(read_cases(path))
    assert {"score", "prover_result", "refuter_result"} <= set(cases[0].extra)
    out = tmp_path / "eval_results.json"
    write_cases(cases, out, format="rose")
    added = {"db_id": "", "benchmark": "eval_results"}
    assert rows(out) == [{**raw, **added} for raw in rows(path)]


def test_labels_of_another_name(data_dir: Path) -> None:
    path = data_dir / "human/nl2sql-bugs/NL2SQL-Bugs.json.gz"
    assert len(read_labels(path)) == 1996
    graded = data_dir / "human/flex/agreement/fn_gpt-4o-2024-08-06.jsonl.gz"
    with pytest.raises(InputError, match=r"SJ109 .*:12: 0\.3333333333 is not a label"):
        read_labels(graded, "human_judge")


ROUND_TRIPS = [
    "rose-vec/rose-vec-bird.json",
    "rose-vec/rose-vec-spider.json",
    "rose-benchmarking/method_results/mini_dev/alpha-result.json.gz",
    "rose-benchmarking/method_results/mini_dev/chatgpt+cot-result.json.gz",
]


@pytest.mark.parametrize("format", ["rose", "sqljury"])
@pytest.mark.parametrize("file", ROUND_TRIPS)
def test_round_trip(data_dir: Path, tmp_path: Path, file: str, format: str) -> None:
    def known(path: Path) -> list[dict[str, object]]:
        def plain(case: Case) -> dict[str, object]:
            found = case.to_dict()
            del found["origin"]
            return found

        return [plain(case) for case in read_cases(path, benchmark="b")]

    out = tmp_path / "cases.json.gz"
    write_cases(read_cases(data_dir / file), out, format=format)
    assert known(out) == known(data_dir / file)


def test_fingerprint_is_the_sha256_of_the_file(data_dir: Path) -> None:
    path = data_dir / "spider/dev_gold.sql"
    assert fingerprint(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    both = fingerprint([path, data_dir / "bird/dev.json"])
    assert both != fingerprint([data_dir / "bird/dev.json", path])
