"""Decides whether two queries give the same rows on every database of a schema.

The verdict is ``proved``, ``refuted``, ``no_counterexample`` or ``unknown``. The cheap steps come
first, and the first that is certain ends the search. The caller passes in the check of the
canonical forms and the prover; this file runs the queries on generated databases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Literal

from sqljury.case import Json
from sqljury.evidence import Evidence, Scratch
from sqljury.execution import Execution, ResultTable
from sqljury.judges.counterexample import (
    DataTrial,
    Search,
    Searcher,
    Server,
    ServerRows,
    Side,
    graded,
)
from sqljury.schema import Schema
from sqljury.sql import (
    alike_in_schema,
    merged_profiles,
    over_rows,
    parse,
    remove_distinct,
    same_in_translation,
    transpiled,
    value_profile,
    without_namespaces,
)
from sqljury.tables import MismatchKind, Policy, render_cell

if TYPE_CHECKING:
    from sqljury.databases.generated import DataProfile, Plan, Rows

Decision = Literal["proved", "refuted", "no_counterexample", "unknown"]
Prove = Callable[[], Sequence[str] | None]
"""Returns the assumptions under which the queries are equal, or None if no proof was found."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A database on which the two queries return different rows.

    Args:
        sql: the script that creates the database, in the dialect of the schema.
        left: the rows of the left query on it.
        right: the rows of the right query on it.
        engines: the engines in which the queries return different rows.
        doubt: why the difference may not be real: another engine returns equal rows, or a query
            was translated. Empty if there is no such reason.
        certain: True if the engine that the queries were written for returns different rows, or
            is known to work as the engine in which they were run.
        replayed: True if the queries were run in the engine that they were written for.
    """

    sql: str
    left: ResultTable
    right: ResultTable
    engines: tuple[str, ...] = ("sqlite",)
    doubt: str = ""
    certain: bool = True
    replayed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnswer:
    """Whether two queries are equivalent, and how that was found out.

    Args:
        score: in [0, 1]; None for ``unknown``.
        assumptions: what the proof assumes of the data.
        rules: the rewrite rules of a proof by canonical trees (`sqljury list rules`); filled in by
            ``compare_queries`` only.
        profile: the data profile of the witness.
        tried: how many databases were tried, by profile, and what they showed.
        failure: ``left`` or ``right`` with the failed run, if one of the queries does not run.
    """

    verdict: Decision
    score: float | None = None
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    profile: str | None = None
    witness: Witness | None = None
    tried: dict[str, Json] = field(default_factory=dict)
    seconds: float = 0.0
    failure: tuple[str, Execution] | None = None
    contradicted: tuple[str, ...] | None = None
    """The assumptions of a proof that a generated database contradicts: a bug in sqljury. None if
    nothing was proved, or no database contradicts the proof."""

    def to_json(self) -> dict[str, Json]:
        """The JSON object that ``sqljury compare --json`` prints."""
        return {
            "verdict": self.verdict,
            "assumptions": list(self.assumptions),
            "rules": list(self.rules),
            "profile": self.profile,
            "witness": None if self.witness is None else _witness_json(self.witness),
            "contradicted_proof": None if self.contradicted is None else list(self.contradicted),
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
        "replayed": witness.replayed,
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
        left: the reference: its ORDER BY decides whether the order of the rows counts.
        policy: when two results count as equal.
        profiles: the kinds of data on which a difference refutes the equivalence.
        seconds: stop generating databases after that much time.
        identity: called first; returns the assumptions if the canonical forms are equal.
        prove: called if no generated database shows a difference.
        second_opinion: run a counterexample in DuckDB as well.
        server: run a counterexample on this server as well. If the queries are in the server's
            dialect and it returns equal rows, they are not refuted.
    """
    started = perf_counter()
    same = identity() if identity is not None else None
    left, right = (without_namespaces(sql, schema, schema.dialect) for sql in (left, right))
    pair = _Pair(left, right, schema, evidence, policy, second_opinion, server)
    if same is not None:
        start = PairAnswer(verdict="unknown")
        answer = _proved(pair, start, same, "the same canonical form", profiles, seed, seconds)
        if answer.verdict == "unknown":
            searched = _tried(pair, list(profiles), seed, seconds)
            answer = replace(searched, contradicted=answer.contradicted)
    else:
        answer = _tried(pair, list(profiles), seed, seconds)
        is_unknown = answer.verdict == "unknown" and answer.failure is None
        if prove is not None and (is_unknown or answer.verdict == "no_counterexample"):
            assumptions = prove()
            if assumptions is None:
                from sqljury.equivalence.proof import is_available

                proof = "not found" if is_available() else "z3 is not installed"
                answer = replace(answer, tried={**answer.tried, "proof": proof})
            else:
                answer = _proved(pair, answer, assumptions, "proved", profiles, seed, seconds)
    return replace(answer, seconds=perf_counter() - started)


