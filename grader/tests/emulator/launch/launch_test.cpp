// Whole launches: cooperative grids, counters, code that cannot be decoded, refused launches.
#include "machine/launch.hpp"

#include "machine/counters/counters.hpp"
#include "symbols/source_locations.hpp"
#include "tests/emulator/support/kernel_run.hpp"
#include "tests/emulator/support/kernel_stage.hpp"

namespace {

using stage::Ran;
using stage::RunConfig;
using stage::emulator::Metric;
using LaunchStatus = stage::emulator::LaunchStatus;

const std::string kHead = ".version 8.0\n.target sm_75\n.address_size 64\n";

}  // namespace

TEST_CASE("all threads of a cooperative grid wait for one another") {
  stage::Stage stage("exec_grid");
  stage.grid = {8, 1, 1};
  stage.cooperative = true;
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("grid_sum", 3, config);
    REQUIRE(ran.succeeded());
    for (int value : ran.out) REQUIRE(value == 255 * 128 + 256 * 3);
  }
  stage.cooperative = false;  // the runtime's header traps where there is no grid to wait for
  CHECK(stage.run("grid_sum", 3).result.status == LaunchStatus::launch_failure);
}

TEST_CASE("tiles of a warp") {
  stage::Stage stage("exec_grid");
  stage.block = {64, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("tile_sum", 2, config);
    REQUIRE(ran.succeeded());
    for (int t = 0; t < 64; ++t) CHECK(ran.out[static_cast<std::size_t>(t)] == (t / 8 * 64 + 28) * 2);
  }
}

TEST_CASE("instructions are counted by warps, lanes and kinds") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .pred %p<3>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  mov.f32 %f1, 0f3F800000;
  setp.lt.u32 %p1, %r1, 8;
again:
  fma.rn.f32 %f2, %f1, %f1, %f1;
  @%p1 add.f32 %f3, %f1, %f2;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 5;
  @%p2 bra again;
  bar.sync 0;
  @%p1 bra done;
  mul.f32 %f3, %f2, %f2;
done:
  ret;
})");
  stage.block = {40, 1, 1};
  stage.grid = {3, 1, 1};
  for (int workers : {1, 3}) {
    RunConfig config;
    config.count = true;
    config.workers = workers;
    const Ran ran = stage.run("k", 0, config);
    REQUIRE(ran.succeeded());
    const stage::emulator::Counters& counters = ran.result.counters;
    // In each of 3 blocks: warp 0 has 8 lanes below 8, warp 1 (8 lanes) has none.
    CHECK(counters[Metric::warp_instructions] == 3 * 2 * (4 + 5 * 5 + 1 + 1 + 1 + 1));
    CHECK(counters[Metric::thread_instructions] == 3 * (40 * (4 + 25 + 1 + 1 + 1) + 32));
    CHECK(counters[Metric::ffma] == 3 * 40 * 5);
    CHECK(counters[Metric::fadd] == 3 * 8 * 5);
    CHECK(counters[Metric::fmul] == 3 * 32);
    CHECK(counters[Metric::branches] == 3 * 2 * 6);
    CHECK(counters[Metric::divergent_branches] == 3);
    std::uint64_t divergent = 0, choices = 0;
    for (const auto& [instruction, site] : counters.sites) {
      divergent += site.divergent;
      if (stage::emulator::access_name(stage.program(), instruction) == "branch") choices += site.executions;
    }
    CHECK(divergent == 3);
    CHECK(choices == 3 * 2 * 6);
    CHECK(counters[Metric::barriers] == 3 * 2);
    std::vector<std::uint64_t> blocks;  // the second one is the loop
    for (const auto& [first, executions] : counters.blocks) blocks.push_back(executions);
    CHECK(blocks == std::vector<std::uint64_t>{6, 30, 6, 6, 6, 6});
  }
  CHECK(stage.run("k", 0).result.counters[Metric::warp_instructions] == 0);
}

