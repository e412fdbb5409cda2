# Functions that the CMakeLists.txt files share.

# Most of a compile is reading the standard library. One precompiled header for each set of flags, shared by all
# targets with those flags. No file may rely on it: each includes what it uses, and the build passes with
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON. Headers that few files use are left out, as every compile would load them.
set(COMMON_HEADERS
  <algorithm> <array> <atomic> <bit> <charconv> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <fstream> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <stdexcept> <string>
  <string_view> <unordered_map> <utility> <vector>)
set(LANE_HEADERS
  <immintrin.h> <array> <bit> <cstddef> <cstdint> <cstring> <optional> <span> <string> <type_traits>
  <unordered_map> <vector>)
set(TEST_HEADERS <doctest/doctest.h> <filesystem> <sstream> ${COMMON_HEADERS})

# The lane code is compiled once for each vector width; a launch picks the widest that the machine has. A build that
# stays on its machine needs that one alone; all are for other machines (an archive, an image, unlike nodes) and tests.
set(WARPGRADE_LEVELS here CACHE STRING "levels of x86-64 that the lane code is compiled for: `here` or `all`")
set(LEVELS v1 v3 v4)
set(MARCH_v1 x86-64)
set(MARCH_v3 x86-64-v3)
set(MARCH_v4 x86-64-v4)
if(CMAKE_BUILD_TYPE MATCHES "Asan|Tsan")
  set(LEVELS v1)
elseif(NOT WARPGRADE_LEVELS STREQUAL "all")
  try_run(ran compiled ${PROJECT_BINARY_DIR}/fastest_level ${PROJECT_SOURCE_DIR}/grader/cmake/fastest_level.cpp
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/grader/emulator CXX_STANDARD 20
    RUN_OUTPUT_VARIABLE fastest ARGS ${LEVELS})
  if(fastest IN_LIST LEVELS)
    set(LEVELS ${fastest})
  endif()
endif()

# WARPGRADE_EACH_VARIANT(M, ...): M(lanes_v1, ...) M(lanes_v3, ...), for the levels of this build, slowest first.
list(TRANSFORM LEVELS REPLACE "(.+)" "M(lanes_\\1, __VA_ARGS__)" OUTPUT_VARIABLE variants)
list(JOIN variants " " variants)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/isa/each_level.hpp
  CONTENT "#pragma once\n#define WARPGRADE_EACH_VARIANT(M, ...) @variants@\n" @ONLY)

# precompiled(NAME HEADERS header... [OPTIONS option...]): an object library that carries a precompiled header.
function(precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;OPTIONS")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cpp CONTENT "// Carries a precompiled header.\n")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# The options of the lane code at one vector width. Few processors need v1: it compiles at -O2, in four fifths of the
# time.
function(lane_options level result)
  set(options -march=${MARCH_${level}} -DWARPGRADE_LANES=lanes_${level})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    if(level STREQUAL "v1")
      list(PREPEND options -O2)
    else()
      list(PREPEND options -O3)
    endif()
  endif()
  set(${result} ${options} PARENT_SCOPE)
endfunction()

# The options of code that runs once for each file, kernel or call, and what carries its precompiled header: GCC 13
# refuses a header that was compiled at another level (-Winvalid-pch).
set(COLD_OPTIONS)
set(COLD_HEADERS common_headers)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(COLD_OPTIONS -O1)
  set(COLD_HEADERS cold_headers)
endif()

function(precompile_headers)
  precompiled(common_headers HEADERS ${COMMON_HEADERS})
  if(COLD_OPTIONS)
    precompiled(cold_headers HEADERS ${COMMON_HEADERS} OPTIONS ${COLD_OPTIONS})
  endif()
  foreach(level ${LEVELS})
    lane_options(${level} options)
    precompiled(lane_headers_${level} HEADERS ${LANE_HEADERS} OPTIONS ${options})
  endforeach()
endfunction()

# objects(NAME [COLD] [HEADERS carrier] SOURCES file... [OPTIONS option...]): an object library.
#
# COLD: its code runs once for each file, kernel or call, not for each instruction or element. It compiles with -O1,
# which takes about three quarters of the time of -O2. -Og takes three quarters of that, but reads PTX in three times
# the time.
#
# Several of its files are compiled as one, in half of the time: names at file scope must be unique in a folder.
# Not so the operation table, each file of which defines its rows by the same names. Who works on a room switches
# it off, so that a change compiles one file and compile_commands.json lists each:
# cmake --preset release -DWARPGRADE_UNITY=OFF
option(WARPGRADE_UNITY "compile several files as one" ON)
function(objects name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "HEADERS" "SOURCES;OPTIONS")
  if(arg_COLD)
    set(arg_HEADERS ${COLD_HEADERS})
    list(PREPEND arg_OPTIONS ${COLD_OPTIONS})
  elseif(NOT arg_HEADERS)
    set(arg_HEADERS common_headers)
  endif()
  add_library(${name} OBJECT ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM ${arg_HEADERS})
  if(WARPGRADE_UNITY AND NOT name MATCHES "^isa|_v[0-9]$")
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# program(NAME PATH OBJECTS library... [LINK library...]): PATH, below the output folder, of whole object libraries.
function(program name path)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OBJECTS;LINK")
  cmake_path(GET path PARENT_PATH folder)
  cmake_path(GET path FILENAME file)
  list(TRANSFORM arg_OBJECTS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_OBJECTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${out}/${folder} OUTPUT_NAME ${file})
endfunction()

# Compile through ccache where it is installed. Checkouts in different folders share what they compiled: neither the
# folder nor the one option that names it counts.
function(use_ccache)
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS=-fmacro-prefix-map=* ${CCACHE} PARENT_SCOPE)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options(-fpch-preprocess)  # ccache sees which header was used
    endif()
  endif()
endfunction()
