# Every target sets up .venv by itself: with uv where it is there, else with plain venv and pip.
PYTHON ?= python3
# Tests start many processes, which would all compile the same files.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCAL_STAMP := $(VENV)/.local-installed
DOCS_STAMP := $(VENV)/.docs-installed
MUTANTS_STAMP := $(VENV)/.mutants-installed
BROWSER_STAMP := $(VENV)/.browser-installed
TRACERS_STAMP := $(VENV)/.tracers-installed
DURABLE_STAMP := $(VENV)/.durable-installed
# Databases wait for the disk at each step. Killed processes lose as little in memory, which is three times as quick.
ROOM_IN_MEMORY = $(shell test "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $$4 }')" -gt 1000000 2>/dev/null && echo /dev/shm)
PACKAGE_STAMP := $(VENV)/.package-installed
NEWEST_STAMP := $(VENV)/.newest-installed
DEMO_STAMP := $(VENV)/.demo-installed
BARE_STAMP := $(VENV)/.bare-installed
# For packages that need 2.x: make newest
NEWEST := pydantic-ai-harness pydantic-ai-skills pydantic-ai-backend subagents-pydantic-ai
# For the demo: make demo PROMPT="where is order A-17?" MODEL=scripted
PROMPT ?=
MODEL ?=
# A local model needs little; those of vendors need their packages, which the environment for development has.
OF_A_VENDOR := $(filter-out scripted local%,$(MODEL))
DEMO_VENV := $(if $(OF_A_VENDOR),.venv,.venv-demo)
# For mutants: make mutants N=50 SEED=7
N ?= 200
SEED ?=
# For histories: make histories STORE=postgres, EACH=100 for a table with so many of each fault, FAULT=stop for one fault
STORE ?=
EACH ?=
FAULT ?=
# For what is new: make new-capability NAME=Redact
NAME ?=
# For the tests of one room: make quick ROOM=capabilities
ROOM ?=

.PHONY: newest reports web test-browser screenshots help package demo durable temporal test quick test-tracers test-durable trust histories crashes lint fmt typecheck docs front-ends clients parity stubs new-capability new-toolset features known-names quality bench counts bench-wire bench-growth bench-journal bench-durable bench-serving bench-inspector bench-first-paint bench-peers soak mutants clean
.DEFAULT_GOAL := help

help:  ## Show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# $(call install,EXTRA): install the project and an extra, if any, into $(VENV)
define install
echo 'Installing into $(VENV), which needs a package registry; later no network is needed.'; \
	if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python -e '.$(if $(1),[$(1)])'; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.$(if $(1),[$(1)])'; \
	fi || { echo 'The installation failed: can pip or uv reach a package registry? Run the same command again.' >&2; false; }
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

$(TRACERS_STAMP): pyproject.toml
	@$(call install,tracers)
	@touch $@

$(DURABLE_STAMP): pyproject.toml
	@$(call install,durable)
	@touch $@

# What they ask for under the mirrored name is left out: stead stands for it. uv alone can leave out a requirement.
$(NEWEST_STAMP): pyproject.toml
	@$(call install,)
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || uv pip install --quiet --python $(BIN)/python pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --no-deps $(NEWEST)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check httpx2 pyyaml wcmatch chardet json-repair
	@touch $@

# What needs no extra at all.
$(BARE_STAMP): pyproject.toml
	@$(call install,)
	@touch $@

# Without the engine, a script stands in for the model.
$(DEMO_STAMP): pyproject.toml
	@$(call install,local) || { $(call install,); }
	@touch $@

$(PACKAGE_STAMP): pyproject.toml
	@$(call install,package)
	@touch $@

