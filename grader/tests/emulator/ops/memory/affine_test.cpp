// Accesses through registers with an affine pattern do what all other accesses do.
#include "ops/memory/affine.hpp"

#include "analysis/registers/address_registers.hpp"
#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/kernel_stage.hpp"

namespace {

using stage::Ran;
using stage::RunConfig;
namespace emulator = warpgrade::emulator;

int tile_sum(int t, int n) {
  int sum = 0;
  for (int phase = 0; phase < n; ++phase) {
    for (int i = 0; i < 16; ++i) {
      sum += (phase * 31 + t / 16 % 16 * 16 + i) * 3 + phase * 31 + i * 16 + t % 16;
    }
  }
  return sum;
}

int wandering_sum(int t, int n) {
  int at = t, sum = 0;
  for (int i = 0; i < n; ++i) {
    if ((t + i) % 3 == 0) at += 4;
    for (int k = 0; k < 8; ++k) sum += (at + k) * (at + k);
    if (t == 5 && i == 2) at = 0;
  }
  return sum;
}

}  // namespace

TEST_CASE("rows and columns of a tile") {
  stage::Stage stage("exec_shapes");
  for (unsigned threads : {256u, 272u, 300u}) {  // full warps, half of one, part of one
    stage.block = {threads, 1, 1};
    compare(stage, "tile_sums", 3, [](int t) { return tile_sum(t, 3); });
  }
}

TEST_CASE("some lanes move their pointer on, others do not") {
  stage::Stage stage("exec_shapes");
  for (unsigned threads : {32u, 40u, 64u}) {
    stage.block = {threads, 1, 1};
    compare(stage, "wanders", 9, [](int t) { return wandering_sum(t, 9); });
  }
}

TEST_CASE("vectors of two and four") {
  stage::Stage stage("exec_shapes");
  stage.block = {64, 1, 1};
  compare(stage, "vectors", 4, [](int t) {
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
      const int first = t / 32 * 32;
      sum += t + (t + 1) * 2 + (t + 2) * 3 + i * 5 + first * 7 + first + 2 + t + i;
    }
    return sum;
  });
}

TEST_CASE("the last iteration of a loop leaves the array") {
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    stage::Stage stage("exec_shapes");
    stage.dynamic_shared = 256;
    CHECK(stage.run("overruns", 2, config).succeeded());
    const Ran ran = stage.run("overruns", 4, config);
    CHECK(ran.result.status == emulator::LaunchStatus::illegal_address);
    if (!config.checks) continue;
    REQUIRE(ran.result.findings.size() == 1);
    CHECK(ran.result.findings[0].kind == stage::emulator::FindingKind::out_of_bounds_read);
  }
}

TEST_CASE("registers with more accesses than writes are tracked") {
  const warpgrade::ptx::Module module = warpgrade::ptx::parse(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  add.s64 %rd2, %rd1, 64;
loop:
  ld.shared.u32 %r3, [%r2];
  ld.global.u32 %r4, [%rd2];
  ld.volatile.shared.u32 %r5, [%r1];
  add.s64 %rd2, %rd2, 4;
  add.s32 %r6, %r6, 1;
  setp.lt.s32 %p1, %r6, 10;
  @%p1 bra loop;
  ret;
})");
  const warpgrade::ptx::Function& function = module.functions[0];
  const std::vector<bool> chosen =
      emulator::find_address_registers(function, emulator::build_control_flow(function));
  auto has_pattern = [&](const std::string& name) {
    for (std::size_t r = 0; r < function.registers.size(); ++r) {
      if (function.registers[r].name == name) return static_cast<bool>(chosen[r]);
    }
    return false;
  };
  CHECK(has_pattern("%r2"));
  CHECK_FALSE(has_pattern("%rd2"));  // advances with each access
  CHECK_FALSE(has_pattern("%r1"));   // volatile accesses use no pattern
}

TEST_CASE("scattered lanes, full and partial warps") {
  stage::Stage stage("exec_shapes");
  for (unsigned threads : {32u, 50u, 128u}) {
    stage.block = {threads, 1, 1};
    compare(stage, "anywhere", 7, [](int t) {
      int sum = 0;
      for (int i = 0; i < 7; ++i) {
        const int at = (t * 37 + i * 11) % 128, other = 127 - at;
        sum += at * at + 3 * at;
        if ((t + i) % 3 != 0) sum += other * other + 3 * other + at / 4 * (1 + 10 + 21 + 44) + 2 * other;
      }
      return sum;
    });
  }
}
