# `make install` installs everything into .venv; the other targets do so on first use.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CHROMIUM := /usr/bin/chromium

# Without compiled files, every process of the tests would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install demo test test-all fuzz lint bench requirements clean

install: $(READY)

demo: $(READY)
	$(BIN)/fathom demo --out demo

# Tests force thousands of small files to disk. A temporary folder in memory, if it is large enough, saves the waiting.
IN_MEMORY := $(shell df --output=avail --block-size=1M /dev/shm 2>/dev/null | awk 'NR == 2 && $$1 > 8000 {print "/dev/shm"}')

# The type checker uses one core, so `lint` runs beside the tests.
test: export TMPDIR := $(or $(IN_MEMORY),$(TMPDIR),/tmp)
test: $(READY)
	@test -x $(CHROMIUM) || echo "No $(CHROMIUM): the tests of the report in a browser are SKIPPED" \
	  "(Debian, Ubuntu: apt-get install chromium)." >&2
	@$(MAKE) --no-print-directory lint & lint=$$!; \
	$(BIN)/pytest -n auto --dist worksteal -m "not slow"; tests=$$?; \
	wait $$lint || { echo "make lint failed: see its messages above." >&2; exit 1; }; exit $$tests

# Also what reads whole collections of real documents or measures rates, which takes twice as long.
test-all: lint
	$(BIN)/pytest -n auto --dist worksteal

# The property-based tests with other examples on each run, and with many more than in the suite.
fuzz: $(READY)
	FATHOM_HYPOTHESIS=fuzz $(BIN)/pytest -n auto --dist worksteal \
	  $$(grep -rl --include='test_*.py' 'hypothesis import' tests)

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Speed and memory targets, each measured next to its baseline in one run. The other scripts are studies of quality, which
# take longer and have options; the documentation says how to run them.
SPEED := analysis contexts engine generate guard ingest json_lines numeric pdf prefix reading render report running \
  scoring simulated start

bench: $(READY)
	@for name in $(SPEED); do echo "== benchmarks/$$name.py"; $(BIN)/python "benchmarks/$$name.py" || exit 1; done

# Install pinned packages with hashes, then the project itself as an editable install, then the weights of the embedded
# model, which are verified by their own hash.
$(READY): requirements/dev.txt pyproject.toml requirements/python.sh
	@python="$$(requirements/python.sh)" && \
	{ test -x $(BIN)/python || "$$python" -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python's venv module is missing: install it (Debian, Ubuntu: apt-get install python3-venv)." >&2; exit 1; }; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m fathom.models.weights
	@touch $@

requirements: $(READY)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements/dev.txt
	sed -i '1i # Every package that `make` installs, by version and hash. Generated from pyproject.toml with `make requirements`; do not edit.' requirements/dev.txt

clean:
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .import_linter_cache
