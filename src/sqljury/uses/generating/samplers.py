"""Samplers: a chat model behind the client, a language model here, a system under test."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.judges.prompts.sections import create_table
from sqljury.llm import Client, Message, Model, Reply, Request

if TYPE_CHECKING:
    from sqljury.learning.language_model.loading import LanguageModel


@dataclass(frozen=True, slots=True)
class Sample:
    """One text that a model wrote.

    ``logprob`` is the sum over its tokens, in nats, if the model returns it. ``logprobs`` has each
    token's, with alternatives, in OpenAI's format, if requested. ``problem`` says why a text is
    missing or incomplete. ``measured`` has what a system under test took: ``seconds``, ``cost`` in
    US dollars, ``tokens``; without a text it has ``failed``: ``here``, or ``unreachable``.
    """

    text: str
    logprob: float | None = None
    tokens: int | None = None
    problem: str = ""
    logprobs: Sequence[Mapping[str, Json]] = ()
    measured: Mapping[str, Json] = field(default_factory=dict)


class Sampler(Protocol):
    """Writes several texts for a prompt; the same prompt and number give the same text."""

    @property
    def per_call(self) -> int:
        """The number of texts per call."""

    def sample(
        self, messages: Sequence[Message], first: int, count: int, case: str
    ) -> list[Sample]:
        """The texts number ``first`` to ``first + count - 1`` of a case."""


@dataclass(frozen=True)
class ClientSampler:
    """Samples from a chat model; all answers go through the ledger.

    If the model has a seed, each call uses ``seed`` plus the number of its first text; otherwise
    all texts of a question would be equal.

    Args:
        logprobs: the number of alternatives of each token to request.
        keeps_tokens: if True, samples have each token's value, not only the sum.
    """

    client: Client
    model: Model
    logprobs: int = 0
    per_call: int = 1
    keeps_tokens: bool = False

    def sample(
        self, messages: Sequence[Message], first: int, count: int, case: str
    ) -> list[Sample]:
        """The texts of one call."""
        request = Request(
            model=_seeded(self.model, first),
            messages=tuple(messages),
            logprobs=self.logprobs,
            attempt=first,
            choices=count,
        )
        replies = self.client.sample(request, case=case)
        return [_of_reply(reply, self.keeps_tokens) for reply in replies]


@dataclass(frozen=True)
class LocalSampler:
    """Samples from a language model of transformers on this machine."""

    model: LanguageModel
    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    per_call: int
    alternatives: int = 0

    def sample(
        self, messages: Sequence[Message], first: int, count: int, case: str
    ) -> list[Sample]:
        """The texts of one batch."""
        from sqljury.learning.language_model.sampling import sample_texts

        found = sample_texts(
            self.model,
            [(one.role, one.content) for one in messages],
            count=count,
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            seed=f"{self.seed}/{case}/{first}",
            alternatives=self.alternatives,
        )
        return [
            Sample(
                one.text,
                one.logprob,
                one.tokens,
                "" if one.ended else "the answer was cut",
                one.logprobs,
            )
            for one in found
        ]


@dataclass(frozen=True)
class SystemSampler:
    """Asks a system under test; all answers go through the ledger.

    Args:
        system: what the user typed, for :func:`sqljury.llm.systems.parse_system`.
        code: the digest of its code: an answer of other code is not used.
        address: returns the path or the URL of a database.
    """

    client: Client
    system: str
    code: str
    address: Callable[[str], str | None]
    per_call: int = 1

    def sample(
        self,
        messages: Sequence[Message],
        first: int,
        count: int,  # noqa: ARG002 - one answer a call
        case: str,
    ) -> list[Sample]:
        """Its answer number ``first``."""
        database = self.address(json.loads(messages[0].content)["db_id"])
        known = {"code": self.code, "database": database or ""}
        options = tuple((name, value) for name, value in known.items() if value)
        model = Model("system", self.system, options)
        request = Request(model, tuple(messages), attempt=first)
        (reply,) = self.client.sample(request, case=case)
        if reply.finish in ("failed", "rejected"):
            is_here = reply.finish == "rejected"
            failed = {"failed": "here" if is_here else "unreachable"}
            return [Sample("", problem=reply.refusal, measured=failed)]
        problem = "" if reply.text.strip() else "an empty answer"
        named = ("seconds", "cost", "tokens")
        measured = {name: reply.raw[name] for name in named if name in reply.raw}
        return [Sample(reply.text, problem=problem, measured=measured)]


def system_question(case: Case, evidence: Evidence) -> list[Message]:
    """The question for a system under test, as a JSON object; never with a reference."""
    schema = evidence.schema()
    asked = {
        "question": case.question or "",
        "schema": None if schema is None else "\n".join(create_table(schema, None)),
        "hint": case.hint,
        "db_id": case.db_id,
    }
    return [Message("user", json.dumps(asked, ensure_ascii=False))]


def _seeded(model: Model, first: int) -> Model:
    seed = model.option("seed")
    if seed is None:
        return model
    options = {**dict(model.options), "seed": str(int(seed) + first)}
    return replace(model, options=tuple(sorted(options.items())))


def _of_reply(reply: Reply, keeps_tokens: bool) -> Sample:
    tokens, logprob = _measured(reply.logprobs)
    if reply.finish == "length":
        problem = "the answer was cut"
    elif reply.refusal or not reply.text.strip():
        problem = reply.refusal or "an empty answer"
    else:
        problem = ""
    kept = reply.logprobs if keeps_tokens and isinstance(reply.logprobs, list) else []
    each = [_token(one) for one in kept if isinstance(one, dict)]
    return Sample(reply.text, logprob, tokens, problem, each)


def _token(told: Mapping[str, Json]) -> dict[str, Json]:
    """A token with its text, value and alternatives; other fields of providers are dropped."""
    others = told.get("top_logprobs")
    found: dict[str, Json] = {key: told[key] for key in ("token", "logprob") if key in told}
    if isinstance(others, list):
        found["top_logprobs"] = [_token(other) for other in others if isinstance(other, dict)]
    return found


def _measured(logprobs: Json) -> tuple[int | None, float | None]:
    """The number of tokens and the sum of their log-probabilities; None if not known."""
    if not isinstance(logprobs, list) or not logprobs:
        return None, None
    values = [token.get("logprob") for token in logprobs if isinstance(token, dict)]
    known = [float(value) for value in values if isinstance(value, int | float)]
    if len(known) != len(logprobs):
        return len(logprobs), None
    total = math.fsum(known)
    return len(logprobs), round(total, 6) if math.isfinite(total) else None
