#include "fatbin/cubin.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "fatbin/container.hpp"
#include "tests/emulator/support/kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::fatbin;

namespace {

std::string image() { return emulator::text_of("build/tests/kernels/matmul_lectures.cubin"); }

const MachineFunction& function(const Cubin& cubin, const std::string& name) {
  const auto found = std::find_if(cubin.functions.begin(), cubin.functions.end(),
                                  [&](const MachineFunction& each) { return each.name == name; });
  REQUIRE(found != cubin.functions.end());
  return *found;
}

}  // namespace

TEST_CASE("a cubin's accesses to shared memory, and the lines of PTX that they come from") {
  const Cubin cubin = read_cubin(image());
  CHECK(function(cubin, "basic_16").accesses.empty());
  int stores = 0, scalar = 0, wide = 0;
  for (const MachineAccess& each : function(cubin, "tiled_32").accesses) {
    stores += each.is_store;
    scalar += !each.is_store && each.bytes == 4;
    wide += !each.is_store && each.bytes == 16;
    REQUIRE(each.ptx_line > 0);
    const std::string& line = cubin.ptx.at(static_cast<std::size_t>(each.ptx_line - 1));
    CHECK(line.find(each.is_store ? "st.shared" : "ld.shared") != line.npos);
  }
  CHECK(stores == 2);
  CHECK(scalar == 32);  // a column of B
  CHECK(wide == 8);     // a row of A, four words at a time
}

TEST_CASE("data that is no cubin is refused") {
  CHECK_THROWS_AS(read_cubin(""), FormatError);
  CHECK_THROWS_AS(read_cubin(std::string(64, 'x')), FormatError);
  CHECK_THROWS_AS(read_cubin(".version 9.0\n.target sm_75\n"), FormatError);
}

TEST_CASE("a damaged cubin is refused or read, and nothing else happens") {
  const std::string whole = image();
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 997)
    CHECK_THROWS_AS(read_cubin(std::string_view(whole).substr(0, bytes)), FormatError);
  const std::size_t step = whole.size() / 300;
  for (std::size_t at = 0; at < whole.size(); at += step) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    try {
      read_cubin(damaged);
    } catch (const FormatError&) {
    }
  }
}
