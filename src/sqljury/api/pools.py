"""Make pools of candidates: sample them from a model, and label them by a judge."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqljury.api.evaluation import evaluate
from sqljury.api.inputs import PathLike
from sqljury.benchmarks import read_cases
from sqljury.benchmarks.pool_writer import pool_record
from sqljury.case import Case, Json
from sqljury.databases import Places
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import Judge
from sqljury.llm import Client, ClientSettings, Spent, parse_model
from sqljury.reports.writing import json_line_safe, new_file
from sqljury.uses.generating import (
    ClientSampler,
    Generator,
    LocalSampler,
    Question,
    Sampler,
    generate,
    question_messages,
)
from sqljury.uses.labelling import Labelled, LabelStatistics, label_questions

LOCAL = "local:"
"""Before the folder of a language model that runs in this process."""
STYLES = ("create", "columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How candidates are sampled.

    Args:
        model: ``PROVIDER:MODEL``, or ``local:FOLDER`` for a model of transformers.
        n: candidates per question.
        per_call: how many one call brings, where the provider or the memory allows.
        options: further options of the model, as for judges.
        style: how the schema is shown.
        prompt: a file with instructions instead of the bundled ones.
    """

    model: str
    n: int = 32
    temperature: float = 0.8
    top_p: float = 1.0
    seed: int | None = None
    max_tokens: int = 1024
    per_call: int = 1
    options: Mapping[str, str] | None = None
    style: str = "create"
    prompt: PathLike | None = None

    def __post_init__(self) -> None:
        if self.n < 1 or self.per_call < 1 or self.max_tokens < 1:
            raise InputError("SJ590", "numbers of candidates, calls and tokens begin at 1.")
        if not 0 <= self.temperature <= 10 or not 0 < self.top_p <= 1:
            raise InputError(
                "SJ590",
                f"temperature {self.temperature:g} with top-p {self.top_p:g} is not possible.",
                hint="The temperature is a number from 0 on, top-p is above 0 and at most 1.",
            )
        if self.style not in STYLES:
            raise InputError("SJ590", f"no style {self.style!r}.", hint=f"One of {STYLES}.")


@dataclass(frozen=True, slots=True)
class Generated:
    """What ``generate`` did: questions sampled now, those that were there, and what was paid."""

    sampled: int
    kept: int
    paid: Spent | None


