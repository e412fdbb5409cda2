# Warpgrade: `make help` lists what there is to do. Sources are found by listing folders; all output is in build/.
SHELL     := /bin/bash
MAKEFLAGS += --no-builtin-rules --jobs=$(shell nproc)
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:

PYTHON := .venv/bin/python
export PYTHONPATH := $(CURDIR)/grader
NVCC   := .deps/cuda/bin/nvcc
DEBIAN := .deps/debian/usr
LABS   := $(notdir $(patsubst %/lab.toml,%,$(wildcard labs/*/lab.toml)))

# ---- what people type ------------------------------------------------------------------------------------

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1@\2/p' $(MAKEFILE_LIST) | column -t -s@

SUBMISSIONS ?= grader/tests/fixtures/submissions/class
DEVICE      ?= auto
grade: tools ## grade a class: SUBMISSIONS=folder LAB=02-tiled DEVICE=auto|gpu|emulator (default: the sample class, all labs)
	@$(PYTHON) -m warpgrade grade $(SUBMISSIONS) $(if $(LAB),--lab $(LAB)) --device $(DEVICE)

check: tools ## check one lab of yours: LAB=02-tiled [FILE=kernel.cu]
	@$(if $(LAB),,printf 'check which lab? Type: make check LAB=02-tiled\n' >&2; exit 2;) $(PYTHON) -m warpgrade check $(LAB) $(FILE)

# A file of tests stays on one worker: tests of one file may share a folder. Files in the order that conftest.py
# gives them, the long ones first: xdist's own, by the number of tests, would leave the longest to the end.
PYTEST ?= -n $(shell nproc) --dist loadfile --no-loadscope-reorder
test: tools test-programs ## run all tests
	@$(PYTHON) -m pytest $(PYTEST)

handouts: tools ## write the handouts for students and staff, and the answer keys, to build/handouts/
	@$(PYTHON) -m warpgrade handouts

release: tools ## pack the students' archive into build/release/: labs, emulator, handouts; no solutions
	@$(PYTHON) -m warpgrade release

skeletons: | build/.prepared ## cut labs/*/kernel.cu from the solutions
	@$(PYTHON) -m warpgrade skeletons

bench: tools build/bench/kernels $(if $(wildcard /usr/include/CL/cl.h),build/bench/opencl) ## measure the emulator's speed, as ratios in one run, into build/bench/
	@$(PYTHON) grader/bench/run.py

calibrate: tools ## time the solutions on this machine's GPU, into datasets/reference-timings/
	@$(PYTHON) -m warpgrade calibrate

ladder: tools build/bench/ladder ## time every way to compute one product on this machine's GPU, into datasets/
	@$(PYTHON) -m warpgrade ladder

fmt: | build/.prepared ## format all C++ and Python
	@$(PYTHON) -m ruff format -q grader && $(PYTHON) -m ruff check -q --fix grader
	@clang-format -i $$(git ls-files '*.cpp' '*.hpp' '*.h')

clean: ## remove build/
	@rm -rf build

.PHONY: help grade check test calibrate bench ladder handouts release skeletons fmt clean tools test-programs FORCE

# ---- set-up ----------------------------------------------------------------------------------------------

build/.prepared: FORCE
	@grader/setup/prepare.sh && mkdir -p build && touch $@

# ---- C++ -------------------------------------------------------------------------------------------------

CXX      := g++
# -Wno-restrict: g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-restrict
INCLUDES := -Igrader/emulator -Igrader/harness -Igrader -Ibuild/generated -isystem .deps/cuda/include \
            -isystem /usr/include/x86_64-linux-gnu/openblas-pthread \
            -isystem $(DEBIAN)/include -isystem $(DEBIAN)/include/x86_64-linux-gnu/openblas-pthread
# Nothing may fuse or reorder arithmetic: results are compared bit for bit.
CXXFLAGS := -std=c++20 -g1 -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno $(WARNINGS) $(INCLUDES)
LIBRARY_PATHS := -L$(DEBIAN)/lib/x86_64-linux-gnu -L$(DEBIAN)/lib/x86_64-linux-gnu/openblas-pthread

# A variant is a way to build: its flags, its folder, and the emulator's rooms that it builds in its own way;
# the others it takes from the plain build. Threads meet in none of the first three rooms.
FLAGS_plain := -O2
# What is only tested is compiled with -Og: in half the time of -O1, and runs nearly as fast.
# -Wno-maybe-uninitialized: with this sanitizer g++ 12 warns about the inside of std::regex.
FLAGS_asan  := -Og -Wno-maybe-uninitialized -fsanitize=address,undefined -fno-sanitize-recover=all -DWARPGRADE_ONLY_V1
# -Wno-tsan: it does not follow fences; ours stand beside atomics, which it does follow.
FLAGS_tsan  := -Og -fsanitize=thread -Wno-tsan -DWARPGRADE_ONLY_V1
OUT_plain   := build
# With a standard library of its own: a program that replaces operator new, and be it for the device, is no concern of ours.
ALONE_plain := -static-libstdc++
OUT_asan    := build/asan
OUT_tsan    := build/tsan
ROOMS       := fatbin ptx isa machine analysis findings checks profile sched ops definedness decode launch cudart
ROOMS_plain := $(ROOMS)
ROOMS_asan  := $(ROOMS)
ROOMS_tsan  := $(filter-out fatbin ptx isa,$(ROOMS))

# Lane loops are compiled once for each vector width; a launch picks the machine's.
LEVEL_v1 := x86-64
LEVEL_v3 := x86-64-v3
LEVEL_v4 := x86-64-v4
LEVELS_plain := v1 v3 v4
LEVELS_asan  := v1
LEVELS_tsan  := v1

HARNESS  := $(wildcard grader/harness/*.cpp)
HARNESS_TESTS  := $(wildcard grader/tests/harness/*_test.cpp grader/tests/harness/fake_cudart/*.cpp)

# Most of a compile is reading the standard library: it is read once for each set of flags. PRECOMPILED= goes without.
PRECOMPILED ?= $(wildcard grader/standard.hpp)
# prepared(folder, flags, header): what objects in the folder wait for. FOLDER/flags tells how they were made, so
# that with other flags or another compiler they are made anew; FOLDER/standard.hpp.gch is the header, precompiled.
define prepared
$1/flags: FORCE | build/.prepared
	@mkdir -p $$(@D) && echo "$$$$($(CXX) -dumpfullversion) $(CXX) $(CXXFLAGS) $2" >$$@.new && \
	  if cmp -s $$@.new $$@; then rm $$@.new; else mv $$@.new $$@; fi
$1/standard.hpp.gch: $(or $3,$(PRECOMPILED)) $(PRECOMPILED) $1/flags
	@echo "  CXX     $$@" && $(CXX) $(CXXFLAGS) $2 -x c++-header $$< -o $$@
endef
# With it, g++ 12 also tells its false alarms about the inside of std::string (GCC bugs 105329 and 105651).
use_precompiled = $(if $(PRECOMPILED),-Winvalid-pch -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread \
                    -include $1/standard.hpp)
with_prepared = $(if $(PRECOMPILED),$1/standard.hpp.gch,$1/flags)

# lanes(v, level): the objects of one vector width.
FLAGS_lanes = $(FLAGS_$1) $(if $(filter plain,$1),-O3) -march=$(LEVEL_$2) -DWARPGRADE_LANES=lanes_$2
define lanes
$(call prepared,$(OUT_$1)/obj/$2,$(call FLAGS_lanes,$1,$2),$(wildcard grader/emulator/standard.hpp))
$(OUT_$1)/obj/%.$2.o: %.cpp $(call with_prepared,$(OUT_$1)/obj/$2) | build/.prepared
	@mkdir -p $$(@D) && echo "  CXX     $$< for $(LEVEL_$2)$(if $(filter-out plain,$1), ($1))" && \
	  $(CXX) $(CXXFLAGS) $(call FLAGS_lanes,$1,$2) $(call use_precompiled,$(OUT_$1)/obj/$2) -MMD -MP -c $$< -o $$@
endef
$(foreach v,plain asan tsan,$(foreach level,$(LEVELS_$v),$(eval $(call lanes,$v,$(level)))))

# objects(v, room): what a room of the emulator is made of.
SOURCES := $(shell find grader/emulator -name '*.cpp')
TESTED  := $(shell find grader/tests/emulator -name '*_test.cpp')
of_room = $(filter grader/emulator/$1/%,$(SOURCES))
lanes_of = $(foreach file,$1,$(if $(findstring /lanes/,$(file)),$(file)))
objects = $(patsubst %.cpp,$(OUT_$1)/obj/%.o,$(filter-out $(call lanes_of,$(of_room_$2)),$(of_room_$2))) \
          $(foreach level,$(LEVELS_$1),$(patsubst %.cpp,$(OUT_$1)/obj/%.$(level).o,$(call lanes_of,$(of_room_$2))))
$(foreach room,$(ROOMS),$(eval of_room_$(room) := $(call of_room,$(room))))

# variant(v): objects, the emulator's library, the test programs.
define variant
$(call prepared,$(OUT_$1)/obj,$(FLAGS_$1))
$(OUT_$1)/obj/%.o: %.cpp $(call with_prepared,$(OUT_$1)/obj) | build/.prepared build/generated/gpus.inc
	@mkdir -p $$(@D) && echo "  CXX     $$<$(if $(filter-out plain,$1), ($1))" && \
	  $(CXX) $(CXXFLAGS) $(FLAGS_$1) $(call use_precompiled,$(OUT_$1)/obj) -MMD -MP -c $$< -o $$@

EMULATOR_$1 := $(foreach room,$(ROOMS),$(call objects,$(if $(filter $(room),$(ROOMS_$1)),$1,plain),$(room)))
TESTS_$1    := $(patsubst %.cpp,build/obj/%.o,$(wildcard grader/tests/main.cpp) $(foreach room,$(ROOMS_$1),$(filter grader/tests/emulator/$(room)/%,$(TESTED))))
HARNESS_$1  := $(HARNESS:%.cpp=$(OUT_$1)/obj/%.o)

$(OUT_$1)/emulator/libcudart.so.13: $$(EMULATOR_$1) grader/emulator/cudart/api/exports.map
	@mkdir -p $$(@D) && echo "  LINK    $$@" && $(CXX) $(FLAGS_$1) -shared $(ALONE_$1) -Wl,-soname,libcudart.so.13 \
	  -Wl,--version-script,grader/emulator/cudart/api/exports.map $$(EMULATOR_$1) $(LIBRARY_PATHS) -lzstd -llz4 -ldl -lpthread -o $$@.new && mv $$@.new $$@

$(OUT_$1)/tests/emulator: $$(EMULATOR_$1) $$(TESTS_$1)
	@mkdir -p $$(@D) && echo "  LINK    $$@" && $(CXX) $(FLAGS_$1) $$^ $(LIBRARY_PATHS) -lzstd -llz4 -ldl -lpthread -o $$@.new && mv $$@.new $$@

# On a runtime of the tests' own: every answer and fault of a GPU at will. Without lab.cpp, which has a doctest
# of its own.
$(OUT_$1)/tests/harness: $$(filter-out %/lab.o,$$(HARNESS_$1)) build/obj/grader/tests/main.o $(HARNESS_TESTS:%.cpp=build/obj/%.o)
	@mkdir -p $$(@D) && echo "  LINK    $$@" && $(CXX) $(FLAGS_$1) $$^ -o $$@

$(OUT_$1)/harness/%: $(OUT_$1)/obj/labs/%/harness.o $$(HARNESS_$1) | $(OUT_$1)/emulator/libcudart.so.13
	@mkdir -p $$(@D) && echo "  LINK    $$@" && $(CXX) $(FLAGS_$1) $$^ -L$(OUT_$1)/emulator -l:libcudart.so.13 -o $$@.new && mv $$@.new $$@
endef
$(foreach v,plain asan tsan,$(eval $(call variant,$v)))

# The tests themselves are compiled once, and soon: what a sanitizer is to watch is the emulator.
FLAGS_tests := -Og
$(eval $(call prepared,build/obj/grader/tests,$(FLAGS_tests),$(wildcard grader/tests/standard.hpp)))
build/obj/grader/tests/%.o: grader/tests/%.cpp $(call with_prepared,build/obj/grader/tests) | build/.prepared build/generated/gpus.inc
	@mkdir -p $(@D) && echo "  CXX     $<" && \
	  $(CXX) $(CXXFLAGS) $(FLAGS_tests) $(call use_precompiled,build/obj/grader/tests) -MMD -MP -c $< -o $@

build/generated/gpus.inc: grader/gpus/generate.py $(wildcard grader/gpus/*.toml) | build/.prepared
	@mkdir -p $(@D) && $(PYTHON) grader/gpus/generate.py $@

# From an archive, so that the generator takes only what it uses and needs no CUDA runtime.
build/harness/libharness.a: $(HARNESS_plain)
	@mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^
build/datasets/generate: build/obj/datasets/generate.o build/harness/libharness.a
	@mkdir -p $(@D) && echo "  LINK    $@" && $(CXX) $^ $(LIBRARY_PATHS) -lopenblas -o $@

build/emulator/emu: $(patsubst %.cpp,build/obj/%.o,$(wildcard grader/emulator/tools/*.cpp)) $(EMULATOR_plain)
	@mkdir -p $(@D) && echo "  LINK    $@" && $(CXX) $^ $(LIBRARY_PATHS) -lzstd -llz4 -ldl -lpthread -o $@

# Found by programs that look for a driver: says why there is none.
build/emulator/libcuda.so.1: build/obj/grader/emulator/driver/absent.o
	@mkdir -p $(@D) && echo "  LINK    $@" && $(CXX) -shared -Wl,-soname,libcuda.so.1 $^ -o $@

# What grading needs.
tools: build/emulator/libcudart.so.13 build/emulator/libcuda.so.1 $(LABS:%=build/harness/%) build/datasets/generate
	@:

# ---- what the tests need besides -------------------------------------------------------------------------

device_flags = -lineinfo --no-compress -gencode arch=compute_$1,code=compute_$1
DEVICE_FLAGS := $(call device_flags,75)
# The PTX that is kept is what -ptx would make once more. Kernels that need a 9.0 GPU say so in their name.
build/tests/kernels/%.fatbin build/tests/kernels/%.ptx: grader/tests/fixtures/kernels/%.cu | build/.prepared
	@mkdir -p $(@D)/$*.keep && echo "  NVCC    $<" && $(NVCC) -std=c++17 -fatbin --keep --keep-dir $(@D)/$*.keep \
	  $(call device_flags,$(if $(filter %_sm90,$*),90,75)) $< -o $(@D)/$*.fatbin && \
	  mv $(@D)/$*.keep/$*.ptx $(@D)/$*.ptx && rm -r $(@D)/$*.keep
# The machine code beside the PTX, for tests of what is read from it.
build/tests/kernels/%.cubin: grader/tests/fixtures/kernels/%.cu | build/.prepared
	@mkdir -p $(@D) && $(NVCC) -std=c++17 -cubin -lineinfo -gencode arch=compute_75,code=sm_90 $< -o $@
build/tests/programs/%: grader/tests/fixtures/programs/%.cu | build/.prepared
	@mkdir -p $(@D) && echo "  NVCC    $<" && $(NVCC) -std=c++17 -cudart shared $(DEVICE_FLAGS) \
	  $$(sed -n 's,^//+ ,,p' $<) $< -o $@

KERNELS  := $(patsubst grader/tests/fixtures/kernels/%.cu,build/tests/kernels/%,$(wildcard grader/tests/fixtures/kernels/*.cu))
PROGRAMS := $(patsubst grader/tests/fixtures/programs/%.cu,build/tests/programs/%,$(wildcard grader/tests/fixtures/programs/*.cu))

# The fuzz targets without a fuzzer: seeds and changed copies of them, under the sanitizers.
FUZZ := $(patsubst grader/tests/emulator/fuzz/%_fuzz.cpp,build/asan/fuzz/%,$(wildcard grader/tests/emulator/fuzz/*_fuzz.cpp))
build/asan/fuzz/%: build/asan/obj/grader/tests/emulator/fuzz/%_fuzz.o build/asan/obj/grader/tests/emulator/fuzz/replay.o $(EMULATOR_asan)
	@mkdir -p $(@D) && echo "  LINK    $@" && $(CXX) $(FLAGS_asan) $^ $(LIBRARY_PATHS) -lzstd -llz4 -ldl -lpthread -o $@

test-programs: $(FUZZ) $(foreach v,plain asan tsan,$(OUT_$v)/tests/emulator) build/tests/harness build/asan/tests/harness $(KERNELS:%=%.fatbin) $(KERNELS:%=%.ptx) build/tests/kernels/matmul_lectures.cubin $(PROGRAMS) build/emulator/emu build/bench/ladder
	@:

# ---- on a GPU --------------------------------------------------------------------------------------------

# Needs no toolkit where it runs; see grader/tests/gpu/isa/isa.sh.
build/hardware/isa: $(patsubst %.cpp,build/obj/%.o,$(addprefix grader/tests/gpu/isa/,isa.cpp matrix.cpp video.cpp)) \
                    $(call objects,plain,isa) $(call objects,plain,ptx)
	@mkdir -p $(@D) && echo "  LINK    $@" && $(CXX) -static-libstdc++ -static-libgcc $^ -ldl -o $@

# ---- benchmarks -------------------------------------------------------------------------------------------

build/bench/kernels: grader/bench/kernels.cu solutions/02-tiled/kernel.cu | build/.prepared
	@mkdir -p $(@D) && echo "  NVCC    $<" && $(NVCC) -std=c++17 -O2 -cudart shared -Ilabs/common $(DEVICE_FLAGS) $< -o $@
# With the emulator's library at link time, as the harness; the loader then finds the one to run on.
build/bench/ladder: build/obj/grader/bench/ladder.o build/harness/libharness.a | build/emulator/libcudart.so.13
	@mkdir -p $(@D) && echo "  LINK    $@" && $(CXX) $^ -Lbuild/emulator -l:libcudart.so.13 -ldl -o $@
build/bench/opencl: grader/bench/opencl.cpp | build/.prepared
	@mkdir -p $(@D) && echo "  CXX     $<" && $(CXX) -std=c++20 -O2 $(WARNINGS) $< -lOpenCL -o $@

-include $(shell find build -name '*.d' 2>/dev/null)
