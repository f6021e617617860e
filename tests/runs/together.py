"""A judge of several cases at once, that may fail, or end its process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sqljury import Judge, Needs, Verdict


@dataclass(frozen=True)
class Together(Judge):
    """Says what a case's id is, in the evidence; notes which questions it saw at once."""

    name = "together"
    version = 1
    needs = Needs.NOTHING

    place: str = ""
    fails_at: str = ""
    dies_at: str = ""

    @property
    def batch_size(self):
        return 4

    @property
    def one_process(self):
        return True

    def judge(self, case, _evidence):
        if case.id == self.fails_at:
            raise ValueError("too hard")
        if case.id == self.dies_at:
            os.kill(os.getpid(), 11)
        return Verdict.correct(f"case {case.id}")

    def judge_many(self, asked):
        with (Path(self.place) / f"seen-{os.getpid()}").open("a") as file:
            file.write(" ".join(case.question for case, _ in asked) + "\n")
        return super().judge_many(asked)
