// A module with known places, and findings in it.
#pragma once

#include <doctest/doctest.h>

#include <memory>

#include "machine/observers.hpp"
#include "ptx/parser/parser.hpp"
#include "symbols/source_locations.hpp"

namespace warpgrade::emulator {

// Instruction 0 is on line 10, 1 and 2 on line 20, 3 in a function that line 30 inlines, 4 in a header of the
// toolkit that line 40 inlines, 5 in the same header, inlined by nobody.
inline constexpr const char* kModule = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<9>;
  .shared .align 4 .b8 s[64];
  .loc 1 10 3
  ld.shared.u32 %r1, [s];
  .loc 1 20 5
  ld.shared.u32 %r2, [s+4];
  st.shared.u32 [s+8], %r1;
  .loc 1 7 1, function_name $L__info_string0, inlined_at 1 30 9
  ld.shared.u32 %r3, [s];
  .loc 2 99 1, function_name $L__info_string0, inlined_at 1 40 2
  atom.shared.add.u32 %r4, [s], 1;
  .loc 2 7 1
  ld.shared.u32 %r5, [s];
  ret;
}
.file 1 "/nowhere/kernel.cu"
.file 2 "/usr/local/cuda/include/device_atomic_functions.hpp"
.section .debug_str
{
$L__info_string0:
.b8 102,0
}
)";

struct Merging {
  DeviceMemory memory{std::size_t{1} << 20};
  std::unique_ptr<Program> program = Program::load(ptx::parse(kModule), memory);
};

inline Finding finding(FindingKind kind, std::uint32_t instruction, std::uint32_t block,
                       std::uint64_t times = 1) {
  Finding out;
  out.kind = kind;
  out.site.instruction = instruction;
  out.site.block = {block, 0, 0};
  out.times = times;
  out.message = "message";
  return out;
}

inline Finding race(std::uint32_t here, std::uint32_t there, std::uint32_t block) {
  Finding out = finding(FindingKind::race_read_write, here, block);
  out.has_other = true;
  out.other.instruction = there;
  return out;
}

}  // namespace warpgrade::emulator
