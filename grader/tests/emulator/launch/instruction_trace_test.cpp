// The trace of a small kernel with a loop, a guard and a divergent branch.
#include "launch/instruction_trace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/gpu_limits.hpp"

using namespace warpgrade;

namespace {

constexpr const char* kText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry work(.param .u64 out, .param .f32 scale) {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.f32 %f1, [scale];
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %f2, %r1;
  setp.lt.u32 %p1, %r1, 4;
  mul.rn.f32 %f3, %f2, %f1;
  @%p1 mov.u32 %r2, 7;
  @!%p1 bra done;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f3;
done:
  ret;
}
)";

struct Traced {
  emulator::LaunchResult result;
  std::string text;
  bool has(const std::string& words) const { return text.find(words) != text.npos; }
};

Traced run(const emulator::InstructionTraceRequest& trace) {
  emulator::DeviceMemory memory(1 << 20);
  const auto program = emulator::Program::load(ptx::parse(kText), memory);
  emulator::LaunchRequest request;
  request.kernel = program->find_kernel("work");
  request.grid = {2, 1, 1};
  request.block = {64, 1, 1};
  const std::uint64_t out = memory.allocate(256, emulator::Allocation::Kind::device, "out")->base;
  const float scale = 0.5f;
  std::vector<std::byte> parameters(12);
  std::memcpy(parameters.data(), &out, 8);
  std::memcpy(parameters.data() + 8, &scale, 4);
  request.parameters = parameters;
  std::ostringstream text;
  Traced traced;
  traced.result = emulator::trace_instructions(request, memory, stage::h200(), trace, text);
  traced.text = text.str();
  CHECK(reinterpret_cast<const float*>(memory.find(out)->data())[3] == 1.5f);
  return traced;
}

}  // namespace

TEST_CASE("each instruction of one warp, its lanes, what it read and what it wrote") {
  const Traced traced = run({});
  CHECK(traced.result.status == emulator::LaunchStatus::success);
  CHECK(traced.has("ffffffff  cvt.rn.f32.u32 %f2, %r1"));
  CHECK(traced.has("%r1 = 0, 1, … 31  → %f2 = 0, 1, … 31\n"));
  CHECK(traced.has("→ %p1 = 0000000f"));
  CHECK(traced.has("0000000f  @%p1 mov.u32 %r2, 0x7    %p1 = true  → %r2 = 7"));
  CHECK(traced.has("0000000f  st.global.f32 [%rd3], %f3"));
  CHECK(traced.has("%f3 = 0, 0.5, … 1.5\n"));
}

TEST_CASE("another warp of another block, and no more than asked for") {
  emulator::InstructionTraceRequest request;
  request.block = {1, 0, 0};
  request.warp = 1;
  const Traced traced = run(request);
  CHECK(traced.has("%r1 = 32, 33, … 63"));
  CHECK_FALSE(traced.has("st.global"));
  request.most = 2;
  const std::string few = run(request).text;
  CHECK(std::count(few.begin(), few.end(), '\n') == 2);
}
