"""``python -m sqljury.cli``."""

from sqljury.cli import main

main()
