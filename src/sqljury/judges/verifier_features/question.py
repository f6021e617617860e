"""The words of a question, and numbers for how well it names each table and column of a schema."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqljury.schema import Column, Schema, Table
from sqljury.sql.names import names_of, singular, words

_TOKEN = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)|‘([^’]+)’")
_NUMBERS = {
    "zero": "0",
    "one": "1",
    "once": "1",
    "two": "2",
    "twice": "2",
    "both": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}
_ENDINGS = ("ing", "ed", "ly", "e")
_SUFFIXES = ("name", "date", "code", "type", "time", "num", "id", "no")
_ABBREVIATED = {
    "acc": "account",
    "addr": "address",
    "amt": "amount",
    "avg": "average",
    "cust": "customer",
    "dept": "department",
    "desc": "description",
    "dob": "birth",
    "emp": "employee",
    "f": "first",
    "fname": "first name",
    "l": "last",
    "lat": "latitude",
    "lname": "last name",
    "long": "longitude",
    "max": "maximum",
    "min": "minimum",
    "no": "number",
    "num": "number",
    "org": "organization",
    "prof": "professor",
    "qty": "quantity",
    "stu": "student",
    "tel": "telephone",
}


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question in order, and its numbers, quoted texts and names."""

    text: str
    words: tuple[str, ...]
    """In lower case."""
    stems: tuple[str, ...]
    numbers: tuple[str, ...]
    """Digits as written, and small numbers in words as digits."""
    quoted: tuple[str, ...]
    names: tuple[str, ...]
    """Words with a capital letter that do not begin a sentence."""


