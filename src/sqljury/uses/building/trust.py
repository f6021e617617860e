"""Build benchmarks with unanswerable questions from questions, databases and schemas."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from sqljury.benchmarks import read_cases, write_cases
from sqljury.case import Case
from sqljury.databases import Places
from sqljury.errors import InputError
from sqljury.execution import Execution, Limits
from sqljury.llm import Answer, ClientSettings, Model, Request
from sqljury.schema import Schema
from sqljury.uses.building import KINDS, Card, Corrections, build_trust
from sqljury.uses.building.benchmark import BY_QUESTION, SPLITS, card_text
from sqljury.uses.building.unanswerable import folded, questions_in
from sqljury.uses.building.writing import (
    PARAPHRASE,
    WRITTEN_KINDS,
    Order,
    ReviewItem,
    accepted,
    accepted_paraphrases,
    candidates,
    first_of_each_query,
    from_lines,
    merged,
    orders,
    paraphrase_request,
    paraphrases_in,
    request_for,
    to_lines,
)
from sqljury.writing import PathLike, json_line_safe, new_file, new_folder

DEFAULT_LIMITS = Limits(seconds=10.0, rows=100_000)
"""The limits on a reference query; a question whose reference exceeds them is left out."""

_REVIEW = "review.jsonl"


def build_trust_files(
    questions: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    databases: PathLike | None = None,
    schemas: PathLike | None = None,
    seed: int = 0,
    kinds: Sequence[str] = KINDS,
    out_of_domain: PathLike | None = None,
    corrections: Corrections | None = None,
    asking: QuestionWriter | None = None,
    mapping: Mapping[str, str] | None = None,
    overlay: Sequence[PathLike] | None = None,
    splitting: str = BY_QUESTION,
    training: PathLike | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Card:
    """Write a benchmark of answerable and unanswerable questions, built as TrustSQL was.

    Writes ``train.jsonl``, ``validation.jsonl``, ``test.jsonl``, ``left_out.jsonl``, ``card.json``
    and ``README.md``; returns the card. Questions in the folder's ``review.jsonl`` whose status is
    ``accepted`` are used before those that rules make.

    Args:
        questions: files of questions with their reference SQL.
        out: the folder to write; its name is the benchmark's.
        databases: the databases of the questions; references are run on them.
        schemas: a file of schemas, for questions without a database.
        kinds: the kinds of unanswerable questions.
        out_of_domain: a text file of out-of-domain questions, one a line, instead of the bundled
            ones.
        overlay: files of corrections that replace references.
        corrections: rules that correct relative times and references that return no rows.
        splitting: ``questions``, or ``databases``: half of them for validation, half for test.
        training: a file of questions to use as the training split.
        asking: a model that writes questions into ``review.jsonl``, for a person to review.

    Raises:
        InputError: SJ561: ``review.jsonl`` cannot be used; SJ560: no such kind, no usable question,
            or neither databases nor schemas; other codes: a file cannot be used.
    """
    _check_kinds(kinds)
    if splitting not in SPLITS:
        raise InputError(
            "SJ560", f"there is no split {splitting!r}.", hint=f"One of {', '.join(SPLITS)}."
        )
    if databases is None and schemas is None:
        raise InputError(
            "SJ560",
            "no schema to write questions about.",
            hint="Give --databases, --schemas, or both.",
        )
    paths = [questions] if isinstance(questions, str | os.PathLike) else list(questions)
    asked = None if out_of_domain is None else _questions(Path(out_of_domain))
    queue = review_queue(out)
    cases = list(read_cases(paths, mapping=mapping, overlay=overlay))
    cases += accepted_paraphrases(queue, cases)
    kept = [] if training is None else list(read_cases(training, mapping=mapping, overlay=overlay))
    with Places(databases, schemas) as places:
        known = _schemas(places, {case.db_id for case in (*cases, *kept)})

        def run(db_id: str, sql: str) -> Execution | None:
            """The execution of a reference; None if its database is missing."""
            database = places.database(db_id)
            return None if database is None else database.execute(sql, limits)

        built = build_trust(
            cases,
            known,
            run,
            name=Path(out).resolve().name,
            sources=[
                Path(p).name for p in (*paths, training, databases, schemas, out_of_domain) if p
            ],
            seed=seed,
            kinds=kinds,
            questions=asked,
            reviewed=accepted(queue),
            corrections=corrections,
            splitting=splitting,
            training=kept,
        )
    if not any(built.splits.values()):
        raise InputError(
            "SJ560",
            "no question can be used.",
            hint=f"Left out: {', '.join(f'{why} {n}' for why, n in built.card.left_out.items())}.",
        )
    _write(Path(out), {**built.splits, "left_out": built.left_out}, built.card)
    if asking is not None:
        share = -(-built.card.wanted // len(kinds))
        wanted = {kind: share for kind in kinds if kind in WRITTEN_KINDS}
        own = {case.db_id: known[case.db_id] for case in cases if case.db_id in known}
        taken = [case.question or "" for case in cases] + [one.written for one in queue]
        new = written(asking, wanted, own, taken, seed, Path(out), cases)
        _write_queue(Path(out), merged(queue, new))
    return built.card


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWriter:
    """A model that writes questions, and the settings of calls to it, its ledger included."""

    model: str
    options: Mapping[str, str] = field(default_factory=dict)
    settings: ClientSettings
    paraphrases: int = 0
    """The number of paraphrases to write for each query, besides the unanswerable questions."""
    on_progress: Callable[[int, int], None] = lambda _done, _total: None


def written(
    asking: QuestionWriter,
    wanted: Mapping[str, int],
    schemas: Mapping[str, Schema],
    taken: Iterable[str],
    seed: int,
    out: Path,
    cases: Sequence[Case] = (),
) -> list[ReviewItem]:
    """Have a model write questions about schemas; returns them for review, none accepted yet.

    Args:
        wanted: the number of questions of each kind.
        taken: existing questions, which the model must not repeat.
        cases: questions to paraphrase.

    Raises:
        InfrastructureError: the endpoint fails; its answers until then are in the ledger.
    """
    from sqljury.llm import Client, parse_model

    model = parse_model(asking.model, asking.options)
    used = set(map(folded, taken))
    todo = [_new_question(order, schemas[order.db_id], model, used)
            for order in orders(wanted, schemas, seed)]  # fmt: skip
    todo += [
        _other_words(case, asking.paraphrases, schemas[case.db_id], model, used)
        for case in (first_of_each_query(cases) if asking.paraphrases else ())
        if case.db_id in schemas
    ]
    client = Client(asking.settings)

    def ask(job: _Job) -> Answer:
        return client.ask(job.request, case=f"{out.name}/{job.name}")

    found: list[ReviewItem] = []
    with ThreadPoolExecutor(asking.settings.concurrency) as pool:
        for done, (job, answer) in enumerate(zip(todo, pool.map(ask, todo), strict=True), 1):
            found += job.read(answer)
            asking.on_progress(done, len(todo))
    return found


@dataclass(frozen=True, slots=True)
class _Job:
    """One request to a model, and the function that makes questions for review of its answer."""

    name: str
    request: Request
    read: Callable[[Answer], Iterable[ReviewItem]]


def _new_question(order: Order, schema: Schema, model: Model, used: set[str]) -> _Job:
    def read(answer: Answer) -> Iterable[ReviewItem]:
        return candidates(order, schema, answer, model, used)

    return _Job(f"{order.db_id}/{order.kind}", request_for(order, schema, model), read)


def _other_words(case: Case, count: int, schema: Schema, model: Model, used: set[str]) -> _Job:
    def read(answer: Answer) -> Iterable[ReviewItem]:
        return paraphrases_in(answer, case, count, model, used)

    request = paraphrase_request(case, count, schema, model)
    return _Job(f"{case.db_id}/{PARAPHRASE}/{case.id}", request, read)


def review_queue(out: PathLike) -> list[ReviewItem]:
    """The questions in the ``review.jsonl`` of a benchmark's folder; empty without that file.

    Raises:
        InputError: SJ561: it cannot be used.
    """
    path = Path(out) / _REVIEW
    if not path.exists():
        return []
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("SJ561", f"{error}.", where=str(path)) from None
    return from_lines(lines, str(path))


def _write_queue(out: Path, queue: Sequence[ReviewItem]) -> None:
    with new_file(out / _REVIEW) as file:
        for line in to_lines(queue):
            file.write(json_line_safe(line) + "\n")


def _check_kinds(kinds: Sequence[str]) -> None:
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise InputError(
            "SJ560",
            f"there is no kind {', '.join(unknown) or '…'}.",
            hint=f"Kinds: {', '.join(KINDS)}.",
        )


def _questions(path: Path) -> tuple[str, ...]:
    try:
        found = questions_in(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("SJ101", f"{error}.", where=str(path)) from None
    if not found:
        raise InputError("SJ103", "there is no question in the file.", where=str(path))
    return found


def _write(out: Path, parts: Mapping[str, Iterable[Case]], card: Card) -> None:
    new_folder(out)
    for name, found in parts.items():
        write_cases(found, out / f"{name}.jsonl")
    with new_file(out / "card.json") as file:
        file.write(json.dumps(card.to_json(), indent=2, ensure_ascii=False) + "\n")
    with new_file(out / "README.md") as file:
        file.write(card_text(card))


def _schemas(places: Places, asked: set[str]) -> dict[str, Schema]:
    """The schemas of the questions' databases, and of all others that the places have."""
    folded = {name.casefold() for name in asked}
    others = {name for name in places.ids() if name and name.casefold() not in folded}
    found = {}
    for name in sorted(asked | others):
        found[name] = places.schema(name)
        if name not in asked:
            places.release(name)
    return {name: schema for name, schema in found.items() if schema is not None}
