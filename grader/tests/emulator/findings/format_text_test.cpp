#include <doctest/doctest.h>

#include "findings/format_text.hpp"
#include "tests/emulator/support/merging.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("a finding as text") {
  Merging m;
  Finding one = race(0, 3, 4);
  resolve(one, *m.program);
  one.site.access = "read";
  one.other.access = "write";
  one.memory = {.space = "shared",
                .address = 68,
                .bytes = 4,
                .allocation = "shared array s",
                .allocation_bytes = 64,
                .distance = 4,
                .relation = Placement::after};
  one.times = 12;
  CHECK(to_text(one, "k", false) ==
        "error[WG112]: message\n"
        "  --> /nowhere/kernel.cu:10:3\n"
        "   | ^ read by thread (0,0,0) of block (4,0,0)\n"
        "  ::: /nowhere/kernel.cu:7:1, inlined at /nowhere/kernel.cu:30\n"
        "   | ^ write by thread (0,0,0) of block (0,0,0)\n"
        "   = memory: shared address 0x44, 4 bytes, 4 bytes past the end of shared array s (64 bytes)\n"
        "   = kernel: k\n"
        "   = seen: 12 times\n"
        "   = help: Put __syncthreads() between the write and the read, where every thread of the block "
        "reaches it; between lanes of one warp __syncwarp() is enough.\n");
  one.memory.made_at = "scan.cu:7";
  CHECK(to_text(one, "k", false).find("shared array s (64 bytes), made at scan.cu:7\n") != std::string::npos);
  CHECK(to_text(one, "_Z4scanPi", false).find("   = kernel: scan\n") != std::string::npos);
}
