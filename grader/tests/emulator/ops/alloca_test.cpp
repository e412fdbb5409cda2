// alloca: what a thread allocates, what a return frees, and what is refused.
#include "tests/emulator/support/kernel_stage.hpp"

namespace {

stage::Stage kernels() {
  return stage::Stage::of_text(R"(
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 result) take(.param .b32 count) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u32 %r1, [count];
  mul.wide.u32 %rd1, %r1, 4;
  alloca.u64 %rd2, %rd1, 16;
  st.local.u32 [%rd2], %r1;
  add.u64 %rd3, %rd2, %rd1;
  st.local.u32 [%rd3+-4], %r1;
  ld.local.u32 %r2, [%rd2];
  st.param.b32 [result], %r2;
  ret;
}
.visible .entry again(.param .u64 out, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 0;
  mov.u32 %r6, 0;
  add.u32 %r7, %r2, 500;
next:
  { .param .b32 count; .param .b32 result; st.param.b32 [count], %r7;
    call.uni (result), take, (count); ld.param.b32 %r4, [result]; }
  add.u32 %r6, %r6, %r4;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra next;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
// Two allocations, one of which is freed by hand.
.visible .entry pieces(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  cvt.u64.u32 %rd2, %r1;
  alloca.u64 %rd3, %rd2, 16;
  stacksave.u64 %rd4;
  alloca.u64 %rd5, %rd2, 16;
  stackrestore.u64 %rd4;
  alloca.u64 %rd6, %rd2, 16;
  sub.u64 %rd7, %rd5, %rd3;
  sub.u64 %rd8, %rd6, %rd5;
  cvt.u32.u64 %r2, %rd7;
  cvt.u32.u64 %r3, %rd8;
  mad.lo.u32 %r4, %r3, 1000, %r2;
  mov.u32 %r5, %tid.x;
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd9, %rd1, %rd2;
  st.global.u32 [%rd9], %r4;
  ret;
}
)");
}

}  // namespace

TEST_CASE("a function frees its stack memory, so it can be called any number of times") {
  stage::Stage stage = kernels();
  for (const stage::RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const stage::Ran ran = stage.run("again", 300, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.result.findings.empty());
    CHECK(ran.out[0] == 300 * 500);
    CHECK(ran.out[31] == 300 * 531);
  }
}

TEST_CASE("pieces are aligned and do not overlap; stackrestore frees them") {
  stage::Stage stage = kernels();
  for (const stage::RunConfig& config : stage::run_configs()) {
    const stage::Ran ran = stage.run("pieces", 20, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.out[7] == 32);
  }
}

TEST_CASE("an allocation beyond the stack's end is reported") {
  stage::Stage stage = kernels();
  const stage::Ran ran = stage.run("pieces", 9000);
  CHECK_FALSE(ran.succeeded());
  CHECK(ran.found(stage::emulator::FindingKind::stack_overflow) == 1);
}