TEST_CASE("arithmetic in double precision is counted by lanes, also behind a predicate") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<2>; .reg .f64 %d<4>; .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  mov.f64 %d1, 0d3FF0000000000000;
  setp.lt.u32 %p1, %r1, 8;
  fma.rn.f64 %d2, %d1, %d1, %d1;
  @%p1 add.f64 %d3, %d1, %d2;
  ret;
})");
  stage.block = {40, 1, 1};
  RunConfig config;
  config.count = true;
  const Ran ran = stage.run("k", 0, config);
  REQUIRE(ran.succeeded());
  CHECK(ran.result.counters[Metric::doubles] == 40 + 8);
  CHECK(ran.result.counters[Metric::ffma] == 0);
}

TEST_CASE("multiply-adds of matrix instructions are counted, but for guarded ones") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<4>; .reg .f32 %f<5>; .reg .pred %p<2>;
  mov.u32 %r1, 0;
  mov.f32 %f1, 0f00000000;
  setp.gt.u32 %p1, %r1, 2;
  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r1}, {%f1, %f1, %f1, %f1};
  @%p1 mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r1}, {%f1, %f1, %f1, %f1};
  ret;
})");
  stage.block = {64, 1, 1};
  const Ran ran = stage.run("k", 0, {"counted", false, false, true, 1});
  REQUIRE(ran.succeeded());
  CHECK(ran.result.counters[Metric::matrix_products] == 2 * 16 * 8 * 8);
}

TEST_CASE("shuffles are counted by warps, and atomics by their bytes") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
  shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;
  setp.gt.u32 %p1, %r1, 2;
  @%p1 bra done;
  atom.global.add.u64 %rd2, [%rd1], 0;
  red.global.add.u32 [%rd1], 1;
done:
  ret;
})");
  stage.block = {64, 1, 1};
  const Ran ran = stage.run("k", 0, {"counted", false, false, true, 1});
  REQUIRE(ran.succeeded());
  CHECK(ran.result.counters[Metric::shuffles] == 2 * 2);
  CHECK(ran.result.counters[Metric::global_atomics] == 2);
  CHECK(ran.result.counters[Metric::global_atomic_bytes] == 3 * (8 + 4));
}

TEST_CASE("the busiest block is the one whose warps execute most instructions") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<2>; .reg .pred %p<2>;
  mov.u32 %r1, %ctaid.x;
  mul.lo.s32 %r1, %r1, 10;
again:
  sub.s32 %r1, %r1, 1;
  setp.gt.s32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
})");
  stage.grid = {3, 1, 1};
  stage.block = {64, 1, 1};
  const Ran ran = stage.run("k", 0, {"counted", false, false, true, 1});
  REQUIRE(ran.succeeded());
  // The third block: each of its two warps executes two instructions, twenty times the loop's three, and the
  // last.
  CHECK(ran.result.counters[Metric::busiest_block_instructions] == 2 * (2 + 20 * 3 + 1));
}

TEST_CASE("atomics are counted of the block that executed most") {
  // Each warp of block i adds i + 1 times.
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
again:
  red.global.add.u32 [%rd1], 1;
  sub.s32 %r1, %r1, 1;
  setp.ge.s32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
})");
  stage.grid = {5, 1, 1};
  stage.block = {64, 1, 1};
  const Ran ran = stage.run("k", 0, {"counted", false, false, true, 1});
  REQUIRE(ran.succeeded());
  CHECK(ran.result.counters[Metric::busiest_block_atomics] == 2 * 5);
  CHECK(ran.result.counters[Metric::global_atomics] == 2 * (1 + 2 + 3 + 4 + 5));
}

