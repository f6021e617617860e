"""Rewrite rules that give equal queries equal trees; one file for each clause.

A docstring's ``before → after`` says which trees a rule changes and into what. The function returns
the new tree with the assumptions made, or None where the rule does not apply; a block rule changes
the block itself and returns the assumptions only (:mod:`sqljury.equivalence.rules.base`).
"""