def _proved(
    pair: _Pair,
    answer: PairAnswer,
    assumptions: Sequence[str],
    reason: str,
    profiles: Sequence[DataProfile],
    seed: int,
    seconds: float,
) -> PairAnswer:
    """The answer ``proved``, unless a generated database contradicts the proof.

    A contradicted proof gives the refutation, if its data profile counts, else ``answer``.

    Args:
        answer: the answer without the proof.
        reason: the reason of the verdict ``proved``.
    """
    found = _contradiction(pair, frozenset(assumptions), seed, seconds)
    if found is not None:
        counts = set(str(found.profile).split("+")) <= set(map(str, profiles))
        return replace(found if counts else answer, contradicted=tuple(assumptions))
    return replace(
        answer,
        verdict="proved",
        score=1.0,
        reason=reason,
        assumptions=tuple(assumptions),
        failure=None,
    )


_Holds = Callable[["Rows"], bool]


def _contradiction(
    pair: _Pair, assumed: frozenset[str], seed: int, seconds: float
) -> PairAnswer | None:
    """A refutation on a database that meets the assumptions of a proof; None if none is found.

    Some twenty small databases are tried. If the queries run in another engine than the one they
    were written for, a difference counts only if the two engines are known to agree on them.
    """
    from sqljury.databases.generated import HOLDS_FOREIGN_KEYS, DataProfile, Traps, trap_plans

    dialect = pair.schema.dialect
    besides = {DataProfile.DUPLICATES}
    if "not null" not in assumed:
        besides.add(DataProfile.NULLS)
    if "foreign key" not in assumed and dialect not in HOLDS_FOREIGN_KEYS:
        besides.add(DataProfile.FOREIGN_KEYS_VIOLATED)
    traps = Traps("no overflow" not in assumed, dialect == "sqlite" and "types" not in assumed)
    filled = "not empty" in assumed
    every = list(trap_plans(frozenset(besides), traps, empty=not filled, seed=seed))

    def step(pair: _Pair, searcher: Searcher) -> PairAnswer | None:
        # Other engines get the rows inside the query, which takes a hundred times as long as
        # tables in SQLite: run on every third database only.
        plans = every if pair.scratch is not None else every[::3]

        def holds(rows: Rows) -> bool:
            if filled and not all(rows.values()):
                return False
            if "types" in assumed and _breaks_types(pair.schema, rows):
                return False
            return "no ties" not in assumed or searcher.is_certain(rows)

        return _contradicting(pair, searcher, plans, holds, seconds)

    found = _in_duckdb_instead(pair, step) if dialect == "duckdb" else None
    found = found or _over_rows(pair, step)
    return found if found is not None and found.verdict == "refuted" else None


def _breaks_types(schema: Schema, rows: Rows) -> bool:
    """True if a numeric column holds a text, or an integer column a fraction, as SQLite allows."""
    from sqljury.trees.nodes import Type
    from sqljury.trees.types import column_type

    for table in schema.tables:
        kinds = [column_type(column.type, schema.dialect) for column in table.columns]
        for row in rows.get(table.name, ()):
            for kind, value in zip(kinds, row, strict=False):
                if kind in (Type.INTEGER, Type.REAL, Type.DECIMAL) and isinstance(value, str):
                    return True
                if kind is Type.INTEGER and isinstance(value, float) and not value.is_integer():
                    return True
    return False


