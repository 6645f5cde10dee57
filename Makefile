# `make demo` and `make test` set up all they need in .venv; the second time they start at once.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CHROMIUM := /usr/bin/chromium

.PHONY: demo test lint bench requirements clean

demo: $(READY)
	$(BIN)/fathom demo --out demo

test: lint
	@test -x $(CHROMIUM) || echo "No $(CHROMIUM): the tests of the report in a browser are SKIPPED" \
	  "(Debian, Ubuntu: apt-get install chromium)." >&2
	$(BIN)/pytest -n auto --dist worksteal

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Every speed promise, measured side by side in one run.
bench: $(READY)
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

# Packages by version and hash, then the project itself, editable and without a second download; then the weights of
# the embedded model, which are checked by their own hash.
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
