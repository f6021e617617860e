"""Rewards for TRL, verl and OpenRLHF, on a real database."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import sqljury as sj
from sqljury.guests.rewards import PARTIAL, SQLReward

REFERENCE = "SELECT name FROM boat WHERE length > 8"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of three boats."""
    path = tmp_path_factory.mktemp("boats")
    with closing(sqlite3.connect(path / "boats.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL);"
            "INSERT INTO boat VALUES (1, 'Ada', 9.5), (2, 'Bea', 12), (3, 'Cleo', 7);"
        )
    return path


@pytest.fixture(scope="module")
def reward(folder: Path) -> Iterator[SQLReward]:
    with SQLReward(folder, PARTIAL, limits=sj.Limits(seconds=0.5), workers=1) as made:
        yield made


COMPLETIONS = {
    REFERENCE: 1.0,
    "Longer than 8 m means:\n```sql\nSELECT name FROM boat WHERE length >= 9\n```": 1.0,
    "SELECT name FROM boat": 0.1 + 0.2 * 0.8,  # F1 of 2 of 3 rows
    "SELECT nme FROM boat": 0.0,
    "DROP TABLE boat": 0.0,
    "ATTACH 'x' AS y": 0.0,
    ENDLESS: 0.0,
    "I cannot say.": 0.0,
    "": 0.0,
    "\ud800": 0.0,
    "SELECT '" + "x" * 1_000_000: 0.0,
    "(" * 5_000: 0.0,
}


def test_trl(reward: SQLReward, folder: Path) -> None:
    count = len(COMPLETIONS)
    columns = {"reference": [REFERENCE] * count, "db_id": ["boats"] * count, "other": [1] * count}
    found = reward(["Long boats?"] * count, list(COMPLETIONS), completion_ids=[], **columns)
    assert found == pytest.approx(list(COMPLETIONS.values()))
    messages = [[{"role": "assistant", "content": REFERENCE}], []]
    asked = [[{"role": "user", "content": "Long boats?"}]] * 2
    assert reward(asked, messages, **{k: v[:2] for k, v in columns.items()}) == [1.0, 0.0]
    odd = [{"content": REFERENCE}, [{"role": "assistant", "content": None}], [{}], [7], 7, None]
    many = {name: [values[0]] * len(odd) for name, values in columns.items()}
    assert reward(["?"] * len(odd), odd, **many) == [1.0, *[0.0] * 5]
    with closing(sqlite3.connect(folder / "boats.sqlite")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM boat").fetchone() == (3,)


def test_what_cannot_be_known_is_left_out(reward: SQLReward) -> None:
    completions = [REFERENCE] * 3
    references = [REFERENCE, "SELECT nme FROM boat", REFERENCE]
    found = reward(["?"] * 3, completions, reference=references, db_id=["boats", "boats", "ships"])
    assert found == [1.0, None, None]


def test_a_column_with_another_name_is_an_error(folder: Path, reward: SQLReward) -> None:
    with pytest.raises(sj.InputError, match=r"SJ851 no column holds the reference .*answer, db_id"):
        reward(["?"], [REFERENCE], answer=[REFERENCE], db_id=["boats"])
    with SQLReward(folder, "executable", workers=1) as runs:
        assert runs(["?"], [REFERENCE], db_id=["boats"]) == [1.0]


def test_parts(reward: SQLReward) -> None:
    case = {"reference": REFERENCE, "predicted_sql": "SELECT name FROM boat", "db_id": "boats"}
    (found,) = reward.rewards([case])
    assert found.parts == {
        "execution:strict": 0.0,
        "soft_f1": pytest.approx(0.8),
        "executable": 1.0,
    }


def test_verl(reward: SQLReward) -> None:
    found = reward.compute_score("spider", "SELECT name FROM boat", REFERENCE, {"db_id": "boats"})
    assert found["score"] == pytest.approx(0.26)
    assert found["executable"] == 1.0
    lost = reward.compute_score("spider", REFERENCE, REFERENCE, {"db_id": "ships"})
    assert (lost["score"], lost["executable"], lost["left_out"]) == (0.0, 0.0, 1.0)
    assert lost.keys() == found.keys()


def test_openrlhf(reward: SQLReward) -> None:
    labels = [json.dumps({"reference": REFERENCE, "db_id": name}) for name in ("boats", "ships")]
    queries = [f"Q: {REFERENCE}", "Q: SELECT 1", f"Q: {REFERENCE}"]
    found = reward.reward_func(queries, ["Q: "] * 3, [labels[0], *labels])
    assert found["rewards"].tolist() == pytest.approx([1.0, 0.1, 0.0])
    assert found["extra_logs"]["left_out"].tolist() == [0.0, 0.0, 1.0]
    wrong: list[Any] = ["SELECT 1", None]
    for label in wrong:
        with pytest.raises(sj.InputError, match=r"SJ851 .* is no JSON object"):
            reward.reward_func(["Q: SELECT 1"], ["Q: "], [label])


def test_weights_are_checked() -> None:
    for weights in ({}, {"soft_f1": 0.0}, {"soft_f1": math.nan}, {"soft_f1": math.inf}):
        with pytest.raises(sj.InputError, match="SJ851"):
            SQLReward(None, weights)


@pytest.mark.slow
def test_grpo_learns(folder: Path, tmp_path: Path) -> None:
    """A tiny model of TRL's GRPO comes to prefer the query that is right."""
    pytest.importorskip("trl")
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, set_seed
    from trl import GRPOConfig, GRPOTrainer

    set_seed(7)
    words = ["<pad>", "<end>", "boats", REFERENCE, "SELECT name FROM boat", "SELECT nme FROM boat"]
    core = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<pad>"))
    core.pre_tokenizer = pre_tokenizers.Split("\n", "removed")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="<end>")
    shape = {"n_layer": 1, "n_head": 2, "n_embd": 16, "n_positions": 8, "vocab_size": len(words)}
    model = GPT2LMHeadModel(GPT2Config(**shape, bos_token_id=1, eos_token_id=1, pad_token_id=0))
    rows = {"prompt": ["boats"] * 160, "reference": [REFERENCE] * 160, "db_id": ["boats"] * 160}
    with SQLReward(folder, PARTIAL, workers=1) as reward:
        trainer = GRPOTrainer(
            model,
            reward_funcs=[reward],
            args=GRPOConfig(
                output_dir=str(tmp_path),
                per_device_train_batch_size=16,
                num_generations=8,
                max_completion_length=1,
                learning_rate=3e-2,
                max_steps=20,
                logging_steps=1,
                report_to=[],
                use_cpu=True,
                save_strategy="no",
                beta=0.0,
            ),
            train_dataset=Dataset.from_dict(rows),
            processing_class=tokenizer,
        )
        trainer.train()
    seen = [log["reward"] for log in trainer.state.log_history if "reward" in log]
    assert sum(seen[:3]) / 3 < 0.5
    assert sum(seen[-3:]) / 3 > 0.9
