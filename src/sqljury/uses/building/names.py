"""Names of tables and columns in words, and the entities and attributes of a schema."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sqljury.schema import Column, Schema, Table
from sqljury.sql.names import IRREGULAR, singular, words


def place(seed: int, *parts: str) -> bytes:
    """A sort key that puts things into an order that is random, but fixed by the seed."""
    text = "\0".join((str(seed), *parts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


_GROUPS = (
    "price cost amount fee charge fare rate payment value worth money dollar budget expense total",
    "salary income pay wage earning compensation bonus commission",
    "city town location place address area region country state county district province nation "
    "hometown village origin site street neighbourhood position venue home headquarter "
    "headquarters local zip postcode continent nationality citizenship birthplace",
    "sex gender male female",
    "name title label surname nickname forename",
    "date day year month founded opening opened started start begin established release released "
    "season joined made built since until ended end",
    "age birth birthday birthdate born year founded built open opened opening established made "
    "launch",
    "time hour minute second duration period length date",
    "type kind category class genre style sort group form format model",
    "description detail note comment remark text content summary information",
    "phone telephone mobile contact email fax",
    "size height width length area dimension capacity volume depth altitude elevation",
    "weight mass heaviness gram kilogram pound",
    "rank ranking position place order rating score grade point level mark star stars result "
    "gpa credit percentage",
    "count number quantity amount total attendance population member enrollment enrolment "
    "passenger visitor audience",
    "status state condition stage result outcome",
    "company organisation organization firm employer manufacturer maker brand producer vendor "
    "supplier owner publisher",
    "language tongue",
    "role position job title duty occupation profession function",
    "color colour paint",
    "director writer author artist composer singer creator",
    "speed velocity horsepower power acceleration",
    "distance mile kilometre kilometer range",
    "team club",
)  # fmt: skip


@cache
def _close() -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for group in _GROUPS:
        members = group.split()
        for word in members:
            out.setdefault(word, set()).update(members)
    return {word: frozenset(others) for word, others in out.items()}


def near_words(found: Iterable[str]) -> frozenset[str]:
    """The words and all words of similar meaning.

    >>> "wage" in near_words(["salary"]), "colour" in near_words(["salary"])
    (True, False)
    """
    close = _close()
    return frozenset(near for word in found for near in close.get(word, frozenset((word,))))


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


_PLURALS = {one: many for many, one in IRREGULAR.items()}
_SHORT = word_set("of to in on by at age day sex job tax fee bus car dog cat pet map art zip")
_VOWELS = re.compile("[aeiouy]")
_UNSAID = re.compile(
    "^(?!chr|phr|sch|scr|shr|spl|spr|str|thr)[bcdfghjklmnpqrstvwxz]{3}|"
    "[bcdfghjklmnpqrstvwxz]{2}(?<!ng)(?<!nc)(?<!rc)(?<!tc)(?<!mp)(?<!ig)[bcdfghjklmnpqrstvwxz]"
    "(?<!ght)(?<!gth)(?<!lth)(?<!nth)(?<!rth)(?<!rst)(?<!rld)(?<!tch)(?<!nch)(?<!rch)(?<!wth)(?<!dth)$|"
    ".(?<!candi)(?<!up)(?<!birth)(?<!man)date$|.(?<!nick)(?<!sur)(?<!fore)(?<!user)name$|"
    ".(?<!post)(?<!bar)code$|.(?<!proto)type$|date(time|stamp)|[^aeiou]num$|.(?<!pa)(?<!gr)(?<!liqu)(?<!hybr)(?<!sol)id$"
)
"""Beginnings and endings that no English word has, but many joined or abbreviated ones."""


def sayable(parts: Sequence[str]) -> bool:
    """True if all parts look like English words, not like abbreviations.

    >>> sayable(("ticket", "price")), sayable(("stu", "id")), sayable(("fname",))
    (True, False, False)
    """
    if not 1 <= len(parts) <= 4:
        return False
    return all(
        word.isalpha()
        and word not in _CLIPPED
        and (word in _SHORT or (len(word) > 3 and _VOWELS.search(word) is not None))
        and not _UNSAID.search(word)
        for word in parts
    )


_CLIPPED = word_set(
    "fname lname pname dname mname ename sname attr desc info addr numb amnt dept prof stat "
    "stats pers tele mobil cell temp misc avgs dist coord elev popul abbr abrv uuid guid uniq "
    "refs spec qual cred crse enrol reqd appt apmt admin auth config param"
)


def spoken(parts: Sequence[str]) -> str:
    """The words joined by spaces."""
    return " ".join(parts)


def plural(word: str) -> str:
    """A noun's plural.

    >>> [plural(word) for word in ("city", "class", "person", "day", "match")]
    ['cities', 'classes', 'people', 'days', 'matches']
    """
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in ("a", "e", "o", "u", ""):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "sh", "ch", "x", "z")) else f"{word}s"


def with_article(phrase: str) -> str:
    """A phrase with ``a`` or ``an`` before it.

    >>> with_article("owner"), with_article("university"), with_article("dog")
    ('an owner', 'a university', 'a dog')
    """
    sounded = phrase[:1] in "aeio" or (
        phrase[:1] == "u" and phrase[:3] not in ("uni", "use", "usu")
    )
    return f"{'an' if sounded else 'a'} {phrase}"


def stems(texts: Iterable[str]) -> frozenset[str]:
    """The words of some identifiers in the singular, to find shared words."""
    return frozenset(singular(word) for text in texts for word in words(text))


# ------------------------------------------------------------
# Entities: the tables of a schema whose rows are things of one kind, and how tables are linked.


TEXT, NUMBER, DATE = "text", "number", "date"
# Tables with these names have details of something else, or nothing that one can count.
_NO_THINGS = word_set(
    "attribute detail data information history record list type code status log setting result "
    "link map mapping reference relation relationship membership stock equipment feature note "
    "content contents line item total summary sequence staffing residence ownership friend like "
    "highschooler inventory mailshot geography genre language allergy characteristic advisor "
    "furniture software music luggage weather enroll enrol "
    "ranking rating participation participant assignment hiring "
    "enrolment enrollment registration"
)
_JOINING = word_set("in of by with to on at for from has have is lives plays and via ref")
_MEMBERS = word_set("staff crew personnel faculty")
# Columns with these names are too general to ask for, or no question can use them as a noun.
_NO_ATTRIBUTES = word_set(
    "id key code number no name title description detail type date index position rank value "
    "note text comment remark information category kind status state result other active total "
    "average highest lowest minimum maximum first last current best worst new old middle main "
    "official primary local abbreviation version flag order level count amount quantity record "
    "identifier uid image picture photo url link file path content time year day month"
)
_BY_THEMSELVES = word_set(
    "open free perennial male female full final common married double single accelerate "
    "undergraduate graduate sown born held lost built sold drawn given "
    "taken written known paid sent"
)
_EXTREME = word_set("average lowest highest minimum maximum total gross max min avg best worst")
_IDENTIFYING = word_set("id key code no number identifier uid ids")
_HANGING = word_set("of to in on by at for from with until since per and or as is has was")
_NUMERIC = ("INT", "REAL", "FLOA", "DOUB", "NUM", "DEC", "MONEY", "SERIAL")
_TIMES = ("DATE", "TIME", "YEAR")


@dataclass(frozen=True, slots=True)
class Entity:
    """A table whose rows are things of one kind, with their name in singular and plural."""

    table: Table
    one: str
    many: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column that a question can ask for."""

    table: str
    column: str
    phrase: str
    kind: str
    """``text``, ``number`` or ``date``."""

    @property
    def words(self) -> frozenset[str]:
        """The words of the phrase in the singular."""
        return stems((self.phrase,))


