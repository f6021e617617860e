"""The checks, by topic; every module here is loaded."""
