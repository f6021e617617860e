"""From what a model wrote to an object: tolerant of form, strict in types, never raising."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions import VERDICT, YES

from sqljury.llm import Reply
from sqljury.llm.objects import check_schema, fault, placeholder, understood

ANY = {"type": "object"}
TEXT = json.dumps(YES)


def value_of(text: str, schema: Any = VERDICT) -> Any:
    return understood(Reply(text), schema)[0]


def problem_of(text: str, schema: Any = VERDICT) -> str:
    value, problem = understood(Reply(text), schema)
    assert value is None
    return problem


READ = {
    "plain": TEXT,
    "white space": f"\n\t {TEXT} \n",
    "fenced": f"```json\n{TEXT}\n```",
    "fenced without a name": f"```\n{TEXT}\n```",
    "fenced with prose": f"Let me see.\n\n```json\n{TEXT}\n```\n\nSo it's right.",
    "fenced, with an example in prose": f'Not {{"verdict": false}} but\n```json\n{TEXT}\n```',
    "fenced in one line": f"```json {TEXT}```",
    "a fence that does not end": f"```json\n{TEXT}",
    "prose around": f"It's right, I'd say: {TEXT} That's all, isn't it?",
    "a brace in prose": f"The set {{x | x > 1}} and {TEXT}.",
    "a brace in prose that never closes": f"So {{ and then {TEXT}",
    "an inch in prose": f'A 5" disk: {TEXT}',
    "trailing commas": '{"reason": "it does", "verdict": true,\n}',
    "spread over lines": json.dumps(YES, indent=2),
    "a line break in a text": '{"reason": "it\ndoes", "verdict": true}',
    "twice the same": f"{TEXT}\n{TEXT}",
    "twice the same key, same value": '{"reason": "it does", "verdict": true, "verdict": true}',
    "thoughts": f"<think>Perhaps {{\"reason\": \"\", \"verdict\": false}}?</think>\n{TEXT}",
    "thoughts without a beginning": f'maybe {{"reason": "", "verdict": false}}</think>{TEXT}',
    "more than was asked for": '{"confidence": 1, "reason": "it does", "verdict": true}',
    "another object beside": f'{{"draft": 1}} then {TEXT}',
    "keys in another order": '{"verdict": true, "reason": "it does"}',
}  # fmt: skip


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_forms_that_are_read(text: str) -> None:
    value = value_of(text)
    assert value is not None, problem_of(text)
    assert list(value) == ["reason", "verdict"]
    assert value["verdict"] is True
    assert value["reason"].split() == ["it", "does"]


REFUSED = {
    "nothing": ("", "an empty answer"),
    "half": (TEXT[:-4], "no complete JSON object"),
    "half, with a whole object inside": ('{"reason": "a", "x": {"verdict": true}, ', "missing"),
    "a list": (f"[{TEXT[:5]}]", "no complete JSON object"),
    "a bare value": ("true", "no complete JSON object"),
    "NaN": ('{"reason": "x", "verdict": NaN}', "no complete JSON object"),
    "infinite": ('{"reason": "x", "verdict": 1e999}', "no complete JSON object"),
    "a number too long to be one": ('{"verdict": ' + "1" * 5000 + "}", "no complete JSON object"),
    "Python": ("{'reason': 'x', 'verdict': True}", "no complete JSON object"),
    "contradiction": ('{"reason": "", "verdict": true, "verdict": false}', "'verdict' occurs twice"),
    "contradiction beside an answer": (
        f'{{"reason": "", "verdict": true, "verdict": false}} {TEXT}', "'verdict' occurs twice"),
    "two answers": (f'{TEXT} or {{"reason": "", "verdict": false}}', "several different answers"),
    "many objects": ("".join(f'{{"n": {n}}}' for n in range(99)), "more than 50"),
    "false as a text": ('{"reason": "", "verdict": "false"}', 'true or false, not "false"'),
    "one as a truth": ('{"reason": "", "verdict": 1}', "true or false, not 1"),
    "a list as a text": ('{"reason": ["x"], "verdict": true}', "`reason` must be a text, not a list"),
    "too long": ("x" * 100_001, "has 100001 characters"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "problem"), REFUSED.values(), ids=REFUSED)
def test_forms_that_are_not(text: str, problem: str) -> None:
    assert problem in problem_of(text)


def test_commas_and_braces_inside_of_texts_are_left_alone() -> None:
    value = {"reason": 'a ,} b ,] {c} "d" \\', "verdict": True}
    for text in (
        json.dumps(value),
        f"So: {json.dumps(value)} (done)",
        json.dumps(value)[:-1] + ",}",
    ):
        assert value_of(text) == value


def test_half_a_surrogate_pair_can_be_written_to_files() -> None:
    value = value_of('{"reason": "a\\ud800b \\ud83d\\ude00", "verdict": true}')
    assert value["reason"] == "a?b 😀"


texts = st.text(max_size=40)
prose = st.text(max_size=60).filter(lambda text: "{" not in text and "```" not in text)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | texts
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
objects = st.fixed_dictionaries({"reason": texts, "verdict": st.booleans()})


def writable(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@given(value=st.dictionaries(texts, values, max_size=4).filter(writable), before=prose, after=prose)
def test_an_object_survives_prose(value: Any, before: str, after: str) -> None:
    if "</think>" in before + after or "</thinking>" in before + after:
        return
    for ascii_only in (True, False):
        written = json.dumps(value, ensure_ascii=ascii_only)
        assert value_of(written, ANY) == value
        assert value_of(f"{before}\n```json\n{written}\n```\n{after}", ANY) == value
        assert value_of(f"{before} {written} {after}", ANY) == value


@given(st.text(alphabet='{}[]",:\\`\n tfn1ue<think>/', max_size=80) | st.text())
def test_no_text_raises(text: str) -> None:
    for schema in (VERDICT, ANY, None):
        value, problem = understood(Reply(text), schema)
        assert (value is None) == bool(problem)
        if value is not None and schema is VERDICT:
            assert isinstance(value["verdict"], bool)


@given(value=objects, cut=st.integers(1, 40))
def test_half_an_object_is_never_an_answer(value: Any, cut: int) -> None:
    text = json.dumps(value)
    assert value_of(text[: max(0, len(text) - cut)]) is None


HOSTILE = {
    "open braces": "{" * 100_000,
    "pairs of braces": "{}" * 50_000,
    "nested objects": '{"a":' * 20_000,
    "nested lists": '{"a":' + "[" * 90_000,
    "an open text with escapes": '{"' + '\\"' * 49_000,
    "open texts": '{" ' * 33_000,
    "commas": "{" + ", " * 49_000,
    "fences": "```\n" * 24_999,
    "lines of white space": "{" + " \n" * 49_000,
    "thoughts": "<think>" * 14_000,
    "small objects": "".join(f'{{"n":{n}}}' for n in range(9_000)),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()  # whoever else uses the machine
    assert value_of(text) is None
    assert time.process_time() - start < 1.0


# ---------------------------------------------------------------- shapes

SHAPES: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    ({"type": "boolean"}, [True, False], [1, 0, "true", None, []]),
    ({"type": "integer"}, [0, -3, 2.0, 10**30], [True, 1.5, "1", float("inf"), None]),
    ({"type": "number"}, [0, 1.5, -2], [True, "1.5", float("nan"), None]),
    ({"type": "string"}, ["", "x"], [1, None, ["x"], {}]),
    ({"type": "null"}, [None], [False, 0, ""]),
    ({"type": "array", "items": {"type": "integer"}}, [[], [1, 2]], [[1, "2"], {}, "12"]),
    ({"type": "string", "enum": ["na", "question"]}, ["na"], ["NA", "", None]),
    ({"enum": [0, 1]}, [0, 1], [True, False, "0", 2]),
    ({"type": "integer", "minimum": 1, "maximum": 5}, [1, 5], [0, 6]),
    ({"type": "object", "properties": {"a": {"type": "null"}}}, [{}, {"a": None}], [{"a": 1}, []]),
    ({"type": "object", "required": ["a"]}, [{"a": 1}], [{}, {"b": 1}]),
    ({}, [None, 1, "x", [], {}], []),
]


@pytest.mark.parametrize(("schema", "good", "bad"), SHAPES)
def test_types_are_strict(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    check_schema(schema)
    assert [value for value in good if fault(value, schema)] == []
    assert [value for value in bad if not fault(value, schema)] == []


def test_a_fault_says_where() -> None:
    inner = {"type": "object", "properties": {"b": {"type": "array", "items": {"type": "null"}}}}
    schema = {"type": "object", "properties": {"a": inner}}
    assert fault({"a": {"b": [None, 7]}}, schema) == "`a`.b[1] must be null, not 7"


def test_a_schema_that_says_more_than_is_checked_is_an_error() -> None:
    for schema in (
        {"anyOf": []},
        {"type": ["string", "null"]},
        {"properties": {"a": {"pattern": "x"}}},
    ):
        with pytest.raises(ValueError, match="schemas cannot use"):
            check_schema(schema)


@pytest.mark.parametrize("schema", [schema for schema, _, _ in SHAPES] + [VERDICT])
def test_a_placeholder_has_the_shape(schema: dict[str, Any]) -> None:
    if "required" in schema and "properties" not in schema:
        return
    assert fault(placeholder(schema), schema) == ""
