"""Adapters for other tools: each calls sqljury as a user would and knows no judge from inside."""
