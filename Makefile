# Two commands for a fresh machine: `make demo` and `make test`. Everything else serves them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help venv demo test lint types contracts bench bench-footage clean

help:
	@echo "make demo    watch the sample film and write its record"
	@echo "make test    every check: lint, types, import contracts, tests"
	@echo "make bench   measured ratios and speeds"
	@echo "make bench-footage   accuracy tables from the shared footage (benchmarks/results/)"

venv: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "storisende needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "cannot make a virtual environment; on Debian: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]' \
		|| { echo "cannot install the packages: is there a network, and does pip reach PyPI?" >&2; exit 1; }
	@$(BIN)/python -m compileall -q companion calibration engine hardware vision samples  # the first command need not wait
	@touch $@

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv
	$(BIN)/mypy
	$(BIN)/mypy docs/make_commands.py docs/make_pictures.py

contracts: venv
	$(BIN)/lint-imports

test: lint types contracts
	$(BIN)/pytest -n 2 --dist loadfile

demo: venv
	@$(BIN)/python -m samples.demo

bench: venv
	$(BIN)/python -m benchmarks

bench-footage: venv
	$(BIN)/python -m benchmarks.find --tables
	$(BIN)/python -m benchmarks.read --tables

clean:
	rm -rf $(VENV) build dist out *.egg-info
