// Block barriers: what they order, which threads they wait for, and how misuse is reported.
#include "tests/emulator/support/kernel_stage.hpp"

namespace {

using stage::Ran;
using stage::RunConfig;
using FindingKind = stage::emulator::FindingKind;
using LaunchStatus = stage::emulator::LaunchStatus;

int line_of(const stage::Stage& stage, std::uint32_t instruction) {
  const warpgrade::ptx::Location* location = stage.program().location(instruction);
  while (location && location->inlined_at >= 0) {
    location = &stage.program().module().locations[static_cast<std::size_t>(location->inlined_at)];
  }
  return location ? location->line : 0;
}

}  // namespace

TEST_CASE("all threads of a block wait for one another") {
  stage::Stage stage("exec_barrier");
  stage.grid = {4, 1, 1};
  stage.block = {100, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("reverse", 3, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.result.findings.empty());
    for (std::size_t t = 0; t < 400; ++t) REQUIRE(ran.out[t] == static_cast<int>(99 - t % 100) * 2 + 2);
  }
}

TEST_CASE("barriers that count, and, or") {
  stage::Stage stage("exec_barrier");
  stage.block = {90, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("counting", 4, config);
    REQUIRE(ran.succeeded());
    for (int value : ran.out) REQUIRE(value == 23 * 4 + 2);
  }
}

TEST_CASE("threads that have returned are not waited for") {
  stage::Stage stage("exec_barrier");
  stage.block = {96, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("some_return", 50, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.result.findings.empty());
    for (int t = 0; t < 96; ++t) REQUIRE(ran.out[static_cast<std::size_t>(t)] == (t < 50 ? 49 - t : -1));
  }
}

TEST_CASE("barriers with a number and a thread count") {
  stage::Stage stage("exec_barrier");
  stage.block = {128, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("named", 0, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.found(FindingKind::barrier_partial_warp) == 0);
    for (int t = 0; t < 128; ++t) {
      REQUIRE(ran.out[static_cast<std::size_t>(t)] == (t < 64 ? 63 - t : 1000 + t + t % 64));
    }
  }
  stage.block = {64, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("producer", 3, config);
    REQUIRE(ran.succeeded());
    for (int t = 32; t < 64; ++t) REQUIRE(ran.out[static_cast<std::size_t>(t)] == (63 - t) * 3);
  }
}

TEST_CASE("threads of one block at different __syncthreads() pass, and both lines are reported") {
  stage::Stage stage("exec_barrier");
  stage.block = {64, 1, 1};
  const Ran ran = stage.run("two_lines", 0);
  CHECK(ran.succeeded());
  CHECK(ran.out[0] == 1);
  CHECK(ran.out[63] == 2);
  const stage::emulator::Finding* finding = ran.first(FindingKind::barrier_divergent);
  REQUIRE(finding != nullptr);
  REQUIRE(finding->has_other);
  const int one = line_of(stage, finding->site.instruction),
            other = line_of(stage, finding->other.instruction);
  CHECK(std::abs(one - other) == 3);  // as the source has them
  CHECK(finding->message.find("32 at one, 32 elsewhere") != std::string::npos);
}

TEST_CASE("half of each warp skips a barrier") {
  stage::Stage stage("exec_barrier");
  stage.block = {64, 1, 1};
  const Ran ran = stage.run("half_of_the_warp", 0);
  CHECK(ran.found(FindingKind::barrier_divergent) == 1);
  const stage::emulator::Finding* finding = ran.first(FindingKind::barrier_divergent);
  REQUIRE(finding != nullptr);
  CHECK(finding->message.find("same warp") != std::string::npos);
}

TEST_CASE("a barrier that is never full is a deadlock, with the position of each warp") {
  stage::Stage stage("exec_barrier");
  stage.block = {64, 1, 1};
  const Ran ran = stage.run("never", 0);
  CHECK(ran.result.status == LaunchStatus::launch_timeout);
  const stage::emulator::Finding* finding = ran.first(FindingKind::barrier_deadlock);
  REQUIRE(finding != nullptr);
  REQUIRE(finding->standing.size() == 2);
  CHECK(finding->standing[0].state == "waits at barrier 3");
  CHECK(finding->standing[1].state == "waits at barrier 0");
}

TEST_CASE("threads that have exited do not delay those still in the loop") {
  stage::Stage stage("exec_barrier");
  stage.block = {64, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("uneven_turns", 20, config);
    REQUIRE(ran.succeeded());
    for (int t = 0; t < 64; ++t) CHECK(ran.out[static_cast<std::size_t>(t)] == t);
  }
}

TEST_CASE("threads that go round a barrier while others wait at it") {
  for (int n : {16, 40, 64}) {  // within a warp, in the middle of one, whole warps
    CAPTURE(n);
    stage::Stage stage("exec_barrier");
    stage.block = {128, 1, 1};
    for (bool scalar : {false, true}) {
      RunConfig config;
      config.scalar = scalar;
      const Ran ran = stage.run("passed_by", n, config);
      CHECK(ran.succeeded());
      const FindingKind kind = n == 64 ? FindingKind::barrier_divergent : FindingKind::barrier_partial_warp;
      const stage::emulator::Finding* finding = ran.first(kind);
      REQUIRE(finding != nullptr);
      CHECK(finding->has_other);
      CHECK(finding->message.find(std::to_string(n) + " threads") == 0);
    }
  }
}

TEST_CASE("conditions on which all threads agree are nobody's business") {
  stage::Stage stage("exec_barrier");
  stage.block = {96, 1, 1};
  stage.grid = {2, 1, 1};
  for (int n : {0, 3, 7}) {
    for (const RunConfig& config : stage::run_configs()) {
      const Ran ran = stage.run("agreed", n, config);
      CHECK(ran.succeeded());
      CHECK(ran.result.findings.empty());
    }
  }
  for (const RunConfig& config : stage::run_configs())
    CHECK(stage.run("first_turn_only", 2, config).result.findings.empty());
}
