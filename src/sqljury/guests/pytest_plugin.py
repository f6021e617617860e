"""The pytest plugin: the fixture `sqljury`, and baselines of tests that may fail.

pytest finds it by sqljury's entry point; judges are imported when a test uses the fixture.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sqljury.guests.assertion import Assertions

LEDGER = "sqljury-ledger.sqlite"
_DETAIL = "sqljury_verdict"
"""The key in a report's properties under which a wrong verdict is kept until the session ends."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the plugin's options and ini keys."""
    group = parser.getgroup("sqljury", "SQL that a model wrote")
    group.addoption(
        "--sqljury-record",
        action="store_true",
        help="Ask models and record their answers in the ledger. Without it, recorded answers are "
        "replayed and no model is asked.",
    )
    group.addoption(
        "--sqljury-baseline",
        metavar="FILE",
        help="Tests that FILE lists as wrong may fail (xfail); all others must pass.",
    )
    group.addoption(
        "--sqljury-write-baseline",
        metavar="FILE",
        help="Write the tests whose SQL was judged wrong to FILE.",
    )
    parser.addini(
        "sqljury_ledger",
        f"File with recorded model answers, from the root folder ({LEDGER}).",
        default=LEDGER,
    )
    parser.addini("sqljury_judge", "Judge of assert_sql where the test names none.", default="")


@pytest.fixture(scope="session")
def sqljury(request: pytest.FixtureRequest) -> Iterator[Assertions]:
    """``sqljury.assert_sql(…)``, with workers that stay ready for the whole session."""
    from sqljury.guests.assertion import Assertions
    from sqljury.llm import ClientSettings

    config = request.config
    ledger = config.rootpath / config.getini("sqljury_ledger")
    asking = ClientSettings(ledger=str(ledger), replay=not config.getoption("sqljury_record"))
    found = Assertions({"llm": asking}, config.getini("sqljury_judge") or None)
    yield found
    found.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Records a wrong verdict, and reports a failure that the baseline lists as xfail.

    A test that fails for lack of a recorded model answer gets a hint how to record it.
    """
    report = yield
    raised: Any = call.excinfo and call.excinfo.value
    if getattr(raised, "code", None) in ("SJ904", "SJ905"):  # no such answer, or no ledger
        advice = "Record the model's answer once: pytest --sqljury-record"
        report.sections.append(("sqljury", advice))
    verdict = getattr(raised, "verdict", None)
    if report.when == "call" and report.failed and verdict is not None:
        report.user_properties.append((_DETAIL, [raised.judge, str(verdict.outcome)]))
        if item.nodeid in _known(item.config):
            report.outcome = "skipped"
            report.wasxfail = f"the baseline has this test as {_known(item.config)[item.nodeid]}"
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Writes the baseline if its option is given, and names tests of a baseline that now pass."""
    reports = [one for group in terminalreporter.stats.values() for one in group]
    reports = [one for one in reports if getattr(one, "when", "") == "call"]
    wrong = {
        one.nodeid: dict(one.user_properties)[_DETAIL]
        for one in reports
        if _DETAIL in dict(one.user_properties)
    }
    place = config.getoption("sqljury_write_baseline")
    if place:
        _write(place, wrong)
        terminalreporter.write_line(f"sqljury: {len(wrong)} wrong, written to {place}")
    right = sorted({one.nodeid for one in reports if one.passed} & _known(config).keys())
    if right:
        terminalreporter.write_line(
            f"sqljury: {len(right)} of the baseline's tests now pass, such as {right[0]}"
        )


_KNOWN = pytest.StashKey[dict[str, str]]()


def _known(config: pytest.Config) -> dict[str, str]:
    """The tests that the baseline lists as wrong, with their outcomes; empty without a baseline.

    Raises:
        pytest.UsageError: the file cannot be read.
    """
    place = config.getoption("sqljury_baseline")
    if place and _KNOWN not in config.stash:
        from sqljury.errors import SqljuryError
        from sqljury.uses.evaluate.baseline import read_baseline
        from sqljury.uses.evaluate.summary import is_right

        try:
            answers = read_baseline(place).answers.values()
        except SqljuryError as error:
            raise pytest.UsageError(f"--sqljury-baseline: {error}") from None
        config.stash[_KNOWN] = {
            one.key[1]: str(one.verdict.outcome)
            for by_judge in answers
            for one in by_judge
            if not is_right(one.verdict)
        }
    return config.stash.get(_KNOWN, {})


def _write(place: str, wrong: Mapping[str, tuple[str, str]]) -> None:
    """Write a baseline in which each wrong test is a case.

    Args:
        wrong: judge and outcome by the test's name.
    """
    from sqljury.uses.evaluate.baseline import Answered, Baseline, bare_verdict
    from sqljury.verdict import Outcome

    answers: dict[str, list[Answered]] = {}
    for test, (judge, outcome) in sorted(wrong.items()):
        verdict = bare_verdict(Outcome(outcome))
        answers.setdefault(judge, []).append(Answered(("", test, ""), verdict, b""))
    Baseline(name=place, answers=answers).write(place)


def pytest_configure(config: pytest.Config) -> None:
    """Reads the baseline, so that a bad file fails before any test runs."""
    _known(config)
