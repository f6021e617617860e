"""ALTER TABLE, DROP and RENAME: what a schema script removes or adds later."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqljury.databases.ddl_tables import (
    Constraint,
    Draft,
    is_special,
    plain_names,
    read_table,
    trees,
)
from sqljury.schema import Column

_HARMLESS = frozenset(
    ("OWNER", "ENABLE", "DISABLE", "ENGINE", "AUTO_INCREMENT", "COMMENT", "VALIDATE", "CLUSTER")
) | {"SET", "RESET", "REPLICA", "ATTACH", "ROW_FORMAT", "INHERIT", "NO", "FORCE", "DEFAULT"}
"""First words of actions that leave columns and keys as they are."""
_NOT_OF_A_COLUMN = frozenset(("CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE"))
_PLAIN = re.compile(
    r"CREATE\s+TABLE\s+(?P<optional>IF\s+NOT\s+EXISTS\s+)?"
    r"(\"(?P<double>[^\".]+)\"|`(?P<back>[^`.]+)`|(?P<bare>\w+))\s*\(",
    re.IGNORECASE,
)
_TOUCHES = re.compile(r"^(MODIFY|CHANGE|RENAME)\b|\b(ENFORCED|NOCHECK|EXPRESSION)\b", re.IGNORECASE)
"""Actions that may change a CHECK constraint or the expression of a generated column."""
_OTHERS = ("TRIGGER", "RULE", "TYPE", "DOMAIN")
_INDEXES = frozenset(("INDEX", "KEY", "FULLTEXT", "SPATIAL"))


class NotUnderstoodError(Exception):
    """An action may remove something, and it is not clear what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one statement does, and to which table (in lower case)."""

    kind: str
    """``create``, ``index``, ``drop``, ``drop index``, ``rename``, ``alter``, ``trigger`` (also a
    rule of PostgreSQL) or ``type`` (also a domain)."""
    table: str = ""
    name: str = ""
    """The name of the index, or the new name of the table."""
    unique: bool = False
    if_needed: bool = False
    """True if the statement says IF EXISTS or IF NOT EXISTS."""
    actions: tuple[tuple[str, ...], ...] = ()
    """The actions of an ALTER TABLE, each as a list of tokens; names are without quotes."""
    texts: tuple[str, ...] = ()
    """The text of each action as written."""


def read_change(statement: str) -> Change:
    """Returns what a CREATE, ALTER, DROP or RENAME statement does."""
    plain = _PLAIN.match(statement)
    if plain is not None:  # most statements; cutting them into words takes as long as making them
        name = plain["double"] or plain["back"] or plain["bare"]
        return Change(kind="create", table=name.lower(), if_needed=plain["optional"] is not None)
    # sqlglot reads RENAME as a command, with the rest as one piece of text.
    if statement[:6].upper() == "RENAME":
        statement = f"ALTER{statement[6:]}"
        words = _Words(statement)
        words.skip("ALTER", "TABLE")
        table = words.name()
        words.skip("TO")
        return Change(kind="rename", table=table.lower(), name=words.name())
    words = _Words(statement)
    first = words.take()
    if first == "CREATE":
        return _created(words)
    if first == "DROP":
        kind = words.take()
        while kind not in ("TABLE", "VIEW", "INDEX"):
            kind = words.take()
        return _dropped(words, kind)
    words.take()
    words.skip("IF", "EXISTS", "ONLY")
    table = words.name()
    if words.has("RENAME", "TO"):
        words.skip("RENAME", "TO")
        return Change(kind="rename", table=table.lower(), name=words.name())
    actions, texts = words.actions()
    return Change(kind="alter", table=table.lower(), actions=actions, texts=texts)


def _created(words: _Words) -> Change:
    unique = False
    while (word := words.take()) not in ("TABLE", "VIEW", "INDEX", *_OTHERS, ""):
        unique = unique or word == "UNIQUE"
    if word in ("TRIGGER", "RULE"):
        while words.take() not in ("ON" if word == "TRIGGER" else "TO", ""):
            continue
        return Change(kind="trigger", table=words.name().lower())
    if word in ("TYPE", "DOMAIN"):
        words.skip("IF", "NOT", "EXISTS")
        return Change(kind="type", name=words.name().lower())
    words.skip("CONCURRENTLY")
    optional = words.skip("IF", "NOT", "EXISTS")
    if word != "INDEX":
        return Change(kind="create", table=words.name().lower(), if_needed=optional)
    name = "" if words.has("ON") else words.name()
    while words.take() not in ("ON", ""):
        continue
    words.skip("ONLY")
    return Change(kind="index", table=words.name().lower(), name=name, unique=unique)


def _dropped(words: _Words, kind: str) -> Change:
    words.skip("CONCURRENTLY")
    optional = words.skip("IF", "EXISTS")
    name = words.name().lower()
    if kind != "INDEX":
        return Change(kind="drop", table=name, if_needed=optional)
    if not words.skip("ON"):
        return Change(kind="drop index", name=name.rpartition(".")[2], if_needed=optional)
    table = words.name().lower()
    return Change(
        kind="alter", table=table, actions=(("DROP", "INDEX", name),), texts=(f"DROP INDEX {name}",)
    )


class _Token(NamedTuple):
    """A word of a statement and its position."""

    text: str
    start: int
    end: int


def _tokens(statement: str) -> list[_Token]:
    """The words of a statement; names without their quotes."""
    from sqlglot import tokenize
    from sqlglot.tokens import TokenType

    found = []
    for token in tokenize(statement, read="mysql" if "`" in statement else "postgres"):
        named = token.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
        # To sqlglot, PRIMARY KEY and similar pairs are one token.
        texts = [token.text] if named else token.text.split()
        found += [_Token(str(text), token.start, token.end) for text in texts]
    return found


class _Words:
    """A cursor over the tokens of a statement."""

    def __init__(self, statement: str) -> None:
        self._text = statement
        self._tokens = _tokens(statement)
        self._next = 0

    def take(self) -> str:
        """Returns the next word in capitals and moves past it; empty at the end."""
        if self._next >= len(self._tokens):
            return ""
        self._next += 1
        return self._tokens[self._next - 1].text.upper()

    def has(self, *words: str) -> bool:
        """True if these words come next."""
        found = self._tokens[self._next : self._next + len(words)]
        return tuple(token.text.upper() for token in found) == words

    def skip(self, *words: str) -> bool:
        """Moves past any of these words; True if there was at least one."""
        start = self._next
        while self._next < len(self._tokens) and self._tokens[self._next].text.upper() in words:
            self._next += 1
        return self._next > start

    def name(self) -> str:
        """Reads a name, with its schema unless that is the default one."""
        parts = [self._raw()]
        while self.has("."):
            self.take()
            parts.append(self._raw())
        if len(parts) > 1 and parts[-2].lower() in ("public", "dbo", "main"):
            parts = parts[-1:]
        return ".".join(parts[-2:])

    def _raw(self) -> str:
        if self._next >= len(self._tokens):
            return ""
        self._next += 1
        return str(self._tokens[self._next - 1].text)

    def actions(self) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
        """The remaining tokens and texts, split at commas outside brackets."""
        actions: list[tuple[str, ...]] = []
        texts: list[str] = []
        begun, depth = self._next, 0
        for i in range(self._next, len(self._tokens) + 1):
            at_end = i == len(self._tokens)
            text = "" if at_end else self._tokens[i].text
            depth += (text == "(") - (text == ")")
            if not at_end and (text != "," or depth):
                continue
            if i > begun:
                part = self._tokens[begun:i]
                actions.append(tuple(str(token.text) for token in part))
                texts.append(self._text[part[0].start : part[-1].end + 1])
            begun = i + 1
        return tuple(actions), tuple(texts)


# ---------------------------------------------------------------- the actions of ALTER TABLE


def altered(draft: Draft, change: Change) -> Draft:
    """The draft after an ALTER TABLE.

    Raises:
        NotUnderstoodError: an action that may remove something is not understood.
    """
    for action, text in zip(change.actions, change.texts, strict=True):
        draft = _noted(draft, _acted(draft, action, text), text)
    return draft


def _noted(before: Draft, after: Draft, text: str) -> Draft:
    """The draft after an action, with declarations that no longer contain what the action
    removed."""
    if not before.declaration or text[:3].upper() == "ADD":
        return after
    kept = before.declaration
    gone = [c.name for c in before.constraints if c.kind == "check" and c not in after.constraints]
    for name in gone:
        kept = tuple(_without_check(statement, name) for statement in kept)
    unknown = gone and kept == before.declaration
    if unknown or _TOUCHES.search(text) or _shape(before) != _shape(after):
        return replace(after, declaration=(*before.declaration, text))
    return replace(after, declaration=tuple(filter(is_special, kept)))


def _shape(draft: Draft) -> list[tuple[str, str, bool]]:
    return [(column.name, column.type, column.generated) for column in draft.columns]


def _without_check(statement: str, name: str) -> str:
    """The statement without the CHECK constraint of this name."""
    tokens = _tokens(statement)
    words = [token.text.upper() for token in tokens]
    for i in range(1, len(words) - 3):
        if words[i : i + 4] == ["CONSTRAINT", name.upper(), "CHECK", "("]:
            last = _closing(words, i + 3)
            first = i - 1 if words[i - 1] == "," else i
            if words[i - 1] == "(" and words[last + 1 : last + 2] == [","]:
                last += 1
            return statement[: tokens[first].start] + statement[tokens[last].end + 1 :]
    return statement


def _closing(words: Sequence[str], start: int) -> int:
    depth = 0
    for i in range(start, len(words)):
        depth += (words[i] == "(") - (words[i] == ")")
        if not depth:
            return i
    return len(words) - 1


def _acted(draft: Draft, action: tuple[str, ...], text: str) -> Draft:
    words = tuple(word.upper() for word in action)
    match words[0]:
        case "ADD":
            return _added(draft, words, text)
        case "DROP":
            return _without(draft, action, words)
        case "MODIFY" | "CHANGE":
            return _redefined(draft, action, words, text)
        case "ALTER":
            return _column_altered(draft, action, words, text)
        case "RENAME":
            return _renamed(draft, action, words)
        case first if first in _HARMLESS:
            return draft
        case _:
            raise NotUnderstoodError(f"{' '.join(action[:3])!r} is not understood")


def _added(draft: Draft, words: tuple[str, ...], text: str) -> Draft:
    what = text.split(None, 1)[1] if len(words) > 1 else ""
    if words[1] in _INDEXES:
        name = words[2] if words[1] in ("INDEX", "KEY") else words[-1]
        other = Constraint(kind="other", name=name.lower())
        return replace(draft, constraints=(*draft.constraints, other))
    if words[1] in ("PARTITION", "GENERATED"):
        return draft
    place = position(words)
    if place is not None:
        tokens = _tokens(text)
        what = text[tokens[1].start : tokens[-2 if place else -1].start]
    rest = words[2:] if words[1] in ("COLUMN", "IF") else words[1:]
    if words[1] == "COLUMN":
        what = what.split(None, 1)[1]
    while rest[:1] and rest[0] in ("IF", "NOT", "EXISTS"):
        rest, what = rest[1:], what.split(None, 1)[1]
    if rest[:1] == ("(",):  # MySQL: several columns in one ADD
        what = what.strip()[1:-1]
    made = read_table(f"CREATE TABLE {_quoted(draft.name)} ({what})", mysql_first="`" in text)
    if made is None:
        made = read_table(f"CREATE TABLE {_quoted(draft.name)} (x INT, {what})")
    if made is None:
        raise NotUnderstoodError(f"{text!r} is not understood")
    columns = () if rest[0] in _NOT_OF_A_COLUMN else made.columns
    return replace(
        draft,
        columns=_placed(draft.columns, columns, place),
        constraints=(*draft.constraints, *made.constraints),
        declaration=(*draft.declaration, text) if made.declaration else draft.declaration,
    )


def position(words: Sequence[str]) -> str | None:
    """The column after which MySQL places a new one, in lower case; empty for FIRST, None if the
    action gives no place."""
    if words[0].upper() not in ("ADD", "MODIFY", "CHANGE") or len(words) < 4:
        return None
    if words[-2].upper() == "AFTER":
        return words[-1].lower()
    return "" if words[-1].upper() == "FIRST" else None


def _placed(
    columns: Sequence[Column], new: Sequence[Column], place: str | None
) -> tuple[Column, ...]:
    names = [column.name.lower() for column in columns]
    if place and place not in names:
        raise NotUnderstoodError(f"there is no column {place!r}")
    at = len(names) if place is None else names.index(place) + 1 if place else 0
    return (*columns[:at], *new, *columns[at:])


def _quoted(name: str) -> str:
    return '"' + name.rpartition(".")[2].replace('"', '""') + '"'


def _without(draft: Draft, action: tuple[str, ...], words: tuple[str, ...]) -> Draft:
    optional = "IF" in words[1:4] and "EXISTS" in words[1:4]
    named = [w for w in action[1:] if w.upper() not in ("IF", "EXISTS", "CASCADE", "RESTRICT")]
    kind = named[0].upper()
    if kind == "PRIMARY":
        return replace(draft, constraints=_but(draft, lambda c: c.kind == "primary"))
    if kind in ("CONSTRAINT", "INDEX", "KEY", "FOREIGN", "CHECK"):
        return _without_constraint(draft, named[-1].lower(), optional)
    if kind == "PARTITION":
        return draft
    column = named[-1].lower()
    if column not in {c.name.lower() for c in draft.columns}:
        if optional:
            return draft
        raise NotUnderstoodError(f"there is no column or constraint {column!r}")
    return _without_column(draft, column)


def _without_constraint(draft: Draft, name: str, optional: bool) -> Draft:
    if name == "primary":
        return replace(draft, constraints=_but(draft, lambda c: c.kind == "primary"))
    known = draft.names | {c.columns[0].lower() for c in draft.constraints if c.columns}
    if name not in known:
        if optional:
            return draft
        raise NotUnderstoodError(f"the script makes no constraint {name!r}")
    if name in draft.names:
        return draft.without(name)
    # MySQL names a key after its first column if it is not given a name.
    first = [c for c in draft.constraints if c.columns and c.columns[0].lower() == name]
    kept = _but(draft, lambda c: c in first and c.kind == "unique")
    return replace(draft, constraints=kept)


def _but(draft: Draft, gone: Callable[[Constraint], bool]) -> tuple[Constraint, ...]:
    return tuple(c for c in draft.constraints if not gone(c))


def _without_column(draft: Draft, column: str) -> Draft:
    def reads(constraint: Constraint) -> bool:
        reference = constraint.reference
        columns = constraint.columns if reference is None else reference.columns
        return column in {c.lower() for c in columns}

    return replace(
        draft,
        columns=tuple(c for c in draft.columns if c.name.lower() != column),
        constraints=_but(draft, reads),
    )


def _redefined(draft: Draft, action: tuple[str, ...], words: tuple[str, ...], text: str) -> Draft:
    """MySQL's MODIFY and CHANGE: they replace everything about a column except its keys."""
    at = 2 if words[1] == "COLUMN" else 1
    name = action[at].lower()
    start = at + (1 if words[0] == "CHANGE" else 0)
    definition = _from_token(text, start)
    place = position(words)
    if place is not None:
        tokens = _tokens(text)
        definition = text[tokens[start].start : tokens[-2 if place else -1].start]
    made = read_table(f"CREATE TABLE x ({definition})", mysql_first=True)
    if (
        made is None
        or len(made.columns) != 1
        or name not in {column.name.lower() for column in draft.columns}
    ):
        raise NotUnderstoodError(f"{text!r} is not understood")
    (new,) = made.columns
    held = {c.lower() for k in draft.constraints if k.kind == "primary" for c in k.columns}
    if name in held:
        new = replace(new, nullable=False)
    draft = replace(draft, constraints=(*draft.constraints, *made.constraints))
    draft = _with_column(draft, name, new)
    if place is None:
        return draft
    others = tuple(column for column in draft.columns if column is not new)
    return replace(draft, columns=_placed(others, (new,), place))


