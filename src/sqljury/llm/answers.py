"""From what a model said to an object that can be relied on, or to what must be said back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqljury.llm.chat import Json, Message, Reply, Request, one_line
from sqljury.llm.objects import NoObjectError, candidates
from sqljury.llm.shapes import fault, trimmed

_SHOWN_BACK = 4_000


def understood(
    reply: Reply, schema: Mapping[str, Json] | None, *, cut: bool = False
) -> tuple[Mapping[str, Json] | None, str]:
    """The object and an empty text, or None and why there is none.

    Args:
        cut: an answer that was cut is one: it is asked for the likelihood of its first tokens.
    """
    problem = unusable(reply)
    if problem and not (cut and reply.finish == "length" and reply.logprobs):
        return None, problem
    if schema is None:
        return {"text": reply.text}, ""
    try:
        found = candidates(reply.text)
    except NoObjectError as error:
        return None, f"not the JSON that was asked for: {error}"
    faults = [fault(one, schema) for one in found]
    valid = [trimmed(one, schema) for one, wrong in zip(found, faults, strict=True) if not wrong]
    if not valid:
        return None, f"not the JSON that was asked for: {faults[-1]}"
    if any(one != valid[0] for one in valid):
        return None, "not the JSON that was asked for: it holds several different answers"
    return valid[0], ""


def unusable(reply: Reply) -> str:
    """What makes a reply no answer at all, whatever its text; empty if nothing does."""
    if reply.finish == "rejected":
        return f"the endpoint does not take this question: {reply.refusal}"
    if reply.refusal or reply.finish == "content_filter":
        return f"a refusal: {reply.refusal or 'stopped by a content filter'}"
    if reply.finish == "length":
        return f"the answer was cut after {reply.completion_tokens} tokens"
    return "" if reply.text.strip() else "an empty answer"


def asked_again(request: Request, original: Request, reply: Reply, problem: str) -> Request:
    """The next try: the same question, with what was wrong if the model did give an answer."""
    messages = original.messages
    if not unusable(reply):
        messages = (
            *original.messages,
            Message("assistant", reply.text[:_SHOWN_BACK]),
            Message(
                "user",
                f"This cannot be used: {problem}. Answer the same question again, with one JSON "
                "object of the shape that was asked for and nothing else.",
            ),
        )
    return replace(original, messages=messages, again=request.again + 1)


def with_schema_in_words(request: Request) -> tuple[Message, ...]:
    """The messages for an endpoint that cannot be given a schema beside them."""
    if request.schema is None:
        return request.messages
    wanted = (
        "# Form of the answer\n\nOne JSON object and nothing else, valid under this JSON schema:\n"
        + one_line(request.schema)
    )
    # Many chat templates know one system message, at the start.
    first, *rest = request.messages
    if first.role == "system":
        return (Message("system", f"{first.content}\n\n{wanted}"), *rest)
    return (Message("system", wanted), first, *rest)
