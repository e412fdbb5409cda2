// Each call of a toolkit function gets a copy of the function.
#include "analysis/debug_build/debug_calls.hpp"

#include <doctest/doctest.h>

#include <string>

#include "machine/program_impl.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

// Calls `inner` twice, through `outer`. The line of `inner` is in this file.
ptx::Module module_in(const std::string& file) {
  return ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n"
      ".func inner() { .loc 1 7 1\n ret; }\n"
      ".func outer() { .loc 1 9 1\n call inner, (); ret; }\n"
      ".visible .entry k() { .loc 2 3 1\n call outer, (); call outer, (); ret; }\n"
      ".file 1 \"" +
      file + "\"\n.file 2 \"/home/a/kernel.cu\"\n");
}

std::string called(const ptx::Module& module, const std::string& function, std::size_t instruction) {
  return emulator::called_name(module.find_function(function)->instructions.at(instruction));
}

}  // namespace

TEST_CASE("each call of a function of the toolkit has its own, and so have the calls in it") {
  ptx::Module module = module_in("/usr/local/cuda/include/device_atomic_functions.hpp");
  emulator::copy_toolkit_functions(module);
  CHECK(module.functions.size() == 5);
  const std::string first = called(module, "k", 0), second = called(module, "k", 1);
  CHECK(first == "outer");
  REQUIRE(second != first);
  CHECK(called(module, first, 0) == "inner");
  CHECK(called(module, second, 0) != "inner");
}

TEST_CASE("the program's own functions stay as they are") {
  ptx::Module module = module_in("/home/a/atomics.cuh");
  emulator::copy_toolkit_functions(module);
  CHECK(module.functions.size() == 3);
  CHECK(called(module, "k", 1) == "outer");
}