@lru_cache(maxsize=512)
def entities(schema: Schema) -> tuple[Entity, ...]:
    """The entities of a schema, in its order."""
    return tuple(entity for table in schema.tables for entity in _entity(table))


def _entity(table: Table) -> Iterator[Entity]:
    parts = words(table.name)
    if not sayable(parts) or table.is_view or _JOINING & set(parts) or len(parts) > 2:
        return
    head = singular(parts[-1])
    if head in _NO_THINGS or len(table.primary_key) > 1 or not list(attributes(table)):
        return
    before = spoken(parts[:-1]) + " " if parts[:-1] else ""
    if head in _MEMBERS:
        yield Entity(table, f"{before}{head} member", f"{before}{head} members")
    else:
        yield Entity(table, before + head, before + plural(head))


def attributes(table: Table) -> Iterator[Attribute]:
    """The columns that a question can ask for: nouns that are no keys and no abbreviations."""
    keys = {name.casefold() for name in table.primary_key}
    keys |= {name.casefold() for key in table.foreign_keys for name in key.columns}
    for column in table.columns:
        parts = words(column.name)
        if column.name.casefold() not in keys and _is_noun(parts):
            yield Attribute(table.name, column.name, spoken(parts), kind_of(column))


def _is_noun(parts: tuple[str, ...]) -> bool:
    if not sayable(parts) or len(parts) > 3:
        return False
    last = parts[-1]
    return (
        not _IDENTIFYING & set(parts)
        and parts[0] not in _HANGING
        and parts[0] not in _EXTREME
        and last not in _HANGING
        and not last.endswith("ed")
        and not (len(parts) == 1 and (last in _BY_THEMSELVES or last.endswith(("ly", "ing"))))
        and (singular(last) == last)
    )


