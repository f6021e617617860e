"""The checks, one a file; every module here is loaded."""