TEST_CASE("a write where the code does not lead is noticed, and from then on all memory counts as written") {
  // From the pointer of `out` to `total`, by an offset that goes through shared memory in two parts.
  const std::string reach = R"(
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .b32 tile[2];
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, total;
  sub.s64 %rd3, %rd2, %rd1;
  shr.s64 %rd4, %rd3, 20;
  cvt.u32.u64 %r1, %rd4;
  cvt.u32.u64 %r2, %rd3;
  and.b32 %r2, %r2, 1048575;
  st.shared.u32 [tile], %r1;
  st.shared.u32 [tile+4], %r2;
  ld.shared.u32 %r3, [tile];
  ld.shared.u32 %r4, [tile+4];
  mul.wide.s32 %rd5, %r3, 1048576;
  cvt.u64.u32 %rd6, %r4;
  add.s64 %rd5, %rd5, %rd6;
  add.s64 %rd5, %rd5, %rd1;
)";
  stage::Stage stage = stage::Stage::of_text(
      kHead + ".global .b32 total[2];\n.visible .entry k(.param .u64 out, .param .u32 n) {" + reach +
      ".reg .pred %p<2>; mov.u32 %r5, %ctaid.x; ld.param.u32 %r7, [n]; setp.eq.u32 %p1, %r5, 0; @%p1 "
      "st.global.u32 [%rd5], %r7; "
      "@!%p1 ld.global.u32 %r6, [total]; @!%p1 st.global.u32 [%rd1], %r6; ret; }\n"
      ".visible .entry honest(.param .u64 out, .param .u32 n) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [out]; "
      "st.global.u32 [%rd1], 1; ret; }");
  stage.block = {1, 1, 1};
  const RunConfig checked{"checks", false, true, false, 1};
  CHECK(stage.run("honest", 0, checked).result.kept.empty());
  stage.grid = {2, 1, 1};
  const Ran first = stage.run("k", 1, checked);
  REQUIRE(first.succeeded());
  CHECK(first.result.kept == std::vector<std::string>{"total"});
  CHECK(first.found(stage::emulator::FindingKind::global_race) == 0);
  // The reads of `total` were not looked at, as nothing seemed to write it. Now they race with the write.
  CHECK(stage.run("k", 2, checked).found(stage::emulator::FindingKind::global_race) > 0);
}

TEST_CASE("an instruction that is not known traps when it is reached, and is named") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  setp.eq.s32 %p1, %r1, 0;
  @%p1 bra done;
  frobnicate.rn.u32 %r2, %r1, %r1;
done:
  st.global.u32 [%rd1], 5;
  ret;
})");
  const Ran without = stage.run("k", 0);
  CHECK(without.succeeded());
  CHECK(without.out[0] == 5);
  const Ran with = stage.run("k", 1);
  CHECK(with.result.status == LaunchStatus::not_supported);
  REQUIRE(with.result.findings.size() == 1);
  CHECK(with.result.findings[0].kind == stage::emulator::FindingKind::unsupported_instruction);
  CHECK(with.result.findings[0].message.find("frobnicate.rn.u32") != std::string::npos);
  CHECK(with.result.findings[0].message.find("ptx:11:") != std::string::npos);
}

TEST_CASE("a call of a function that nobody defines is named when it is reached") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.extern .func nowhere ();
.visible .entry k(.param .u64 out, .param .u32 n) {
  call.uni nowhere;
  ret;
})");
  const Ran ran = stage.run("k", 0);
  CHECK(ran.result.status == LaunchStatus::not_supported);
  REQUIRE(ran.result.findings.size() == 1);
  CHECK(ran.result.findings[0].message.find("nowhere") != std::string::npos);
  CHECK(ran.result.findings[0].message.find("-rdc") != std::string::npos);
}

