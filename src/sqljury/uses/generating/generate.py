"""Generates candidates for questions in order, with several questions in progress at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from sqljury.case import Case, Json
from sqljury.llm import Message
from sqljury.uses.generating.modes import Read, plain_sql
from sqljury.uses.generating.samplers import Sample, Sampler


def tokens_of_sql(tokens: Sequence[Mapping[str, Json]], sql: Json) -> list[dict[str, Json]]:
    """The tokens that overlap the last occurrence of the query in the text; all without one.

    Args:
        tokens: in OpenAI's format, with their texts.
        sql: the query, or null if the model wrote none.

    Source: TrustSQL (Lee et al. 2024), section 4.2: MAXENT and MAXPROB use the SQL's tokens.

    >>> written = [{"token": text} for text in ("So ", "SELECT", " 1", ";")]
    >>> [token["token"] for token in tokens_of_sql(written, "SELECT 1")]
    ['SELECT', ' 1']
    """
    texts = [str(token.get("token", "")) for token in tokens]
    start = "".join(texts).rfind(sql) if isinstance(sql, str) and sql else -1
    if start < 0 or not isinstance(sql, str):
        return [dict(token) for token in tokens]
    end, at, found = start + len(sql), 0, []
    for token, text in zip(tokens, texts, strict=True):
        if at < end and at + len(text) > start:
            found.append(dict(token))
        at += len(text)
    return found


@dataclass(frozen=True, slots=True)
class PromptedQuestion:
    """A question with its prompt."""

    case: Case
    messages: Sequence[Message]


@dataclass(frozen=True, slots=True)
class Generator:
    """Settings for sampling candidates.

    Args:
        n: the number of texts per question.
        threads: the number of simultaneous calls.
        read: returns the candidate in a model's text.
    """

    sampler: Sampler
    n: int
    threads: int = 1
    read: Read = plain_sql

    def calls(self) -> list[tuple[int, int]]:
        """Per call, the number of its first text and the number of its texts."""
        step = self.sampler.per_call
        return [(first, min(step, self.n - first)) for first in range(0, self.n, step)]


def generate(
    questions: Iterable[PromptedQuestion],
    generator: Generator,
    on_done: Callable[[int], None] = lambda _: None,
) -> Iterator[tuple[Case, list[dict[str, Json]]]]:
    """Each question with its candidates, in the order of the questions.

    A candidate has ``sql`` ("" if the text has none, null if the model says that the question
    cannot be answered), other fields read from the text, its number ``sample``, and if known
    ``logprob`` (of the whole text, in nats), ``tokens``, ``logprobs`` (of the query's tokens) and
    ``problem``. That of a system under test has ``seconds`` and ``cost``; if the system failed, it
    has ``failed`` and ``problem``, and no ``sql``.

    Source: GradeSQL (2025), section 3.2, stage 1.
    """
    calls = generator.calls()
    ahead = 1 + -(-generator.threads // len(calls))
    under_way: deque[tuple[Case, list[Future[list[Sample]]]]] = deque()
    done = 0
    pool = ThreadPoolExecutor(generator.threads, "sample")
    try:
        for question in questions:
            futures = [
                pool.submit(
                    generator.sampler.sample, question.messages, first, count, question.case.name
                )
                for first, count in calls
            ]
            under_way.append((question.case, futures))
            if len(under_way) > ahead:
                yield _collected(*under_way.popleft(), generator.read)
                done += 1
                on_done(done)
        while under_way:
            yield _collected(*under_way.popleft(), generator.read)
            done += 1
            on_done(done)
    finally:
        # After an error or Ctrl-C no new calls start; calls in progress end in the ledger.
        pool.shutdown(wait=True, cancel_futures=True)


def _collected(
    case: Case, futures: Sequence[Future[list[Sample]]], read: Read
) -> tuple[Case, list[dict[str, Json]]]:
    samples = [sample for future in futures for sample in future.result()]
    return case, [_candidate(number, sample, read) for number, sample in enumerate(samples)]


def _candidate(number: int, sample: Sample, read: Read) -> dict[str, Json]:
    if "failed" in sample.measured:
        return {"sample": number, **sample.measured, "problem": sample.problem}
    found: dict[str, Json] = {**read(sample.text), "sample": number, **sample.measured}
    known = {
        "logprob": sample.logprob,
        "tokens": sample.tokens,
        "logprobs": tokens_of_sql(sample.logprobs, found["sql"]) or None,
        "problem": sample.problem or None,
    }
    return found | {key: value for key, value in known.items() if value is not None}
