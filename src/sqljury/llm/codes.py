"""Error codes of chat models: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ901": (
        "not a model",
        "Models are named PROVIDER:MODEL, such as openai:o3-2025-04-16. Any endpoint that speaks "
        "OpenAI's format is openai: with the model option base_url.",
    ),
    "SJ902": (
        "a model option is unknown or has an impossible value",
        "Options are base_url, temperature, top_p, seed, max_tokens, effort and json_schema; "
        "docs/llm.md says what each means.",
    ),
    "SJ903": (
        "the model does not support what the request needs",
        "Reasoning models accept no temperature, some endpoints report no logprobs or accept "
        "no seeds. An option that is not supported is never silently ignored.",
    ),
    "SJ904": (
        "a replay lacks an answer",
        "A ledger finds an answer by everything that can change it: model, options, prompts, "
        "schema and attempt. When it was recorded, this request was not made, or it was different.",
    ),
    "SJ905": (
        "a ledger cannot be used",
        "A ledger is an SQLite file that sqljury wrote, or, for a replay, its export as .jsonl.",
    ),
    "SJ906": (
        "a line of an exported ledger is broken",
        "Each line is a JSON object with its request and the sha256 of the request as its key. "
        "A changed request no longer fits its key.",
    ),
    "SJ907": (
        "a key or an address is missing",
        "Keys are read from the environment and never written anywhere. Servers of your own "
        "mostly need none.",
    ),
    "SJ908": (
        "an endpoint refuses every call",
        "It refused the key, does not know the model, or the account has no money left. Other "
        "questions would fail too, so the run stops. All answers so far are in the ledger.",
    ),
    "SJ909": (
        "an endpoint fails persistently",
        "Several questions in a row failed despite retries, or the server asks to wait for a "
        "long time. The run stops and can be resumed.",
    ),
    "SJ910": (
        "the budget is reached",
        "The next call could cost more than is left of --max-cost: its prompt and the longest "
        "answer that the model may give. Everything paid for is in the ledger.",
    ),
    "SJ911": (
        "a price is not known",
        "A budget can only be kept where prices are known. Give a table with --prices; "
        "docs/llm.md shows its form. Set max_tokens where a model's longest answer is not known.",
    ),
    "SJ912": (
        "a price table cannot be used",
        "It is a JSON object: PROVIDER:MODEL to input and output, in dollars per million tokens, "
        "and max_output, the most tokens of one answer.",
    ),
    "SJ913": (
        "a scripted model cannot be used",
        "scripted:MODULE:FUNCTION is given the request and returns a text or an object; "
        'scripted:FILE.jsonl has lines {"when": [texts], "answer": text or object}.',
    ),
    "SJ914": (
        "batches cannot be used",
        "Batches need a ledger, and a provider that takes them (openai). Their ids are kept in "
        "the ledger, so an interrupted command can be run again.",
    ),
    "SJ915": (
        "a setting of the client is impossible",
        "Rates, timeouts and counts must be above zero; a replay needs the ledger it reads.",
    ),
    "SJ916": (
        "a model gives no usable answers",
        "Several questions in a row were answered, in spite of asking again, with nothing that can "
        "be read: prose in place of JSON, empty or cut answers, refusals. Other questions will "
        "fare no better, so the run stops; what was judged is kept.",
    ),
    "SJ917": (
        "a system under test cannot be called",
        "--system takes MODULE:FUNCTION (the module is imported from the current folder too), an "
        "http(s) URL, or a command in quotes, such as 'python answer.py {question}'. "
        "docs/own-system.md says what each gets and returns.",
    ),
    "SJ918": (
        "questions have no answer of the system under test",
        "It failed at every question, or it could not be reached for some of them. Answers are "
        "kept: the same command asks only for what is missing.",
    ),
}
