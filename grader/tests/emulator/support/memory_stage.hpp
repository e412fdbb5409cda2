// Runs loads, stores, atomics and similar instructions: a few lines of PTX in a kernel with all that they
// need.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "isa/variant.hpp"
#include "kernel_stage.hpp"

namespace memory_stage {

using stage::Ran;
using stage::Stage;
namespace emulator = warpgrade::emulator;
namespace emulator = warpgrade::emulator;

// A kernel k(int* out, int n): %r1 is the thread's number in its block, %r2 the block's, %rd1 points to out,
// %rd2 to out[number of the thread in the grid]; s is a shared array, g a global one, c a constant one.
inline std::string kernel(const std::string& body) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.global .align 16 .b8 g[1024];
.const .align 16 .u32 c[8] = {10, 11, 12, 13, 14, 15, 16, 17};
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<9>;
  .reg .b16 %rs<40>;
  .reg .b32 %r<90>;
  .reg .f32 %f<9>;
  .reg .f64 %fd<9>;
  .reg .b64 %rd<60>;
  .reg .b128 %rq<9>;
  .shared .align 16 .b8 s[2048];
  .local .align 16 .b8 l[64];
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd2, %rd1, %rd2;
  mov.u32 %r5, s;
)" + body +
         "\nret;\n}\n";
}

// Runs it under all configurations and checks out[i] == expected(i). Where lanes use one word,
// CUDA does not define their order: warps take the lowest lane first, and the scalar path may take another.
enum class Order { any, lowest_lane_first };
inline void check(const std::string& body, const std::function<std::uint32_t(std::uint32_t)>& expected,
                  unsigned threads = 32, Order order = Order::any) {
  for (const stage::RunConfig& config : stage::run_configs()) {
    if (config.scalar && order == Order::lowest_lane_first) continue;
    Stage on = Stage::of_text(kernel(body));
    on.block = {threads, 1, 1};
    const Ran ran = on.run("k", 0, config);
    CAPTURE(body);
    CAPTURE(config.name);
    REQUIRE(ran.succeeded());
    for (std::uint32_t i = 0; i < threads; ++i) {
      CAPTURE(i);
      CHECK(static_cast<std::uint32_t>(ran.out[i]) == expected(i));
    }
  }
}

inline void check_in_order(const std::string& body,
                           const std::function<std::uint32_t(std::uint32_t)>& expected) {
  check(body, expected, 32, Order::lowest_lane_first);
}

inline Ran run_once(const std::string& body, const stage::RunConfig& config = stage::run_configs()[2]) {
  return Stage::of_text(kernel(body)).run("k", 0, config);
}

// Runs a test once with each build of the lane code.
struct EachVariant {
  template <class Test>
  explicit EachVariant(Test test) {
    for (const warpgrade::isa::LaneVariant& variant : warpgrade::isa::variants()) {
      if (!variant.runs_here) continue;
      setenv("WARPGRADE_LANES", variant.name, 1);
      CAPTURE(std::string_view(variant.name));
      test();
    }
    unsetenv("WARPGRADE_LANES");
  }
};

// Word i of s is 100 + i, for 512 words, written by 32 threads.
inline const std::string kFillShared = R"(
  mov.u32 %r80, %r1;
FILL:
  shl.b32 %r81, %r80, 2;
  add.u32 %r81, %r81, %r5;
  add.u32 %r82, %r80, 100;
  st.shared.u32 [%r81], %r82;
  add.u32 %r80, %r80, 32;
  setp.lt.u32 %p8, %r80, 512;
  @%p8 bra FILL;
  bar.sync 0;
)";

}  // namespace memory_stage
