# Every target sets up .venv by itself: with uv where it is there, else with venv and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS_STAMP := $(VENV)/.docs-installed

.PHONY: help demo test lint fmt typecheck docs parity bench clean

help:  ## Show what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python -e '.[dev]'; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'; \
	fi
	@touch $(STAMP)

$(DOCS_STAMP): $(STAMP)
	@if command -v uv >/dev/null 2>&1; then \
		uv pip install --quiet --python $(BIN)/python -e '.[docs]'; \
	else \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'; \
	fi
	@touch $(DOCS_STAMP)

demo: $(STAMP)  ## Run the support desk: a real agent with tools on a real database
	$(BIN)/python -m examples.support_desk

test: $(STAMP)  ## Run the tests
	$(BIN)/python -m pytest -n 2 -q

lint: $(STAMP)  ## Check format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

fmt: $(STAMP)  ## Format, and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

typecheck: $(STAMP)  ## Check types
	$(BIN)/pyright
	$(BIN)/mypy

docs: $(DOCS_STAMP)  ## Build the documentation into site/
	$(BIN)/mkdocs build --strict

parity: $(STAMP)  ## Record the parity cases again with the reference (REFERENCE_PYTHON) and show drift
	$(BIN)/python tests/parity/record.py

bench: $(STAMP)  ## Measure what the framework itself costs
	$(BIN)/python benchmarks/run.py

clean:  ## Remove what was made
	rm -rf $(VENV) .venv-lowest site .pytest_cache .ruff_cache .mypy_cache dist
