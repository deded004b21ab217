# Every target sets up .venv by itself: with uv where it is there, else with plain venv and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCAL_STAMP := $(VENV)/.local-installed
DOCS_STAMP := $(VENV)/.docs-installed
MUTANTS_STAMP := $(VENV)/.mutants-installed
# For the demo: make demo PROMPT="where is order A-17?" MODEL=scripted
PROMPT ?=
MODEL ?=
# For mutants: make mutants N=50 SEED=7
N ?= 200
SEED ?=
# For what is new: make new-capability NAME=Redact
NAME ?=

.PHONY: help demo durable test trust lint fmt typecheck docs parity stubs new-capability new-toolset features known-names quality bench bench-wire bench-journal soak mutants clean
.DEFAULT_GOAL := help

help:  ## Show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# $(call install,EXTRA): install the project and an extra into .venv
define install
if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python -e '.[$(1)]'; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$(1)]'; \
	fi
endef

$(STAMP): pyproject.toml
	@$(call install,dev)
	@touch $@

# The engine of local models has no wheel for some platforms; all else works without it.
$(LOCAL_STAMP): $(STAMP)
	@if $(call install,local); then touch $@; else echo "The extra 'local' cannot be installed here: no local model."; fi

$(DOCS_STAMP): pyproject.toml
	@$(call install,docs)
	@touch $@

$(MUTANTS_STAMP): $(LOCAL_STAMP)
	@$(call install,mutants)
	@touch $@

demo: $(LOCAL_STAMP)  ## Run the support desk: an agent with tools on a real database, on a model in this process (PROMPT="..." MODEL=...)
	$(BIN)/python -m examples.support_desk $(if $(MODEL),--model "$(MODEL)") $(if $(PROMPT),'$(subst ','\'',$(PROMPT))')

durable: $(STAMP)  ## Kill the support desk while it pays an order back, start it again, and count the payments
	$(BIN)/python -m examples.long_task

ask: $(LOCAL_STAMP)  ## Ask stead's own documentation, offline, with quotes (PROMPT="how do I ...?" MODEL=...)
	$(BIN)/python -m examples.ask_docs $(if $(MODEL),--model "$(MODEL)") $(if $(PROMPT),'$(subst ','\'',$(PROMPT))')

test: $(LOCAL_STAMP)  ## Run the tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

trust: $(LOCAL_STAMP)  ## Run the tests of tests/trust in full: thousands of random agents, interruptions, attacks and histories of processes
	STEAD_TRUST_FULL=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q tests/trust $(addprefix tests/journal/test_,histories.py postgres.py processes.py faults.py)

lint: $(STAMP)  ## Check format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

fmt: $(STAMP)  ## Format, and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

typecheck: $(STAMP)  ## Check types: pyright (strict) on src and its public interface, pyright and mypy on tests/typing
	$(BIN)/pyright
	$(BIN)/mypy
	$(BIN)/python scripts/type_completeness.py

docs: $(DOCS_STAMP)  ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'built site/index.html'

parity: $(STAMP)  ## Record the parity cases again with the reference (REFERENCE_PYTHON=...) and show drift
	$(BIN)/python tests/parity/record.py

stubs: $(STAMP)  ## Write the stubs, and the types of hooks, from the tables of names and hooks
	$(BIN)/python scripts/write_stubs.py

new-capability: $(STAMP)  ## Start a capability: its file, its row, its test (NAME=Redact)
	$(BIN)/python scripts/new.py capability '$(NAME)'

new-toolset: $(STAMP)  ## Start a toolset that wraps another one: its file, its row, its test (NAME=Cached)
	$(BIN)/python scripts/new.py toolset '$(NAME)'

features: $(STAMP)  ## Write the table of what works with which vendor from its tests
	$(BIN)/python tests/models_wire/features/write_table.py

known-names: $(STAMP)  ## Write the names that type checkers know, and the table of providers in the docs, from the table of providers
	$(BIN)/python scripts/write_known_names.py

quality: $(LOCAL_STAMP)  ## Count what the local model gets right, with 0, 3 and 6 worked examples
	$(BIN)/python benchmarks/quality.py

bench: $(STAMP)  ## Measure what the framework itself costs
	$(BIN)/python benchmarks/run.py

bench-wire: $(STAMP)  ## Measure requests with the vendors' SDKs, beside the SDKs alone
	$(BIN)/python benchmarks/wire.py

bench-journal: $(STAMP)  ## Measure what a journal costs, also beside LangGraph and DBOS, which are installed for it
	$(BIN)/python benchmarks/journal.py

soak: $(STAMP)  ## Make 10,000 runs whose tools fail, time out and are cancelled; see that nothing is left behind
	$(BIN)/python benchmarks/soak.py

mutants: $(MUTANTS_STAMP)  ## Change the code at random, one place at a time, and count how often a test notices (N=200 SEED=...)
	$(BIN)/python -m scripts.mutants --count $(N) $(if $(SEED),--seed $(SEED))

clean:  ## Remove what was made
	rm -rf .venv .venv-* .mutants site dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