def generate_pool(
    questions: PathLike | Sequence[PathLike],
    out: PathLike,
    sampling: Sampling,
    *,
    databases: PathLike | None = None,
    schemas: PathLike | None = None,
    llm: ClientSettings | None = None,
    limits: Limits | None = None,
    mapping: Mapping[str, str] | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Generated:
    """Sample candidates for each question and write them as a pool (JSON lines).

    What the file holds already is not sampled again: the same call goes on where it was stopped.

    Args:
        questions: files of questions, with or without references.
        databases, schemas: where schemas come from; with databases, values of columns are shown.
        llm: how the model is asked.

    Raises:
        InputError: SJ590: settings that are not possible, no schema, or a file that holds
            candidates of other questions or of another sampling.
        InfrastructureError: the endpoint cannot be reached.

    Source: GradeSQL (2025), section 3.2, stage 1.
    """
    paths = [questions] if isinstance(questions, str | os.PathLike) else list(questions)
    cases = list(_once(read_cases(paths, mapping=mapping)))
    if databases is None and schemas is None and not all(case.schema_sql for case in cases):
        raise InputError("SJ590", "no schema to show.", hint="Give --databases or --schemas.")
    with ExitStack() as stack:
        system = _instructions(sampling)
        sampler, threads, client = _sampler(sampling, llm, stack)
        said = _description(sampling, system)
        target = Path(out)
        kept = _kept(target, cases, said)
        on_progress(kept, len(cases))
        places = stack.enter_context(Places(databases, schemas))
        cache, own = ExecutionCache(), limits or Limits()
        asked = (
            Question(case, question_messages(case, found, sampling.style, system))
            for case in cases[kept:]
            for found in [_evidence(case, places, cache, own)]
        )
        made = Generator(sampler, sampling.n, threads)
        with _appending(target) as write:
            for case, candidates in generate(
                asked, made, lambda done: on_progress(kept + done, len(cases))
            ):
                write({**pool_record(case, candidates), "generator": said})
        return Generated(len(cases) - kept, kept, None if client is None else client.spent)


def label_pool(
    pool: PathLike | Sequence[PathLike],
    out: PathLike,
    databases: PathLike | None = None,
    *,
    judge: str | Judge = "execution",
    balance: bool = False,
    seed: int = 0,
    schemas: PathLike | None = None,
    suites: PathLike | None = None,
    run: PathLike | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    llm: ClientSettings | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> LabelStatistics:
    """Label the candidates of a pool by a judge and write them as a pool to train on.

    Args:
        judge: says which candidates are right; any judge.
        balance: as many right as wrong candidates of each question, drawn by ``seed``.
        run: the folder that verdicts are kept in; the same again resumes.

    Raises:
        InputError: as :func:`sqljury.evaluate`; SJ591: nothing could be labelled.

    Source: GradeSQL (2025), section 3.2, stage 2, and table 3.
    """
    cases = list(read_cases([pool] if isinstance(pool, str | os.PathLike) else pool))
    with evaluate(
        cases,
        [judge],
        databases,
        schemas=schemas,
        suites=suites,
        run=run,
        limits=limits,
        workers=workers,
        llm=llm,
        on_progress=on_progress,
    ) as found:
        signature = found.summary.judges[0].signature
        outcomes = [record.verdict.outcome for record in found.records()]
    labelled = label_questions(cases, outcomes, seed=seed)
    questions = labelled.balanced if balance else labelled.questions
    if not questions:
        raise InputError(
            "SJ591",
            "no candidate has a label to train on.",
            hint=f"Outcomes: {labelled.statistics.said()}.",
        )
    _write_labelled(Path(out), questions, signature)
    return labelled.statistics


# ---------------------------------------------------------------- sampling


def _once(cases: Iterable[Case]) -> Iterator[Case]:
    """Each question once, however many predictions came with it."""
    seen: set[tuple[str, str]] = set()
    for case in cases:
        key = (case.benchmark, case.id)
        if key not in seen:
            seen.add(key)
            yield case


def _instructions(sampling: Sampling) -> str:
    from sqljury.uses.generating.prompting import GENERATE

    if sampling.prompt is None:
        return GENERATE.text
    try:
        text = Path(sampling.prompt).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("SJ101", f"{error}.", where=str(sampling.prompt)) from None
    if not text.strip():
        raise InputError("SJ103", "there are no instructions.", where=str(sampling.prompt))
    # What holds for all data holds for other instructions, too.
    return f"{text.rstrip()}\n{GENERATE.rules}"


def _sampler(
    sampling: Sampling, llm: ClientSettings | None, stack: ExitStack
) -> tuple[Sampler, int, Client | None]:
    if sampling.model.startswith(LOCAL):
        from sqljury.learning.language_model.loading import load_language_model

        local = LocalSampler(
            load_language_model(sampling.model.removeprefix(LOCAL)),
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens,
            seed=sampling.seed or 0,
            per_call=sampling.per_call,
        )
        return local, 1, None
    from sqljury.llm.providers import provider

    settings = llm or ClientSettings()
    options = {
        "temperature": str(sampling.temperature),
        "max_tokens": str(sampling.max_tokens),
        **({} if sampling.top_p == 1 else {"top_p": str(sampling.top_p)}),
        **({} if sampling.seed is None else {"seed": str(sampling.seed)}),
        **(sampling.options or {}),
    }
    model = parse_model(sampling.model, options)
    client = stack.enter_context(Client(settings))
    offers = provider(model.provider).capabilities(model.name).logprobs
    asked = ClientSampler(client, model, min(offers, 1), sampling.per_call)
    return asked, settings.concurrency, client


def _description(sampling: Sampling, system: str) -> dict[str, Json]:
    """What the candidates depend on; two files of the same description can be one."""
    from hashlib import sha256

    return {
        "model": sampling.model,
        "n": sampling.n,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "max_tokens": sampling.max_tokens,
        "per_call": sampling.per_call,
        "options": dict(sampling.options or {}),
        "style": sampling.style,
        "prompt": sha256(system.encode()).hexdigest()[:8],
    }


def _kept(target: Path, cases: Sequence[Case], said: Mapping[str, Json]) -> int:
    """How many questions the file has already; a line that was cut by a kill is taken off."""
    if not target.exists():
        return 0
    data = target.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.decode("utf-8").splitlines()
    if len(lines) > len(cases):
        raise _other(target, "it holds more questions than there are")
    for number, (line, case) in enumerate(zip(lines, cases, strict=False), 1):
        _check_line(line, case, said, f"{target}:{number}")
    if len(whole) < len(data):
        with target.open("rb+") as file:
            file.truncate(len(whole))
    return len(lines)


def _check_line(line: str, case: Case, said: Mapping[str, Json], where: str) -> None:
    try:
        record = json.loads(line)
        same = record["question_id"] == case.id and record.get("question") == case.question
        generator = record["generator"]
    except (ValueError, KeyError, TypeError):
        raise _other(where, "it is no pool that was generated") from None
    if not same:
        raise _other(where, f"it is not of the question {case.id!r}")
    if generator != said:
        changed = [key for key in said if generator.get(key) != said[key]]
        raise _other(where, f"it was sampled with another {', '.join(changed) or 'setting'}")


def _other(where: object, why: str) -> InputError:
    return InputError("SJ590", f"{why}.", where=str(where), hint="Name another file with --out.")


@contextmanager
def _appending(target: Path) -> Iterator[Callable[[Mapping[str, Json]], None]]:
    """A file that grows by whole lines, each on disk before the next is made."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        file = target.open("a", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError("SJ801", f"cannot write {target}: {error.strerror or error}.") from None

    def write(record: Mapping[str, Json]) -> None:
        file.write(json_line_safe(json.dumps(record, ensure_ascii=False)) + "\n")
        file.flush()

    with file:
        yield write


def _evidence(
    case: Case, places: Places, cache: ExecutionCache, limits: Limits
) -> DatabaseEvidence:
    """What is known of a question's database.

    Raises:
        InputError: SJ590: there is neither a database nor a schema for it.
    """
    evidence = DatabaseEvidence(
        case, places.database(case.db_id), cache, limits, schemas=places.schemas
    )
    if evidence.schema() is None:
        raise InputError(
            "SJ590", f"there is no schema of the database {case.db_id!r}.", where=case.name
        )
    return evidence


# ---------------------------------------------------------------- labelling


def _write_labelled(path: Path, questions: Sequence[Labelled], signature: str) -> None:
    with new_file(path) as file:
        for one in questions:
            record = pool_record(one.case, one.candidates)
            line = json.dumps({**record, "labelled_by": signature}, ensure_ascii=False)
            file.write(json_line_safe(line) + "\n")
