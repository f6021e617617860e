"""Words of which one may stand for another: a question that asks for one may mean the other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

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