TEST_CASE("of a sample of blocks the counters stand for all, whatever the number of workers") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<2>; .reg .f32 %f<3>;
  mov.f32 %f1, 0f3F800000;
  fma.rn.f32 %f2, %f1, %f1, %f1;
  ret;
})");
  stage.grid = {100, 3, 1};
  for (const unsigned sample : {1u, 7u, 300u, 900u}) {
    CAPTURE(sample);
    stage.sample = sample;
    for (const int workers : {1, 3}) {
      const Ran ran = stage.run("k", 0, RunConfig{"counted", false, false, true, workers});
      REQUIRE(ran.succeeded());
      CHECK(ran.result.counters[Metric::ffma] == 300u * 32u);
      REQUIRE(ran.result.counters.blocks.size() == 1);
      CHECK(ran.result.counters.blocks.begin()->second == 300);
    }
  }
}

TEST_CASE("a refused launch says why and runs nothing") {
  stage::Stage stage("exec_grid");
  stage.block = {2048, 1, 1};
  const Ran ran = stage.run("tile_sum", 1);
  CHECK(ran.result.status == LaunchStatus::invalid_value);
  REQUIRE(ran.result.findings.size() == 1);
  CHECK(ran.result.findings[0].kind == stage::emulator::FindingKind::launch_resources);
  for (int value : ran.out) REQUIRE(value == 0);
}

TEST_CASE("guarded control: exit, ret, call, barrier, trap") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.func (.param .b32 r) increased (.param .b32 a) {
  .reg .b32 %r<3>; .reg .pred %p<2>;
  ld.param.b32 %r1, [a];
  add.u32 %r2, %r1, 1;
  st.param.b32 [r], %r2;
  setp.gt.u32 %p1, %r1, 10;
  @%p1 ret;
  add.u32 %r2, %r2, 100;
  st.param.b32 [r], %r2;
  ret;
}
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p<5>;
  .param .b32 a; .param .b32 r;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  setp.gt.u32 %p1, %r1, 40;
  @%p1 exit;
  setp.lt.u32 %p2, %r1, 20;
  setp.gt.u32 %p4, %r1, 4000;
  @%p4 trap;
  st.param.b32 [a], %r1;
  mov.u32 %r2, 7;
  st.param.b32 [r], %r2;
  @%p2 call (r), increased, (a);
  ld.param.b32 %r3, [r];
  st.global.u32 [%rd3], %r3;
  ret;
})");
  stage.block = {64, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("k", 0, config);
    REQUIRE(ran.succeeded());
    for (int t = 0; t < 64; ++t) {
      const int expected = t > 40 ? 0 : t >= 20 ? 7 : t > 10 ? t + 1 : t + 101;
      CHECK(ran.out[static_cast<std::size_t>(t)] == expected);
    }
  }
}

TEST_CASE("a jump by table") {
  stage::Stage stage = stage::Stage::of_text(kHead + R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  rem.u32 %r2, %r1, 3;
  mov.u32 %r3, 0;
targets: .branchtargets L0, L1, L2;
  brx.idx %r2, targets;
L0:
  add.u32 %r3, %r3, 1;
L1:
  add.u32 %r3, %r3, 10;
L2:
  add.u32 %r3, %r3, 100;
  st.global.u32 [%rd3], %r3;
  ret;
})");
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("k", 0, config);
    REQUIRE(ran.succeeded());
    const int expected[] = {111, 110, 100};
    for (std::size_t t = 0; t < 32; ++t) CHECK(ran.out[t] == expected[t % 3]);
  }
}

TEST_CASE("blocks in turns have all begun before one ends") {
  warpgrade::emulator::KernelRun run("exec_waiting");
  for (const bool in_turns : {false, true}) {
    CAPTURE(in_turns);
    run.options.in_turns = in_turns;
    const std::uint64_t out = run.buffer(std::vector<int>(9));
    run.launch("begun_at_the_end", {8}, {64}, out, 8);
    const std::vector<int> seen = run.read<int>(out, 9);
    CHECK(seen[0] == 8);
    for (int block = 0; block < 8; ++block)
      CHECK(seen[static_cast<std::size_t>(block) + 1] == (in_turns ? 8 : block + 1));
  }
}
