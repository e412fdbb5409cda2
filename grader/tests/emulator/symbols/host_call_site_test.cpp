#include "symbols/host_call_site.hpp"

#include <doctest/doctest.h>
#include <driver_types.h>

#include <algorithm>
#include <cstdlib>

#include "symbols/host_symbols.hpp"

using warpgrade::emulator::call_in_program;
using warpgrade::emulator::call_site;
using warpgrade::emulator::find_host_symbol;
using warpgrade::emulator::line_command;

namespace {

const void* seen = nullptr;

[[gnu::noinline]] void where_it_is_called() { seen = __builtin_return_address(0); }

// Not exported: only the table of symbols knows its name.
[[gnu::noinline]] void a_function_of_this_program() {
  where_it_is_called();
  asm volatile("");  // no tail call
}

int compares(const void*, const void*) {
  seen = call_in_program(__builtin_return_address(0));
  return 0;
}

[[gnu::noinline]] void a_function_that_sorts() {
  int numbers[2] = {2, 1};
  std::qsort(numbers, 2, sizeof(int), compares);
  asm volatile("");
}

[[gnu::noinline]] void function_of_the_runtime() { seen = call_in_program(__builtin_return_address(0)); }

}  // namespace

// As the toolkit's headers wrap functions of the runtime.
template <class Function>
[[gnu::noinline]] cudaError cudaFuncSetSomething(Function*) {
  function_of_the_runtime();
  asm volatile("");
  return cudaSuccess;
}

[[gnu::noinline]] static void a_function_that_sets() {
  cudaFuncSetSomething<int>(nullptr);
  asm volatile("");
}

TEST_CASE("a call in a template of the toolkit is taken for the call of the template") {
  a_function_that_sets();
  CAPTURE(call_site(seen));
  CHECK(call_site(seen).starts_with("a_function_that_sets()"));
}

TEST_CASE("a call is named by its function, exported or not, and its file") {
  a_function_of_this_program();
  const std::string name = call_site(seen);
  CAPTURE(name);
  CHECK(name.find("a_function_of_this_program()+0x") != std::string::npos);
  CHECK(name.ends_with(" in emulator"));
  CHECK(call_site(nullptr) == "an unknown place");
}

TEST_CASE("a call from a library is taken for the program's call of the library") {
  a_function_that_sorts();
  CHECK(call_site(seen).find("a_function_that_sorts()") != std::string::npos);
  CHECK(call_in_program(seen) == seen);
}

TEST_CASE("the line of an instruction is asked for by its address in the file") {
  a_function_of_this_program();
  const std::string command = line_command(seen);
  CAPTURE(command);
  CHECK(command.starts_with("addr2line -e "));
  const std::size_t address = command.rfind(" 0x");
  REQUIRE(address != std::string::npos);
  const auto offset = std::stoull(command.substr(address + 1), nullptr, 16);
  const std::string site = call_site(seen);  // function + offset: the same instruction
  const auto within = std::stoull(site.substr(site.find("+0x") + 1), nullptr, 16);
  CHECK(offset > within);
  CHECK(line_command(nullptr).empty());
}

TEST_CASE("a file without symbols has none") {
  CHECK(find_host_symbol("/nowhere/at/all", 0, 0x1000).name.empty());
  CHECK(find_host_symbol("/dev/null", 0, 0x1000).name.empty());
  CHECK(find_host_symbol("/proc/self/exe", 0, 0).name.empty());
}

TEST_CASE("a program imports what it calls of a library, and not what it defines") {
  CHECK(warpgrade::emulator::imports("/proc/self/exe", "qsort"));
  CHECK_FALSE(warpgrade::emulator::imports("/proc/self/exe", "cudaMalloc"));
  CHECK_FALSE(warpgrade::emulator::imports("/nowhere", "qsort"));
}
