"""Two queries and a schema: proved equal, told apart, or neither.

The steps go from cheap to dear and stop at the first certainty: canonical identity and a prover
are given from outside, generated databases are tried here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Literal

from sqljury.case import Json
from sqljury.evidence import Evidence
from sqljury.execution import Execution, ResultTable
from sqljury.judges.counterexample import Look, Search, Searcher, Side
from sqljury.judges.grading import graded
from sqljury.queries import (
    merged_profiles,
    over_rows,
    parse,
    remove_distinct,
    transpiled,
    value_profile,
)
from sqljury.schema import Schema
from sqljury.tables import Policy, render_cell

if TYPE_CHECKING:
    from sqljury.databases.generated import DataProfile, Material, Rows

Decision = Literal["proved", "refuted", "no_counterexample", "unknown"]
Prove = Callable[[], Sequence[str] | None]
"""The assumptions under which the queries are equal, or None where that is not known."""


@dataclass(frozen=True, slots=True)
class Server:
    """A database server on which a counterexample is run, too; nothing on it is read or written.

    Args:
        engine: its name.
        dialect: sqlglot's name of its SQL.
        execute: runs one statement there, read-only and limited.
    """

    engine: str
    dialect: str
    execute: Callable[[str], Execution]


@dataclass(frozen=True, slots=True)
class Witness:
    """A database that tells the queries apart.

    Args:
        sql: the script that makes it, in SQLite.
        left: the rows of the left query on it.
        right: the rows of the right query on it.
        engines: the engines that give different rows.
        doubt: what speaks against it: another engine gives the same rows, or a query was
            translated.
        denied: the engine that the queries were written for gives the same rows.
    """

    sql: str
    left: ResultTable
    right: ResultTable
    engines: tuple[str, ...] = ("sqlite",)
    doubt: str = ""
    denied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnswer:
    """What is known of two queries.

    Args:
        score: in [0, 1]; None for ``unknown``.
        assumptions: what a proof takes for granted.
        profile: the data profile of the witness.
        failure: ``left`` or ``right`` and how it fails, where one of them does not run.
    """

    verdict: Decision
    score: float | None = None
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    profile: str | None = None
    witness: Witness | None = None
    tried: dict[str, Json] = field(default_factory=dict)
    seconds: float = 0.0
    failure: tuple[str, Execution] | None = None

    def to_json(self) -> dict[str, Json]:
        """As ``sqljury compare --json`` prints it."""
        return {
            "verdict": self.verdict,
            "assumptions": list(self.assumptions),
            "profile": self.profile,
            "witness": None if self.witness is None else _witness_json(self.witness),
            "tried": {**self.tried, "score": self.score, "reason": self.reason},
            "seconds": round(self.seconds, 6),
        }


def _witness_json(witness: Witness) -> dict[str, Json]:
    return {
        "sql": witness.sql,
        "left": _rows_json(witness.left),
        "right": _rows_json(witness.right),
        "engines": list(witness.engines),
        "doubt": witness.doubt,
    }


def _rows_json(table: ResultTable) -> list[list[Json]]:
    plain = (int, float, str, type(None))
    return [
        [cell if isinstance(cell, plain) else render_cell(cell) for cell in row]
        for row in table.rows
    ]


def compare_pair(
    left: str,
    right: str,
    schema: Schema,
    evidence: Evidence,
    *,
    policy: Policy,
    profiles: Sequence[DataProfile],
    seed: int = 0,
    seconds: float = 5.0,
    identity: Prove | None = None,
    prove: Prove | None = None,
    second_opinion: bool = False,
    server: Server | None = None,
) -> PairAnswer:
    """Decide whether two queries give the same rows on every database of a schema.

    Args:
        left: the reference: its ORDER BY is the one that binds.
        policy: when two results are the same.
        profiles: the data on which a difference counts.
        seconds: stop generating databases when that much time is spent.
        identity: asked first.
        prove: asked where no database tells the queries apart.
        second_opinion: run a counterexample in DuckDB, too.
        server: run it there, too. If the queries are in the server's dialect and it gives the
            same rows, they are not refuted.
    """
    started = perf_counter()
    same = identity() if identity is not None else None
    if same is not None:
        answer = PairAnswer(
            verdict="proved", score=1.0, reason="the same canonical form", assumptions=tuple(same)
        )
    else:
        answer = _tried(
            _Pair(left, right, schema, evidence, policy, second_opinion, server),
            list(profiles),
            seed,
            seconds,
        )
        if prove is not None and _is_open(answer, schema):
            answer = _proved(answer, prove)
    return _timed(answer, perf_counter() - started)


def _is_open(answer: PairAnswer, schema: Schema) -> bool:
    """Whether a proof would be news; that SQLite cannot run what is not its own is no failure."""
    foreign = schema.dialect != "sqlite"
    unknown = answer.verdict == "unknown" and (answer.failure is None or foreign)
    return unknown or answer.verdict == "no_counterexample"


def _proved(answer: PairAnswer, prove: Prove) -> PairAnswer:
    assumptions = prove()
    if assumptions is None:
        return replace(answer, tried={**answer.tried, "proof": _without_proof()})
    return replace(
        answer,
        verdict="proved",
        score=1.0,
        reason="proved",
        assumptions=tuple(assumptions),
        failure=None,
    )


def _without_proof() -> str:
    from sqljury.queries.proof import is_available

    return "not found" if is_available() else "z3 is not installed"


def _timed(answer: PairAnswer, seconds: float) -> PairAnswer:
    return replace(answer, seconds=seconds)


# ---------------------------------------------------------------- generated databases


@dataclass(frozen=True, slots=True)
class _Pair:
    left: str
    right: str
    schema: Schema
    evidence: Evidence
    policy: Policy
    second_opinion: bool
    server: Server | None

    def side(self, sql: str) -> Side | str:
        """A query ready to be run in SQLite, or why it cannot be."""
        dialect = self.schema.dialect
        text = sql if dialect == "sqlite" else transpiled(sql, dialect, "sqlite")
        profile = value_profile(sql, self.schema, dialect)
        if text is None and parse(sql, dialect) is not None:
            return f"it cannot be translated from {dialect} to SQLite"
        if text is None or profile is None:
            return "it cannot be read"
        views = [name for name in profile.unread if _is_view(self.schema, name)]
        if views:
            return f"it reads the view {views[0]}, whose query is not known"
        return Side(remove_distinct(text) if self.policy.remove_distinct else text, profile)


def _is_view(schema: Schema, name: str) -> bool:
    table = schema.table(name)
    return table is not None and table.is_view


def _tried(pair: _Pair, profiles: list[DataProfile], seed: int, seconds: float) -> PairAnswer:
    from sqljury.databases.generated import Material

    left, right = pair.side(pair.left), pair.side(pair.right)
    if isinstance(left, str):
        return PairAnswer(verdict="unknown", reason=f"left: {left}")
    if isinstance(right, str):
        return PairAnswer(verdict="unknown", reason=f"right: {right}")
    material = Material(merged_profiles(left.profile, right.profile), pair.schema)
    searcher = Searcher(left, right, material, pair.evidence, pair.policy)
    try:
        search = _search(searcher, profiles, seed, seconds)
        return _answer(pair, searcher, search, profiles)
    finally:
        searcher.close()


def _search(searcher: Searcher, profiles: list[DataProfile], seed: int, seconds: float) -> Search:
    from sqljury.databases.generated import DataProfile, further_plans, plans_for

    # What does not count still says something of how close the queries are.
    order = [*profiles, *(kind for kind in DataProfile if kind not in profiles)]
    plans = plans_for(searcher.material, order, seed=seed)
    further = further_plans(searcher.material, profiles, seed=seed)
    return searcher.search(plans, profiles, further=further, seconds=seconds)


def _answer(
    pair: _Pair, searcher: Searcher, search: Search, profiles: list[DataProfile]
) -> PairAnswer:
    if search.failure is not None:
        side, run = search.failure
        reason = f"{side}: {run.message}"
        return PairAnswer(verdict="unknown", reason=reason, failure=search.failure)
    if not search.tried():
        return PairAnswer(
            verdict="unknown", reason="on no database could both be compared", tried=_tally(search)
        )
    score = graded(search, profiles)
    if search.refuted:
        return _refuted(pair, searcher, search, score)
    return PairAnswer(
        verdict="no_counterexample",
        score=score,
        reason=_without_counterexample(search),
        tried=_tally(search),
    )


def _without_counterexample(search: Search) -> str:
    informative = sum(1 for look in search.looks if look.equal and look.informative)
    text = f"the same rows on {len(search.tried())} databases, {informative} of them informative"
    if search.found is None:
        return text
    return f"{text}; not the same with data of the profile {search.found.plan.profile}"


def _tally(search: Search) -> dict[str, Json]:
    kinds = dict.fromkeys(look.plan.profile for look in search.looks)
    return {
        "databases": len(search.looks),
        "informative": sum(look.informative for look in search.looks),
        "undecided": sum(look.equal is None for look in search.looks),
        "profiles": {
            str(kind): {
                "databases": len(search.tried(kind)),
                "differ": sum(look.equal is False for look in search.tried(kind)),
            }
            for kind in kinds
        },
    }


# ---------------------------------------------------------------- the witness


def _refuted(pair: _Pair, searcher: Searcher, search: Search, score: float) -> PairAnswer:
    witness = _witness(pair, searcher, search)
    assert search.found is not None
    if witness is None:
        return PairAnswer(
            verdict="unknown",
            reason="a difference was seen, but not again when the database was made anew",
            tried=_tally(search),
        )
    if witness.denied:
        return PairAnswer(
            verdict="unknown",
            reason=f"other rows in SQLite, but {witness.doubt}",
            witness=witness,
            tried=_tally(search),
        )
    kind = search.found.plan.profile
    return PairAnswer(
        verdict="refuted",
        score=score,
        reason=f"other rows on a database of the profile {kind}{_extent(search.found)}",
        profile=str(kind),
        witness=witness,
        tried=_tally(search),
    )


def _extent(found: Look) -> str:
    if found.arbitrary:
        return "; which rows the right query gives is left to chance"
    words = {
        "types": "; the cells differ in their types only",
        "nothing": "; no row against a row of nothing",
        "rounding": "; the numbers differ little",
    }
    return words.get(found.slight, "")


def _witness(pair: _Pair, searcher: Searcher, search: Search) -> Witness | None:
    """The smallest database found, made anew: nothing is reported that was not seen twice."""
    from sqljury.databases.generated import minimise

    found, rows = search.found, search.rows
    assert found is not None and rows is not None

    def still(candidate: Rows) -> bool:
        look = searcher.look(found.plan, candidate)
        return isinstance(look, Look) and look.equal is False and look.slight == found.slight

    for candidate in (minimise(searcher.material, rows, still), rows):
        witness = _replayed(pair, searcher, searcher.material, candidate)
        if witness is not None:
            return witness
    return None


def _replayed(pair: _Pair, searcher: Searcher, material: Material, rows: Rows) -> Witness | None:
    from sqljury.databases.generated import script

    for keys in (True, False):
        sql = script(material, rows, keys=keys)
        runs = searcher.scratch.replayed(sql, (searcher.left.sql, searcher.right.sql))
        left, right = (run.table for run in runs)
        if left is not None and right is not None and searcher.differ(left, right):
            engines, doubts, denied = _opinions(pair, searcher, rows)
            return Witness(sql, left, right, engines, "; ".join(doubts), denied)
    return None


def _opinions(
    pair: _Pair, searcher: Searcher, rows: Rows
) -> tuple[tuple[str, ...], list[str], bool]:
    """The engines that see a difference, what speaks against it, and whether that is enough."""
    engines, doubts, denied = ["sqlite"], list[str](), False
    confirmed = pair.schema.dialect == "sqlite"
    if pair.second_opinion:
        said = _in_duckdb(searcher, rows, pair)
        if said is True:
            engines.append("duckdb")
        elif said is False:
            doubts.append("DuckDB gives the same rows")
    if pair.server is not None:
        own = pair.server.dialect == pair.schema.dialect
        seen = _on_server(searcher, rows, pair, pair.server)
        if seen is True:
            engines.append(pair.server.engine)
            confirmed = confirmed or own
        elif seen is False:
            denied = own
            doubts.append(f"{pair.server.engine} gives the same rows")
        else:
            doubts.append(f"{pair.server.engine} could not be asked: {seen}")
    if not confirmed:
        doubts.insert(0, f"translated from {pair.schema.dialect} to SQLite")
    return tuple(engines), doubts, denied


def _on_server(searcher: Searcher, rows: Rows, pair: _Pair, server: Server) -> bool | str:
    """Whether the rows differ on a server, or why it does not say."""
    own = pair.schema.dialect == server.dialect
    found: list[ResultTable] = []
    for sql in (pair.left, pair.right):
        text = sql if own else transpiled(sql, pair.schema.dialect, server.dialect)
        if text is not None and pair.policy.remove_distinct:
            text = remove_distinct(text)
        written = (
            None
            if text is None
            else over_rows(text, server.dialect, searcher.material.tables, rows)
        )
        if written is None:
            return "a query cannot be written over rows"
        run = server.execute(written)
        if run.table is None:
            return run.message
        found.append(run.table)
    return searcher.differ(*found)


def _in_duckdb(searcher: Searcher, rows: Rows, pair: _Pair) -> bool | None:
    dialect = pair.schema.dialect
    queries = [transpiled(sql, dialect, "duckdb") for sql in (pair.left, pair.right)]
    texts = [sql for sql in queries if sql is not None]
    runs = searcher.scratch.in_duckdb(rows, texts) if len(texts) == len(queries) else None
    if runs is None:
        return None
    left, right = (run.table for run in runs)
    return None if left is None or right is None else searcher.differ(left, right)
