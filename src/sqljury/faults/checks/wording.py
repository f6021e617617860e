"""Checks of what the question or its hint asks for and the query lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.wording import name_stems, stem
from sqljury.trees.walk import width

_SUPERLATIVE = (
    r"highest|lowest|largest|smallest|biggest|oldest|youngest|longest|shortest|"
    r"tallest|heaviest|earliest|latest|fewest|greatest|most common\w*|cheapest|"
    r"the most|the least|newest"
)
_EXTREME = r"\bORDER BY\b|\bMAX\b|\bMIN\b|\bRANK\b|\bALL\b|\bNOT EXISTS\b|\bROW_NUMBER\b|_RANK\b"
_SORTED = (
    r"(?:sort|sorted|order|ordered|ordering|rank|ranked|ranking) (?:\w+ ){0,4}(?:by|"
    r"from|according)|alphabetical\w*|(?:ascending|descending|chronological|"
    r"lexicographic\w*) order"
)
_GROUPED = r"(?:for|of|in|by|from|per|at|to) each"
_GROUPS = r"\bGROUP BY\b|\bPARTITION\b|\bOVER\b|\bDISTINCT\b"


@check("AU518", sees=Sees.TREE | Sees.QUESTION)
def superlative_missing(query: Query) -> Iterator[Finding]:
    """The question asks for an extreme (highest, latest, …), and the query takes none."""
    text = re.sub(r"at (?:the )?(?:most|least)|most recent\w*", " ", query.wording.lower)
    found = re.search(rf"\b(?:{_SUPERLATIVE})\b", text)
    if found is None or re.search(_EXTREME, query.sql.upper()):
        return
    # The word may be part of a column or value in the query, or explained by the hint.
    root = found[0].split()[-1].removesuffix("st").removesuffix("e")
    if root not in query.sql.lower() and found[0] not in query.hint.lower():
        reason = (
            f"the question says {found[0]!r}, and the query neither sorts nor takes an extreme."
        )
        yield Finding(reason=reason, part="ORDER BY")


@check("AU519", sees=Sees.TREE | Sees.QUESTION)
def order_missing(query: Query) -> Iterator[Finding]:
    """The question asks for an order, and the query has none."""
    found = re.search(rf"\b(?:{_SORTED})\b", query.wording.lower)
    if found and not re.search(r"\bORDER BY\b|\bRANK\b|ROW_NUMBER|_RANK", query.sql.upper()):
        reason = f"the question says {found[0]!r}, and the query has no ORDER BY."
        yield Finding(reason=reason, part="ORDER BY")


@check("AU520", sees=Sees.TREE | Sees.QUESTION, read=(4, 4))
def group_missing(query: Query) -> Iterator[Finding]:
    """The question asks for a figure for each of some things, and the query has no groups."""
    aggregates = re.search(r"\b(?:COUNT|SUM|AVG|MIN|MAX)\s*\(", query.sql.upper())
    found = re.search(rf"\b(?:{_GROUPED})\b", query.wording.lower)
    if found and aggregates and not re.search(_GROUPS, query.sql.upper()):
        reason = f"the question says {found[0]!r}, and the query has no GROUP BY."
        yield Finding(reason=reason, part="GROUP BY")


@check("AU521", sees=Sees.TREE | Sees.QUESTION)
def percentage_without_100(query: Query) -> Iterator[Finding]:
    """The question asks for a percentage, and the query divides without multiplying by 100."""
    divides = query.wording.says("percentages?|percent") and "/" in query.sql
    if divides and "100" not in query.sql and "100" in query.hint:
        yield Finding(reason="the query gives a fraction, not a percentage.", part="/")


_ASKED = (
    (r"how many", r"COUNT|SUM|\+|-|/", "a count"),
    (r"the average|mean (?:of|value)", r"\bAVG\b|/|AVERAGE|AVG|MEAN", "an average"),
    (
        r"(?:is|are|calculate) the (?:percentage|proportion|ratio)",
        r"/|PERCENT|RATIO|RATE|AVG",
        "a ratio",
    ),
)
_NUMERIC = ("int", "real", "float", "num", "dec", "doub")


@check("AU512", sees=Sees.TREE | Sees.QUESTION, read=(2, 4))
def asked_function(query: Query) -> Iterator[Finding]:
    """The question asks for a count, an average or a ratio, and the query computes none."""
    # A numeric column in the SELECT list may contain the count.
    holds_counts = any(
        column.name.casefold() in query.columns_shown and column.type.lower().startswith(_NUMERIC)
        for table in query.tables
        for column in table.columns
    )
    for asked, needed, what in _ASKED:
        is_stored = asked == "how many" and holds_counts
        if query.wording.says(asked) and not re.search(needed, query.sql.upper()) and not is_stored:
            yield Finding(reason=f"the question asks for {what}, and the query computes none.")


@check("AU513", sees=Sees.TREE | Sees.QUESTION, read=(1, 1))
def negation_missing(query: Query) -> Iterator[Finding]:
    """The question says not, never or without, and the query negates nothing."""
    asked = (
        r"(?:do|does|did|have|has|had|are|is|was|were|can) not|don't|doesn't|didn't|never|"
        r"without|haven't|hasn't|isn't|aren't|wasn't|weren't|except"
    )
    negates = r"\bNOT\b|\bEXCEPT\b|!=|<>|\bNULL\b|\bLEFT\b|=(?:0|N|F)|\bMINUS\b|<"
    # Remove quotation marks, and spaces after equals signs.
    sql = re.sub(r"(?<==)\s+", "", re.sub("['\"]", "", query.sql.upper()))
    if query.wording.says(asked) and not re.search(negates, sql) and not query.hint:
        yield Finding(reason="the question has a negation, and the query has none.")


@check("AU523", sees=Sees.TREE | Sees.QUESTION, weak=True, read=(1, 4))
def named_column_unused(query: Query) -> Iterator[Finding]:
    """The question has a column's full name (two words or more) that the query does not read."""
    text = f" {' '.join(stem(word) for word in query.wording.words)} "
    explained = f" {' '.join(stem(word) for word in query.said.words[len(query.wording.words) :])} "
    read = [name_stems(name) for name in query.names_read]
    tables = {"".join(name_stems(table.name)) for table in query.all_tables}
    reported: set[str] = set()
    for table in query.all_tables:
        for column in table.columns:
            stems, name = name_stems(column.name), column.name.casefold()
            phrase = f" {' '.join(stems)} "
            if len(stems) < 2 or name in query.columns_read or name in reported:
                continue
            if phrase not in text or phrase in explained or "".join(stems) in tables:
                continue
            # Skip it if the query reads a column with all these words, or all but "name".
            plain = [one for one in stems if one != "name"]
            if any(set(stems) <= set(one) or plain == one for one in read):
                continue
            if not _is_read_in_part(query, name):
                reported.add(name)
                reason = f"the question says {column.name}, which the query does not read."
                yield Finding(reason=reason, evidence={"column": f"{table.name}.{column.name}"})


