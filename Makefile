# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The commands of the project; each says what it does in `make help`.
BUILD := build
PYTHON := $(BUILD)/venv/bin/python
PREFIX := /usr/local
CONFIGURE := cmake -G Ninja -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DLLVM_ENABLE_LLD=ON

.PHONY: all help setup build demo test test-nightly test-sanitizers wheel install bench bench-peers format clean

all: build

help:
	@echo 'make                 builds into build/, tools into build/bin, libraries into build/lib'
	@echo 'make setup           installs what is missing (Debian packages, build/venv)'
	@echo 'make demo            compiles, runs, checks and times a LLaMA attention layer'
	@echo 'make test            every test this machine can run; ends with N passed, N failed'
	@echo 'make test-nightly    the same with every exported model, where make test chooses one a configuration'
	@echo 'make test-sanitizers the lit suite with the address and undefined-behaviour sanitizers'
	@echo 'make wheel           the Python package with the compiler inside, into build/wheel'
	@echo 'make install         tools, libraries and CMake package into PREFIX (/usr/local)'
	@echo 'make bench           times attention, encodings and products, against the peers that are installed'
	@echo 'make bench-peers     installs those peers'

setup:
	@utils/setup.sh

build: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD)

$(BUILD)/build.ninja: | setup
	@$(CONFIGURE) -B $(BUILD)

demo: build
	@$(PYTHON) examples/llama_attention.py

test: build
	@$(PYTHON) utils/run_tests.py --build $(BUILD)

test-nightly: build
	@$(PYTHON) utils/run_tests.py --build $(BUILD) --nightly

# Not built: what a stock tool loads (posenc-plugin), and libposenc.so, whose LLVM is linked in.
test-sanitizers: setup
	@$(CONFIGURE) -B $(BUILD)-sanitizers -DLLVM_USE_SANITIZER='Address;Undefined' \
		-DCMAKE_CXX_FLAGS_RELEASE='-O1 -gline-tables-only -DNDEBUG'
	@cmake --build $(BUILD)-sanitizers --target posenc-opt posenc-compile posenc-lsp-server
	@$(PYTHON) utils/run_tests.py --build $(BUILD)-sanitizers --only lit

# In the build folder, so that only what changed is compiled.
wheel: build
	@$(PYTHON) -m pip wheel --disable-pip-version-check --no-deps -w $(BUILD)/wheel --config-settings build-dir=$(BUILD) .

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

bench: build
	@$(PYTHON) benchmarks/attention.py
	@$(PYTHON) benchmarks/encodings.py
	@$(PYTHON) benchmarks/contractions.py
	@$(PYTHON) benchmarks/memory.py
	@$(PYTHON) benchmarks/compile_time.py

bench-peers: setup
	@$(PYTHON) -m pip install --disable-pip-version-check -r benchmarks/requirements.txt

format:
	@git ls-files '*.cpp' '*.h' 'lib/**.c' ':!include/posenc-c' | xargs clang-format-22 -i

clean:
	rm -rf $(BUILD) $(BUILD)-sanitizers
