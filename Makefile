# Warpgrade: `make help` lists what there is to do. CMakeLists.txt says how C++ is built; all output is in build/.
SHELL     := /bin/bash
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help

PYTHON := .venv/bin/python
export PYTHONPATH := $(CURDIR)/grader
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
unexport PYTHONDONTWRITEBYTECODE
export PATH := $(CURDIR)/.deps/bin:$(PATH)

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1@\2/p' $(MAKEFILE_LIST) | column -t -s@

# ---- set-up: installs what is missing, names each thing that it installs, and says nothing when all is there ----

setup: ## install what grading needs: system packages, Python packages, CUDA compiler
	@grader/setup/prepare.sh build
setup-dev:
	@grader/setup/prepare.sh dev

# build(preset, targets): one build at a time, as two of them would write the same files. Files of CMake contain the
# path of their checkout, so those of a copied or moved checkout are made again: they would build the other one.
# LEVELS=all: also for processors other than this one (grader/cmake/Warpgrade.cmake); it stays so afterwards.
LEVELS ?=
define build
@mkdir -p build/cmake && exec 9>build/cmake/lock && flock 9 && set -o pipefail && \
  { grep -qsxF 'CMAKE_HOME_DIRECTORY:INTERNAL=$(CURDIR)' build/cmake/$1/CMakeCache.txt || rm -rf build/cmake/$1; } && \
  { [ -e build/cmake/$1/build.ninja -a -z "$(LEVELS)" ] || \
    grep -qsxF 'WARPGRADE_LEVELS:STRING=$(LEVELS)' build/cmake/$1/CMakeCache.txt || \
    cmake --preset $1 $(LEVELS:%=-DWARPGRADE_LEVELS=%) >build/cmake/$1.log 2>&1 || \
    { cat build/cmake/$1.log >&2; exit 1; }; } && \
  if [ -t 1 ]; then cmake --build --preset $1 --target $2; \
  else cmake --build --preset $1 --target $2 | sed -u '/no work to do\|Re-checking globbed/d'; fi
endef

# ---- grading ---------------------------------------------------------------------------------------------

SUBMISSIONS ?= grader/tests/fixtures/submissions/class
DEVICE      ?= auto
grade check handouts: BROKEN_LABS := left-out
grade: tools ## grade a class: SUBMISSIONS=folder LAB=02-tiled DEVICE=auto|gpu|emulator (default: the sample class, all labs)
	@$(PYTHON) -m warpgrade grade $(SUBMISSIONS) $(if $(LAB),--lab $(LAB)) --device $(DEVICE)

check: tools ## check one lab of yours: LAB=02-tiled [FILE=kernel.cu]
	@$(if $(LAB),,printf 'check which lab? Type: make check LAB=02-tiled\n' >&2; exit 2;) $(PYTHON) -m warpgrade check $(LAB) $(FILE)

sheet: setup ## write your own questions into answers.toml: LAB=08-occupancy NAME=your-name
	@$(if $(and $(LAB),$(NAME)),,printf 'whose, of which lab? Type: make sheet LAB=08-occupancy NAME=your-name\n' >&2; exit 2;) $(PYTHON) -m warpgrade sheet $(LAB) '$(subst ','\'',$(NAME))'

# A harness that does not compile costs no other lab: all others are built. BROKEN_LABS=left-out: that is enough.
BROKEN_LABS :=
tools: setup ## build the emulator and the harnesses
	$(call build,release,tools -- -k 0) || grader/setup/broken_labs.sh $(BROKEN_LABS)

ready: tools # what .devcontainer/ calls

handouts: tools ## write the handouts for students and staff, and the answer keys, to build/handouts/
	@$(PYTHON) -m warpgrade handouts

release: LEVELS := all
release: tools ## pack the students' archive into build/release/: labs, emulator, handouts; no solutions
	@$(PYTHON) -m warpgrade release

skeletons: setup ## cut labs/*/kernel.cu from the solutions
	@$(PYTHON) -m warpgrade skeletons

calibrate: tools ## time the solutions on this machine's GPU, into datasets/reference-timings/
	@$(PYTHON) -m warpgrade calibrate

ladder: tools ## time every way to compute one product on this machine's GPU, into datasets/
	$(call build,release,ladders)
	@$(PYTHON) -m warpgrade ladder

# ---- tests: PYTEST='-k race -x' passes options on; under CI=1 a test that lacks something fails -------------

