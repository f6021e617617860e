"""Names of tables and columns as people say them, and words that may stand for each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from sqljury.sql.names import IRREGULAR, singular, words

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
    """The words themselves and all that may stand for them.

    >>> "wage" in near_words(["salary"]), "colour" in near_words(["salary"])
    (True, False)
    """
    close = _close()
    return frozenset(near for word in found for near in close.get(word, frozenset((word,))))


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
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
"""No English word begins or ends so, but many joined and cut ones do."""


def sayable(parts: Sequence[str]) -> bool:
    """Whether these are words, not abbreviations: no digits, vowels, three letters or more.

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
    """Words as a phrase."""
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
    """The singular words of some identifiers, to look for words that are shared."""
    return frozenset(singular(word) for text in texts for word in words(text))