@lru_cache(maxsize=1024)
def read_question(text: str) -> QuestionWords:
    """The words of a question.

    >>> read_question('How many dogs are named "Rex"?').quoted
    ('Rex',)
    """
    found = [(match.group(), match.start()) for match in _TOKEN.finditer(text)]
    lower = tuple(word.lower().removesuffix("'s") for word, _ in found)
    numbers = tuple(
        _NUMBERS.get(word, word.replace(",", ""))
        for word in lower
        if word[0].isdigit() or word in _NUMBERS
    )
    quoted = tuple(
        next(filter(None, groups)).strip() for groups in _QUOTED.findall(text) if any(groups)
    )
    begins = {0} | {match.end() for match in re.finditer(r"[.?!]\s+", text)}
    names = tuple(word for word, at in found if word[0].isupper() and at not in begins)
    return QuestionWords(text, lower, tuple(map(stem, lower)), numbers, quoted, names)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its ending, so that the forms of a word get the same stem.

    >>> [stem(word) for word in ("ages", "cities", "ordered", "ordering", "order", "name")]
    ['ag', 'city', 'order', 'order', 'order', 'nam']
    """
    word = singular(word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (2 if ending == "e" else 4):
            word = word[: -len(ending)]
    return word


@lru_cache(maxsize=65536)
def name_stems(name: str) -> tuple[str, ...]:
    """The stems of an identifier's words, well-known abbreviations spelled out.

    >>> name_stems("stu_fname"), name_stems("deptid")
    (('student', 'first', 'nam'), ('department', 'id'))
    """
    out: list[str] = []
    for word in words(name):
        for part in _parts(word):
            out += (stem(one) for one in _ABBREVIATED.get(part, part).split())
    return tuple(dict.fromkeys(out))


def _parts(word: str) -> tuple[str, ...]:
    """Splits off a common suffix: ``stuid`` is ``stu id``.

    Words that merely end like a suffix (``said``) are split as well; they are rare in names."""
    if word in _ABBREVIATED:
        return (word,)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) > 2:
            return (word[: -len(suffix)], suffix)
    return (word,)


@lru_cache(maxsize=262144)
def likeness(name: str, said: str) -> float:
    """How similar two stems are: 1 if equal, between 0.5 and 1 for a common beginning, else 0."""
    if name == said:
        return 1.0
    short, long = sorted((name, said), key=len)
    if len(short) >= 3 and long.startswith(short):
        return 0.5 + 0.5 * len(short) / len(long)
    common = 0
    for a, b in zip(name, said, strict=False):
        if a != b:
            break
        common += 1
    return 0.6 if common >= 5 and common >= 0.6 * len(long) else 0.0


LONGEST = 4
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_SMALL_TEXT = """
a all an and any are as at average be by count different do does each every for from give has
have having how in is it list many maximum minimum more most name names no not number of on or
order show than that the their them there they to total what when where which who whose with
year years
"""
_SMALL = frozenset(_SMALL_TEXT.split())
"""Words of questions that are not masked, even if a column has this name."""


def masked_words(question: QuestionWords, schema: Schema) -> list[str]:
    """The words of a question with names replaced: ``T``, ``C``, ``V``, ``N`` for tables, columns,
    values, numbers."""
    tables = {one for table in schema.tables for one in name_stems(table.name)}
    columns = {one for t in schema.tables for c in t.columns for one in name_stems(c.name)}
    values = {word.lower() for word in question.names}
    values |= {word.lower() for text in question.quoted for word in text.split()}
    out: list[str] = []
    for word, stem in zip(question.words, question.stems, strict=True):
        mask = _mask(word, stem, tables, columns, values)
        if not (out and out[-1] == mask and mask in ("T", "C", "V")):
            out.append(mask)
    return out


def _mask(
    word: str, stem: str, tables: Collection[str], columns: Collection[str], values: Collection[str]
) -> str:
    if word[0] not in _LETTERS:
        return "N"
    if word in values:
        return "V"
    if word in _SMALL:
        return word
    if stem in tables:
        return "T"
    return "C" if stem in columns else word


def ngrams(words: list[str]) -> Iterator[str]:
    """All runs of one to four words, with ``^`` and ``$`` at the ends of the text."""
    padded = ["^", *words, "$"]
    for n in range(1, LONGEST + 1):
        yield from (" ".join(padded[i : i + n]) for i in range(len(padded) - n + 1))


# ------------------------------------------------------------
# Numbers for how well a question names each table and column of a schema.

_FUNCTION_WORDS_TEXT = """
a all also an and any are as at be been but by can did do does each every find for from get give
had has have how in into is it its list many me more most much of on one only or out please
return show tell than that the their them there these they those to up us was we were what when
where which who whose will with you
"""
_FUNCTION_WORDS = frozenset(map(stem, _FUNCTION_WORDS_TEXT.split()))
_BEFORE = (
    *("of", "the", "by", "each", "every", "per", "for", "whose", "with", "that", "and", "or"),
    *("than", "is", "are", "most", "highest", "lowest", "average", "total", "maximum", "minimum"),
    *("different", "distinct", "many", "in", "from", "to", "on", "at", "have", "has", "what"),
    *("which", "list", "show", "find", "their", "its", "order", "number", "not", "all"),
)
_AFTER = (
    *("of", "is", "are", "and", "or", "than", "in", "for", "that", "with", "whose", "who", "from"),
    *("by", "have", "has", "was", "were", "do", "did", "higher", "more", "less", "each", "ordered"),
    *("sorted", "equal", "larger", "above", "below", "between", "starting", "number", "named"),
)
_ARTICLES = frozenset(("the", "a", "an", "their", "its", "all", "any"))
_STARTS = ("how", "who", "when", "where", "which", "what", "list", "show", "find", "give", "return")

COLUMN_FEATURES = (
    *("exact", "fuzzy", "words", "full", "ambiguity", "own_exact", "own_words", "explained"),
    *("best_in_table", "rank_in_table", "rank", "equally_good", "table_exact", "table_fuzzy"),
    *("table_words", "table_rank", "position", "times", "before", "before_2", "after", "span"),
    *("is_text", "is_number", "is_date", "is_key", "is_foreign", "says_id", "says_name", "place"),
    *("columns", "tables", "length", "numbers", "quoted", "names", "start", "start_2", "value"),
    *(
        "value_length",
        "values_elsewhere",
        "full_in_table",
        "full_in_schema",
        "asks_id",
        "asks_name",
    ),
    *("table_full_columns", "is_only_name", "twins"),
)


@dataclass(frozen=True, slots=True)
class ColumnLink:
    """A column with its values of :data:`COLUMN_FEATURES`."""

    name: str
    """``table.column`` in lower case."""
    table: str
    same: str
    """The first of the columns that foreign keys make equal to it."""
    features: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Named:
    """A column with what does not depend on a question."""

    table: Table
    column: Column
    name: str
    stems: tuple[str, ...]
    own: tuple[str, ...]
    """Its stems without those of its table's name."""
    fixed: tuple[float, ...]


