# What CI runs, by name. `make PYTHON=.venv/bin/python check` picks another environment.
PYTHON ?= python

.PHONY: help check lint format types test bench

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

check: lint format types  ## style, format and types

lint:
	$(PYTHON) -m ruff check .

format:
	$(PYTHON) -m ruff format --check .

types:
	$(PYTHON) -m mypy

test:  ## all tests and doctests
	$(PYTHON) -m pytest

bench:  ## every benchmark, each with its figures and its aims
	@for script in benchmarks/*.py; do echo "== $$script"; $(PYTHON) $$script || exit 1; done
