"""Names of tables and columns as people say them, where they can be said at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sqljury.sql.identifiers import IRREGULAR, singular, words


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