@lru_cache(maxsize=32)
def _named(schema: Schema) -> tuple[_Named, ...]:
    twins = Counter(c.name.casefold() for t in schema.tables for c in t.columns)
    out = []
    for table in schema.tables:
        table_stems = set(name_stems(table.name))
        foreign = {c.casefold() for key in table.foreign_keys for c in key.columns}
        keys = {c.casefold() for c in table.primary_key}
        names = [c for c in table.columns if stem("name") in name_stems(c.name)]
        for place, column in enumerate(table.columns):
            stems = name_stems(column.name)
            own = tuple(one for one in stems if one not in table_stems)
            kind = column.type.upper()
            is_date = any(one in kind for one in ("DATE", "TIME", "YEAR"))
            is_text = any(one in kind for one in ("CHAR", "TEXT", "CLOB")) or not kind
            fixed = (
                *(float(is_text), float(not is_text and not is_date), float(is_date)),
                *(float(column.name.casefold() in one) for one in (keys, foreign)),
                *(float(stem("id") in stems), float(stem("name") in stems), float(place)),
                *(float(len(table.columns)), float(len(schema.tables))),
                *(float(names == [column]), float(twins[column.name.casefold()])),
            )
            name = f"{table.name}.{column.name}".lower()
            out.append(_Named(table, column, name, stems, own, fixed))
    return tuple(out)


def links(
    question: QuestionWords, schema: Schema, found_values: Mapping[str, Sequence[str]] | None
) -> list[ColumnLink]:
    """The features of every column of a schema for a question.

    Args:
        found_values: by ``table.column``, the parts of the question that are values of it; None
            if no values are known.
    """
    matcher = _Matcher(question)
    columns = _named(schema)
    matched = [matcher.match(one.stems, one.own) for one in columns]
    tables = {t.name: matcher.table(name_stems(t.name)) for t in schema.tables}
    words = Counter(s for one in columns for s in set(one.stems))
    merged = names_of(schema).merged
    scores = [m.fuzzy for m in matched]
    by_table: dict[str, list[float]] = {}
    full_by_table: Counter[str] = Counter()
    for one, m in zip(columns, matched, strict=True):
        by_table.setdefault(one.table.name, []).append(m.fuzzy)
        full_by_table[one.table.name] += m.fuzzy >= 0.99
    ranked = sorted(scores, reverse=True)
    table_ranked = sorted((t[1] for t in tables.values()), reverse=True)
    full = sum(full_by_table.values())
    out = []
    for one, m in zip(columns, matched, strict=True):
        mine = by_table[one.table.name]
        exact, fuzzy, count = tables[one.table.name]
        hits = found_values.get(one.name, ()) if found_values is not None else ()
        elsewhere = len(found_values) - bool(hits) if found_values is not None else -1
        ambiguity = min((words[s] for s in m.stems), default=0)
        fixed = one.fixed
        features = (
            *(m.exact, m.fuzzy, float(len(one.stems)), float(m.fuzzy >= 0.99), float(ambiguity)),
            *(m.own, float(len(one.own)), m.explained),
            *(float(m.fuzzy >= max(mine)), float(sum(o > m.fuzzy for o in mine))),
            *(float(_above(ranked, m.fuzzy)), float(scores.count(m.fuzzy))),
            *(exact, fuzzy, float(count), float(_above(table_ranked, fuzzy))),
            *(m.position, float(m.times), *m.around, m.span),
            *fixed[:8],
            *fixed[8:10],
            *matcher.shape,
            *(float(len(hits)) if found_values is not None else -1.0,),
            *(float(max((len(h.split()) for h in hits), default=0)), float(elsewhere)),
            *(float(full_by_table[one.table.name]), float(full)),
            *matcher.asks,
            *(float(full_by_table[one.table.name] - (m.fuzzy >= 0.99)), *fixed[10:]),
        )
        same = merged.get(one.name, one.name)
        out.append(ColumnLink(one.name, one.table.name.lower(), same, features))
    assert not out or len(out[0].features) == len(COLUMN_FEATURES)
    return out


