// Warp operations: results, partial masks, lanes that arrive late or never.
#include "tests/emulator/support/kernel_stage.hpp"

namespace {

using stage::Ran;
using stage::RunConfig;

stage::Stage two_warps() {
  stage::Stage stage("exec_warp");
  stage.block = {64, 1, 1};
  return stage;
}

int popcount(unsigned v) { return __builtin_popcount(v); }

}  // namespace

TEST_CASE("shuffles: down, butterfly, up in groups of 8, rotation in groups of 16, 64 bits") {
  stage::Stage stage = two_warps();
  auto warp_sum = [](int t) {
    int sum = 0;
    for (int lane = 0; lane < 32; ++lane) sum += (t / 32 * 32 + lane) * 3;
    return sum;
  };
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("reduce_down", 3, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.out[0] == warp_sum(0));
    CHECK(ran.out[32] == warp_sum(32));
    CHECK(ran.out[63] == 63 * 3 * 32);  // lane 31 only ever meets itself
  }
  compare(stage, "reduce_butterfly", 3, warp_sum);
  compare(stage, "scan_up", 2, [](int t) {
    int sum = 0;
    for (int u = t / 8 * 8; u <= t; ++u) sum += u % 5 + 2;
    return sum;
  });
  compare(stage, "rotate", 5, [](int t) { return (t / 16 * 16 + (t + 5) % 16) * 10; });
  compare(stage, "wide_shuffle", 3, [](int t) { return (t ^ 3) * 4 + 1; });
}

TEST_CASE("votes") {
  stage::Stage stage = two_warps();
  compare(stage, "votes", 1, [](int) {
    unsigned ballot = 0;
    for (unsigned lane = 0; lane < 32; ++lane) ballot |= static_cast<unsigned>(lane % 3 == 1) << lane;
    return static_cast<int>(ballot * 4 + 1);
  });
}

TEST_CASE("two branches of a warp each do their own operations") {
  stage::Stage stage = two_warps();
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("divided", 1, config);
    REQUIRE(ran.succeeded());
    int sum = 0;
    for (int lane = 0; lane < 12; ++lane) sum += lane + 1;
    CHECK(ran.out[0] == sum);
    for (std::size_t lane = 12; lane < 32; ++lane) CHECK(ran.out[lane] == popcount(0xaaaaa000u) * 100 + 31);
  }
}

TEST_CASE("lanes synchronise at different __syncwarp()s of one mask") {
  stage::Stage stage = two_warps();
  compare(stage, "handshake", 1, [](int t) {
    const int lane = (t + 1) % 32;
    if (lane % 2 == 0) return lane;
    int v = 1;
    for (int i = 0; i < lane; ++i)
      v = static_cast<int>(static_cast<unsigned>(v) * 3u + static_cast<unsigned>(i));
    return v;
  });
}

TEST_CASE("lanes that have returned are not waited for") {
  stage::Stage stage = two_warps();
  compare(stage, "after_exit", 0, [](int t) { return t % 32 < 20 ? 0x55555 : -1; });
}

TEST_CASE("lanes elsewhere take part: an H200's answers") {
  stage::Stage stage = two_warps();
  compare(stage, "absent_lanes", 0, [](int t) {
    const int lane = t % 32, from = lane < 24 ? lane + 8 : lane;
    return (lane < 16 ? 1000 : 2000) + (100 + from) * (from < 16 ? 1 : 2);
  });
}

TEST_CASE("lanes that are gone give 0, as on an H200: a finding where the value is stored") {
  stage::Stage stage = two_warps();
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("absent_lanes", 1, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.found(stage::emulator::FindingKind::undefined_shuffle) == (config.checks ? 1 : 0));
    for (int t = 0; t < 64; ++t) {
      const int lane = t % 32;
      CHECK(ran.out[static_cast<std::size_t>(t)] == (lane >= 24  ? -1
                                                     : lane < 8  ? 116 + lane
                                                     : lane < 16 ? 0
                                                                 : 100 + lane));
    }
  }
}

TEST_CASE("lanes that left a loop are missing in later shuffles: a finding, with an H200's results") {
  stage::Stage stage = two_warps();
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("absent_lanes", 2, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.found(stage::emulator::FindingKind::warp_mask) ==
          (config.scalar ? 0 : 1));  // lane by lane, nothing diverges
    for (int t = 0; t < 64; ++t) {
      const int lane = t % 32;
      CHECK(ran.out[static_cast<std::size_t>(t)] == (lane % 2 == 1 ? 0 : 101 + lane + 1000 * lane));
    }
  }
}

TEST_CASE("a lane outside its own mask is named, and takes part beside those who run with it") {
  stage::Stage stage = two_warps();
  const Ran ran = stage.run("absent_lanes", 3);
  REQUIRE(ran.succeeded());
  CHECK(ran.found(stage::emulator::FindingKind::warp_mask) == 1);
  for (std::size_t t = 0; t < 64; ++t) CHECK(ran.out[t] == static_cast<int>(100 + (t % 32 ^ 1)));
}

TEST_CASE("match") {
  stage::Stage stage = two_warps();
  compare(stage, "matches", 5, [](int t) {
    unsigned any = 0;
    for (int lane = 0; lane < 32; ++lane) any |= static_cast<unsigned>(lane % 5 == t % 32 % 5) << lane;
    return static_cast<int>(any ^ 0xffffffffu) + 2;
  });
}

TEST_CASE("whoever is active takes places together") {
  stage::Stage stage = two_warps();
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("aggregated", 3, config);
    REQUIRE(ran.succeeded());
    std::vector<bool> taken(22, false);
    for (std::size_t t = 0; t < 64; t += 3) {
      const int place = ran.out[t] / 1000;
      REQUIRE(place < 22);
      CHECK_FALSE(taken[static_cast<std::size_t>(place)]);
      taken[static_cast<std::size_t>(place)] = true;
      CHECK(ran.out[t] % 1000 == 22);
    }
  }
}

TEST_CASE("half of a warp never comes: a deadlock that names both places") {
  stage::Stage stage("exec_warp");
  const Ran ran = stage.run("never_meets", 0);
  CHECK(ran.result.status == stage::emulator::LaunchStatus::launch_timeout);
  const stage::emulator::Finding* finding = ran.first(stage::emulator::FindingKind::barrier_deadlock);
  REQUIRE(finding != nullptr);
  REQUIRE(finding->standing.size() == 2);
  CHECK(finding->site.access == "exchange");
  CHECK((finding->standing[0].lanes | finding->standing[1].lanes) == 0xffffffffu);
  CHECK((finding->standing[0].lanes & finding->standing[1].lanes) == 0);
}

TEST_CASE("redux and elect") {
  stage::Stage stage = stage::Stage::of_text(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  sub.s32 %r2, 7, %r1;
  redux.sync.add.s32 %r3, %r2, 0xffffffff;
  redux.sync.min.s32 %r4, %r2, 0xffffffff;
  redux.sync.max.u32 %r5, %r1, 0xffffffff;
  redux.sync.xor.b32 %r6, %r1, 0xffffffff;
  elect.sync %r7|%p1, 0xffffffff;
  selp.b32 %r8, 1000, 0, %p1;
  add.s32 %r9, %r3, %r4;
  add.s32 %r9, %r9, %r5;
  add.s32 %r9, %r9, %r6;
  add.s32 %r9, %r9, %r8;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r9;
  ret;
})");
  compare(stage, "k", 0, [](int t) { return 7 * 32 - 31 * 16 - 24 + 31 + 0 + (t == 0 ? 1000 : 0); });
}
