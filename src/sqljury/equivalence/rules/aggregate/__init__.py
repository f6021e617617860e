"""Rules about what aggregates are given."""
