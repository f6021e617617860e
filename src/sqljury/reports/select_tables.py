"""What `select` prints: accuracy by strategy, tests, slices, the curves in a few sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from sqljury.reports import words
from sqljury.reports.terminal import Out, numbers_table, plain
from sqljury.uses.select import Selection, StrategyFigures

_NAME = 20
_SHOWN_SIZES = 9


def print_selection(found: Selection, console: Console) -> None:
    """Print each strategy's accuracy, what tells it from the baselines, and how it grows."""
    out = Out(console)
    for line in sentences(found):
        out.text(line)
    if found.n:
        out.table(_strategies(found))
        out.table(_systems(found))
        out.table(_tests(found))
        for table in _slices(found):
            out.table(table)
        out.table(_curves(found))
    for name, signature in found.judges.items():
        out.text(f"{name}: {signature}", style="dim")
    out.text(found.signature, style="dim")


def sentences(found: Selection) -> list[str]:
    """How many questions and candidates there are, and what does not count."""
    lines = [
        f"{words.count(found.n)} of {words.count(found.total)} questions count: "
        f"{words.count(found.candidates)} candidates, {words.count(found.distinct)} distinct"
    ]
    if not found.n:
        lines = [
            f"{words.count(found.total)} questions; nothing says which candidates are right",
        ]
    if found.left_out:
        parts = (f"{name} {words.count(number)}" for name, number in found.left_out.items())
        lines.append(f"left out: {', '.join(parts)}")
    return lines


def with_oracle(found: Selection) -> list[StrategyFigures]:
    """The strategies that were asked for, and the oracle."""
    named = [one for one in found.strategies if one.name != "oracle"]
    return named if found.oracle is None else [*named, found.oracle]


def _strategies(found: Selection) -> Table:
    table = numbers_table(
        "Accuracy, in percent", "", "n", "accuracy", "95 %", "regret", min_width=_NAME
    )
    for one in with_oracle(found):
        table.add_row(
            plain(one.name, "bold"),
            words.count(one.n),
            words.percent(one.accuracy, 2),
            words.interval(one.low, one.high, 2),
            words.percent(one.regret, 2),
        )
    return table


def _systems(found: Selection) -> Table:
    table = numbers_table("Single systems, in percent", "", "accuracy", min_width=_NAME)
    for name, accuracy in found.systems.items():
        table.add_row(plain(name), words.percent(accuracy, 2))
    return table


def _tests(found: Selection) -> Table:
    table = numbers_table(
        "McNemar's test, on the picks of this seed",
        "",
        "difference",
        "95 %",
        "only\nfirst",
        "only\nsecond",
        "p exact",
        "p χ²",
        "Bonferroni",
        min_width=_NAME,
    )
    for test in found.tests:
        table.add_row(
            plain(f"{test.strategy} | {test.baseline}"),
            words.percent(test.difference, 2),
            words.interval(test.low, test.high, 2),
            words.count(test.only_strategy),
            words.count(test.only_baseline),
            *map(words.p_value, (test.p, test.p_chi2, test.p_bonferroni)),
        )
    return table


def _slices(found: Selection) -> Iterator[Table]:
    strategies = with_oracle(found)
    first = strategies[0].slices
    for dimension in dict.fromkeys(part.dimension for part in first):
        values = [part for part in first if part.dimension == dimension]
        heads = [words.visible(part.value) for part in values]
        title = f"By {dimension}, in percent"
        table = numbers_table(title, "", *heads, min_width=_NAME)
        table.add_row("questions", *(words.count(part.n) for part in values))
        for one in strategies:
            parts = (part for part in one.slices if part.dimension == dimension)
            table.add_row(
                plain(one.name, "bold"), *(words.percent(part.accuracy, 2) for part in parts)
            )
        yield table


def _curves(found: Selection) -> Table:
    places = shown_places(found.sizes)
    heads = [words.count(found.sizes[place]) for place in places]
    table = numbers_table(
        "With n candidates, in percent (oracle: pass@n)", "n", *heads, min_width=_NAME
    )
    for one in with_oracle(found):
        if one.curve:
            cells = (words.percent(one.curve[place], 2) for place in places)
            table.add_row(plain(one.name, "bold"), *cells)
    return table


def shown_places(sizes: Sequence[int]) -> list[int]:
    """Places of the sizes that a narrow table shows: powers of two and the last.

    >>> shown_places(range(1, 18))
    [0, 1, 3, 7, 15, 16]
    """
    powers = [place for place, size in enumerate(sizes) if size & (size - 1) == 0]
    chosen = sorted({*powers, len(sizes) - 1}) if sizes else []
    return chosen if len(chosen) <= _SHOWN_SIZES else [*chosen[: _SHOWN_SIZES - 1], chosen[-1]]
