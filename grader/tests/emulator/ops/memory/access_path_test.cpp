#include "ops/memory/access_path.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "decode/kernel.hpp"
#include "machine/program_impl.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

constexpr const char* kLoop = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  .shared .align 4 .b8 s[4096];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
loop:
  ld.shared.u32 %r3, [%r2];
  ld.shared.u32 %r7, [%r2+4];
  ld.global.u32 %r4, [%rd1];
  ld.volatile.global.u32 %r5, [%rd1];
  ld.u32 %r5, [%rd1];
  ld.global.u16 %h1, [%rd1];
  setp.lt.s32 %p1, %r6, 10;
  @%p1 st.global.u32 [%rd1], %r3;
  add.s64 %rd1, %rd1, 4;
  add.s32 %r6, %r6, 1;
  @%p1 bra loop;
  ret;
})";

}  // namespace

TEST_CASE("the path of a load follows from its address register and its modifiers") {
  DeviceMemory memory(std::size_t{64} << 20);
  const auto program = Program::load(ptx::parse(kLoop), memory);
  const auto code = decode_kernel(program->impl(), *program->kernels()[0], {});
  std::vector<std::string> paths;
  for (const DecodedInstruction& at : code->instructions)
    if (const AccessPath path = access_path(at); path != AccessPath::none) paths.emplace_back(name(path));
  const std::vector<std::string> expected{"affine",  "affine",  "contiguous", "general",
                                          "general", "general", "contiguous"};
  CHECK(paths == expected);
}