def _above(ranked: Sequence[float], value: float) -> int:
    return next((i for i, one in enumerate(ranked) if one <= value), len(ranked))


@dataclass(frozen=True, slots=True)
class _Match:
    exact: float
    fuzzy: float
    own: float
    explained: float
    stems: tuple[str, ...]
    position: float
    times: int
    around: tuple[float, float, float]
    span: float


class _Matcher:
    """Searches one question for the words of names."""

    def __init__(self, question: QuestionWords) -> None:
        self._stems = question.stems
        self._words = question.words
        self._content = max(1, sum(s not in _FUNCTION_WORDS for s in question.stems))
        self._best: dict[str, tuple[float, tuple[int, ...]]] = {}
        starts = [
            float(_STARTS.index(word) if word in _STARTS else -1)
            for word in (*question.words[:1], "", "")[:1]
        ]
        second = question.words[1] if len(question.words) > 1 else ""
        self.shape = (
            *(float(len(question.words)), float(len(question.numbers))),
            *(float(len(question.quoted)), float(len(question.names))),
            *(*starts, float(second == "many")),
        )
        self.asks = (
            float(any(one in question.words for one in ("id", "ids", "identifier"))),
            float(any(one in question.words for one in ("name", "names"))),
        )

    def _find(self, name: str) -> tuple[float, tuple[int, ...]]:
        """The highest likeness of a stem to those of the question, and the places that have it."""
        if name not in self._best:
            scores = [likeness(name, said) for said in self._stems]
            best = max(scores, default=0.0)
            places = tuple(i for i, s in enumerate(scores) if s == best) if best else ()
            self._best[name] = (best, places)
        return self._best[name]

    def table(self, stems: tuple[str, ...]) -> tuple[float, float, int]:
        """The share of a table's stems that occur exactly, their mean likeness, their number."""
        scores = [self._find(one)[0] for one in stems]
        n = max(1, len(stems))
        return sum(s == 1.0 for s in scores) / n, sum(scores) / n, len(stems)

    def match(self, stems: tuple[str, ...], own: tuple[str, ...]) -> _Match:
        """How the stems of a column's name occur in the question.

        Args:
            stems: those of the whole name.
            own: those that the name of the table does not have.
        """
        found = [(one, *self._find(one)) for one in stems]
        n = max(1, len(stems))
        said = tuple(one for one, score, _ in found if score)
        places = sorted({i for _, score, at in found if score for i in at})
        # English puts the main noun last: use the place of the last word that occurs.
        last = next((at[0] for _, score, at in reversed(found) if score), -1)
        position = last / max(1, len(self._stems)) if places else -1.0
        own_scores = [self._find(one)[0] for one in own]
        return _Match(
            exact=sum(score == 1.0 for _, score, _ in found) / n,
            fuzzy=sum(score for _, score, _ in found) / n,
            own=sum(own_scores) / len(own) if own else 1.0,
            explained=len(said) / self._content,
            stems=said,
            position=position,
            times=max((len(at) for _, score, at in found if score), default=0),
            around=self._around(places, last),
            span=float(places[-1] - places[0]) if places else -1.0,
        )

    def _around(self, places: list[int], last: int) -> tuple[float, float, float]:
        if not places:
            return (-2.0, -2.0, -2.0)
        before = last - 1
        while before >= 0 and (self._words[before] in _ARTICLES or before in places):
            before -= 1
        first = self._words[before] if before >= 0 else "^"
        second = self._words[before - 1] if before >= 1 else "^"
        after = self._words[last + 1] if last + 1 < len(self._words) else "$"
        return (_place(first, _BEFORE), _place(second, _BEFORE), _place(after, _AFTER))


