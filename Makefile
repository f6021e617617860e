# Two commands set a fresh machine up: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# Installed first, so that nothing that needs torch brings another build of it.
TORCH ?= torch==2.13.0
# Test processes, for two cores: many tests wait, for limits in seconds or for a server.
JOBS ?= 3
# Neighbours stay in one process, which makes what they share once.
PARALLEL = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
# The others need the public data: each says how it is run.
BENCHES ?= evaluate execution llm majority matching replay tables

.PHONY: help demo test test-slow test-all lint format docs bench clean

help:
	@echo "make demo       evaluate the bundled cases (no key, no network, no server)"
	@echo "make test       the fast tests (some 5 minutes)"
	@echo "make test-slow  the tests that need minutes or the public benchmark data"
	@echo "make test-all   all tests, and an hour of random search for faults"
	@echo "make lint       style, types, and the direction of imports"
	@echo "make docs       the documentation as a site, into site/; broken links are errors"
	@echo "make bench      speed, as ratios against a baseline measured in the same run"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet -e ".[all]" --group dev
	@touch $@ $(VENV)/.core

# A stand-in for Snowflake, which needs versions of its own.
$(VENV)/.fakesnow:
	$(PYTHON) -m venv $(VENV)/fakesnow
	$(VENV)/fakesnow/bin/python -m pip install --quiet "fakesnow[server]>=0.12" "snowflake-connector-python<5"
	@touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.core
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

demo: $(VENV)/.core
	$(BIN)/sqljury demo --folder demo

# Tests that run alone are few: only the files that hold some are read.
test: $(VENV)/.dev $(VENV)/.fakesnow
	$(BIN)/python -m pytest -m alone $$(grep -rl --include="test_*.py" pytest.mark.alone tests)
	$(PARALLEL)

test-slow: $(VENV)/.dev $(VENV)/.fakesnow
	$(PARALLEL) -m slow

test-all: $(VENV)/.dev $(VENV)/.fakesnow
	$(PARALLEL) -m "slow or not slow"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Not with --quiet: it would also silence the warnings that strict counts.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.dev
	for name in $(BENCHES); do $(BIN)/python bench/$$name.py || exit 1; done

clean:
	rm -rf $(VENV) demo site .pytest_cache .mypy_cache .ruff_cache
