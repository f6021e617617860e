"""Judges whose statements end their own process."""

from __future__ import annotations

import os
import pickle
import struct
from dataclasses import dataclass
from pathlib import Path

from sqljury import Needs, Verdict
from sqljury.judges.execution import ExecutionMatch


def _times_before(place: str, name: str) -> int:
    """How often this was asked before, over all processes."""
    with (Path(place) / name).open("a+") as file:
        file.write("x")
        return file.tell() - 1


def arm(database, judge):
    """Let a database end its process at some statements."""
    real = database.execute

    def execute(sql, limits):
        if judge.text in sql and _times_before(judge.place, "deaths") < judge.times:
            os.kill(os.getpid(), judge.number)
        return real(sql, limits)

    database.execute = execute


@dataclass(frozen=True)
class Kills:
    """Judges as `execution` does; statements with a text end the process, some times."""

    name = "kills"
    version = 1
    needs = Needs.DATABASE
    sees_failures = True  # it arms the database before any statement runs

    place: str = ""
    number: int = 9
    times: int = 1
    text: str = "price > 3"

    def judge(self, case, evidence):
        database = evidence._database
        if "execute" not in vars(database):
            arm(database, self)
        inner = ExecutionMatch()
        from sqljury.judges import settled

        return settled(inner, case, evidence) or inner.judge(case, evidence)


@dataclass(frozen=True)
class Forges:
    """Writes a pickle to everything that it finds open, as an exploited engine could."""

    name = "forges"
    version = 1
    needs = Needs.NOTHING

    place: str = ""

    def judge(self, case, _evidence):
        if case.id == "7":
            body = pickle.dumps(_Bomb(self.place))
            for handle in range(3, 12):
                try:
                    os.write(handle, struct.pack("<Q", len(body)) + body)
                except OSError:
                    continue
        return Verdict.correct()


class _Bomb:
    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return (Path.touch, (Path(self.place) / "exploded",))
