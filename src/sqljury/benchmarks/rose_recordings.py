"""Output folders of ROSE's reference implementation: the answers of its Prover and Refuter.

The rows of ``eval_results`` are the cases that were judged, with their scores. The other files have
the reasons: ``prover_output``, ``refuter_output`` (``refuter_wogt_output`` without the reference)
and, if one prompt does both, ``pr_output`` or ``pr_wogt_output``. These also have rows of earlier
attempts, lack others, and models did not always answer in the required form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqljury.benchmarks.fields import Layout, as_id, as_object, as_text, build, missing_key, stated
from sqljury.benchmarks.files import FileRecord, PathLike, Source, fingerprint
from sqljury.benchmarks.results import as_score
from sqljury.benchmarks.rose import KEYS, as_rose
from sqljury.benchmarks.texts import dump
from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.judge_name import JudgeName
from sqljury.verdict import Outcome, Record
from sqljury.writing import new_folder, write_text

RESULTS = "eval_results"
_PROVER = "prover_output"
_REFUTERS = ("refuter_output", "refuter_wogt_output")
_UNIFIED = ("pr_output", "pr_wogt_output")
_SUFFIXES = (".json", ".json.gz", ".json.xz")

_JUDGED = ("score", "prover_result", "refuter_result", "outcome", "error")
_NOT_AMBIGUOUS = ("", "na", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProverAnswer:
    """The Prover's answer about a query; the Prover did not see the reference."""

    expected_answer: str = ""
    sql_description: str = ""
    reason: str = ""
    evidence: str = ""
    verdict: bool | None = None
    """True if the query answers the question; None if the answer was not in the required form."""

    def to_json(self) -> dict[str, Json]:
        """The answer in ROSE's form."""
        texts = {
            "expected_answer": self.expected_answer,
            "sql_description": self.sql_description,
            "reason": self.reason,
            "evidence": self.evidence,
        }
        return {**{key: text for key, text in texts.items() if text}, "verdict": self.verdict}


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuterAnswer:
    """The Refuter's answer."""

    judgement: str = ""
    verdict: bool | None = None
    """True if it overturns the query."""
    ambiguity: tuple[str, ...] = ()
    """``ambiguous_question``, ``ambiguous_schema``."""
    gold_correct: bool | None = None
    """True if it finds the reference right; None if it was not asked."""
    issues: str = ""
    """Its findings when there was no reference to compare with."""

    def to_json(self) -> dict[str, Json]:
        """The answer in ROSE's form."""
        found: dict[str, Json] = {"judgement": self.judgement, "verdict": self.verdict}
        if self.gold_correct is not None:
            names = (name.replace("_", " ") for name in self.ambiguity)
            found |= {"ambiguity": ", ".join(names) or "na", "gold_correct": self.gold_correct}
        if self.issues:
            found["issues_found"] = self.issues
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJudgement:
    """One case of an output folder."""

    case: Case
    score: float | None
    prover: ProverAnswer | None = None
    refuter: RefuterAnswer | None = None
    rows_equal: bool | None = None
    """True if the rows were equal to the reference's by ROSE's comparison; then only the Refuter
    was asked. None if the recording does not say."""
    reason: str = ""
    """The reason of the stage that decided."""
    outcome: Outcome | None = None
    """Recorded by our own writer only, if it says more than a score."""
    problems: tuple[str, ...] = ()
    """Faults of the recording: rows that are missing, repeated or contradict it."""

    @property
    def labels(self) -> tuple[str, ...]:
        """``gold_fault`` (GoldX), ``ambiguous_question`` (AmbQ), ``ambiguous_schema``."""
        if self.refuter is None:
            return ()
        fault = ("gold_fault",) if self.refuter.gold_correct is False else ()
        return (*fault, *self.refuter.ambiguity)


def is_rose_output(folder: PathLike) -> bool:
    """True if a folder has a results file of ROSE."""
    return _file(Path(folder), RESULTS) is not None


