// Progress: threads that wait for others, threads that never end, and the order of blocks.
#include <algorithm>
#include <numeric>

#include "tests/emulator/support/kernel_stage.hpp"
#include "tests/emulator/support/sanitized.hpp"

namespace {

using stage::Ran;
using stage::RunConfig;
using FindingKind = stage::emulator::FindingKind;
using LaunchStatus = stage::emulator::LaunchStatus;

}  // namespace

TEST_CASE("a spin lock between lanes, warps and blocks") {
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    stage::Stage stage("exec_waiting");
    stage.grid = {5, 1, 1};
    stage.block = {48, 1, 1};
    const Ran ran = stage.run("spin_lock", 3, config);
    REQUIRE(ran.succeeded());
    int most = 0;
    for (std::size_t b = 0; b < 5; ++b) most = std::max(most, ran.out[b * 48]);
    CHECK(most == 5 * 48 * 3);
  }
}

TEST_CASE("a lock whose holder continues inside the loop") {
  stage::Stage stage("exec_waiting");
  stage.block = {96, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("polite_lock", 2, config);
    REQUIRE(ran.succeeded());
    for (int value : ran.out) REQUIRE(value == 192);
  }
}

TEST_CASE("blocks wait for blocks that come later") {
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    stage::Stage stage("exec_waiting");
    stage.grid = {20, 1, 1};
    const Ran ran = stage.run("in_turn", 7, config);
    REQUIRE(ran.succeeded());
    for (int b = 0; b < 20; ++b) CHECK(ran.out[static_cast<std::size_t>(b)] == (19 - b) * 7);
  }
}

TEST_CASE("lanes and warps wait for one another in turn") {
  stage::Stage stage("exec_waiting");
  stage.block = {70, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("relay", 2, config);
    REQUIRE(ran.succeeded());
    for (int t = 0; t < 70; ++t) CHECK(ran.out[static_cast<std::size_t>(t)] == t * 2);
  }
}

TEST_CASE("lanes that diverge and reconverge in each iteration do not starve the warps that they wait for") {
  stage::Stage stage("exec_waiting");
  stage.block = {64, 1, 1};
  constexpr int n = 200;
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("by_rank", n, config, n);
    REQUIRE(ran.succeeded());
    for (int value : ran.out) REQUIRE(value != 0);
  }
}

TEST_CASE("a block that asks between barriers lets the one that answers run") {
  stage::Stage stage("exec_waiting");
  stage.grid = {9, 1, 1};
  stage.block = {64, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("ask_and_meet", 3, config, 1 + 9 * 64);
    REQUIRE(ran.succeeded());
    for (int value : ran.out) REQUIRE(value == 3);
  }
}

TEST_CASE("the last block sees the writes of all others") {
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    stage::Stage stage("exec_waiting");
    stage.grid = {9, 1, 1};
    const Ran ran = stage.run("last_block", 5, config, 16);
    REQUIRE(ran.succeeded());
    CHECK(ran.out[0] == 5 * 36);
  }
}

TEST_CASE("the step limit ends an endless kernel, and reports its position") {
  stage::Stage stage("exec_waiting");
  stage.block = {64, 1, 1};
  stage.step_limit = 200000;
  for (bool scalar : {false, true}) {
    RunConfig config;
    config.scalar = scalar;
    const Ran ran = stage.run("counts_for_ever", 1, config);
    CHECK(ran.result.status == LaunchStatus::launch_timeout);
    const stage::emulator::Finding* finding = ran.first(FindingKind::step_limit);
    REQUIRE(finding != nullptr);
    CHECK_FALSE(finding->standing.empty());
  }
}

TEST_CASE("a loop that executes nothing but its jump is recognised") {
  stage::Stage stage = stage::Stage::of_text(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry idles(.param .u64 out, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r;
  ld.param.u32 %r, [n];
  setp.eq.u32 %p, %r, 7;
$again:
  @%p bra $again;
  ret;
}
.visible .entry counts(.param .u64 out, .param .u32 n) {
  .reg .b32 %r;
  ld.param.u32 %r, [n];
$again:
  add.u32 %r, %r, 1;
  bra $again;
}
)");
  stage.step_limit = 200000;
  for (const std::string kernel : {"idles", "counts"}) {
    const Ran ran = stage.run(kernel, 7);
    const stage::emulator::Finding* finding = ran.first(FindingKind::step_limit);
    REQUIRE(finding != nullptr);
    CHECK(finding->is_idle_loop == (kernel == "idles"));
  }
}

