"""Relational operator trees: built from SQL, walked, typed, drawn. Pure functions."""