def _is_read_in_part(query: Query, name: str) -> bool:
    """True if the query reads a column whose name contains this one or is the end of it.

    Also for ``owner_id``, if the query reads ``id`` and the table of owners."""
    letters = _letters(name)
    read = [_letters(one) for one in query.columns_read]
    ends = any(letters.endswith(one) and len(one) > 4 for one in read)
    tables = {stem(part) for table in query.tables for part in name_stems(table.name)}
    own_id = letters.endswith("id") and "id" in read and stem(letters[:-2]) in tables
    return ends or own_id or any(letters in one for one in read)


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


@check("AU524", sees=Sees.TREE | Sees.HINT, weak=True, read=(0, 1))
def hint_table_unused(query: Query) -> Iterator[Finding]:
    """The hint names a column with its table, and the query does not read that table."""
    read = {table.name.casefold() for table in query.tables}
    for table in query.all_tables:
        found = re.search(
            rf"(?<![\w.]){re.escape(table.name)}\.[`\"]?(\w+)", query.hint, re.IGNORECASE
        )
        if found and table.column(found[1]) and table.name.casefold() not in read:
            reason = f"the hint says {found[0]}, and the query does not read {table.name}."
            yield Finding(reason=reason, evidence={"hint": found[0]})


_DOCUMENT = 2_000
"""A longer hint is a document, as in Spider 2.0: its numbers are examples."""


