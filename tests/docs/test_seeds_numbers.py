"""The numbers of `docs/readings/papers.csv`, printed anew by the commands that it names.

A run that several rows read is made once. `-m slow`, some minutes of processor time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from test_seeds import EXEMPT, ROOT, ROWS

from commands import run

pytestmark = [pytest.mark.slow, pytest.mark.data]


class Runs:
    """What the commands print, each run at most once."""

    def __init__(self, data: Path, folder: Path) -> None:
        self.data, self.folder = data, folder

    def said(self, *arguments: object) -> str:
        done = run(*arguments, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _agreed(self, name: str, *arguments: object) -> dict[str, Any]:
        self.said("evaluate", *arguments, "--run", name)
        judges = json.loads(self.said("agree", name, "--json"))["judges"]
        return {one["name"].partition(",dir=")[0].partition(",recorded=")[0]: one for one in judges}

    @property
    def vec(self) -> list[Path]:
        return [self.data / "rose-vec" / f"rose-vec-{name}.json" for name in ("bird", "spider")]

    @cached_property
    def recorded(self) -> dict[str, Any]:
        folder = self.data / "rose-vec" / "recorded"
        return self._agreed("recorded", *self.vec, "-j", "rose,model=o3", "--recorded", folder)

    @cached_property
    def texts(self) -> dict[str, Any]:
        return self._agreed("texts", *self.vec, "-j", "exact_match:text")

    @cached_property
    def flex(self) -> dict[str, Any]:
        folder = self.data / "rose-vec" / "recorded"
        return self._agreed("flex", *self.vec, "-j", "flex,model=o3", "--recorded", folder)

    @cached_property
    def etm(self) -> dict[str, Any]:
        schemas = self.data / "spider" / "test_tables.json"
        return self._agreed("etm", self.vec[1], "-j", "tree_match:etm", "--schemas", schemas)

    @cached_property
    def rows(self) -> dict[str, float]:
        """Kappa of the judges of rows with the recorded EX, in percent."""
        self.said(
            *("evaluate", self.vec[1], "-d", self.data / "spider" / "databases", "--run", "rows"),
            *("-j", "execution:bird", "-j", "execution:rose", "--export", "rows.jsonl"),
        )
        ex = self.data / "rose-vec/recorded/rose-vec/rose-vec-spider/decisive/EX/eval_results.json"
        recorded = {
            str(one["question_id"]): one["score"] == 1 for one in json.loads(ex.read_text())
        }
        labels = [{"id": name, "label": int(right)} for name, right in recorded.items()]
        (self.folder / "ex.csv").write_text(
            "id,label\n" + "".join(f"{one['id']},{one['label']}\n" for one in labels)
        )
        verdicts = [
            json.loads(line) for line in (self.folder / "rows.jsonl").read_text().splitlines()
        ]
        found: dict[str, list[tuple[bool, bool]]] = {}
        for one in verdicts:
            if one["outcome"] != "database_missing":
                pair = (one["outcome"] == "correct", recorded[str(one["id"])])
                found.setdefault(one["judge"], []).append(pair)
        return {judge: 100 * _kappa(pairs) for judge, pairs in found.items()}

    @cached_property
    def pairs(self) -> dict[str, Any]:
        judges = ("graph_match", "relpm", "relpm:paper", "astpm", "codebleu:operator", "crystalbleu")  # fmt: skip
        named = [word for judge in judges for word in ("-j", judge)]
        schemas = self.data / "spider" / "tables.json"
        file = self.data / "pairs" / "Spider_pair_dev.csv.gz"
        return self._agreed("pairs", file, *named, "--schemas", schemas)

    @cached_property
    def spider_dk(self) -> dict[str, Any]:
        schemas = self.data / "spider" / "spider_dk" / "tables.json.gz"
        file = self.data / "pairs" / "SpiderDK_pair_dev.csv.gz"
        return self._agreed("dk", file, "-j", "graph_match", "--schemas", schemas)

    def _card(self, name: str, *arguments: object) -> dict[str, Any]:
        self.said("build", "trust", *arguments, "-o", name)
        return json.loads((self.folder / name / "card.json").read_text())  # type: ignore[no-any-return]

    def _classical(self, name: str) -> dict[str, Any]:
        folder = self.data / "classical" / "text2sql-data"
        return self._card(
            name, folder / f"{name}.json.gz", "--schemas", folder / f"{name}-schema.csv.gz"
        )

    @cached_property
    def advising(self) -> dict[str, Any]:
        return self._classical("advising")

    @cached_property
    def atis(self) -> dict[str, Any]:
        return self._classical("atis")

    @cached_property
    def trust(self) -> dict[str, Any]:
        """TrustSQL's recorded GPT-3.5 on Spider's test half."""
        folder = self.data / "trustsql"
        recorded = folder / "outputs" / "eval_spider_test_gpt3.5turbo_colfk_pos8"
        return json.loads(  # type: ignore[no-any-return]
            self.said(
                *("trust", folder / "derived" / "trustsql_spider_test_reconstructed.jsonl.gz"),
                *("-p", recorded / "prediction.json.gz", "-d", self.data / "spider" / "databases"),
                *("--map", "answerable=in_spider_dev", "-j", "execution:spider", "--json"),
            )
        )


def _kappa(pairs: list[tuple[bool, bool]]) -> float:
    n = len(pairs)
    same = sum(a == b for a, b in pairs) / n
    yes = [sum(pair[side] for pair in pairs) / n for side in (0, 1)]
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    return (same - chance) / (1 - chance)


def _percent(figures: dict[str, Any], *names: str) -> str:
    return ", ".join(f"{100 * figures[name]:.2f}" for name in names)


def _auc(figures: dict[str, Any], source: str = "") -> str:
    if source:
        (figures,) = (
            one
            for one in figures["slices"]
            if (one["dimension"], one["value"]) == ("source", source)
        )
    return f"{figures['auc']:.3f}"


def _rose_vec(runs: Runs) -> str:
    said = runs.said("paper", "rose-vec", runs.data / "rose-vec", "--bootstrap", "20", "--json")
    found = {(one["model"], one["metric"]): one["figures"] for one in json.loads(said)["metrics"]}
    return _percent(found["o3", "ROSE"], "kappa")


def _labels(runs: Runs) -> str:
    done = runs.said("evaluate", *runs.vec, "-j", "rose,model=o3", "--run", "recorded", "--recorded",
                     runs.data / "rose-vec" / "recorded")  # fmt: skip
    found = re.search(r"labels: ([^\n]+)", done)
    assert found is not None, done
    return found[1].strip()


def _methods(runs: Runs) -> str:
    found = json.loads(runs.said("paper", "methods", runs.data / "rose-benchmarking", "--json"))
    return f"{len(found['methods'])} methods, {found['n_common']} questions"


def _halves(runs: Runs) -> str:
    folder = runs.data / "spider"
    found = runs._card("halves", folder / "dev.json", "--schemas", folder / "tables.json", "--split",
                       "databases")  # fmt: skip
    return str(found["answerable"]["test"])


def _keywords(runs: Runs) -> str:
    said = runs.said("paper", "keywords", runs.data / "pairs" / "Spider_pair_dev.csv.gz")
    found = re.search(r"^ *Distinct +([\d.]+) +([\d.]+)", said, re.MULTILINE)
    assert found is not None, said
    return f"{found[1]}, {found[2]}"


def _joined(*values: object) -> str:
    return ", ".join(map(str, values))


NUMBERS: dict[str, Callable[[Runs], str]] = {
    "the same from recordings": lambda r: _percent(r.recorded["recorded"], "kappa"),
    "EM": lambda r: _percent(r.texts["exact_match:text"], "kappa"),
    "ETM": lambda r: _percent(r.etm["tree_match:etm"], "kappa"),
    "EX": lambda r: _joined(*(f"{r.rows[f'execution:{name}']:.1f}" for name in ("bird", "rose"))),
    "FLEX, LLM-SQL-Solver": lambda r: _percent(r.flex["recorded"], "kappa"),
    "κ, accuracy, MCC, F1, confusion matrix": lambda r: _percent(
        r.recorded["recorded"], "kappa", "accuracy", "mcc", "f1"
    ),
    "main table, ablation table": _rose_vec,
    "GoldX, AmbQ": _labels,
    "19 methods judged anew, four findings": _methods,
    "five kinds of unanswerable questions (3.3)": lambda r: str(
        sum(r.advising["unanswerable"].values())
    ),
    "6 : 2 : 2 by question, 20 % of structures held out (3.4)": lambda r: _joined(
        *r.advising["answerable"].values()
    ),
    "Spider's dev set in halves (3.4)": _halves,
    "table 4": lambda r: _joined(
        *(r.atis["read"][name] for name in ("tables", "columns", "questions", "templates"))
    ),
    "queries of one meaning (G)": lambda r: str(r.atis["n_merged"]),
    "the asker's identity; ids for names (G)": lambda r: str(
        r.advising["flagged"]["asker_unnamed"]
    ),
    "φ_c, three penalties, three mixes (4.4, 5)": lambda r: _joined(
        *(f"{100 * r.trust['phi'][c]:.1f}" for c in ("0", "10"))
    ),
    "ABSTAIN-ALL": lambda r: f"{100 * r.trust['baselines']['abstain_all']['0']:.1f}",
    "RelPM (A)": lambda r: _joined(_auc(r.pairs["relpm:nodes"]), _auc(r.pairs["relpm:paper"])),
    "ASTPM, CodeBLEU with trees, CrystalBLEU": lambda r: _joined(
        *(_auc(r.pairs[name]) for name in ("astpm", "codebleu:operator", "crystalbleu"))
    ),
    "graph, text encoder, attention, gated sum (4, B, C)": lambda r: _auc(r.pairs["graph_match"]),
    "table 4: predictions by language model": lambda r: _auc(r.pairs["graph_match"], "gpt4"),
    "table 6: keywords": _keywords,
    "appendix L: DeepSeek's predictions": lambda r: _auc(
        r.spider_dk["graph_match"], "deepseek_33b"
    ),
}


@pytest.fixture(scope="module")
def runs(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(data_dir, tmp_path_factory.mktemp("runs"))


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_what_is_printed(row: list[str], runs: Runs) -> None:
    item, _, _, prints, held = row
    if prints in EXEMPT:
        assert item not in NUMBERS
    elif item in NUMBERS:
        assert NUMBERS[item](runs) == prints
    else:  # another slow test compares it
        text = (ROOT / held).read_text("utf-8")
        assert all(number in text for number in re.findall(r"[\d.]+", prints)), prints