# A file of tests stays with one worker, as its tests may share a folder. Files run in the order that conftest.py
# gives, long ones first: xdist's own order, by the number of tests, would leave the longest to the end. A worker
# waits for compilers and for time limits in a fifth of its time, so that there are more of them than processors.
WORKERS ?= $(shell echo $$(($$(nproc) + 2)))
pytest = @$(PYTHON) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST)
test test-all test-python test-course test-emulator test-harness test-sanitizers test-programs build/%: LEVELS := all
build/harness/%: LEVELS := # of a lab: the lane code stays as it is
test: tools test-programs ## run the tests, of long tables of like ones a sample
	$(pytest) -m "not exhaustive"
test-all: tools all-test-programs ## run all tests
	$(pytest)
test-python: tools setup-dev ## run the tests of the Python packages
	$(pytest) grader/tests/warpgrade
test-course: tools setup-dev ## run the tests of labs, solutions and handouts
	$(pytest) grader/tests/warpgrade/course grader/tests/warpgrade/handouts
test-emulator: tools setup-dev ## run the tests of the emulator
	$(call build,release,emulator_tests kernels programs)
	$(pytest) grader/tests/emulator
test-harness: tools setup-dev ## run the tests of the harness
	$(call build,release,harness_tests)
	$(pytest) grader/tests/harness
test-sanitizers: setup-dev ## run the C++ tests under the address and the thread sanitizer
	$(call build,release,kernels programs emulator)
	$(call build,asan,emulator_tests harness_tests fuzz)
	$(call build,tsan,emulator_tests)
	$(pytest) grader/tests/sanitizers
test-programs: setup-dev # what `make test` needs besides the tools
	$(call build,release,test-programs ladders)
	$(call build,asan,emulator_tests harness_tests fuzz)
all-test-programs: test-programs # what `make test-all` needs
	$(call build,tsan,emulator_tests)

test-slurm: tools setup-dev ## grade on a real Slurm on loopback, and kill its parts in the middle (needs root and Slurm)
	@WARPGRADE_SLURM=$${WARPGRADE_SLURM:-$$RANDOM} $(PYTHON) -m pytest $(PYTEST) grader/tests/slurm

test-bare: ## run `make test` in a bare Debian root that mmdebstrap makes (needs root)
	@grader/setup/test_bare.sh
test-image: ## run the Containerfile's commands in such a root, where no image can be fetched (needs root)
	@grader/setup/test_bare.sh --image

bench: setup-dev tools ## measure the emulator's speed, as ratios in one run, into build/bench/ [AGAINST=OTHER/build/emulator]
	$(call build,release,bench)
	@$(PYTHON) grader/bench/run.py $(AGAINST)

bench-races: setup-dev tools ## run public suites of labelled races that you have fetched: SCOR=folder INDIGO=folder BARRACUDA=folder
	@$(PYTHON) grader/bench/races.py $(if $(SCOR),scor=$(SCOR)) $(if $(INDIGO),indigo=$(INDIGO)) $(if $(BARRACUDA),barracuda=$(BARRACUDA))

bench-cluster: setup-dev tools ## hold `warpgrade plan` against a class graded on a Slurm of this machine: COUNT=2000 (needs root and Slurm)
	@PYTHONPATH=$(CURDIR)/grader:$(CURDIR)/grader/tests $(PYTHON) grader/bench/cluster.py $(COUNT)

bench-class: setup-dev tools ## measure the memory that grading and reporting COUNT=100000 submissions take, made of those in build/grades
	@$(PYTHON) grader/bench/large_grading.py build/grades $(COUNT)
	@PYTHONPATH=$(CURDIR)/grader:$(CURDIR)/grader/tests $(PYTHON) grader/bench/large_class.py build/grades $(COUNT)

fmt: setup-dev ## format all C++ and Python
	@$(PYTHON) -m ruff format -q grader && $(PYTHON) -m ruff check -q --fix grader
	@clang-format -i $$(git ls-files '*.cpp' '*.hpp' '*.h')

clean: ## remove build/, but for the grades in build/grades/
	@test ! -d build || find build -mindepth 1 -maxdepth 1 ! -name grades -exec rm -rf {} +

# One program or library, by its path: `make build/tests/emulator`, `make build/asan/tests/emulator`.
build/asan/% build/tsan/% build/debug/% build/clang/%: setup-dev
	$(call build,$(word 2,$(subst /, ,$@)),$(CURDIR)/$@)
build/%: setup-dev
	$(call build,release,$(CURDIR)/$@)

.PHONY: help setup setup-dev grade check sheet tools ready handouts release skeletons calibrate ladder test test-python \
        test-course test-emulator test-harness test-sanitizers test-programs test-slurm test-bare test-image bench bench-races bench-cluster fmt \
        clean
