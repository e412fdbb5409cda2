#include "fatbin/machine_code.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "fatbin/container.hpp"
#include "tests/emulator/support/kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::fatbin;

namespace {

std::string image() { return emulator::text_of("build/tests/kernels/matmul_lectures.cubin"); }

const MachineKernel& kernel(const std::vector<MachineKernel>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("machine code has kinds, widths, lines of PTX and branches that stay in the code") {
  const std::string cubin = image();
  const std::vector<MachineKernel> all = read_machine_code(cubin);
  const MachineKernel& tiled = kernel(all, "tiled_32");
  CHECK(tiled.registers > 8);
  CHECK(tiled.shared_bytes == 2 * 32 * 32 * 4);
  std::ptrdiff_t wide = 0, branches = 0;
  for (const MachineInstruction& each : tiled.instructions) {
    wide += each.kind == "shared load" && each.bytes == 16;
    if (each.kind == "shared store") CHECK(each.line > 0);
    if (each.kind != "branch") continue;
    ++branches;
    CHECK(each.target >= 0);
    CHECK(each.target < std::ssize(tiled.instructions));
  }
  CHECK(wide == 8);
  CHECK(branches > 0);
}

TEST_CASE("an instruction tells whether a predicate guards it") {
  const std::string cubin = image();
  for (const MachineKernel& each : read_machine_code(cubin)) {
    CAPTURE(each.name);
    const auto leaves = [](const MachineInstruction& at) { return at.kind == "exit" && !at.guarded; };
    CHECK(std::ranges::count_if(each.instructions, leaves) == 1);
    // The last branch is that of the padding, to itself.
    const auto returns = [&](const MachineInstruction& at) {
      return at.kind == "branch" && at.target < &at - each.instructions.data();
    };
    for (const MachineInstruction& at : each.instructions)
      if (returns(at)) CHECK(at.guarded);
  }
}

TEST_CASE("operations are on the pipes on which Nsight Compute counts them") {
  const std::string cubin = emulator::text_of("build/tests/kernels/conversions.cubin");
  const std::vector<MachineKernel> all = read_machine_code(cubin);
  const auto count = [&](const std::string& name, std::string_view kind) {
    return std::ranges::count(kernel(all, name).instructions, kind, &MachineInstruction::kind);
  };
  CHECK(count("to_double", "special") == 1);
  CHECK(count("of_bytes", "special") == 0);
  CHECK(count("of_bytes", "integer") >= 3);
  CHECK(count("bits_turned", "special") == 1);
  CHECK(count("equals", "match") == 1);
  CHECK(count("differences", "integer") >= 2);
  CHECK(count("ballots", "integer") >= 2);
}

TEST_CASE("products on tensor cores say their size") {
  const std::string cubin = emulator::text_of("build/tests/kernels/mma_shapes_sm90.cubin");
  const std::vector<MachineKernel> all = read_machine_code(cubin);
  const auto products = [&](const std::string& name, std::string_view kind) {
    return std::ranges::count(kernel(all, name).instructions, kind, &MachineInstruction::kind);
  };
  for (const char* name : {"halves_16", "bfloats_16", "tf32_8"}) {
    CAPTURE(name);
    CHECK(products(name, "mma 16x8x16") == 1);
    CHECK(products(name, "mma 16x8x8") == 0);
  }
  for (const char* name : {"halves_8", "tf32_4"}) {
    CAPTURE(name);
    CHECK(products(name, "mma 16x8x16") == 0);
    CHECK(products(name, "mma 16x8x8") == 1);
  }
}

TEST_CASE("resources are those of the machine code, without its instructions") {
  const std::string cubin = image();
  const auto all = read_machine_code(cubin), resources = read_resources(cubin);
  REQUIRE(all.size() == resources.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(resources[i].registers == all[i].registers);
    CHECK(resources[i].shared_bytes == all[i].shared_bytes);
    CHECK(resources[i].instructions.empty());
  }
}

TEST_CASE("cubins are found in a program by architecture") {
  const std::string program = "before" + image() + "behind";
  const auto all = read_machine_code(image());
  int found = 0;
  for (const int architecture : {70, 75, 80, 86, 89, 90, 100})
    for (const std::string_view cubin : find_cubins(program, architecture)) {
      ++found;
      CHECK(read_resources(cubin).size() == all.size());
    }
  CHECK(found == 1);
}

TEST_CASE("a damaged cubin has machine code or is refused, and nothing else happens") {
  const std::string whole = image();
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 300) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    try {
      read_machine_code(damaged);
    } catch (const FormatError&) {
    }
  }
}