def read_rose_output(folder: PathLike) -> dict[str, RecordedJudgement]:
    """The judgements in one output folder by question id, in the order of ``eval_results``.

    Of several rows with one id the last is used, because the scripts append rows; of a stage's
    rows, the last one that agrees with ``eval_results``.

    Raises:
        InputError: SJ120: the folder has no results file; SJ104, SJ105, SJ106, SJ116: a file cannot
            be parsed.
    """
    path = Path(folder)
    results = _file(path, RESULTS)
    if results is None:
        raise InputError(
            "SJ120",
            f"no {RESULTS}.json in it.",
            where=str(path),
            hint="Give the folder of one metric, such as rose-vec/rose-vec-bird/o3/ROSE.",
        )
    stages = _Stages(path)
    judgements: dict[str, RecordedJudgement] = {}
    for row in _rows(results):
        problems = ["several rows in eval_results: the last counts"] if row.id in judgements else []
        judgements[row.id] = stages.judgement(row, problems)
    return judgements


def recording_fingerprint(folder: PathLike) -> str:
    """A digest of the files that :func:`read_rose_output` reads."""
    names = (RESULTS, _PROVER, *_REFUTERS, *_UNIFIED)
    return fingerprint([file for name in names if (file := _file(Path(folder), name))])


# ---------------------------------------------------------------- files