def _from_token(text: str, number: int) -> str:
    tokens = _tokens(text)
    return text[tokens[number].start :] if number < len(tokens) else ""


def _with_column(draft: Draft, name: str, new: Column) -> Draft:
    columns = tuple(new if c.name.lower() == name else c for c in draft.columns)
    if new.name.lower() == name:
        return replace(draft, columns=columns)
    renamed = {name: new.name}
    return replace(draft, columns=columns, constraints=_moved(draft.constraints, renamed))


def _moved(constraints: Sequence[Constraint], names: dict[str, str]) -> tuple[Constraint, ...]:
    def moved(columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(c.lower(), c) for c in columns)

    return tuple(
        replace(
            c,
            columns=moved(c.columns),
            reference=c.reference and replace(c.reference, columns=moved(c.reference.columns)),
        )
        for c in constraints
    )


def _column_altered(
    draft: Draft, action: tuple[str, ...], words: tuple[str, ...], text: str
) -> Draft:
    if words[1] in ("INDEX", "CONSTRAINT", "CHECK"):
        return draft
    at = 2 if words[1] == "COLUMN" else 1
    name, rest = action[at].lower(), words[at + 1 :]
    column = next((c for c in draft.columns if c.name.lower() == name), None)
    if column is None:
        raise NotUnderstoodError(f"there is no column {name!r}")
    match rest:
        case ("DROP", "NOT", "NULL"):
            return _with_column(draft, name, replace(column, nullable=True))
        case ("SET", "NOT", "NULL"):
            return _with_column(draft, name, replace(column, nullable=False))
        case ("SET", "DATA", "TYPE", *_) | ("TYPE", *_):
            return _retyped(draft, column, _from_token(text, at + (4 if rest[0] == "SET" else 2)))
        case ("SET", *_) | ("RESET", *_) | ("ADD", "GENERATED", *_):
            return draft
        case ("DROP", "DEFAULT") | ("DROP", "IDENTITY", *_):
            return draft
        case ("DROP", "EXPRESSION", *_):
            return _with_column(draft, name, replace(column, generated=False))
        case _:
            # SQL Server repeats the type, and NULL applies if nothing else is written.
            return _with_column(draft, name, _definition(text, at))