def _contradicting(
    pair: _Pair, searcher: Searcher, plans: Iterable[Plan], holds: _Holds, seconds: float
) -> PairAnswer | None:
    """The refutation on the first database that meets ``holds`` and certainly shows a difference.

    None if there is none among the plans, or the time is over.
    """
    from sqljury.databases.generated import DataProfile, broken_rules, make_rows

    search = Search(frozenset(DataProfile))
    started = searcher.clock()
    for plan in plans:
        rows = make_rows(searcher.material, plan)
        trial = searcher.try_on(plan, rows)
        if isinstance(trial, DataTrial) and trial.equal is False and holds(rows):
            search.found, search.rows = trial, rows
            witness = _witness(pair, searcher, search, holds)
            if witness is not None and witness.certain:
                broken = broken_rules(searcher.material, rows) | {plan.profile}
                return PairAnswer(
                    verdict="refuted",
                    score=0.0,
                    reason="a proof says equal, but the rows differ on this database",
                    profile="+".join(sorted(broken)),
                    witness=witness,
                )
        if searcher.clock() - started > seconds:
            break
    return None


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
    scratch: Scratch | None = None
    """The SQLite database in memory; None if the queries run on a server or in DuckDB."""

    @property
    def is_translated(self) -> bool:
        """True if the engine that runs the generated databases has another dialect than the
        queries."""
        return self._searching("sqlite", lambda server: server.dialect) != self.schema.dialect

    @property
    def engine(self) -> str:
        """The name of the engine that runs the generated databases."""
        return self._searching("SQLite", lambda server: server.engine)

    def _searching(self, in_memory: str, of_server: Callable[[Server], str]) -> str:
        if self.scratch is not None or self.server is None:
            return in_memory
        return of_server(self.server)

    def own_side(self, sql: str) -> Side | None:
        """A query in the server's dialect; None if it cannot be parsed or translated."""
        speaks = self.schema.dialect if self.server is None else self.server.dialect
        side = self.side(sql, speaks)
        return None if isinstance(side, str) else side

    def side(self, sql: str, speaks: str = "sqlite") -> Side | str:
        """A query in the dialect ``speaks`` with its value profile, or why there is none."""
        dialect = self.schema.dialect
        text = sql if dialect == speaks else transpiled(sql, dialect, speaks)
        profile = value_profile(sql, self.schema, dialect)
        if text is None and parse(sql, dialect) is not None:
            return f"it cannot be translated from {dialect} to SQLite"
        if text is None or profile is None:
            return "it cannot be read"
        if name := alike_in_schema(self.schema, profile.tables, dialect):
            return f"the name {name} is another's but for the case of its letters"
        views = [name for name in profile.unread if _is_view(self.schema, name)]
        if views:
            return f"it reads the view {views[0]}, whose query is not known"
        return Side(remove_distinct(text) if self.policy.remove_distinct else text, profile)


def _is_view(schema: Schema, name: str) -> bool:
    table = schema.table(name)
    return table is not None and table.is_view


_Step = Callable[[_Pair, Searcher], PairAnswer | None]
"""A search over generated databases; None if the engine cannot run the queries."""


def _tried(pair: _Pair, profiles: list[DataProfile], seed: int, seconds: float) -> PairAnswer:
    """The answer that generated databases give: never ``proved``."""

    def step(pair: _Pair, searcher: Searcher) -> PairAnswer | None:
        search = _search(searcher, profiles, seed, seconds)
        if pair.scratch is None and not search.tried():
            return None  # the server lacks a type or a function
        return _answer(pair, searcher, search, profiles)

    found = _over_rows(pair, step)
    assert found is not None, "SQLite says something of every query, or why not"
    return found


def _over_rows(pair: _Pair, step: _Step) -> PairAnswer | None:
    """The result of ``step`` in the first engine that can run both queries: the server, if it has
    their dialect, else SQLite, else DuckDB.

    If none can, the answer is ``unknown`` with the reason why SQLite cannot."""
    if pair.server is not None and pair.server.dialect == pair.schema.dialect:
        own = _on_server_rows(pair, step)
        if own is not None:
            return own
    left, right = pair.side(pair.left), pair.side(pair.right)
    if isinstance(left, str) or isinstance(right, str):
        return _in_duckdb_instead(pair, step) or PairAnswer(
            verdict="unknown",
            reason=f"left: {left}" if isinstance(left, str) else f"right: {right}",
        )
    from sqljury.databases.generated import Material

    material = Material(merged_profiles(left.profile, right.profile), pair.schema)
    scratch = pair.evidence.generated(material.tables)
    searcher = Searcher(left, right, material, scratch, pair.evidence, pair.policy)
    try:
        return step(replace(pair, scratch=scratch), searcher)
    finally:
        searcher.close()


