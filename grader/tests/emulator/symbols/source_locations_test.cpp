#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/emulator/support/merging.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("places: inlined functions, and headers of the toolkit") {
  Merging m;
  CHECK(place_of(*m.program, 0).line == 10);
  CHECK(place_of(*m.program, 0).column == 3);
  CHECK(place_of(*m.program, 0).inlined_at.empty());
  CHECK(place_of(*m.program, 3).line == 7);
  CHECK(place_of(*m.program, 3).inlined_at == "/nowhere/kernel.cu:30");
  CHECK(place_of(*m.program, 4).file == "/nowhere/kernel.cu");
  CHECK(place_of(*m.program, 4).line == 40);
  CHECK(access_name(*m.program, 0) == "shared load");
  CHECK(access_name(*m.program, 2) == "shared store");
  CHECK(access_name(*m.program, 4) == "shared atomic");
  CHECK(source_line("/nowhere/kernel.cu", 10).empty());
  CHECK(source_line("/etc/passwd", 1).empty());
}

TEST_CASE("places: the loop of a memcpy() has line 0, and is where the call is") {
  constexpr const char* kLoop = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry before()
{
  .reg .b32 %r<9>;
  .loc 1 5 1
  mov.u32 %r1, 0;
  ret;
}
.visible .entry k()
{
  .reg .b32 %r<9>;
  .shared .align 4 .b8 s[64];
  .loc 1 0 7
  ld.shared.u32 %r1, [s];
  .loc 1 10 3
  ld.shared.u32 %r1, [s];
  .loc 1 0 3
  ld.shared.u32 %r2, [s+4];
  st.shared.u32 [s+8], %r2;
  ret;
}
.file 1 "/nowhere/kernel.cu"
)";
  DeviceMemory memory{std::size_t{1} << 20};
  const auto program = Program::load(ptx::parse(kLoop), memory);
  std::vector<int> lines;
  for (std::uint32_t i = 0; i < program->instruction_count(); ++i)
    lines.push_back(place_of(*program, i).line);
  CHECK(lines == std::vector<int>{5, 5, 0, 10, 10, 10, 10});
}
