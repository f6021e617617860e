"""CodeBERTScore over an encoder of a few random numbers, against its equations written out."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge

if not all(map(find_spec, ("torch", "transformers", "peft"))):
    pytest.skip("fine-tuning is not installed", allow_module_level=True)

SQL, OTHER = "SELECT name FROM pet WHERE age > 3", "SELECT name FROM pet WHERE age < 30"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    from tiny_models import write_tiny_model

    return write_tiny_model(tmp_path_factory.mktemp("bert"), "bert")


def verdict(encoder: str, prediction: str, *references: str):
    case = Case(id="1", predicted_sql=prediction, reference_sqls=references)
    judge = make_judge(f"code_bert_score,model={encoder}")
    return judge.judge(case, DatabaseEvidence(case, None, ExecutionCache(), Limits(), None))


def test_the_equations(encoder):
    from sqljury.learning.representations import hidden_states, token_states

    words, left = token_states([SQL], model=encoder)[0]
    assert "".join(words).replace("Ġ", " ") == SQL  # the tokenizer's tokens are bytes
    # The mean over all tokens is what detectors read of the same layer.
    assert left.mean(0) == pytest.approx(hidden_states([SQL], model=encoder)[0], abs=1e-5)

    def kept(sql: str) -> list[np.ndarray]:
        found = zip(*token_states([sql], model=encoder)[0], strict=True)
        return [row / np.linalg.norm(row) for word, row in found if word.isalnum()]

    one, other = kept(SQL), kept(OTHER)
    precision = np.mean([max(float(a @ b) for b in other) for a in one])
    recall = np.mean([max(float(a @ b) for a in one) for b in other])
    wanted = 2 * precision * recall / (precision + recall)
    assert verdict(encoder, SQL, OTHER).score == pytest.approx(wanted, abs=1e-5)


def test_the_same_text_and_the_nearest_of_several(encoder):
    assert verdict(encoder, SQL, SQL).score == pytest.approx(1.0, abs=1e-6)
    far, near = verdict(encoder, SQL, "DROP"), verdict(encoder, SQL, "DROP", OTHER)
    assert far.score < near.score == verdict(encoder, SQL, OTHER).score


def test_several_cases_get_what_each_gets_alone(encoder):
    pairs = [(SQL, OTHER), (OTHER, SQL), ("SELECT 1", SQL), ("", OTHER), (SQL, SQL), ("?", "!")]
    asked = []
    for number, (prediction, reference) in enumerate(pairs):
        case = Case(id=str(number), predicted_sql=prediction, reference_sqls=(reference, "DROP"))
        asked.append((case, DatabaseEvidence(case, None, ExecutionCache(), Limits(), None)))
    judge = make_judge(f"code_bert_score,model={encoder}")
    assert judge.judge_many(asked) == [judge.judge(*one) for one in asked]


def test_an_encoder_is_needed():
    with pytest.raises(InputError, match="model=FOLDER names an encoder"):
        make_judge("code_bert_score")
