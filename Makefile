# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The commands of the project; each says what it does in `make help`.
BUILD := build
PYTHON := $(BUILD)/venv/bin/python
CONFIGURE := cmake -G Ninja -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DLLVM_ENABLE_LLD=ON \
	-DLLVM_EXTERNAL_LIT=/usr/lib/llvm-22/bin/lit

.PHONY: all help setup build demo test test-sanitizers bench bench-peers format clean

all: build

help:
	@echo 'make             builds into build/, tools into build/bin, libraries into build/lib'
	@echo 'make setup       installs what is missing (Debian packages, build/venv)'
	@echo 'make demo        compiles, runs, checks and times a LLaMA attention layer'
	@echo 'make test        every test this machine can run; ends with N passed, N failed'
	@echo 'make bench       times attention against the peers that are installed'
	@echo 'make bench-peers installs those peers'

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

# The address and undefined-behaviour sanitizers over the lit suite.
test-sanitizers: setup
	@$(CONFIGURE) -B $(BUILD)-sanitizers -DLLVM_USE_SANITIZER='Address;Undefined' -DCMAKE_BUILD_TYPE=RelWithDebInfo
	@cmake --build $(BUILD)-sanitizers --target posenc-opt
	@$(PYTHON) utils/run_tests.py --build $(BUILD)-sanitizers --only lit

bench: build
	@$(PYTHON) benchmarks/attention.py
	@$(PYTHON) benchmarks/memory.py
	@$(PYTHON) benchmarks/compile_time.py

bench-peers: setup
	@$(PYTHON) -m pip install --disable-pip-version-check -r benchmarks/requirements.txt

format:
	@git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format-22 -i

clean:
	rm -rf $(BUILD) $(BUILD)-sanitizers