def _on_server_rows(pair: _Pair, step: _Step) -> PairAnswer | None:
    """The result of ``step`` on the pair's server; None if the queries do not run there."""
    from sqljury.databases.generated import Material

    left, right = pair.own_side(pair.left), pair.own_side(pair.right)
    if left is None or right is None or pair.server is None:
        return None
    profile = merged_profiles(left.profile, right.profile)
    tables = [table for table in pair.schema.tables if table.name in set(profile.tables)]
    rows = ServerRows(pair.server, tables)
    if any(rows.rows(side.sql).table is None for side in (left, right)):
        return None
    material = Material(profile, pair.schema)
    searcher = Searcher(
        left, right, material, rows, pair.evidence, pair.policy, pair.server.dialect
    )
    return step(pair, searcher)


def _in_duckdb_instead(pair: _Pair, step: _Step) -> PairAnswer | None:
    """The result of ``step`` in DuckDB, for queries that cannot be translated to SQLite.

    None for queries in SQLite's dialect, or if DuckDB is missing or cannot run them."""
    if pair.schema.dialect == "sqlite":
        return None
    with closing(pair.evidence.generated(())) as scratch:
        execute = scratch.empty_duckdb()
        if execute is None:
            return None
        asking = replace(pair, server=Server("duckdb", "duckdb", execute))
        return _on_server_rows(asking, step)


def _search(searcher: Searcher, profiles: list[DataProfile], seed: int, seconds: float) -> Search:
    from sqljury.databases.generated import DataProfile, further_plans, plans_for

    # Profiles that cannot refute are tried as well: a difference there lowers the score.
    order = [*profiles, *(kind for kind in DataProfile if kind not in profiles)]
    plans = plans_for(searcher.material, order, seed=seed)
    further = further_plans(searcher.material, profiles, seed=seed)
    return searcher.search(plans, profiles, further=further, seconds=seconds)


def _answer(
    pair: _Pair, searcher: Searcher, search: Search, profiles: list[DataProfile]
) -> PairAnswer:
    if search.failure is not None:
        side, run = search.failure
        if pair.schema.dialect != "sqlite":
            # A failure in SQLite does not show that the original query fails in its own engine.
            reason = f"{side}: translated to SQLite it does not run: {run.message}"
            return PairAnswer(verdict="unknown", reason=reason)
        reason = f"{side}: {run.message}"
        return PairAnswer(verdict="unknown", reason=reason, failure=search.failure)
    if not search.tried():
        return PairAnswer(
            verdict="unknown", reason="on no database could both be compared", tried=_tally(search)
        )
    score = graded(search, profiles)
    if search.refuted:
        return _refuted(pair, searcher, search, score)
    dialect = pair.schema.dialect
    lost = same_in_translation(pair.left, pair.right, dialect) if pair.is_translated else ""
    if lost:
        reason = f"the same rows in {pair.engine}, which does not tell {lost} from its like"
        return PairAnswer(verdict="unknown", reason=reason, tried=_tally(search))
    informative = sum(1 for trial in search.trials if trial.equal and trial.informative)
    reason = f"the same rows on {len(search.tried())} databases, {informative} of them informative"
    if search.found is not None:
        profile = search.found.plan.profile
        reason = f"{reason}; not the same with data of the profile {profile}"
    return PairAnswer(
        verdict="no_counterexample",
        score=score,
        reason=reason,
        tried=_tally(search),
    )


