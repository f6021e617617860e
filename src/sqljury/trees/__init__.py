"""Relational operator trees: built from SQL, walked, typed, drawn. Pure functions."""

from sqljury.trees.from_sql import build_tree, forget_trees

__all__ = ["build_tree", "forget_trees"]
