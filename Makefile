# A thin front door: every target is one or two commands you could type.
BUILD   ?= build
PRESET  ?= release
FRONTENDS = $(BUILD)/frontends-venv
LIT      = $(shell sed -n 's/^NORM_LIT:FILEPATH=//p' $(BUILD)/CMakeCache.txt)
SOURCES  = $(shell git ls-files '*.h' '*.cpp' '*.c' ':!third_party')

FUZZ_SECONDS ?= 60
FUZZ_OPTIONS ?= -seed=1

.PHONY: deps configure build demo wheel check check-quick check-only check-long check-docs check-frontends check-mpi check-asan check-fresh \
	fuzz bench format check-format tidy tidy-changed docs clean
.DEFAULT_GOAL := build

deps: ## install LLVM 22 and the build tools (Debian 12)
	@bash scripts/deps.sh

configure: $(BUILD)/build.ninja
$(BUILD)/build.ninja: CMakePresets.json
	cmake --preset $(PRESET)

build: deps configure ## build every program into build/bin
	ninja -C $(BUILD)

demo: deps configure ## a real unfused Llama RMSNorm: found, compiled, checked, timed
	ninja -C $(BUILD) norm-opt norm-run norm-bench
	@bash examples/demo.sh $(BUILD)

check: build wheel ## build and run every test, with the Python package
	ninja -C $(BUILD) check-norm

check-quick: configure ## the tests whose only program is norm-opt: seconds, after a build of it
	ninja -C $(BUILD) norm-opt
	$(LIT) -sv --param quick=1 $(BUILD)/test

# Programs that only tests run are built if a test that matches names them.
check-only: configure ## a part of the tests: make check-only FILTER=Recognition/forms
	ninja -C $(BUILD) norm-programs $$($(LIT) --show-tests --filter '$(FILTER)' $(BUILD)/test | \
	  sed -n 's,^ *NORM-MLIR :: ,test/,p' | xargs grep -hE '(RUN|DEFINE):' | \
	  grep -oE '\bnorm-(test-[a-z-]+|fuzz|unittests)' | sort -u)
	$(LIT) -sv --filter '$(FILTER)' $(BUILD)/test

check-docs: build ## the documents: every command, name and link in them
	$(LIT) -sv --filter 'Examples/|Embedding/' $(BUILD)/test

check-long: build ## every test, also those that take minutes (REQUIRES: long)
	$(LIT) -sv --param long=1 $(BUILD)/test

check-frontends: build wheel $(FRONTENDS)/installed ## the examples and the package with PyTorch and JAX, from 6 GB of wheels
	$(LIT) -v --param frontends=required --filter 'Frontends/|Python/' $(BUILD)/test

wheel: build ## the Python package, as a wheel in build/wheel
	ninja -C $(BUILD) wheel

$(FRONTENDS)/installed: examples/frontends/requirements.txt
	python3 -m venv $(FRONTENDS)
	$(FRONTENDS)/bin/pip install --quiet --requirement $<
	touch $@

check-mpi: build ## programs of several ranks
	$(LIT) -v --filter 'MPI/|mpi|IR/sharding' $(BUILD)/test

check-fresh: ## deps and check in a new Debian root, which has nothing else: 25 minutes, as root
	scripts/fresh-machine.sh

check-asan: deps ## every test under the address and undefined-behavior sanitizers, in build-asan
	cmake --preset asan-ubsan
	ninja -C build-asan check-norm

fuzz: deps ## mutated programs through the compiler for FUZZ_SECONDS (60); docs/Limits.md
	cmake --preset asan-ubsan
	ninja -C build-asan norm-fuzz
	@bash test/Fuzz/fuzz.sh build-asan $(FUZZ_SECONDS) $(FUZZ_OPTIONS)

bench: build ## the targets of docs/Performance.md: GB/s beside copies in the same run
	@python3 benchmarks/targets.py --build $(BUILD)

format: ## clang-format every source file in place
	@clang-format-22 -i $(SOURCES)

check-format: ## fail when a source file is not formatted
	@clang-format-22 --dry-run --Werror $(SOURCES)

tidy: build ## clang-tidy on every source: 25 minutes of CPU time
	run-clang-tidy-22 -quiet -hide-progress -warnings-as-errors='*' -p $(BUILD) $(filter %.cpp,$(SOURCES))

tidy-changed: build ## clang-tidy on what changed since BASE: origin/main, or the commit before
	@bash scripts/tidy-changed.sh $(BUILD) $(BASE)

docs: configure ## op and pass reference from ODS, in build/docs
	ninja -C $(BUILD) norm-docs

clean:
	rm -rf $(BUILD) build-asan