def _place(word: str, known: tuple[str, ...]) -> float:
    return float(known.index(word)) if word in known else -1.0


_AT = {name: COLUMN_FEATURES.index(name) for name in COLUMN_FEATURES}

TABLE_FEATURES = (
    *("named", "named_about", "name_words", "name_rank", "columns", "tables", "refers", "referred"),
    *("best", "full", "only_here_full", "best_unshared", "rank", "values", "own", "explained"),
    *("is_bridge", "only_keys", "length", "named_tables", "near_named"),
)


@dataclass(frozen=True, slots=True)
class TableLink:
    """A table with its values of :data:`TABLE_FEATURES`."""

    name: str
    features: tuple[float, ...]


@lru_cache(maxsize=32)
def _references(schema: Schema) -> dict[str, frozenset[str]]:
    return {
        table.name.lower(): frozenset(key.target_table.lower() for key in table.foreign_keys)
        for table in schema.tables
    }


def table_links(
    question: QuestionWords, schema: Schema, links: list[ColumnLink]
) -> list[TableLink]:
    """The features of every table of a schema for a question.

    Args:
        links: those of its columns.
    """
    refers = _references(schema)
    columns: dict[str, list[ColumnLink]] = {table.name.lower(): [] for table in schema.tables}
    for link in links:
        columns[link.table].append(link)
    home: dict[str, int] = {}
    for link in links:
        short = link.name.partition(".")[2]
        home[short] = home.get(short, 0) + 1
    named = {name: _of(own[0], "table_exact") for name, own in columns.items() if own}
    full_named = {name for name, score in named.items() if score == 1.0}
    out = []
    for table in schema.tables:
        name = table.name.lower()
        own = columns[name]
        plain = [one for one in own if not _of(one, "is_foreign") and not _of(one, "says_id")]
        unshared = [one for one in plain if home[one.name.partition(".")[2]] == 1]
        linked = refers[name] | {other for other, to in refers.items() if name in to}
        first = own[0] if own else None
        out.append(
            TableLink(
                name,
                (
                    *(_of(first, "table_exact"), _of(first, "table_fuzzy")),
                    *(_of(first, "table_words"), _of(first, "table_rank")),
                    *(float(len(own)), float(len(schema.tables)), float(len(refers[name]))),
                    float(sum(name in to for to in refers.values())),
                    max((_of(one, "fuzzy") for one in plain), default=0.0),
                    float(sum(_of(one, "fuzzy") >= 0.99 for one in plain)),
                    float(sum(_of(one, "fuzzy") >= 0.99 for one in unshared)),
                    max((_of(one, "fuzzy") for one in unshared), default=0.0),
                    min((_of(one, "rank") for one in plain), default=99.0),
                    float(sum(_of(one, "value") > 0 for one in own)),
                    max((_of(one, "own_exact") for one in plain), default=0.0),
                    max((_of(one, "explained") for one in plain), default=0.0),
                    float(len(linked & full_named) >= 2),
                    float(not plain),
                    float(len(question.words)),
                    float(len(full_named)),
                    float(len(linked & full_named)),
                ),
            )
        )
    assert not out or len(out[0].features) == len(TABLE_FEATURES)
    return out


def _of(link: ColumnLink | None, feature: str) -> float:
    return link.features[_AT[feature]] if link is not None else -1.0
