"""Parsers for JSON, YAML and SQL scripts that know the line of each element."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from sqljury.case import Json
from sqljury.errors import InputError, MissingExtraError

# ---------------------------------------------------------------- jsontext
#
# JSON text, read so that an element's line is known and a repeated key is detected.


_SPACE = re.compile(r"[ \t\n\r]*")


class Repeated(Exception):  # noqa: N818 - what happened, turned into a user's error by the caller
    """A key occurs twice in one object; the text of the exception is the key."""

    line = 0
    """The line of the list's element; 0 if the text is not a list."""


def json_value(text: str, *, unique: bool = False) -> Json:
    """Parses one JSON value.

    Args:
        unique: raise if a key occurs twice in an object (json silently keeps the last).

    Raises:
        json.JSONDecodeError: with line and column.
        Repeated: with the key.
    """
    # json.loads makes a decoder for each text with a hook; it also refuses a byte order mark.
    return _DECODER.decode(text) if unique and text[:1] != "\ufeff" else json.loads(text)


def json_elements(text: str) -> Iterator[tuple[Json, int]]:
    """The elements of a JSON list, each with the line on which it begins.

    Raises:
        json.JSONDecodeError, Repeated: as :func:`json_value`.
    """
    at = _skip(text, _skip(text, 0) + 1)
    line, counted = 1, 0
    while not text.startswith("]", at):
        line += text.count("\n", counted, at)
        counted = at
        try:
            value, at = _DECODER.raw_decode(text, at)
        except Repeated as twice:
            twice.line = line
            raise
        yield value, line
        at = _skip(text, at)
        if text.startswith(",", at):
            at = _skip(text, at + 1)
            if text.startswith("]", at):
                raise json.JSONDecodeError("a comma before the end of the list", text, at)
        elif not text.startswith("]", at):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    if (end := _skip(text, at + 1)) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)


def dump(value: Json, *, indent: int | None = None) -> str:
    """JSON text with readable characters; half of a surrogate pair is escaped, because UTF-8 has
    none."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isascii() or text.encode("utf-8", "ignore").decode() == text:
        return text
    return json.dumps(value, indent=indent)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    out = dict(pairs)
    if len(out) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Repeated(key)
            seen.add(key)
    return out


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


# ---------------------------------------------------------------- yamltext
#
# YAML, read so that an element's line is known, with values as in JSON.


DEEPEST: Final = 100


def yaml_elements(text: str, name: str) -> Iterator[tuple[Json, int]]:
    """The elements of a YAML list, each with the line on which it begins.

    Raises:
        InputError: SJ106: it is broken, not a list, or has something that JSON does not have
            (aliases, own types).
    """
    root, build = _read(text, name)
    for node in root.value:
        yield build(node), node.start_mark.line + 1


def yaml_document(text: str, name: str) -> Json:
    """Parses a whole YAML mapping.

    Raises:
        InputError: as for :func:`yaml_elements`; SJ110: a key occurs twice.
    """
    root, build = _read(text, name)
    keys: set[str] = set()
    for key, _ in root.value:
        if key.value in keys:
            where = f"{name}:{key.start_mark.line + 1}"
            raise InputError("SJ110", f"the key {key.value!r} stands twice.", where=where)
        keys.add(key.value)
    return {str(key): value for key, value in build(root).items()}


def _read(text: str, name: str) -> tuple[Any, Any]:
    """The parsed nodes, and the loader that makes values of them."""
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("pyyaml", "yaml", "Reading YAML files") from None
    try:
        depth = 0
        for event in yaml.parse(text):
            # Aliases are refused: a few lines of them can expand to gigabytes.
            if isinstance(event, yaml.AliasEvent):
                raise yaml.composer.ComposerError(None, None, "an alias (*)", event.start_mark)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                what = f"nested more than {DEEPEST} levels deep"
                raise yaml.composer.ComposerError(None, None, what, event.start_mark)
        loader = _loader(yaml)(text)
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        raise _broken(error, name) from None
    if root is None:
        raise InputError("SJ103", "the file is empty.", where=name)
    if isinstance(root, yaml.ScalarNode):
        raise InputError("SJ106", "neither a list nor a mapping.", where=f"{name}:1")
    return root, lambda node: _built(loader, node, name)


def _loader(yaml: Any) -> Any:
    """A YAML loader that reads dates as text, as in JSON."""
    made: Any = type("Loader", (yaml.SafeLoader,), {})
    made.add_constructor("tag:yaml.org,2002:timestamp", yaml.SafeLoader.construct_yaml_str)
    return made


def _built(loader: Any, node: Any, name: str) -> Json:
    import yaml

    try:
        return loader.construct_object(node, deep=True)
    except yaml.YAMLError as error:
        raise _broken(error, name) from None


def _broken(error: Any, name: str) -> InputError:
    mark = getattr(error, "problem_mark", None)
    where = f"{name}:{mark.line + 1}" if mark is not None else name
    return InputError("SJ106", f"broken YAML: {getattr(error, 'problem', error)}.", where=where)


# ---------------------------------------------------------------- statements
#
# SQL scripts: queries that end in a semicolon and may extend over several lines.


_PARTS = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | --[^\n]* | /\*.*?\*/
    | [();\n] | [^'"`\-/();\n]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_QUERY = re.compile(r"\(*\s*(select|with|values)\b", re.IGNORECASE)
_LEADS = re.compile(r"(\b(union|intersect|except|minus|all|distinct|as)|\()\s*$", re.IGNORECASE)
_LEADS_AFTER_TABLES = re.compile(_LEADS.pattern.replace("|\\(", "|[()]"), re.IGNORECASE)
"""In WITH, the query follows the closing bracket of the last table."""
_LOOKED_BACK = 200


class Statement(NamedTuple):
    """One statement, without its semicolon and the comments before it."""

    text: str
    line: int
    """The line on which it begins, from 1."""


def statements_of(text: str) -> list[Statement] | None:
    """The statements of a script; None if the text has, or may have, one query per line.

    In a script some statement has several lines, and each statement is a query. If a line inside a
    statement could begin another query, the text could be a file with one query per line: then it
    is not read as a script.
    """
    if ";" not in text or not _has_continued_line(text):
        return None
    found = list(_split(text))
    if any(_QUERY.match(one.text) is None or _holds_another(one.text) for one in found):
        return None
    return found


def _has_continued_line(text: str) -> bool:
    lines = (line.strip() for line in text.splitlines())
    return any(line and not line.startswith("--") and _QUERY.match(line) is None for line in lines)


def _split(text: str) -> Iterator[Statement]:
    parts: list[str] = []
    line = begins = 1
    for found in _PARTS.finditer(text):
        part = found.group()
        if part == ";":
            if sql := "".join(parts).strip():
                yield Statement(sql, begins)
            parts = []
        elif parts or not (part.isspace() or part.startswith(("--", "/*"))):
            begins = begins if parts else line
            parts.append(part)
        line += part.count("\n")
    if sql := "".join(parts).strip():
        yield Statement(sql, begins)


def _holds_another(sql: str) -> bool:
    """True if a line outside brackets begins a query that does not continue the text before it."""
    leads = _LEADS_AFTER_TABLES if sql.lower().startswith("with") else _LEADS
    depth, before = 0, ""
    for found in _PARTS.finditer(sql):
        part = found.group()
        begins = depth == 0 and before.endswith("\n") and _QUERY.match(part.lstrip())
        if begins and not leads.search(before):
            return True
        depth += (part == "(") - (part == ")")
        if not part.startswith(("--", "/*")):
            before = f"{before}{part}"[-_LOOKED_BACK:]
    return False
