"""Outcome reward models: language models taught to say whether a query answers its question."""