TEST_CASE("a wait that no thread can end is stopped without a step limit") {
  stage::Stage stage("exec_waiting");
  stage.block = {64, 1, 1};
  stage.grid = {3, 1, 1};
  for (const std::string kernel : {"for_ever", "flag_of_nobody"})
    for (const RunConfig& config : stage::run_configs()) {
      CAPTURE(kernel);
      CAPTURE(config.name);
      const Ran ran = stage.run(kernel, 1, config);
      CHECK(ran.result.status == LaunchStatus::launch_timeout);
      const stage::emulator::Finding* finding = ran.first(FindingKind::barrier_deadlock);
      REQUIRE(finding != nullptr);
      CHECK(finding->message.find(" the same value again and again") != std::string::npos);
      CHECK(finding->site.access == "read");
      CHECK(finding->site.line > 0);
      CHECK(finding->standing.size() >= 2);
      CHECK(ran.result.findings.size() == 1);
    }
}

TEST_CASE("loops that wait and end are left alone") {
  stage::Stage stage("exec_waiting");
  stage.block = {64, 1, 1};
  // The scheduler checks every 16 rounds what a block waits for. In scalar mode there are 64 groups of one
  // lane, so fewer iterations suffice.
  const auto turns = [](const RunConfig& config, int of_warps) {
    return of_warps / (config.scalar ? 10 : 1) / (warpgrade::is_sanitized() ? 10 : 1);
  };
  for (const RunConfig& config : stage::run_configs()) {
    const auto expect = [&](const std::string& kernel, int n, int value) {
      CAPTURE(kernel);
      CAPTURE(config.name);
      const Ran ran = stage.run(kernel, n, config);
      REQUIRE(ran.succeeded());
      CHECK(ran.result.findings.empty());
      CHECK(std::count(ran.out.begin(), ran.out.end(), value) == 64);
    };
    expect("gives_up", turns(config, 20000), turns(config, 20000));
    expect("gives_up_in_time", turns(config, 1000000), 1);
  }
  stage.grid = {20, 1, 1};  // so that the first block has waited often enough to be checked
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("late_flag", turns(config, 2000000), config, 1 + 20 * 64);
    CHECK(ran.succeeded());
    CHECK(std::count(ran.out.begin(), ran.out.end(), 1) == 1 + 20 * 64);
  }
}

TEST_CASE("floating-point sums of atomics are the same with any number of workers") {
  std::int32_t first = 0;
  for (const RunConfig& config : stage::run_configs()) {
    if (config.scalar) continue;
    stage::Stage stage("exec_waiting");
    stage.grid = {40, 1, 1};
    stage.block = {64, 1, 1};
    const Ran ran = stage.run("float_sum", 3, config);
    REQUIRE(ran.succeeded());
    if (first == 0) first = ran.out[0];
    CHECK(ran.out[0] == first);
  }
  CHECK(first != 0);
}

TEST_CASE("the lowest failing block decides, and all blocks before it have run") {
  stage::Stage stage("exec_waiting");
  stage.grid = {100, 1, 1};
  for (int workers : {1, 2, 7}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      RunConfig config;
      config.workers = workers;
      const Ran ran = stage.run("traps", 37, config);
      CHECK(ran.result.status == LaunchStatus::launch_failure);
      for (std::size_t b = 0; b < 37; ++b) REQUIRE(ran.out[b] == 1);
      REQUIRE(ran.result.findings.size() == 1);
      CHECK(ran.result.findings[0].kind == FindingKind::trap);
      CHECK(ran.result.findings[0].site.block.x == 37);
      CHECK(ran.result.findings[0].times == 1);
    }
  }
}

TEST_CASE("clocks move on") {
  stage::Stage stage("exec_waiting");
  stage.block = {64, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("clocks", 0, config, 65);
    REQUIRE(ran.succeeded());
    for (std::size_t t = 1; t < 65; ++t) CHECK(ran.out[t] == 1);
  }
}
