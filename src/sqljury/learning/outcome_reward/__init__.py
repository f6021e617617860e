"""Outcome reward models: language models trained to judge if a query answers its question."""
