# The only commands to learn. Each makes .venv when it is missing; running one twice costs nothing.
# Options: PYTHON=python3.12, UV= (use pip although uv is there), ARGS="-k word" (for test), UPGRADE=1 (for lock).

VENV := .venv
BIN := $(VENV)/bin
UV ?= $(shell command -v uv 2>/dev/null)
PYTHON ?= $(firstword $(foreach name,python3.13 python3.12 python3.11 python3,$(call if_recent,$(name))))

is_recent := -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
if_recent = $(shell $(1) $(is_recent) && echo $(1))
install = $(if $(UV),"$(UV)" pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --disable-pip-version-check)
# Two makes at once take turns; where there is no flock only one make at a time may set up.
in_turn = $(if $(shell command -v flock 2>/dev/null),flock Makefile) $(MAKE) --silent --no-print-directory

.DEFAULT_GOAL := help
.PHONY: help demo test check lock runtime dev

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' Makefile

demo: runtime ## Evaluate the example benchmark offline, on Prefect
	$(BIN)/assent evaluate examples/stop_sign/benchmark.json --model control/coin --engine prefect

test: dev ## Run every test
	@.ci/parts
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest $(ARGS)

check: dev ## Lint, formatting, types, direction of imports, result files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/assent outputs check

compile = $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate $(if $(UPGRADE),--upgrade) --extra run --group build

lock: dev ## Write both lock files anew; pins stay unless UPGRADE=1
	$(compile) --output-file requirements.lock
	$(compile) --group dev --constraint requirements.lock --output-file requirements-dev.lock

runtime:
	+@$(in_turn) $(VENV)/.project

dev: runtime
	+@$(in_turn) $(VENV)/.dev

# A virtual environment survives neither a moved checkout nor a removed interpreter.
ifneq ($(shell $(BIN)/python $(is_recent) && cat $(VENV)/.made 2>/dev/null),$(CURDIR))
.PHONY: $(VENV)/.made
endif

# One that somebody made here by hand is kept.
$(VENV)/.made:
	@if $(BIN)/python $(is_recent) && grep -qsF "$(CURDIR)/$(VENV)" $(BIN)/activate && \
	  { test -n "$(UV)" || $(BIN)/python -m pip --version >/dev/null 2>&1; }; then :; \
	elif test -n "$(UV)"; then \
	  rm -rf $(VENV) && "$(UV)" venv --quiet --seed --python "$(or $(PYTHON),>=3.11)" $(VENV); \
	elif ! { test -n "$(PYTHON)" && "$(PYTHON)" $(is_recent); }; then \
	  echo "Assent needs Python 3.11 or newer, and $(or $(PYTHON),python3) is not. Fix: install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; \
	elif ! "$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null; then \
	  echo "$(PYTHON) cannot make virtual environments. Fix: install its venv package (Debian, Ubuntu: apt install python3-venv), or uv" >&2; exit 1; \
	else \
	  rm -rf $(VENV) && "$(PYTHON)" -m venv $(VENV); \
	fi
	@echo "$(CURDIR)" > $@

# Without --no-deps pip refuses what a pinned package asks for with an extra; the locks are complete.
$(VENV)/.runtime: requirements.lock $(VENV)/.made
	echo "Installing requirements.lock into $(VENV)"
	$(install) --require-hashes --no-deps -r requirements.lock
	touch $@

$(VENV)/.project: pyproject.toml schemas/version.py $(VENV)/.runtime
	$(install) --no-build-isolation --no-deps --editable .
	touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime | $(VENV)/.project
	echo "Installing requirements-dev.lock into $(VENV)"
	$(install) --require-hashes --no-deps -r requirements-dev.lock
	touch $@
