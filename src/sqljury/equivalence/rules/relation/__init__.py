"""Rules about relations."""
