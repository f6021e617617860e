"""Write a run as ROSE's reference implementation writes its output, for its analysis scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from sqljury.benchmarks.files import PathLike
from sqljury.benchmarks.jsontext import dump
from sqljury.benchmarks.rose import as_rose
from sqljury.benchmarks.rose_output import RESULTS
from sqljury.case import Json
from sqljury.judge_name import JudgeName
from sqljury.verdict import Outcome, Record
from sqljury.writing import new_folder, write_text

PROBLEMS = "problem_question_ids"
"""The file that names the questions which were not judged."""

# Their names of what our judges are called; others keep ours.
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
"""Their folder of the metrics that ask no model."""

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
    """Write ``FOLDER/<benchmark>/<model>/<metric>/eval_results.json`` and what goes with it.

    ``prover_output.json`` and ``refuter_output.json`` (``pr_output.json`` for one prompt) hold
    what was answered. A case that was not judged (reference_*, database_missing,
    judge_unavailable) has no row in the results, as with the reference implementation, and is
    named in ``problem_question_ids.json``. Unknown and abstained count as 0 in its scripts; our
    reader gets them back from ``outcome``.

    Args:
        records: with evidence.

    Returns:
        The folders that were written.

    Raises:
        InputError: SJ801: a file that cannot be written.
    """
    outputs: dict[Path, _Files] = {}
    for record in records:
        _add(outputs.setdefault(Path(folder) / _place(record), {RESULTS: []}), record)
    for target, files in outputs.items():
        _write(target, files)
    return list(outputs)


def _place(record: Record) -> Path:
    """Systems have folders of their own: a question's id stands once in a file."""
    model, metric = _judge_names(record.judge)
    benchmark = "-".join(filter(None, (record.case.benchmark, record.case.source)))
    return Path(_name(benchmark or "cases"), _name(model or NO_MODEL), _name(metric))


def _judge_names(judge: str) -> tuple[str, str]:
    """Model and metric by their names."""
    named = JudgeName.parse(judge)
    chosen = dict(named.options)
    head = f"{named.name}:{named.variant}" if named.variant else named.name
    model = _model_name(chosen.pop("model", ""))
    if head == "recorded":
        return model, chosen.get("metric") or head
    if head == "rose_unified" and chosen.pop("reference", "true") == "false":
        head = "rose_unified_wogt"
    metric = _METRICS.get(head, head)
    return model, metric + "".join(f"-{key}-{value}" for key, value in sorted(chosen.items()))


def _model_name(model: str) -> str:
    return model.rpartition("/")[2].rpartition(":")[2]


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
