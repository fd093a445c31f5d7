# The two commands of the README are `make run` and `make test`; `make check` is what CI runs.
# Only Python 3.11 or newer and make are needed: the rest goes into .venv.

VENV    ?= .venv
STORE   ?= data/sample
PERSONS ?= 1000
HOST    ?= 127.0.0.1
PORT    ?= 7475
TESTS   ?=

BIN := $(VENV)/bin
# The first interpreter that is new enough and can make environments; a name on the PATH may
# be a launcher without an interpreter behind it, so each is asked.
FIND_PYTHON = for python in "$(PYTHON)" python3.11 python3.12 python3.13 python3 python; do \
	"$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
		2>/dev/null && echo "$$python" && break; done

.PHONY: run test check format docs-test update-docs update-plans bench jmeter wheel clean help

help:
	@echo "make run           serve a sample graph at http://$(HOST):$(PORT)"
	@echo "make test          install and run the tests (TESTS=... for some of them)"
	@echo "make check         format, lint, types, layers, docs: what CI runs"
	@echo "make format        put the source into its format"
	@echo "make update-docs   rewrite the results in the language's pages"
	@echo "make update-plans  rewrite the plans in tests/plans"
	@echo "make bench         run the benchmarks, short"
	@echo "make jmeter        get JMeter from Maven Central, for the load plans"
	@echo "make wheel         build the wheel and try it in a clean environment"
	@echo "make clean         remove what was built; the sample graph too"

$(BIN)/python:
	@python="$$($(FIND_PYTHON))"; \
	if [ -z "$$python" ]; then \
		echo "cypherd needs Python 3.11 or newer with its venv module (PYTHON=... names one)" >&2; \
		exit 1; \
	fi; \
	echo "making $(VENV) with $$python"; \
	"$$python" -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@ $(VENV)/.installed

# Made beside its place and renamed, so that an interrupted run leaves no half graph behind.
$(STORE): | $(VENV)/.installed
	@rm -rf "$(STORE).unfinished"
	@mkdir -p "$(dir $(STORE))"
	$(BIN)/cypherd generate --store "$(STORE).unfinished" --persons $(PERSONS)
	@mv "$(STORE).unfinished" "$(STORE)"

run: $(VENV)/.installed $(STORE)
	$(BIN)/cypherd serve --store "$(STORE)" --host $(HOST) --port $(PORT)

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest $(TESTS)

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/docs

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs-test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q tests/docs

update-docs: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q tests/docs/test_language_pages.py --update-docs

update-plans: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q tests/plans --update-plans

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.http_rates --seconds 3
	$(BIN)/python -m benchmarks.cancel_latency --tries 10
	$(BIN)/python -m benchmarks.under_load --seconds 5
	$(BIN)/python -m benchmarks.disconnect --tries 10
	$(BIN)/python -m benchmarks.stream_rates --rows 500000
	$(BIN)/python -m benchmarks.kill_rounds --rounds 10
	$(BIN)/python -m benchmarks.connections --seconds 3
	$(BIN)/python -m benchmarks.bulk_rates --records 50000
	$(BIN)/python -m benchmarks.soak --minutes 0.5

jmeter: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.jmeter --fetch

wheel: $(VENV)/.installed-dev
	$(BIN)/python -m tests.wheel.check_wheel

clean:
	rm -rf $(VENV) build dist "$(STORE)" "$(STORE).unfinished"
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
