"""From one line of work to the next, on real data, as a user types it."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import commands
from sqljury.benchmarks import read_cases, write_cases

pytestmark = [pytest.mark.slow, pytest.mark.data]


def run(here: Path, *arguments: object) -> str:
    found = commands.run(*arguments, cwd=here)
    assert found.returncode == 0, found.stderr
    return found.stdout


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_from_rose_to_corrected_references(data_dir: Path, tmp_path: Path) -> None:
    """o3's recorded ROSE flags references, a person decides, the corrections are scored."""
    rose = data_dir / "rose-vec"
    cases, databases = rose / "rose-vec-spider.json", ("-d", data_dir / "spider/databases")
    recorded = ("-j", "rose,model=o3", "--recorded", rose / "recorded/rose-vec")
    run(tmp_path, "evaluate", cases, *databases, *recorded, "-j", "execution:rose", "--run", "run")
    review = ("audit", "--from", "run", "--review", "flags.jsonl", "--json")
    (gold, *_) = json.loads(run(tmp_path, *review))["reviewed"]
    assert (gold["label"], gold["flagged"], gold["reviewed"]) == ("gold_fault", 16, 0)

    flags = lines_of(tmp_path / "flags.jsonl")
    assert len(flags) == 27
    labels = {str(case["question_id"]): case["label"] for case in json.loads(cases.read_text())}
    for flag in flags:
        # The experts accept the prediction: it may stand where the reference stood.
        flag["confirmed"] = flag["code"] == "gold_fault" and labels[flag["id"]]
        if flag["confirmed"]:
            flag |= {"decision": "replace", "new_sql": flag["evidence"]["predictions"][0]}
    (tmp_path / "flags.jsonl").write_text("".join(json.dumps(one) + "\n" for one in flags))
    before = (tmp_path / "flags.jsonl").read_bytes()
    (gold, *_) = json.loads(run(tmp_path, *review))["reviewed"]
    replaced = sum(flag["confirmed"] for flag in flags)
    assert (gold["reviewed"], gold["confirmed"]) == (16, replaced)
    low, high = gold["interval"]
    assert low < gold["precision"] == replaced / 16 < high
    assert (tmp_path / "flags.jsonl").read_bytes() == before

    run(tmp_path, "audit", "accept", "flags.jsonl", "--by", "Ida", "--out", "overlay.jsonl")
    overlay = ("--overlay", "overlay.jsonl")
    rescored = json.loads(run(tmp_path, "audit", "rescore", "run", *overlay, *databases, "--json"))
    scores = {
        one["before"]["judge"]: [one[when]["standings"][0]["score"] for when in ("before", "after")]
        for one in rescored
    }
    was, now = scores["execution:rose"]
    assert now > was
    jury = ("-j", "jury:offline", "--schemas", data_dir / "spider/test_tables.json")
    told = run(tmp_path, "evaluate", cases, *databases, *jury, *overlay, "--run", "jury", "--json")
    assert "overlay:" in told


def test_from_pairs_to_a_network_that_selects(data_dir: Path, tmp_path: Path) -> None:
    """References become labelled pairs, these a network, and that picks among 17 systems."""
    spider = data_dir / "spider"
    by_database: dict[str, list[str]] = defaultdict(list)
    with gzip.open(spider / "train_gold.sql.gz", "rt") as file:
        for line in file:
            by_database[line.split("\t")[-1].strip()].append(line)
    known = [name for name in by_database if (spider / "databases" / name).is_dir()]
    gold = [line for name in known[:16] for line in by_database[name][:4]]
    (tmp_path / "gold.sql").write_text("".join(gold))
    pools = data_dir / "candidates" / "spider-dev-17-systems.jsonl.gz"
    with gzip.open(pools, "rt") as file:
        held = list(islice((line for line in file if json.loads(line)["has_db"]), 0, 600, 30))
    (tmp_path / "held.jsonl").write_text("".join(held))

    databases, tables = ("-d", spider / "databases"), ("--schemas", spider / "tables.json")
    told = ("build", "pairs", "gold.sql", *databases, "--out", "pairs", "-x", "held.jsonl")
    card = json.loads(run(tmp_path, *told, "-w", 2, "--seed", 1, "--json"))
    pairs = lines_of(tmp_path / "pairs/pairs.jsonl")
    assert {pair["split"] for pair in pairs} == {"train", "validation"}
    kept = json.loads(run(tmp_path, "paper", "keywords", "pairs/pairs.jsonl", "--json"))
    assert kept["pairs/pairs.jsonl"]["references"] == card["keywords"]["reference"]

    settings = ("hidden=16", "steps=2", "epochs=3", "batch=16")
    small = [word for one in settings for word in ("--set", one)]
    train = ("train", "graph-match", "pairs/pairs.jsonl", "-o", "network.npz", *tables, *small)
    assert "network.npz: epoch" in run(tmp_path, *train)

    by_network = "judge:graph_match,model=network.npz"
    strategies = [word for name in ("random", "majority", by_network) for word in ("-s", name)]
    chosen = ("select", "held.jsonl", *databases, "--label", "ex_colperm", *strategies)
    found = json.loads(run(tmp_path, *chosen, "--json", "--out", "picked.jsonl"))
    accuracy = {one["name"]: one["accuracy"] for one in found["strategies"]}
    assert found["n"] == 20
    # So small a network is no judge; but what it scores against is the majority's pick.
    assert abs(accuracy[by_network] - accuracy["majority"]) <= 0.2
    picked = [one for one in lines_of(tmp_path / "picked.jsonl") if one["source"] == by_network]
    assert len(picked) == 20