@check("AU525", sees=Sees.TREE | Sees.HINT)
def hint_number_unused(query: Query) -> Iterator[Finding]:
    """The hint has a number of six digits or more that the query has no part of."""
    if len(query.hint) > _DOCUMENT:
        return
    for number in re.findall(r"(?<![\w./-])\d{6,}(?![\w/-]|\.\d)", query.hint):
        if number[:4] not in query.sql:
            yield Finding(reason=f"the hint says {number}, which the query does not have.")


@check("AU526", sees=Sees.TREE | Sees.HINT)
def hint_null_missing(query: Query) -> Iterator[Finding]:
    """The hint tests a column for NULL, and the query does not."""
    names = {column.name for table in query.all_tables for column in table.columns}
    for name in sorted(names) if "null" in query.hint.lower() else ():
        found = re.search(
            rf"(?<![\w]){re.escape(name)}[`\"]? (?:is|=) (?:not )?null", query.hint, re.IGNORECASE
        )
        tested = re.search(
            rf"{re.escape(name)}[`\"]?\)? (?:is|=|<>)|(?:not|count\() ?{re.escape(name)}",
            query.sql,
            re.IGNORECASE,
        )
        if found and not tested:
            yield Finding(reason=f"the hint says {found[0]}, and the query does not test it.")


_LIST = re.compile(
    r"(?:list|show|find|give|return|display|what (?:is|are)|tell)(?: me| us)?(?: out)?(?: all)?"
    r"(?: of)? (?:the )?(?:different |distinct )?(?P<items>[^?.]+?) "
    r"(?:of|for|from|in|who|that|which|with|where|whose)\b"
)


_NUMBER_ALONE = r"(?:how many [^,]*|what is the (?:total )?number of [^,]*)\?$"
_BY_GROUP = r"each|every|per|and|by|different|does|do|one"
_NO_COLUMNS = ("", "date", "number")


@check("AU514", sees=Sees.TREE | Sees.QUESTION, read=(2, 4))
def asked_column_missing(query: Query) -> Iterator[Finding]:
    """The question lists several columns by name, and the query does not read one of them."""
    found = _LIST.search(query.wording.lower)
    if found is None:
        return
    items = [i for i in re.split(r",| and ", found["items"]) if i.strip() not in _NO_COLUMNS]
    if len(items) < 2:
        return
    for item in items:
        # Report an item that is a column's name if the query reads no column with one of its
        # words, such as festival_name.
        bare = re.sub(r"\b(?:the|its|their|his|her|all|a|an|each)\b|[^a-z0-9 ]", " ", item)
        wanted = "".join(word.removesuffix("s") for word in bare.split())
        names = {
            column.name.casefold()
            for table in query.tables
            for column in table.columns
            if wanted
            == "".join(w.removesuffix("s") for w in re.findall(r"[a-z0-9]+", column.name.lower()))
        }
        words = {stem(word).removesuffix("s") for word in item.split()}
        words |= {"title"} if "name" in words else set()
        ends = tuple(word for word in words if len(word) > 1)
        is_read = any(
            words & set(name_stems(name)) or name.lower().endswith(ends)
            for name in query.names_read
        )
        if names and not names & query.columns_read and not is_read:
            reason = f"the question asks for {item.strip()!r}, and the query does not read it."
            yield Finding(reason=reason, part="SELECT")


@check("AU515", sees=Sees.TREE | Sees.QUESTION, read=(1, 1))
def more_columns(query: Query) -> Iterator[Finding]:
    """The question asks for a number alone, and the query shows more."""
    shown = width(query.tree)
    plain = re.match(_NUMBER_ALONE, query.wording.lower)
    if plain and shown > 1 and not query.wording.says(_BY_GROUP):
        reason = f"the question asks for one number, and the query shows {shown} columns."
        yield Finding(reason=reason, part="SELECT")


_REFERS = re.compile(
    r"(?:refers? to|represents?|means?|is|=|as)\s+(?:the\s+)?(?:(?:max|min|sum|avg|count)\s*\(\s*)?"
    r"(?:distinct\s+)?(?:\w+\.)?[`\"']?(?P<name>[A-Za-z_][\w ()%/-]*?)[`\"']?\s*\)?\s*"
    r"(?:[;,.]|$| in the | = | < | > | is )",
    re.IGNORECASE,
)