def _file(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of any of the files, by the question's id."""

    id: str
    data: Mapping[str, Json]
    record: FileRecord
    layout: Layout


def _rows(path: Path) -> Iterator[_Row]:
    source = Source(path)
    layout = stated(KEYS, {}, dropped=_JUDGED)
    if source.head and "question_id" not in source.keys:
        raise missing_key("question_id", source)
    for position, record in enumerate(source.records()):
        data = as_object(record)
        yield _Row(as_id(data, layout, position, record.origin), data, record, layout)


# ---------------------------------------------------------------- stages


class _Stages:
    """The answers of each stage in one folder, by question id: every row, in the order of the
    file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prover = self._answers(_PROVER)
        self._refuter = next(filter(None, map(self._answers, _REFUTERS)), None)
        self._compares = _file(folder, _REFUTERS[0]) is not None
        self._unified = next(filter(None, map(self._answers, _UNIFIED)), None)
        self._stem = folder.name

    def _answers(self, name: str) -> dict[str, list[Mapping[str, Json]]] | None:
        path = _file(self._folder, name)
        if path is None:
            return None
        found: dict[str, list[Mapping[str, Json]]] = {}
        for row in _rows(path):
            result = row.data.get("result")
            found.setdefault(row.id, []).append(result if isinstance(result, dict) else {})
        return found

    def judgement(self, row: _Row, problems: list[str]) -> RecordedJudgement:
        """One case, with the rows of each stage."""
        data = row.data
        case = build(row.record, row.layout, position=0, stem=self._stem)
        prover = refuter = None
        reason = ""
        if self._unified is not None:
            found = _chosen(self._unified, row.id, data, "prover_result", problems)
            if found is not None:
                prover, refuter = _prover(found, "prover_"), _unified_refuter(found)
                reason = _text(found, "reason")
        else:
            prover = _prover(_chosen(self._prover, row.id, data, "prover_result", problems))
            refuter = _refuter(_chosen(self._refuter, row.id, data, "refuter_result", problems))
            reason = refuter.judgement if refuter else prover.reason if prover else ""
        if error := _text(data, "error"):
            problems.append(f"error: {error}")
        return RecordedJudgement(
            case=case,
            score=as_score(data.get("score"), row.record.origin),
            prover=prover,
            refuter=refuter,
            rows_equal=self._rows_equal(data),
            reason=reason or self._unasked(prover, refuter),
            outcome=_outcome(data),
            problems=tuple(problems),
        )

    def _rows_equal(self, data: Mapping[str, Json]) -> bool | None:
        if not self._compares:
            return None
        if data.get("prover_result") is not None:
            return False
        return None if data.get("refuter_result") is None else True

    def _unasked(self, prover: ProverAnswer | None, refuter: RefuterAnswer | None) -> str:
        if prover or refuter or self._prover is None:
            return ""
        return "neither Prover nor Refuter was asked: the prediction did not run"


def _chosen(
    answers: Mapping[str, list[Mapping[str, Json]]] | None,
    key: str,
    data: Mapping[str, Json],
    stage: str,
    problems: list[str],
) -> Mapping[str, Json] | None:
    """The row of a stage that agrees with a row of ``eval_results``; None if there is none."""
    decided = data.get(stage)
    if answers is None or decided is None:
        # ``eval_results`` says that it was not asked, so any row is from another attempt.
        return None
    rows = answers.get(key, [])
    name = stage.removesuffix("_result")
    if not rows:
        problems.append(f"no row of the {name}")
        return None
    if len(rows) > 1:
        problems.append(f"{len(rows)} rows of the {name}")
    agreeing = [row for row in rows if row.get("verdict") is decided]
    if not agreeing:
        problems.append(f"the {name}'s row does not say what eval_results says")
        return None
    return agreeing[-1]


def _prover(found: Mapping[str, Json] | None, prefix: str = "") -> ProverAnswer | None:
    """The Prover's answer; ``prefix`` begins the keys of the unified prompt, which lack it if there
    is no reference."""
    if found is None:
        return None
    own = {key: f"{prefix}{key}" for key in ("reason", "verdict")}
    reason, verdict = (name if name in found else key for key, name in own.items())
    return ProverAnswer(
        expected_answer=_text(found, "expected_answer"),
        sql_description=_text(found, "sql_description"),
        reason=_text(found, reason),
        evidence=_text(found, "evidence"),
        verdict=_truth(found, verdict),
    )


def _refuter(found: Mapping[str, Json] | None) -> RefuterAnswer | None:
    if found is None:
        return None
    issues = _text(found, "issues_found")
    return RefuterAnswer(
        judgement=_text(found, "judgement"),
        verdict=_truth(found, "verdict"),
        ambiguity=_ambiguity(_text(found, "ambiguity")),
        gold_correct=_truth(found, "gold_correct"),
        issues="" if issues.lower() in _NOT_AMBIGUOUS else issues,
    )


def _unified_refuter(found: Mapping[str, Json]) -> RefuterAnswer | None:
    if "refuter_judgement" not in found:
        return None
    return RefuterAnswer(
        judgement=_text(found, "refuter_judgement"),
        ambiguity=_ambiguity(_text(found, "ambiguity")),
        gold_correct=_truth(found, "gold_correct"),
    )


def _ambiguity(text: str) -> tuple[str, ...]:
    """The names in a text such as ``ambiguous question, ambiguous schema``."""
    parts = (part.strip().lower() for part in text.split(","))
    return tuple(part.replace(" ", "_") for part in parts if part not in _NOT_AMBIGUOUS)


def _text(found: Mapping[str, Json], key: str) -> str:
    value = found.get(key)
    return value if isinstance(value, str) else "" if value is None else str(value)


def _truth(found: Mapping[str, Json], key: str) -> bool | None:
    """True or False; None for others, such as the text ``"false"``, whose meaning is not
    certain."""
    value = found.get(key)
    return value if isinstance(value, bool) else None


def _outcome(data: Mapping[str, Json]) -> Outcome | None:
    text = as_text(data.get("outcome"), "outcome", "")
    return Outcome(text) if text in set(Outcome) else None


# ---------------------------------------------------------------- trees


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One output folder in a tree, with the names of the folders above it."""

    folder: Path
    parts: tuple[str, ...]
    """The folders from the root of the tree: ``("rose-vec", "rose-vec-bird", "o3", "ROSE")``."""

    @property
    def metric(self) -> str:
        """The last folder: ``ROSE``, ``FLEX``, ``pr``."""
        return self.parts[-1] if self.parts else self.folder.name

    @property
    def model(self) -> str:
        """The folder above: ``o3``; ``decisive`` for metrics without a model."""
        return self.parts[-2] if len(self.parts) > 1 else ""


def find_rose_outputs(root: PathLike) -> list[RecordedRun]:
    """All output folders at or below a folder, in the order of their names.

    Raises:
        InputError: SJ120: there is none.
    """
    base = Path(root)
    found = {path.parent for suffix in _SUFFIXES for path in base.rglob(f"{RESULTS}{suffix}")}
    if not found:
        raise InputError(
            "SJ120",
            f"no {RESULTS}.json at or below it." if base.is_dir() else "no such folder.",
            where=str(base),
            hint="Give the output folder of ROSE's reference implementation.",
        )
    runs = (RecordedRun(path, path.relative_to(base).parts) for path in found)
    return sorted(runs, key=lambda run: run.parts)


# ---------------------------------------------------------------- rose writer
#
# Writes a run in the form of ROSE's reference implementation, for its analysis scripts.


PROBLEMS = "problem_question_ids"
"""The file with the ids of the questions that were not judged."""

# ROSE's names of our judges; others keep ours.
_METRICS = {
    "rose": "ROSE",
    "prover": "ProverOnly",
    "flex": "FLEX",
    "llm_sql_solver": "llmsolver",
    "rose_unified": "pr",
    "rose_unified_wogt": "pr-wogt",
    "rose_wogt": "rose-wogt",
}
NO_MODEL = "decisive"
"""ROSE's folder for metrics without a model."""

_SETTLED = (Outcome.CORRECT, Outcome.INCORRECT)
_STAGES = {"prover": "prover_output", "refuter": "refuter_output", "unified": "pr_output"}
_STAGES_WITHOUT_REFERENCE = {
    "prover": "prover_output",
    "refuter": "refuter_wogt_output",
    "unified": "pr_wogt_output",
}
_NOT_IN_A_NAME = re.compile(r"[^\w.+-]+")

_Files = dict[str, list[Json]]


def write_rose_output(records: Iterable[Record], folder: PathLike) -> list[Path]:
    """Writes ``FOLDER/<benchmark>/<model>/<metric>/eval_results.json`` and the files that belong to
    it.

    ``prover_output.json`` and ``refuter_output.json`` (``pr_output.json`` for one prompt) have the
    answers. As in the reference implementation, a case that was not judged (reference_*,
    database_missing, judge_unavailable) has no row in the results, and is listed in
    ``problem_question_ids.json``. Its scripts count unknown and abstained as 0; our reader restores
    them from ``outcome``.

    Args:
        records: records with evidence.

    Returns:
        The folders that were written.

    Raises:
        InputError: SJ801: a file cannot be written.
    """
    outputs: dict[Path, _Files] = {}
    for record in records:
        _add(outputs.setdefault(Path(folder) / _place(record), {RESULTS: []}), record)
    for target, files in outputs.items():
        _write(target, files)
    return list(outputs)


def _place(record: Record) -> Path:
    """The folder of a record; each system has its own, because a question's id may occur once in a
    file."""
    model, metric = _judge_names(record.judge)
    benchmark = "-".join(filter(None, (record.case.benchmark, record.case.source)))
    return Path(_name(benchmark or "cases"), _name(model or NO_MODEL), _name(metric))


def _judge_names(judge: str) -> tuple[str, str]:
    """The model and the metric, by ROSE's names."""
    named = JudgeName.parse(judge)
    chosen = dict(named.options)
    head = f"{named.name}:{named.variant}" if named.variant else named.name
    model = chosen.pop("model", "").rpartition("/")[2].rpartition(":")[2]
    if head == "recorded":
        return model, chosen.get("metric") or head
    if head == "rose_unified" and chosen.pop("reference", "true") == "false":
        head = "rose_unified_wogt"
    metric = _METRICS.get(head, head)
    return model, metric + "".join(f"-{key}-{value}" for key, value in sorted(chosen.items()))


def _name(text: str) -> str:
    return _NOT_IN_A_NAME.sub("-", text).strip("-.") or "-"


def _add(files: _Files, record: Record) -> None:
    verdict = record.verdict
    row = as_rose(record.case)
    if verdict.outcome.left_out:
        files.setdefault(PROBLEMS, []).append(str(row["question_id"]))
        return
    names = _STAGES_WITHOUT_REFERENCE if "wogt" in _judge_names(record.judge)[1] else _STAGES
    stages = {stage: _answer(verdict.evidence, stage) for stage in names}
    prover = stages["prover"] or stages["unified"]
    row |= {
        "score": verdict.score or 0.0,
        "prover_result": prover and prover.get("verdict"),
        "refuter_result": stages["refuter"] and stages["refuter"].get("verdict"),
    }
    row.pop("outcome", None)
    if verdict.outcome not in _SETTLED:
        row["outcome"] = str(verdict.outcome)
    files[RESULTS].append(row)
    for stage, answer in stages.items():
        if answer is not None:
            rows = files.setdefault(names[stage], [])
            rows.append({"question_id": row["question_id"], "result": answer})


def _answer(evidence: Mapping[str, Json], stage: str) -> dict[str, Json] | None:
    found = evidence.get(stage)
    return dict(found) if isinstance(found, Mapping) else None


def _write(folder: Path, files: _Files) -> None:
    new_folder(folder)
    for stem, rows in files.items():
        write_text(folder / f"{stem}.json", dump(rows, indent=2) + "\n")
