"""The card of a file of pairs as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqljury.reports import words
from sqljury.reports.build_card import markdown_table
from sqljury.uses.building.pairs import HOW, PairsCard
from sqljury.version import __version__


def pairs_card_text(card: PairsCard) -> str:
    """The card, as people read it first: sizes, how labels came about, what the queries use."""
    return "\n".join(_lines(card)) + "\n"


def _lines(card: PairsCard) -> Iterator[str]:

    yield f"# {card.name}\n"
    yield "Pairs of SQL queries with labels: 1 where both return the same rows on every database,"
    yield f"0 where they do not. Built by sqljury {__version__} with seed {card.seed} from"
    yield f"{_files(card.sources)}: {words.count(card.references)} different references, of which"
    yield f"{words.count(card.excluded)} were left out, as queries with their canonical form are"
    yield f"evaluated on ({_files(card.excluded_sources) or 'nothing was excluded'}).\n"
    yield from markdown_table(
        ["split", "pairs", "equivalent", "databases"],
        ([name, *map(words.count, part.values())] for name, part in card.splits.items()),
    )
    yield "\nNo database is in two splits. What decided the labels:\n"
    yield from markdown_table(
        ["how", "pairs", ""], ([how, words.count(n), HOW[how]] for how, n in card.how.items())
    )
    yield f"\n{words.count(card.proposed)} pairs were looked at; without a label stayed:\n"
    yield from markdown_table(
        ["why", "pairs"], ([why, words.count(n)] for why, n in card.undecided.items())
    )
    yield "\nHow many percent of the queries use what (the rows of table 6 of FuncEvalGMN):\n"
    names = list(card.keywords)
    yield from markdown_table(
        ["keyword", *names],
        (
            [keyword, *(f"{card.keywords[name][keyword]:.2f}" for name in names)]
            for keyword in next(iter(card.keywords.values()))
        ),
    )
    yield "\nWhere the predictions come from, and by which changes (a pair may have several):\n"
    yield from markdown_table(
        ["change", "equivalent", "different"],
        (
            [name, *map(words.count, counts.values())]
            for part in (card.origins, card.kinds)
            for name, counts in part.items()
        ),
    )


def _files(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
