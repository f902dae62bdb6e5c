# The commands of the repository. `make` alone lists them. Each does the set-up that it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SAMPLE := tests/sample/sample.wav
MODEL  := tiny.en
PART   ?= all
ROUNDS ?= 5
UV     := 0.13.9

# Directories are listed too: their times change when a file comes or goes.
BINDING_SOURCES := pyproject.toml cpp/CMakeLists.txt $(shell find cpp/cmake cpp/include cpp/src cpp/python)

# Tools of the environment come first; nothing of the caller's make or virtual environment leaks in.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# The binding and the tests compile the same sources: with ccache, once.
ifneq ($(shell command -v ccache),)
export CMAKE_C_COMPILER_LAUNCHER := ccache
export CMAKE_CXX_COMPILER_LAUNCHER := ccache
endif
unexport MAKEFLAGS MFLAGS VIRTUAL_ENV PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long bench lint format lock sample clean
.DELETE_ON_ERROR:

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(VENV)/.built ## make the environment .venv and build the core and its Python binding into it

demo: setup ## fetch the smallest model, transcribe the sample of the repository, and pack the npm package
	@$(BIN)/wsp model fetch $(MODEL)
	@$(BIN)/wsp transcribe $(SAMPLE) --model $(MODEL) --stats
	@$(BIN)/wsp pack --out build/package

test: test-packages setup ## all tests of the core and of the package, under 20 minutes on 2 cores
	@$(BIN)/python tools/run_tests.py test

test-long: long-packages setup ## what takes longer; PART=name runs one part of it (tests/README.md lists them)
	@$(BIN)/python tools/run_tests.py long --part '$(PART)'

bench: bench-packages setup ## every figure of speed and memory, with reports in build/; PART=name takes one (docs/benchmarks.md), ROUNDS=9 repeats more often
	@$(BIN)/python tools/run_bench.py --part '$(PART)' --rounds $(ROUNDS)

lint: setup ## the house checks alone: format, types, layers, clang-tidy
	@$(BIN)/pytest tests/unit/house

format: setup ## format Python and C++ in place, and what ruff can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix --show-fixes .
	@find cpp -name '*.h' -o -name '*.cpp' -o -name '*.c' | grep -v /generated/ | xargs $(BIN)/clang-format -i

lock: setup ## renew tools/requirements.txt, the exact versions of the environment
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet uv==$(UV)
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.10 --group dev pyproject.toml \
	  --custom-compile-command 'make lock' --output-file tools/requirements.txt
	@sed -i '1i # Every package of the environment, exact, for each Python from 3.10 on; see docs/adr/0005.' tools/requirements.txt

sample: setup ## make the sample recording anew (needs espeak-ng)
	@$(BIN)/python tests/sample/make_sample.py

clean: ## remove what was built; keeps .venv and the fetched models
	rm -rf build $(VENV)/.built .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

.PHONY: demo-packages test-packages long-packages bench-packages
demo-packages:
	@$(PYTHON) tools/system_packages.py demo

test-packages:
	@$(PYTHON) tools/system_packages.py test

# Only these parts need more than the tests do.
long-packages:
	@$(PYTHON) tools/system_packages.py $(if $(filter all arm fuzz kernels systems upstream wasm,$(PART)),long,test)

# Only the emulated Arm processors need more than the demo does.
bench-packages:
	@$(PYTHON) tools/system_packages.py $(if $(filter all arm,$(PART)),bench,demo)

$(VENV)/.installed: tools/requirements.txt | demo-packages
	@echo "== environment: $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps -r tools/requirements.txt
	@touch $@

# Development install: Python code is read from codegen/, the modules are built once and again when C++ changes.
$(VENV)/.built: $(VENV)/.installed $(BINDING_SOURCES)
	@echo "== core and Python binding"
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation \
	  -C cmake.define.SPEECH_BUILD_INSPECT=ON -C cmake.define.SPEECH_TEST_BACKENDS=ON --editable .
	@touch $@
