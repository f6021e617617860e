"""Candidates in order, whatever is under way; each call with its own seed."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from sqljury import Case
from sqljury.llm import Client, ClientSettings, Message, Reply, Request, parse_model
from sqljury.uses.generating import ClientSampler, Generator, PromptedQuestion, generate
from sqljury.uses.generating.samplers import Sample

QUESTIONS = [
    PromptedQuestion(Case(id=str(number), question=f"Q{number}"), [Message("user", f"Q{number}")])
    for number in range(5)
]


class Slow:
    """The earlier the question, the longer it takes."""

    def __init__(self, per_call: int) -> None:
        self.per_call = per_call
        self.calls: list[tuple[str, int, int]] = []
        self._lock = threading.Lock()

    def sample(self, _: Sequence[Message], first: int, count: int, case: str) -> list[Sample]:
        with self._lock:
            self.calls.append((case, first, count))
        time.sleep(0.01 * (5 - int(case)))
        return [Sample(f"SELECT {case}{number}") for number in range(first, first + count)]


@pytest.mark.parametrize(("threads", "per_call"), [(1, 1), (8, 1), (4, 3), (3, 100)])
def test_the_same_candidates_for_any_number_of_threads(threads: int, per_call: int) -> None:
    sampler = Slow(per_call)
    done: list[int] = []
    found = list(generate(QUESTIONS, Generator(sampler, 5, threads), done.append))
    assert [case.id for case, _ in found] == ["0", "1", "2", "3", "4"]
    assert [one["sql"] for one in found[2][1]] == [f"SELECT 2{number}" for number in range(5)]
    assert [one["sample"] for one in found[2][1]] == list(range(5))
    assert done == [1, 2, 3, 4, 5]
    assert len(sampler.calls) == 5 * -(-5 // per_call)


def test_after_an_error_nothing_further_is_asked() -> None:
    class Fails(Slow):
        def sample(self, *arguments: object) -> list[Sample]:
            found = super().sample(*arguments)  # type: ignore[arg-type]
            if arguments[3] == "1":
                raise RuntimeError("no")
            return found

    sampler = Fails(1)
    with pytest.raises(RuntimeError, match="no"):
        list(generate(QUESTIONS, Generator(sampler, 1, 1)))
    assert len(sampler.calls) < len(QUESTIONS)


def answers(request: Request) -> Reply:
    """What a scripted model says: its seed, so that the samples differ."""
    said = f"SELECT {request.model.option('seed')}"
    return Reply(said, logprobs=[{"token": "a", "logprob": -0.25}, {"token": "b", "logprob": -0.5}])


def test_every_call_has_a_seed_of_its_own() -> None:
    name = f"{__name__}:answers"
    model = parse_model(f"scripted:{name}", {"seed": "7"})
    with Client(ClientSettings()) as client:
        sampler = ClientSampler(client, model, logprobs=1)
        found = [sampler.sample(QUESTIONS[0].messages, first, 1, "0")[0] for first in (0, 1, 0)]
        assert client.spent.calls == 2
    assert [one.text for one in found] == ["SELECT 7", "SELECT 8", "SELECT 7"]
    assert (found[0].logprob, found[0].tokens) == (-0.75, 2)
