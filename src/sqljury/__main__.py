"""Runs the command line for ``python -m sqljury``."""

from sqljury.cli.entry import main_of_module

if __name__ == "__main__":
    main_of_module()