def is_telling(attribute: Attribute) -> bool:
    """True if the attribute is specific, unlike ``name`` or ``type``."""
    return bool(attribute.words - _NO_ATTRIBUTES) and attribute.words.isdisjoint(_VAGUE)


_VAGUE = word_set("name title description detail comment remark note text other")


def kind_of(column: Column) -> str:
    """``text``, ``number`` or ``date``, by the column's name and declared type."""
    declared, last = column.type.upper(), words(column.name)[-1:]
    if declared.startswith(_TIMES) or last in (("date",), ("year",), ("time",)):
        return DATE
    return NUMBER if any(part in declared for part in _NUMERIC) else TEXT


@lru_cache(maxsize=512)
def vocabulary(schema: Schema) -> frozenset[str]:
    """The words of all names of a schema in the singular."""
    names = [table.name for table in schema.tables]
    return stems([*names, *(c.name for table in schema.tables for c in table.columns)])


_IDS = word_set("id key code no number")


@lru_cache(maxsize=512)
def links(schema: Schema) -> dict[str, frozenset[str]]:
    """By table, the tables to which it refers: by foreign keys, or by names of columns."""
    return {
        table.name: frozenset(
            other.name
            for other in schema.tables
            if other is not table and (_declared(table, other) or _by_name(table, other))
        )
        for table in schema.tables
    }


def _declared(table: Table, other: Table) -> bool:
    wanted = other.name.casefold()
    return any(key.target_table.casefold() == wanted for key in table.foreign_keys)


def _by_name(table: Table, other: Table) -> bool:
    """True if a column, other than its own key, has the name of the other table or of its id."""
    own = {name.casefold() for name in table.primary_key} if len(table.primary_key) == 1 else set()
    mine = {column.name.casefold() for column in table.columns} - own
    ids = {column.name.casefold() for column in other.columns if _is_id(column.name)}
    keys = {name.casefold() for name in other.primary_key if name.casefold() != "id"}
    return bool((ids | keys | {other.name.casefold()}) & mine)


def _is_id(name: str) -> bool:
    parts = words(name)
    joined = name.casefold()
    return joined not in _IDS and (
        parts[-1:] != () and (parts[-1] in _IDS or joined.endswith("id"))
    )


def above(schema: Schema, table: Table) -> frozenset[str]:
    """The table and all tables to which its rows belong, as concerts belong to a stadium."""
    return frozenset(_closure({table.name}, links(schema)))


def below(schema: Schema, table: Table) -> frozenset[str]:
    """All tables that belong to a table's rows, and the other tables to which those belong.

    A question for a country's horsepower may mean that of its cars, three tables below; an
    employee's shop may be found by a table of hirings.
    """
    leads = links(schema)
    led = {name: frozenset(child for child, to in leads.items() if name in to) for name in leads}
    children = _closure({table.name}, led)
    return frozenset(_closure(children, leads)) - above(schema, table)


def _closure(start: set[str], steps: Mapping[str, frozenset[str]]) -> set[str]:
    found, waiting = set(start), list(start)
    while waiting:
        new = steps[waiting.pop()] - found
        found |= new
        waiting += new
    return found
