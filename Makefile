# Every target makes the environment it needs: on a fresh clone one command does everything.
VENV := .venv
PYTHON ?= python3
READY := $(VENV)/.ready
BIN := $(VENV)/bin

.PHONY: audit test coverage check lint docs bench clean

audit: $(READY)  ## audit the built-in model, offline, and write the report
	$(BIN)/counterpoise audit builtin --offline --out runs/builtin

test: $(READY) lint  ## everything
	$(BIN)/python -m pytest -n 2 --dist worksteal

coverage: $(READY)  ## everything, with the lines that no test reaches; a fifth slower
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term-missing:skip-covered

check: $(READY) lint  ## the quick loop
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)  ## generate the pages of the measures
	$(BIN)/python tools/build_docs.py

bench: $(READY)  ## every benchmark, one after another
	for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

$(READY): pyproject.toml constraints.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[train,web,ray,studies,dev]'
	touch $(READY)

clean:
	rm -rf $(VENV) build dist runs
