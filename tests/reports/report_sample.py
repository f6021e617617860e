"""A made-up run of two judges over nine cases, and what agree would say of them."""

from __future__ import annotations

from dataclasses import replace

from sqljury.case import MISSING, Case, Json
from sqljury.uses.agree.agreement import Agreement, agree
from sqljury.uses.evaluate.summary import Summary, summarise
from sqljury.verdict import Cost, Outcome, Record, Scored, Verdict

STRICT, SPIDER = "execution:strict", "execution:spider"
SIGNATURES = {
    judge: f"{judge}|db:sqlite3.45.1|n:{{n}}|order:reference|tol:0|sqljury:0.1.0|data:9f3c22ab"
    for judge in (STRICT, SPIDER)
}

LIGHTHOUSES = Case(
    id="3",
    benchmark="harbour",
    db_id="coast",
    question="Which lighthouses are taller than 40 metres, tallest first?",
    hint="height is in metres",
    difficulty="medium",
    label=False,
    predicted_sql="select name, height from lighthouse where height >= 40 order by height desc",
    reference_sqls=(
        "SELECT name, height FROM lighthouse WHERE height > 40 ORDER BY height DESC",
        "SELECT l.name, l.height FROM lighthouse l WHERE 40 < l.height ORDER BY 2 DESC",
    ),
)
"""One case with everything: two references, rows that differ."""

LIGHTHOUSES_EVIDENCE: dict[str, Json] = {
    "explanation": {
        "kinds": ["row_count", "values"],
        "findings": [
            {"kind": "row_count", "text": "The reference has 3 rows, the prediction 4."},
            {
                "kind": "null",
                "text": "Row 2, column 2 (height): reference 52, prediction NULL.",
            },
        ],
        "reference_rows": 3,
        "candidate_rows": 4,
        "column_mapping": [0, 1],
        "missing": {"total": 1, "rows": [{"row": 1, "cells": ["Old Head", 52]}]},
        "extra": {
            "total": 2,
            "rows": [
                {"row": 1, "cells": ["Old Head", None]},
                {"row": 3, "cells": ["Skerry", 40]},
            ],
        },
        "cells": [
            {
                "reference_row": 1,
                "candidate_row": 1,
                "reference_column": 1,
                "candidate_column": 1,
                "column": "height",
                "kind": "null",
                "reference": 52,
                "candidate": None,
            }
        ],
    },
    "reference": {
        "sql": LIGHTHOUSES.reference_sqls[0],
        "columns": ["name", "height"],
        "rows": [["North Point", 61.5], ["Old Head", 52], ["007", 41]],
        "row_count": 3,
        "marks": [1],
    },
    "prediction": {
        "sql": str(LIGHTHOUSES.predicted_sql),
        "columns": ["name", "height"],
        "rows": [["North Point", 61.5], ["Old Head", None], ["007", 41], ["Skerry", 40]],
        "row_count": 4,
        "marks": [1, 3],
    },
}


def case(number: int, **fields: Json) -> Case:
    """A plain case that is right."""
    plain = Case(
        id=str(number),
        benchmark="harbour",
        db_id="coast" if number % 2 else "fleet",
        question=f"How many boats of type {number} are there?",
        difficulty="easy",
        label=True,
        predicted_sql=f"SELECT count(*) FROM boat WHERE type = {number}",
        reference_sqls=(f"SELECT COUNT(*) FROM boat WHERE type = {number}",),
    )
    return replace(plain, **fields)


def record(about: Case, judge: str, verdict: Verdict, *features: str) -> Record:
    """A record whose cost differs from call to call, as in life."""
    global _calls
    _calls += 1
    costly = replace(verdict, cost=Cost(seconds=_calls / 7))
    return Record(case=about, judge=judge, verdict=costly, features=features or ("aggregate",))


_calls = 0


def records() -> list[Record]:
    """Nine cases, each seen by both judges."""
    same = Verdict.correct("same rows")
    mismatch = Verdict.incorrect(
        "The reference has 3 rows, the prediction 4.",
        labels=("limit_cuts_tie",),
        evidence=LIGHTHOUSES_EVIDENCE,
    )
    found = [[record(case(n), judge, same) for judge in (STRICT, SPIDER)] for n in (1, 2, 4, 5)]
    found.insert(2, [record(LIGHTHOUSES, j, mismatch, "order") for j in (STRICT, SPIDER)])
    spoilt = [
        (case(6, predicted_sql=None, label=False), Outcome.ABSTAINED, "the system abstained"),
        (
            case(7, predicted_sql="SELEC 1", label=False, difficulty="medium"),
            Outcome.PREDICTION_ERROR,
            'near "SELEC": syntax error',
        ),
        (
            case(8, predicted_sql=MISSING, label=None),
            Outcome.PREDICTION_MISSING,
            "no prediction for this reference",
        ),
        (case(9, db_id="lost"), Outcome.DATABASE_MISSING, "no database 'lost'"),
    ]
    for about, outcome, reason in spoilt:
        score = None if outcome.left_out or outcome is Outcome.ABSTAINED else 0.0
        verdict = Verdict(outcome=outcome, score=score, reason=reason)
        found.append([record(about, judge, verdict) for judge in (STRICT, SPIDER)])
    # The judges part over cases 5 and 7: an outcome of one need not occur with the other.
    found[6][1] = record(
        found[6][1].case, SPIDER, Verdict(outcome=Outcome.UNKNOWN, reason="cannot say")
    )
    found[4][0] = record(
        case(5),
        STRICT,
        Verdict.incorrect(
            "The same rows stand in another order.",
            evidence={"seconds": [0.1, 0.25], "note": "other evidence"},
        ),
    )
    return [one for group in found for one in group]


def summary() -> Summary:
    """What evaluate makes of the records."""
    return summarise(records(), SIGNATURES, "runs/harbour-1")


def agreement() -> Agreement:
    """What agree makes of two judges on two benchmarks."""
    rows: dict[str, list[Scored]] = {}
    for shift, judge in enumerate((STRICT, SPIDER)):
        rows[judge] = [
            Scored(
                id=str(i),
                benchmark="harbour" if i < 12 else "orchard",
                score=None if i == 5 else float((i + shift) % 3 > 0),
                label=i % 4 > 0,
                outcome=None,
                slices={"difficulty": "easy" if i % 2 else "hard"},
            )
            for i in range(20)
        ]
    return agree(rows, bootstrap=50)