package:  ## Build the wheel and the sdist into dist/, and check both: metadata, contents, an installation of their own
	@$(MAKE) --no-print-directory VENV=.venv-package .venv-package/.package-installed
	rm -rf dist
	.venv-package/bin/python -m build --no-isolation --outdir dist >dist.log || { cat dist.log; exit 1; }
	@rm -f dist.log
	.venv-package/bin/twine check --strict dist/*
	.venv-package/bin/check-wheel-contents dist/*.whl
	.venv-package/bin/python scripts/try_package.py dist

demo:  ## Run the support desk: an agent with tools on a real database, on a model in this process (PROMPT="..." MODEL=...)
	@$(MAKE) --no-print-directory VENV=$(DEMO_VENV) $(DEMO_VENV)/$(if $(OF_A_VENDOR),.installed,.demo-installed)
	$(DEMO_VENV)/bin/python -m examples.support_desk $(if $(MODEL),--model "$(MODEL)") $(if $(PROMPT),'$(subst ','\'',$(PROMPT))')

durable:  ## Kill the support desk while it pays an order back, start it again, and count the payments
	@$(MAKE) --no-print-directory VENV=.venv-demo .venv-demo/.bare-installed
	.venv-demo/bin/python -m examples.long_task

temporal:  ## Kill a worker of the support desk on Temporal while it pays an order back, start another one, and count the payments
	@$(MAKE) --no-print-directory VENV=.venv-durable .venv-durable/.durable-installed
	.venv-durable/bin/python -m examples.durable temporal

ask:  ## Ask stead's own documentation, offline, with quotes (PROMPT="how do I ...?" MODEL=...)
	@$(MAKE) --no-print-directory VENV=$(DEMO_VENV) $(DEMO_VENV)/$(if $(OF_A_VENDOR),.installed,.demo-installed)
	$(DEMO_VENV)/bin/python -m examples.ask_docs $(if $(MODEL),--model "$(MODEL)") $(if $(PROMPT),'$(subst ','\'',$(PROMPT))')

test: $(LOCAL_STAMP)  ## Run the tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

reports: $(STAMP)  ## Run the tests of what people report
	$(BIN)/python -m pytest -n 2 --dist worksteal -q tests/reports

newest:  ## Run programs of packages that need 2.x, in their newest releases, at level 2, in an environment of their own
	@$(MAKE) --no-print-directory VENV=.venv-newest .venv-newest/.newest-installed
	.venv-newest/bin/python -W ignore -m scripts.newest_packages

quick: $(STAMP)  ## Run the tests of one room, and those that read the sources (ROOM=capabilities)
	@test -d 'tests/$(ROOM)' && test -n '$(ROOM)' || { echo "ROOM must be a folder of tests/, as in: make quick ROOM=capabilities"; exit 2; }
	$(BIN)/python -m pytest -n 2 --dist worksteal -q $(addprefix tests/,$(ROOM) test_layers.py test_sizes.py test_exports.py test_words.py)

test-tracers:  ## Run the tests with the packages that trace SDKs and agents (Langfuse, Sentry, ...), in an environment of their own
	@$(MAKE) --no-print-directory VENV=.venv-tracers .venv-tracers/.tracers-installed
	STEAD_NEEDS_TRACERS=1 .venv-tracers/bin/python -m pytest -n 2 --dist worksteal -q tests/models_wire/test_instrumentors.py tests/dropin/test_observers.py

test-durable:  ## Run the tests of Temporal, DBOS and Prefect on their real servers, in an environment of their own
	@$(MAKE) --no-print-directory VENV=.venv-durable .venv-durable/.durable-installed
	STEAD_NEEDS_DURABLE=1 PYTEST_DEBUG_TEMPROOT=$(ROOM_IN_MEMORY) .venv-durable/bin/python scripts/run_steadily.py -n 2 --dist loadgroup -q -o tmp_path_retention_policy=failed tests/durable tests/parity/test_packages.py

trust: $(LOCAL_STAMP)  ## Run the tests of tests/trust in full: thousands of random agents, interruptions, attacks and histories of processes
	STEAD_TRUST_FULL=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q tests/trust tests/test_demo.py tests/models_local/test_random_schemas.py tests/tools/test_fuzz.py tests/capabilities/context tests/models_wire/test_capabilities_prefix.py $(addprefix tests/journal/test_,histories.py postgres.py processes.py faults.py budgets.py state_by_facts.py contexts_agree.py) tests/kit/test_nearly_json.py \
		tests/journal/test_crashes.py::test_a_run_goes_on_wherever_its_process_was_killed

histories: $(STAMP)  ## Kill, stop and confuse processes that share a journal, and check what they did, until something is wrong (SEED=... STORE=postgres FAULT=stop EACH=100)
	$(BIN)/python -m tests.trust.histories $(if $(EACH),--each $(EACH),$(if $(SEED),--seed $(SEED) --repeat 20,--seconds 1000000000)) $(if $(STORE),--store $(STORE)) $(if $(FAULT),--fault $(FAULT))

crashes: $(STAMP)  ## End runs of many kinds of agents before and after every record, in every way, by exception and by SIGKILL
	STEAD_CRASHES_FULL=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q -rP tests/journal/test_crashes.py -k 'goes_on_wherever'

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
	@echo 'built site/index.html, site/llms.txt'

web/node_modules: web/package-lock.json
	cd web && npm ci --silent --no-audit --no-fund
	@touch $@

web: web/node_modules  ## Build the pages from web/ into src/stead/ui/built/ (needs node)
	cd web && npm run --silent check && npm run --silent build

$(BROWSER_STAMP): pyproject.toml
	@$(call install,browser)
	@touch $@

test-browser:  ## Try the pages in a Chromium that is installed (CHROMIUM=path), in an environment of their own; with axe-core after `make web`
	@$(MAKE) --no-print-directory VENV=.venv-browser .venv-browser/.browser-installed
	STEAD_NEEDS_BROWSER=1 .venv-browser/bin/python scripts/run_steadily.py -q tests/browser

screenshots:  ## Take the pictures of the pages for the docs
	@$(MAKE) --no-print-directory VENV=.venv-browser .venv-browser/.browser-installed
	.venv-browser/bin/python -m tests.browser.screenshots

front-ends: $(STAMP)  ## Serve an agent to three pages, each with the client that others wrote for its protocol (needs node)
	$(BIN)/python -m examples.front_ends

clients: $(STAMP)  ## Let the clients of AG-UI and of the Vercel AI SDK, from npm, talk to adapters that are served (needs node)
	$(BIN)/python -m tests.clients.run

parity: $(STAMP)  ## Record the parity cases again with the reference (REFERENCE_PYTHON=...) and show drift
	$(BIN)/python tests/parity/record.py

stubs: $(STAMP)  ## Write the stubs and the types of hooks
	$(BIN)/python scripts/write_stubs.py

new-capability: $(STAMP)  ## Start a capability: its file, its row, its test (NAME=Redact)
	$(BIN)/python scripts/new.py capability '$(NAME)'

new-toolset: $(STAMP)  ## Start a toolset that wraps another one: its file, its row, its test (NAME=Cached)
	$(BIN)/python scripts/new.py toolset '$(NAME)'

features: $(STAMP)  ## Write the tables of what works with which vendor, with which protocol of front ends, and together, from their tests
	$(BIN)/python tests/models_wire/features/write_table.py
	$(BIN)/python -m tests.ui.features.write_table
	$(BIN)/python -m tests.pairs.write_table

known-names: $(STAMP)  ## Write the names that type checkers know, and the table of providers in the docs, from the table of providers
	$(BIN)/python scripts/write_known_names.py

quality: $(LOCAL_STAMP)  ## Count what the local model gets right, with 0, 3 and 6 worked examples
	$(BIN)/python benchmarks/quality.py

bench: $(STAMP)  ## Measure what the framework itself costs
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/floor.py

counts: $(STAMP)  ## Count what does not depend on the machine (calls, blocks of memory, modules), and keep it for the tests
	$(BIN)/python benchmarks/counts.py --write

bench-wire: $(STAMP)  ## Measure requests with the vendors' SDKs, beside the SDKs alone
	$(BIN)/python benchmarks/wire.py

bench-journal: $(STAMP)  ## Measure what a journal costs, also beside LangGraph and DBOS, which are installed for it (WRITE=1 for the docs)
	$(BIN)/python benchmarks/journal.py $(if $(WRITE),--write)

bench-serving: $(STAMP)  ## Measure a thousand clients at once from one process, beside Starlette alone (REFERENCE_PYTHON=...)
	$(BIN)/python benchmarks/serving.py $(if $(REFERENCE_PYTHON),--reference $(REFERENCE_PYTHON))

bench-peers:  ## Measure 10,000 runs at once beside other packages, in an environment of their own, and draw it (REFERENCE_PYTHON=...)
	$(if $(shell command -v uv),uv venv --quiet --allow-existing --python $(PYTHON) .venv-peers,$(PYTHON) -m venv .venv-peers)
	$(if $(shell command -v uv),uv pip install --quiet --python .venv-peers/bin/python,.venv-peers/bin/python -m pip install --quiet) -e . openai-agents langgraph agno
	.venv-peers/bin/python benchmarks/peers.py $(if $(REFERENCE_PYTHON),--reference $(REFERENCE_PYTHON)) --svg docs/peers.svg

bench-inspector:  ## Measure how quickly the inspector opens 10,000 runs, and a run of 1,000 steps, in a Chromium (CHROMIUM=path)
	@$(MAKE) --no-print-directory VENV=.venv-browser .venv-browser/.browser-installed
	.venv-browser/bin/python -m benchmarks.inspector

bench-first-paint:  ## Measure how soon the chat and the inspector are painted, beside an empty page, in a Chromium (CHROMIUM=path)
	@$(MAKE) --no-print-directory VENV=.venv-browser .venv-browser/.browser-installed
	.venv-browser/bin/python -m benchmarks.first_paint

bench-growth: $(STAMP)  ## Measure what a step costs in runs of 10 to 400 steps with the SDKs of three vendors, and draw it (REFERENCE_PYTHON=...)
	$(BIN)/python benchmarks/growth.py $(if $(REFERENCE_PYTHON),--reference $(REFERENCE_PYTHON)) --svg docs/growth.svg

bench-durable:  ## Measure what a step costs on Temporal, DBOS and Prefect, and write the table into the docs (REFERENCE_PYTHON=...)
	@$(MAKE) --no-print-directory VENV=.venv-durable .venv-durable/.durable-installed
	.venv-durable/bin/python -m benchmarks.durable_cost $(if $(REFERENCE_PYTHON),--reference $(REFERENCE_PYTHON)) --write docs/durable-execution.md

soak: $(STAMP)  ## Make 10,000 runs whose tools fail, time out and are cancelled; see that nothing is left behind
	$(BIN)/python benchmarks/soak.py

mutants: $(MUTANTS_STAMP)  ## Change the code at random, one place at a time, and count how often a test notices (N=200 SEED=...)
	$(BIN)/python -m scripts.mutants --count $(N) $(if $(SEED),--seed $(SEED))

clean:  ## Remove what was made
	rm -rf .venv .venv-* .clients .front-ends .mutants site dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
