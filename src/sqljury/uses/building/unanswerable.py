"""As many questions of each kind as are wanted, spread over databases, templates and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sqljury.schema import Schema
from sqljury.uses.building.chance import place
from sqljury.uses.building.columns import related, surface, unrelated
from sqljury.uses.building.kinds import (
    NON_SQL,
    OUT_OF_DOMAIN,
    RELATED,
    SURFACE,
    UNRELATED,
    bundled_questions,
    non_sql,
    out_of_domain,
)
from sqljury.uses.building.kinds import Unanswerable as Question

_Generate = Callable[[str, Mapping[str, Schema], int], Iterator[Question]]
_FROM_SCHEMA: Mapping[str, _Generate] = {
    SURFACE: surface,
    RELATED: related,
    UNRELATED: unrelated,
    NON_SQL: non_sql,
}


def unanswerable_questions(
    wanted: Mapping[str, int],
    db_ids: Iterable[str],
    schemas: Mapping[str, Schema],
    *,
    seed: int = 0,
    taken: Iterable[str] = (),
    questions: Sequence[str] | None = None,
) -> list[Question]:
    """Questions that the databases cannot answer, in the order of ``wanted``.

    Args:
        wanted: how many of each kind; fewer come where the schemas do not give more.
        db_ids: the databases to ask about, all in ``schemas``.
        schemas: also those that columns are borrowed from.
        taken: questions that are asked already; compared by :func:`folded`.
        questions: the out-of-domain ones; those that come along by default.
    """
    used = set(map(folded, taken))
    listed = sorted(db_ids)
    out: list[Question] = []
    for kind, count in wanted.items():
        offered = {db_id: _offered(kind, db_id, schemas, seed, questions) for db_id in listed}
        out += _spread(offered, count, used, seed)
    return out


def folded(question: str) -> str:
    """A question as it is compared: case, white space and the final mark do not count.

    >>> folded("How many  dogs are there ?") == folded("how many dogs are there")
    True
    """
    return " ".join(question.casefold().split()).rstrip(" .?!")


def _offered(
    kind: str,
    db_id: str,
    schemas: Mapping[str, Schema],
    seed: int,
    questions: Sequence[str] | None,
) -> list[Question]:
    if kind == OUT_OF_DOMAIN:
        asked = bundled_questions() if questions is None else questions
        found = list(out_of_domain(db_id, schemas, asked))
    else:
        found = list(_FROM_SCHEMA[kind](db_id, schemas, seed))
    return sorted(found, key=lambda one: place(seed, kind, db_id, one.question))


def _spread(
    offered: Mapping[str, list[Question]], count: int, used: set[str], seed: int
) -> list[Question]:
    """One question of each database in turn, each time the one most unlike those before."""
    chosen: list[Question] = []
    seen: Counter[tuple[str, ...]] = Counter()
    turn = sorted(offered, key=lambda db_id: place(seed, db_id))
    while turn and len(chosen) < count:
        left = []
        for db_id in turn:
            open_ = [one for one in offered[db_id] if folded(one.question) not in used]
            if not open_ or len(chosen) == count:
                continue
            best = min(open_, key=lambda one: [seen[trait] for trait in _traits(one)])
            chosen.append(best)
            used.add(folded(best.question))
            seen.update(_traits(best))
            left.append(db_id)
        turn = left
    return chosen


def _traits(one: Question) -> list[tuple[str, ...]]:
    """What two questions should not share, the worst first."""
    return [
        ("column", one.db_id, one.column),
        ("table", one.db_id, one.table),
        ("template", one.template),
        ("phrase", one.column),
    ]
