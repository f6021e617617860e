"""A leaderboard card: Markdown whose head is the `model-index` that Hugging Face's hub reads."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqljury.case import Json
from sqljury.reports.markup import markdown_text
from sqljury.reports.words import visible
from sqljury.uses.evaluate.document import markdown_table
from sqljury.uses.evaluate.evaluation import Evaluation
from sqljury.uses.evaluate.leaderboards import leaderboards
from sqljury.uses.evaluate.summary import JudgeSummary, Summary, SystemScore
from sqljury.uses.evaluate.words import reading_notes
from sqljury.writing import PathLike, new_file


def write_card(path: PathLike, found: Evaluation) -> None:
    """Write a run's scores as a card: a model for each system, a result for each benchmark.

    Scores are fractions; each has its interval, n and signature. A judge that scored nothing has
    no result.

    Raises:
        InputError: the file cannot be written.

    Source: huggingface.co/docs/hub/model-cards-metadata, section "Evaluation results".
    """
    boards = leaderboards([found.run.folder])
    answers = found.summary.answers
    only = found.run.folder.resolve().name if answers is None else answers.system
    title = visible(found.run.folder.resolve().name)
    with new_file(path) as file:
        file.write(
            "\n".join(
                [
                    "---",
                    *_head(boards, only, answers is not None),
                    "---",
                    f"# {markdown_text(title)}",
                    "",
                ]
            )
        )
        for benchmark, board in boards.items():
            file.write(f"\n## {markdown_text(visible(benchmark or _UNNAMED))}\n\n")
            file.write(f"{markdown_table(board)}\n")
        notes = [f"- {markdown_text(note)}\n" for note in reading_notes(found.summary)]
        file.write("\n".join(["", *notes]))


_UNNAMED = "unnamed"


def _head(boards: dict[str, Summary], only: str, answered: bool) -> Iterator[str]:
    """The lines of the YAML; texts are quoted as in JSON, which is YAML too.

    Args:
        only: the name of the system where there is only one.
        answered: the systems are answers of one system under test, by their numbers.
    """
    by_system: dict[str, list[tuple[str, JudgeSummary, JudgeSummary | SystemScore]]] = {}
    for benchmark, board in boards.items():
        for judge in board.judges:
            for one in judge.systems or (judge,):
                name = one.name if isinstance(one, SystemScore) and one.name else only
                if answered and name != only:
                    name = f"{only}, answer {name}"
                by_system.setdefault(name, []).append((benchmark or _UNNAMED, judge, one))
    yield "tags: [text-to-sql]"
    yield "model-index:"
    for name, scores in by_system.items():
        yield f"- name: {_text(name)}"
        yield "  results:"
        for benchmark, judge, one in scores:
            if one.score is None:
                continue
            config = {"n": one.n, "low": one.low, "high": one.high, "signature": judge.signature}
            yield "  - task: {type: text-to-sql, name: Text-to-SQL}"
            yield f"    dataset: {{type: {_text(benchmark)}, name: {_text(benchmark)}}}"
            yield "    metrics:"
            yield f"    - type: {_text(judge.name)}"
            yield f"      name: {_text(judge.name)}"
            yield f"      value: {one.score:.4f}"
            yield f"      args: {_text(config)}"


def _text(value: Json) -> str:
    return visible(json.dumps(value, ensure_ascii=False))