def test_flags_that_cannot_be_read(tmp_path: Path, data_dir: Path) -> None:
    rose = data_dir / "rose-vec"
    recorded = ("-j", "rose,model=o3", "--recorded", rose / "recorded/rose-vec")
    run(tmp_path, "evaluate", rose / "rose-vec-spider.json", *recorded, "--run", "run")
    for line in ('{"confirmed": true}', '{"benchmark": "b", "id": "1", "code": "gold_fault", '
                 '"confirmed": "yes"}'):  # fmt: skip
        (tmp_path / "flags.jsonl").write_text(line)
        done = commands.run("audit", "--from", "run", "--review", "flags.jsonl", cwd=tmp_path)
        assert (done.returncode, "SJ526" in done.stderr) == (2, True)


WRITER = """
import json
from pathlib import Path

from sqljury.llm import Reply

SAID = json.loads(Path("recorded.json").read_text())


def writes(request):
    asked = request.messages[-1].content.rpartition("# Question")[2]
    (said,) = (samples for question, samples in SAID.items() if question in asked)
    return Reply(f"```sql\\n{said[request.attempt]}\\n```")
"""


def write_recorded_questions(data: Path, folder: Path) -> None:
    """Twenty answerable questions of Spider and ten others, with recorded samples."""
    trust = data / "trustsql"
    questions = [
        case
        for case in read_cases(
            trust / "derived/trustsql_spider_test_reconstructed.jsonl.gz",
            mapping={"answerable": "in_spider_dev"},
        )
        if case.db_id in ("orchestra", "singer", "voter_1")
    ]
    chosen = [one for one in questions if one.answerable][:20]
    chosen += [one for one in questions if not one.answerable][:10]
    voting = trust / "outputs/eval_spider_test_gpt3.5turbo_colfk_pos8_voting5/prediction.json.gz"
    samples = json.loads(gzip.decompress(voting.read_bytes()))
    recorded = {str(one.question): samples[one.id] for one in chosen}
    (folder / "recorded.json").write_text(json.dumps(recorded))
    (folder / "recorded_writer.py").write_text(WRITER)
    write_cases((replace(one, benchmark="asked") for one in chosen), folder / "questions.jsonl")


def test_from_samples_to_trust_by_a_trained_verifier(data_dir: Path, tmp_path: Path) -> None:
    """TrustSQL's recorded samples are labelled; a verifier trained on them picks and holds back."""
    for package in ("torch", "transformers", "peft", "trl", "datasets"):
        pytest.importorskip(package)
    from toy_verifier import write_base

    write_recorded_questions(data_dir, tmp_path)
    spider = ("-d", data_dir / "spider/databases")
    sampling = ("--model", "scripted:recorded_writer:writes", "-n", 3)
    run(tmp_path, "generate", "questions.jsonl", *sampling, *spider, "--out", "pool.jsonl")
    label = ("label", "pool.jsonl", *spider, "-j", "execution:spider", "--out", "labelled.jsonl")
    outcomes = json.loads(run(tmp_path, *label, "--json"))["outcomes"]
    assert sum(outcomes.values()) == 90
    labelled = lines_of(tmp_path / "labelled.jsonl")
    unanswerable = [line for line in labelled if line.get("answerable") is False]
    # To a question without an answer every query is wrong, and it teaches that.
    assert unanswerable
    assert not any(one.get("correct") for line in unanswerable for one in line["candidates"])

    words = sorted({"Answer:", *" ".join(line["question"] for line in labelled).split()})
    write_base(tmp_path / "base", words[:200], width=16)
    data = ("--base", "base", "--data", "labelled.jsonl", *spider, "--out", "verifier")
    steps = ("--set", "lora_rank=0", "--set", "epochs=1", "--set", "validation=0.4", "--no-balance")
    run(tmp_path, "train", "verifier", *data, *steps)
    verifier = "verifier,model=verifier"
    select = ("select", "pool.jsonl", *spider, "-j", "execution:spider", "-w", 1)
    picking = ("-s", "first", "-s", f"judge:{verifier}", "-s", "oracle", "--out", "picks.jsonl")
    chosen = json.loads(run(tmp_path, *select, *picking, "--json"))
    accuracy = {one["name"]: one["accuracy"] for one in chosen["strategies"]}
    assert accuracy.pop("oracle") >= max(accuracy.values())

    trust = ("trust", "picks.jsonl", *spider, "-j", "execution:spider", "--bootstrap", 0, "--json")
    found = json.loads(run(tmp_path, *trust))["systems"]
    assert [(one["n_answerable"], one["n_unanswerable"]) for one in found] == [(20, 10)] * 2
    scores = {one["name"]: one["mixes"]["ans"]["phi"]["0"] for one in found}
    assert scores == {name: pytest.approx(right) for name, right in accuracy.items()}
    gated = json.loads(run(tmp_path, *trust, "--gate", f"{verifier}>=1.1"))["systems"]
    # A gate that nothing passes is ABSTAIN-ALL.
    assert {one["phi"]["10"] for one in gated} == {10 / 30}
