"""What a schema says of single columns, by lower-case names."""

from __future__ import annotations

from sqlglot import exp

from sqljury.schema import ForeignKey, Schema, Table

Named = tuple[str, str]
"""A table and a column of it."""


class Keys:
    """Unique columns, columns without NULL, and foreign keys; only keys of one column count."""

    def __init__(self, schema: Schema) -> None:
        self.columns: dict[str, tuple[str, ...]] = {}
        self.unique: set[Named] = set()
        self.not_null: set[Named] = set()
        self.primary: set[Named] = set()
        self.parents: dict[Named, Named] = {}
        for table in schema.tables:
            self._read(table)

    def _read(self, table: Table) -> None:
        name = table.name.lower()
        self.columns[name] = tuple([column.name.lower() for column in table.columns])
        self.not_null |= {(name, c.name.lower()) for c in table.columns if not c.nullable}
        if len(table.primary_key) == 1:
            self.primary.add((name, table.primary_key[0].lower()))
        for key in (table.primary_key, *table.unique):
            if len(key) == 1:
                self.unique.add((name, key[0].lower()))
        self.unique |= self.primary
        self.not_null |= self.primary
        for foreign_key in table.foreign_keys:
            self._refer(name, foreign_key)

    def _refer(self, name: str, key: ForeignKey) -> None:
        if len(key.columns) == len(key.target_columns) == 1:
            parent = (key.target_table.lower(), key.target_columns[0].lower())
            self.parents[name, key.columns[0].lower()] = parent

    def has(self, column: str) -> bool:
        """Whether any table has that column, or is called so itself."""
        return column in self.columns or any(column in names for names in self.columns.values())

    def is_unique(self, node: exp.Expr) -> bool:
        """Whether the node is a column whose values are distinct."""
        return named(node) in self.unique

    def is_not_null(self, node: exp.Expr) -> bool:
        """Whether the node is a column that has no NULL."""
        return named(node) in self.not_null

    def equate(self, one: exp.Expr, other: exp.Expr) -> None:
        """What is known of one of two columns that a join equates is taken to hold for both."""
        first, second = named(one), named(other)
        if first is None or second is None:
            return
        for known in (self.unique, self.not_null):
            if first in known or second in known:
                known |= {first, second}

    def child_and_parent(self, one: exp.Expr, other: exp.Expr) -> tuple[Named, Named] | None:
        """The two columns as a foreign key and the primary key it refers to, or None."""
        names = named(one), named(other)
        for child, parent in (names, names[::-1]):
            if child and parent in self.primary and self.parents.get(child) == parent:
                return child, parent
        return None


def named(node: exp.Expr | None) -> Named | None:
    """The table and the name of a column that has both."""
    if isinstance(node, exp.Column) and node.table and isinstance(node.this, exp.Identifier):
        return node.table, node.name
    return None