@check("AU504", sees=Sees.TREE | Sees.HINT, read=(4, 6))
def hint_column_unused(query: Query) -> Iterator[Finding]:
    """The hint says which column is meant, and the query reads no column of that name."""
    names = {c.name.casefold(): c.name for t in query.all_tables for c in t.columns}
    for found in _REFERS.finditer(query.hint):
        name = found["name"].strip().casefold()
        if name in names and name not in query.columns_read:
            yield Finding(
                reason=f"the hint speaks of {names[name]}, which the query does not read.",
                evidence={"hint": found[0].strip()},
            )


@check("AU505", sees=Sees.TREE | Sees.HINT, read=(1, 1))
def hint_formula_missing(query: Query) -> Iterator[Finding]:
    """The hint writes a division, an average or a distinct count, and the query has none."""
    sql = query.sql.upper()
    for pattern, needed, what in _FORMULAS:
        if re.search(pattern, query.hint, re.IGNORECASE) and not re.search(needed, sql):
            yield Finding(reason=f"the hint has {what}, and the query has none.")


_FORMULAS = (
    (r"\bdivide\s*\(", r"/|\bAVG\b", "a division"),
    (r"\bavg\s*\(", r"\bAVG\b|/", "an average"),
    (r"(?<!max\()(?<!min\()\bsubtract\s*\(", r"-", "a difference"),
    (r"\bmax\s*\(", r"\bMAX\b|\bORDER BY\b|\bRANK\b", "a maximum"),
    (r"\bmin\s*\(", r"\bMIN\b|\bORDER BY\b|\bRANK\b", "a minimum"),
)


@check("AU502", sees=Sees.TREE | Sees.HINT, weak=True, read=(2, 5))
def hint_value_differs(query: Query) -> Iterator[Finding]:
    """The hint compares a column with a value, and the query compares it with others only."""
    equal = [one for one in query.hint_conditions if one.operator == "="]
    for said in {one.column: one for one in reversed(equal)}.values():
        name = said.column.casefold()
        ours = [one for one in query.comparisons if one.column.name.casefold() == name]
        constants = {_plain(c.value) for one in ours for c in one.constants}
        said_values = [_plain(one.value) for one in equal if one.column == said.column]
        has_pattern = any(one.operator not in ("=", "IN", "<>", "IS") for one in ours)
        if ours and not has_pattern and not any(_is_among(x, constants) for x in said_values):
            spelled = (
                f"{x.column.name} {x.operator} {', '.join(repr(c.value) for c in x.constants)}"
                for x in ours
            )
            yield Finding(
                reason=f"the hint says {said.text}, and the query has {', '.join(spelled)}.",
                part=said.column,
                evidence={"hint": said.text},
            )


@check("AU503", sees=Sees.TREE | Sees.HINT, read=(3, 4))
def hint_condition_missing(query: Query) -> Iterator[Finding]:
    """The hint has a condition on a column that the query does not look at."""
    # The query may compare another column with the same text, which is enough.
    values = {_plain(constant.value) for _, constant in query.constants}
    for said in query.hint_conditions:
        has_value = said.is_text and _plain(said.value) in values
        if said.column.casefold() not in query.columns_read and not has_value:
            yield Finding(
                reason=f"the hint says {said.text}, and the query does not look at {said.column}.",
                part="WHERE",
                evidence={"hint": said.text},
            )


def _is_among(value: str, constants: set[str]) -> bool:
    """True if the constants have a value, also as a date in another format, or as the beginning of
    a constant (hints may cut a value at an apostrophe)."""
    digits = re.sub(r"\D|(?<!\d)0+", "", value)
    dates = {re.sub(r"\D|(?<!\d)0+", "", one) for one in constants} if len(digits) > 4 else set()
    return value in constants or digits in dates or any(one.startswith(value) for one in constants)


def _plain(value: object) -> str:
    text = str(value).strip().casefold()
    try:
        return str(float(text))
    except ValueError:
        return text