def _tally(search: Search) -> dict[str, Json]:
    kinds = dict.fromkeys(trial.plan.profile for trial in search.trials)
    return {
        "databases": len(search.trials),
        "informative": sum(trial.informative for trial in search.trials),
        "undecided": sum(trial.equal is None for trial in search.trials),
        "profiles": {
            str(kind): {
                "databases": len(search.tried(kind)),
                "differ": sum(trial.equal is False for trial in search.tried(kind)),
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
    if not witness.certain:
        return PairAnswer(
            verdict="unknown",
            reason=f"other rows in {pair.engine}, but {witness.doubt}",
            witness=witness,
            tried=_tally(search),
        )
    kind = search.found.plan.profile
    return PairAnswer(
        verdict="refuted",
        score=score,
        reason=f"other rows on a database of the profile {kind}{_extent(search.found)}"
        + ("" if witness.replayed else f"; not replayed in {pair.schema.dialect}"),
        profile=str(kind),
        witness=witness,
        tried=_tally(search),
    )


def _extent(found: DataTrial) -> str:
    if found.arbitrary:
        return "; which rows the right query gives is left to chance"
    if found.kind is MismatchKind.ROW_ORDER:
        return "; only their order differs"
    words = {
        "types": "; the cells differ in their types only",
        "nothing": "; no row against a row of nothing",
        "rounding": "; the numbers differ little",
    }
    return words.get(found.slight, "")


def _witness(
    pair: _Pair, searcher: Searcher, search: Search, holds: _Holds = lambda _: True
) -> Witness | None:
    """A minimised database on which the queries differ, confirmed by a second run.

    If the minimised one does not show the difference again, the one first found is run again. None
    if neither shows it.

    Args:
        holds: a condition that the rows must still meet after minimising.
    """
    from sqljury.databases.generated import minimise

    found, rows = search.found, search.rows
    assert found is not None and rows is not None

    def still(candidate: Rows) -> bool:
        trial = searcher.try_on(found.plan, candidate)
        differs = (
            isinstance(trial, DataTrial) and trial.equal is False and trial.slight == found.slight
        )
        return differs and holds(candidate)

    for candidate in (minimise(searcher.material, rows, still), rows):
        witness = _replayed(pair, searcher, found.plan, candidate)
        if witness is not None:
            return witness
    return None


def _replayed(pair: _Pair, searcher: Searcher, plan: Plan, rows: Rows) -> Witness | None:
    from sqljury.databases.generated import DataProfile, script

    if pair.scratch is None:
        return _seen_on_server(pair, searcher, rows)
    material = searcher.material
    # Without keys the rows are stored as they were when the difference was seen.
    for keys in (True, False):
        sql = script(material, rows, keys=keys)
        runs = pair.scratch.replayed(sql, (searcher.left.sql, searcher.right.sql))
        left, right = (run.table for run in runs)
        if keys and left is None and plan.profile is not DataProfile.KEYS_VIOLATED:
            return None  # the schema forbids such rows
        if left is not None and right is not None and searcher.differ(left, right):
            engines, doubts, certain, replayed = _opinions(pair, searcher, rows)
            if not material.native:
                sql = _in_its_dialect(pair, searcher, rows, keys=keys)
            return Witness(sql, left, right, engines, "; ".join(doubts), certain, replayed)
    return None


def _seen_on_server(pair: _Pair, searcher: Searcher, rows: Rows) -> Witness | None:
    """The witness if the queries differ again on the server where a difference was found."""
    assert pair.server is not None
    found = searcher.results(rows)
    if found is None or not searcher.differ(*found):
        return None
    doubts = [searcher.material.admission.doubt]
    why = _why(pair) if pair.is_translated else ""
    if pair.is_translated:
        doubts.append(f"translated from {pair.schema.dialect} to {pair.engine}{why}")
    text = "; ".join(filter(None, doubts))
    sql = _in_its_dialect(pair, searcher, rows)
    own = not pair.is_translated
    return Witness(sql, *found, (pair.server.engine,), text, not (doubts[0] or why), own)


def _in_its_dialect(pair: _Pair, searcher: Searcher, rows: Rows, *, keys: bool = True) -> str:
    """The script that creates a database, in the dialect of the schema."""
    from sqljury.databases.generated import script

    exact = frozenset(re.findall(r'"([^"]+)"', f"{pair.left} {pair.right}"))
    dialect = pair.schema.dialect
    return script(searcher.material, rows, keys=keys, dialect=dialect, exact=exact)


def _opinions(
    pair: _Pair, searcher: Searcher, rows: Rows
) -> tuple[tuple[str, ...], list[str], bool, bool]:
    """The engines that show the difference, the reasons for doubt, whether it is certain, and
    whether the engine of the queries' own dialect ran them."""
    engines, doubts = ["sqlite"], list[str]()
    own: bool | None = None
    """Whether the rows differ in the engine of the queries' own dialect; None if it did not run."""
    if pair.second_opinion or pair.schema.dialect == "duckdb":
        said = _in_duckdb(searcher, rows, pair)
        if said is True:
            engines.append("duckdb")
        elif said is False:
            doubts.append("DuckDB gives the same rows")
        elif said is not None and pair.schema.dialect == "duckdb":
            doubts.append(f"DuckDB: {said}")
        if pair.schema.dialect == "duckdb" and said is not None:
            own = said is True
    if pair.server is not None:
        seen = _on_server(searcher, rows, pair, pair.server)
        if seen is True:
            engines.append(pair.server.engine)
        elif seen is False:
            doubts.append(f"{pair.server.engine} gives the same rows")
        else:
            doubts.append(f"{pair.server.engine} could not be asked: {seen}")
        if pair.server.dialect == pair.schema.dialect and isinstance(seen, bool):
            own = seen
    replayed = own is not None or pair.schema.dialect == "sqlite"
    return tuple(engines), *_certain(pair, searcher, own, doubts), replayed


def _certain(
    pair: _Pair, searcher: Searcher, own: bool | None, doubts: list[str]
) -> tuple[list[str], bool]:
    """The reasons to doubt a difference found in SQLite, and whether it is certain all the same.

    Args:
        own: whether the rows differ in the engine of the queries' own dialect, if it ran them.
    """
    refused = searcher.material.admission.doubt
    if refused:
        doubts = [*doubts, refused]
    if pair.schema.dialect == "sqlite":
        return doubts, not refused
    if own is None:
        doubts = [f"translated from {pair.schema.dialect} to SQLite{_why(pair)}", *doubts]
        return doubts, not refused and not _why(pair)
    return doubts, own and not refused


def _why(pair: _Pair) -> str:
    """What may work differently in SQLite, in parentheses; empty if nothing is known to."""
    from sqljury.trees import build_tree
    from sqljury.trees.context import Context
    from sqljury.trees.nodes import Unreadable
    from sqljury.trees.portable import translation_doubt

    context = Context(pair.schema, pair.schema.dialect)
    for sql in (pair.left, pair.right):
        if other := _in_another_form(sql, pair.schema):
            return f" ({other})"
        tree = build_tree(sql, pair.schema, pair.schema.dialect)
        reason = tree.reason if isinstance(tree, Unreadable) else translation_doubt(tree, context)
        if reason:
            return f" ({reason})"
    return ""


def _in_another_form(sql: str, schema: Schema) -> str:
    """A constant that the queries' engine converts to its column's type and SQLite compares as
    text, so that equal values may look different there; empty if there is none."""
    from sqljury.databases.generated import typed

    profile = value_profile(sql, schema, schema.dialect)
    for (table, name), use in ({} if profile is None else profile.columns).items():
        found = schema.table(table)
        column = None if found is None else found.column(name)
        known = None if column is None else typed(column, schema.dialect)
        if known is not None:
            strange = [c for c in use.constants if not known.form.fullmatch(str(c))]
            if strange:
                return f"{strange[0]!r} as a value of {name}"
    return ""


def _on_server(searcher: Searcher, rows: Rows, pair: _Pair, server: Server) -> bool | str:
    """Whether the rows differ on a server, or why the queries could not be run there."""
    dialect = pair.schema.dialect
    found: list[ResultTable] = []
    for sql in (pair.left, pair.right):
        text = sql if dialect == server.dialect else transpiled(sql, dialect, server.dialect)
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


def _in_duckdb(searcher: Searcher, rows: Rows, pair: _Pair) -> bool | str | None:
    """Whether the rows differ in DuckDB, or the error of a query that fails there.

    None if DuckDB is not installed or a query cannot be translated."""
    dialect = pair.schema.dialect
    own = dialect == "duckdb"
    queries = [
        sql if own else transpiled(sql, dialect, "duckdb") for sql in (pair.left, pair.right)
    ]
    texts = [sql for sql in queries if sql is not None]
    if len(texts) < len(queries):
        return None
    assert pair.scratch is not None
    runs = pair.scratch.in_duckdb(rows, texts, as_declared=own)
    if runs is None:
        return None
    left, right = (run.table for run in runs)
    if left is None or right is None:
        return next(run.message for run in runs if run.table is None)
    return searcher.differ(left, right)
