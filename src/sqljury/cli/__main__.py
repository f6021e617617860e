"""``python -m sqljury.cli``."""

from sqljury.cli.entry import main_of_module

main_of_module()
