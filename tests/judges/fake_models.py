"""A chat model that answers from a table, and cases to put before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sqljury.case import Case
from sqljury.databases.protocol import Database
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge, settled
from sqljury.judges.prompts import Prompt
from sqljury.llm import Answer, Request
from sqljury.verdict import Verdict

PROOF = {
    "expected_answer": "the names",
    "sql_description": "returns names",
    "reason": "it does",
    "evidence": "",
}
REFUTATION = {"judgement": "nothing decides", "ambiguity": "na", "gold_correct": True}

Reply = Mapping[str, Any] | None


def proof(verdict: bool) -> Reply:
    """The Prover's answer."""
    return {**PROOF, "verdict": verdict}


def refutation(verdict: bool, ambiguity: str = "na", gold_correct: bool = True) -> Reply:
    """The Refuter's answer."""
    return {
        "judgement": "it fails" if verdict else "nothing decides",
        "verdict": verdict,
        "ambiguity": ambiguity,
        "gold_correct": gold_correct,
    }


def answered(value: Reply) -> Answer:
    """An answer, or none, for the price of one call."""
    return Answer(
        value=value,
        text="",
        problem="" if value is not None else "a refusal",
        calls=1,
        tokens=10,
        money=0.5,
        seconds=0.25,
    )


_OPENING = re.compile(r"<<<.* ([0-9a-f]{16})")


def outside_fences(text: str) -> str:
    """What a reader takes for the program's own words: all that is not between two marks."""
    kept = []
    closing = ""
    for line in text.split("\n"):
        opening = _OPENING.fullmatch(line)
        if closing:
            closing = "" if line == closing else closing
        elif opening is not None:
            closing = f"{opening[1]}>>>"
        else:
            kept.append(line)
    assert not closing, "a fence that is never closed"
    return "\n".join(kept)


class Courtroom(DatabaseEvidence):
    """Evidence on a real database, with a model that is a function of the request."""

    __slots__ = ("_model", "requests")

    def __init__(self, case: Case, database: Database | None, model: Callable[[Request], Reply]):
        super().__init__(case, database, ExecutionCache(), Limits(seconds=5))
        self._model = model
        self.requests: list[Request] = []

    def ask(self, request: Request) -> Answer:
        self.requests.append(request)
        return answered(self._model(request))

    def asked(self, *prompts: Prompt) -> list[str]:
        """The names of the prompts that were asked, in order."""
        names = {prompt.text: prompt.name for prompt in prompts}
        return [names[request.messages[0].content] for request in self.requests]


def by_prompt(*replies: tuple[Prompt, Reply]) -> Callable[[Request], Reply]:
    """A model that says the same to each prompt, whatever the case."""
    texts = {prompt.text: reply for prompt, reply in replies}
    return lambda request: texts[request.messages[0].content]


def verdict_of(spec: str, evidence: Courtroom) -> Verdict:
    """The verdict, as a run finds it."""
    judge = make_judge(spec)
    case = evidence.case
    return settled(judge, case, evidence) or judge.judge(case, evidence)
