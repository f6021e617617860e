"""Rewrite rules, a file a clause: what makes trees of equal queries equal."""
