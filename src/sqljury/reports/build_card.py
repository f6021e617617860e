"""The cards of a built benchmark and of a file of pairs, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqljury.reports import words
from sqljury.uses.building import Card
from sqljury.uses.building.pairs import HOW, PairsCard
from sqljury.version import __version__

REASONS = {
    "no_question": "there is no question",
    "no_reference": "there is no reference SQL",
    "relative_time": "question or SQL counts from the time of asking (`today`, `last month`)",
    "null_result": "the reference returns no row, or NULL only",
    "reference_error": "the reference does not run",
    "reference_timeout": "the reference takes too long",
    "reference_too_large": "the reference returns too much",
    "reference_out_of_memory": "the reference takes too much memory",
    "reference_refused": "the reference is no single query",
    "reference_unavailable": "the server failed",
    "duplicate_question": "the same question on the same database, with a longer query",
    "structure_held_out": "the split must not know the structure of its SQL",
}


_SPLITTING = {
    "questions": "A fifth of the structures was taken out of validation, another fifth out of "
    "test, both out of training.",
    "databases": "The first half of the databases is validation, the other test; all of their SQL "
    "counts as unseen.",
}


def card_text(card: Card) -> str:
    """The card, as people read it first: sizes as in tables 1 and 4 of TrustSQL."""
    return "\n".join(_lines(card)) + "\n"


def _lines(card: Card) -> Iterator[str]:

    parts = list(card.answerable)
    yield f"# {card.name}\n"
    yield "Questions that can and that cannot be answered by SQL, in the manner of TrustSQL"
    yield f"(Lee et al. 2024). Built by sqljury {__version__} with seed {card.seed} from"
    yield f"{', '.join(f'`{one}`' for one in card.sources) or 'cases'}.\n"
    yield from markdown_table(["questions", *parts], _sizes(card, parts))
    yield "\nUnanswerable questions are in test only. Unseen SQL: training has no question with its"
    yield "structure, which is the canonical SQL without literals."
    yield f"{_SPLITTING[card.splitting]}\n"
    yield f"{words.count(card.n_read)} questions were read, with queries of so many words:\n"
    heads = [
        "tables",
        "columns",
        "questions with SQL",
        "SQL templates",
        "questions to one",
        "words",
    ]
    counts = [card.read.tables, card.read.columns, card.read.questions, card.read.templates]
    means = [words.UNDEFINED if n is None else f"{n:.1f}" for n in _means(card)]
    yield from markdown_table(heads, [[*map(words.count, counts), *means]])
    yield "\nLeft out (`left_out.jsonl`):\n"
    rows = [[REASONS.get(name, name), words.count(n)] for name, n in card.left_out.items()]
    yield from markdown_table(["why", "questions"], rows)
    yield ""
    yield f"Questions with a shorter query of the same canonical form: {card.n_merged:,}."
    yield f"References that were not run, as there is no database: {card.n_unchecked:,}."
    if card.corrected:
        listed = ", ".join(f"`{name}` {n:,}" for name, n in card.corrected.items())
        yield f"Corrected, with the texts before in `extra`: {listed}."
    if card.flagged:
        listed = ", ".join(f"`{name}` {n:,}" for name, n in card.flagged.items())
        yield f"To look at (`flags` in `extra`): {listed}."
    if card.n_reviewed:
        yield f"Unanswerable ones that a model wrote and a person accepted: {card.n_reviewed:,}."
    made = sum(card.unanswerable.values())
    if made < card.wanted:
        yield f"\nThe schemas gave {made} of {card.wanted} unanswerable questions that were wanted."


def _means(card: Card) -> tuple[float | None, float | None]:
    return card.read.per_template, card.read.length


def _sizes(card: Card, parts: Sequence[str]) -> Iterator[list[str]]:
    yield ["ANS", *(words.count(card.answerable[part]) for part in parts)]
    yield ["– unseen SQL", *(words.count(card.unseen[part]) for part in parts)]
    empty = [""] * (len(parts) - 1)
    yield ["UnANS", *empty, words.count(sum(card.unanswerable.values()))]
    for kind, count in card.unanswerable.items():
        yield [f"– {kind}", *empty, words.count(count)]
    yield ["databases (ANS)", *(words.count(card.databases[part]) for part in parts)]
    yield ["SQL structures", *(words.count(card.structures[part]) for part in parts)]


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, all columns but the first right-aligned."""
    yield f"| {' | '.join(heads)} |"
    yield f"|---|{'---:|' * (len(heads) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def pairs_card_text(card: PairsCard) -> str:
    """The card, as people read it first: sizes, how labels came about, what the queries use."""
    return "\n".join(_pair_lines(card)) + "\n"


def _pair_lines(card: PairsCard) -> Iterator[str]:

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
