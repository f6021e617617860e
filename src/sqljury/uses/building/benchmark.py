"""A benchmark of questions that can and that cannot be answered, out of questions and schemas.

Source: TrustSQL (Lee et al. 2024), section 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqljury.case import MISSING, Case, Json
from sqljury.schema import Schema
from sqljury.uses.building.card import Card, card_of, statistics_of
from sqljury.uses.building.chance import place
from sqljury.uses.building.cleaning import (
    CORRECTED,
    Corrections,
    LeftOut,
    Run,
    Usable,
    clean,
)
from sqljury.uses.building.flags import flags_of
from sqljury.uses.building.kinds import KINDS, Unanswerable
from sqljury.uses.building.splitting import BY_QUESTION, SPLITS, TEST
from sqljury.uses.building.unanswerable import folded, unanswerable_questions

GIVEN = "given"
"""The type of questions that came as unanswerable and do not say of which type they are."""


@dataclass(frozen=True, slots=True)
class Built:
    """The cases of each split, those that were left out, and the card."""

    splits: Mapping[str, tuple[Case, ...]]
    left_out: tuple[Case, ...]
    card: Card


def build_trust(
    cases: Iterable[Case],
    schemas: Mapping[str, Schema],
    run: Run,
    *,
    name: str,
    sources: Sequence[str] = (),
    seed: int = 0,
    kinds: Sequence[str] = KINDS,
    questions: Sequence[str] | None = None,
    reviewed: Sequence[Unanswerable] = (),
    corrections: Corrections | None = None,
    splitting: str = BY_QUESTION,
    training: Iterable[Case] = (),
) -> Built:
    """Clean, split, and add as many unanswerable questions as test has answerable ones.

    Args:
        cases: questions with their reference SQL; predictions are not carried over.
        schemas: of the databases, and of any others that columns may be borrowed from.
        run: runs a reference, to find those without a result.
        name: the benchmark's name.
        sources: what it was built from, for the card.
        kinds: of unanswerable questions, in equal shares.
        questions: out-of-domain ones; those that come along by default.
        reviewed: unanswerable questions that a person accepted; rules make only what they leave.
        corrections: corrects what would be left out.
        splitting: how questions are split, one of :data:`SPLITS`.
        training: questions of the training split that is kept as it is; they are cleaned, too.
    """
    ids: set[str] = set()
    listed = list(_with_own_ids(cases, ids))
    cleaned = clean(listed, schemas, run, corrections)
    splits = SPLITS[splitting](cleaned.usable, seed)
    # SQL on databases that training does not have is unseen, whatever training is kept.
    seen = frozenset(one.structure for one in splits.train)
    given_training = clean(_with_own_ids(training, ids), schemas, run, corrections)
    splits = replace(splits, train=(*splits.train, *given_training.usable))
    wanted = max(0, len(splits.test) - len(cleaned.unanswerable))
    asked = [case.question or "" for case in listed]
    shares = {
        kind: wanted // len(kinds) + (i < wanted % len(kinds)) for i, kind in enumerate(kinds)
    }
    taken = _reviewed(reviewed, shares, asked, seed)
    found = Counter(one.kind for one in taken)
    made = unanswerable_questions(
        {kind: count - found[kind] for kind, count in shares.items()},
        sorted({case.db_id for case in listed} & set(schemas)),
        schemas,
        seed=seed,
        taken=[*asked, *(one.question for one in taken)],
        questions=questions,
    )
    made = sorted([*taken, *made], key=lambda one: kinds.index(one.kind))
    parts = {
        part: tuple(_answerable(one, name, seen, schemas.get(one.case.db_id)) for one in found)
        for part, found in splits.by_name.items()
    }
    given = [_given(case, name) for case in cleaned.unanswerable]
    new = list(_unanswerable(made, name, {case.id for case in listed}))
    parts[TEST] += (*given, *new)
    card = card_of(
        cleaned,
        splits,
        [str(case.extra["type"]) for case in (*given, *new)],
        name=name,
        seed=seed,
        sources=sources,
        wanted=wanted,
        n_reviewed=len(taken),
        order=kinds,
        seen=seen,
        splitting=splitting,
        flagged=Counter(
            str(flag) for found in parts.values() for one in found for flag in _flags(one)
        ),
        read=statistics_of(
            listed, [schemas[db_id] for db_id in sorted({c.db_id for c in listed} & set(schemas))]
        ),
    )
    left_out = (*cleaned.left_out, *given_training.left_out, *splits.left_out)
    return Built(parts, tuple(_left_out(one, name) for one in left_out), card)


def _reviewed(
    reviewed: Sequence[Unanswerable], shares: Mapping[str, int], asked: Sequence[str], seed: int
) -> list[Unanswerable]:
    """As many of the accepted questions as there is room for, none of them twice."""
    left = dict(shares)
    used = set(map(folded, asked))
    out = []
    for one in sorted(reviewed, key=lambda one: place(seed, one.db_id, one.question)):
        if left.get(one.kind, 0) and folded(one.question) not in used:
            left[one.kind] -= 1
            used.add(folded(one.question))
            out.append(one)
    return out


def _with_own_ids(cases: Iterable[Case], ids: set[str]) -> Iterator[Case]:
    """Each question once, whoever answered it, under an id that no other has; ``ids`` grows."""
    known: set[tuple[str, str]] = set()
    for case in cases:
        if (case.benchmark, case.id) in known:
            continue
        known.add((case.benchmark, case.id))
        own = case.id if case.id not in ids else f"{case.benchmark}/{case.id}"
        while own in ids:
            own += "'"
        ids.add(own)
        yield replace(case, id=own, predicted_sql=MISSING, pool=(), source="", label=None)


def _answerable(one: Usable, name: str, seen: frozenset[str], schema: Schema | None) -> Case:
    extra: dict[str, Json] = {"structure": "seen" if one.structure in seen else "unseen"}
    extra |= {name: one.case.extra[name] for name in CORRECTED if name in one.case.extra}
    flags = flags_of(one.case, schema)
    extra |= {"flags": list(flags)} if flags else {}
    return replace(one.case, benchmark=name, answerable=True, extra=extra)


def _flags(case: Case) -> Sequence[Json]:
    found = case.extra.get("flags")
    return found if isinstance(found, list) else ()


def _given(case: Case, name: str) -> Case:
    kind = case.extra.get("type") or case.extra.get("unanswerable_type") or GIVEN
    return replace(case, benchmark=name, reference_sqls=(), extra={"type": str(kind)})


def _unanswerable(made: Sequence[Unanswerable], name: str, taken: set[str]) -> Iterator[Case]:
    numbers: dict[str, int] = {}
    for one in made:
        own = ""
        while not own or own in taken:
            numbers[one.kind] = numbers.get(one.kind, 0) + 1
            own = f"{one.kind}-{numbers[one.kind]}"
        facts = {
            "table": one.table,
            "column": one.column,
            "borrowed_from": one.borrowed_from,
            "template": one.template,
            "written_by": one.written_by,
        }
        extra = {"type": one.kind, **{key: value for key, value in facts.items() if value}}
        yield Case(
            id=own,
            benchmark=name,
            db_id=one.db_id,
            question=one.question,
            answerable=False,
            extra=extra,
        )


def _left_out(one: LeftOut, name: str) -> Case:
    extra = {"left_out": one.reason} | ({"detail": one.detail} if one.detail else {})
    return replace(one.case, benchmark=name, extra=extra)
