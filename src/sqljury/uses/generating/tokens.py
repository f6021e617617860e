"""Of the tokens that a model wrote those that its query is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqljury.case import Json


def tokens_of_sql(tokens: Sequence[Mapping[str, Json]], sql: Json) -> list[dict[str, Json]]:
    """The tokens that overlap the last place of the query in the text; all where it has none.

    Args:
        tokens: in OpenAI's format, with their texts.
        sql: the query, or null where the model wrote none.

    Source: TrustSQL (Lee et al. 2024), section 4.2: MAXENT and MAXPROB are of the SQL's tokens.

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