def _retyped(draft: Draft, column: Column, written: str) -> Draft:
    new = _definition(f"{column.name} {written.partition(' USING ')[0]}", 0)
    kept = replace(column, type=new.type, collation=new.collation)
    return _with_column(draft, column.name.lower(), kept)


def _definition(text: str, start: int) -> Column:
    made = read_table(f"CREATE TABLE x ({_from_token(text, start)})")
    if made is None or len(made.columns) != 1:
        raise NotUnderstoodError(f"{text!r} is not understood")
    return made.columns[0]


def _renamed(draft: Draft, action: tuple[str, ...], words: tuple[str, ...]) -> Draft:
    if words[1] == "TO":
        return replace(draft, name=action[-1])
    if words[1] in ("CONSTRAINT", "INDEX", "KEY"):
        old, new = action[2].lower(), action[-1].lower()
        constraints = tuple(replace(c, name=new) if c.name == old else c for c in draft.constraints)
        return replace(draft, constraints=constraints)
    old = action[2 if words[1] == "COLUMN" else 1].lower()
    column = next((c for c in draft.columns if c.name.lower() == old), None)
    if column is None:
        raise NotUnderstoodError(f"there is no column {old!r}")
    return _with_column(draft, old, replace(column, name=action[-1]))


def read_index(draft: Draft, change: Change, statement: str) -> Draft:
    """The draft after a CREATE INDEX: a unique one becomes a constraint."""
    from sqlglot import exp

    if not change.unique:
        other = Constraint(kind="other", name=change.name.lower())
        return replace(draft, constraints=(*draft.constraints, other))
    for tree in trees(statement):
        index = tree.find(exp.Index)
        params = index.args.get("params") if index is not None else None
        if params is None:
            continue
        columns = plain_names(params.args.get("columns") or ())
        whole = columns and params.args.get("where") is None
        made = Constraint(
            kind="unique" if whole else "other",
            name=change.name.lower(),
            columns=columns if whole else (),
        )
        more = () if whole else (statement,)
        return replace(
            draft,
            constraints=(*draft.constraints, made),
            declaration=(*draft.declaration, *more),
        )
    return replace(draft, declaration=(*draft.declaration, statement))
