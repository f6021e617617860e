"""Rewrite rules, one a file: what makes trees of equal queries equal."""
