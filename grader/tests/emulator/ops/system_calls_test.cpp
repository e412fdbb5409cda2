// printf, assert, malloc and special registers.
#include "tests/emulator/support/kernel_stage.hpp"

namespace {

using stage::Ran;
using stage::RunConfig;

}  // namespace

TEST_CASE("printf: conversions, and the order of blocks whatever the workers") {
  stage::Stage stage("exec_output");
  stage.grid = {6, 1, 1};
  std::string expected;
  for (int b = 0; b < 6; ++b) {
    const std::string head = "block " + std::to_string(b) + " thread ";
    expected += head + "0:  6.00|zero|a|1234567890123|ff|%|0   |1.000000e-03\n";
    expected += head + "1:  7.00|one|b|2469135780246|100|%|1   |1.000000e-03\n";
  }
  for (const RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("prints", 4, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.result.output == expected);
  }
  stage.grid = {1, 1, 1};
  stage.block = {1, 1, 1};
  const Ran ran = stage.run("prints_nothing", 0);
  CHECK(ran.result.output == "plain\n");
  CHECK(ran.out[0] == 0);
}

TEST_CASE("an assertion that fails names itself, the line and the thread") {
  stage::Stage stage("exec_output");
  stage.block = {64, 1, 1};
  const Ran ran = stage.run("asserts", 40);
  CHECK(ran.result.status == stage::emulator::LaunchStatus::device_assert);
  REQUIRE(ran.result.findings.size() == 1);
  const stage::emulator::Finding& finding = ran.result.findings[0];
  CHECK(finding.kind == stage::emulator::FindingKind::assertion);
  CHECK(finding.site.thread.x == 40);
  CHECK(finding.message.find("static_cast<int>(threadIdx.x) < n") != std::string::npos);
  CHECK(ran.result.output.find("thread: [40,0,0] Assertion `") != std::string::npos);
  CHECK(stage.run("asserts", 64).succeeded());
}

TEST_CASE("the device's heap") {
  stage::Stage stage("exec_output");
  stage.grid = {3, 1, 1};
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("allocates", 2, config);
    REQUIRE(ran.succeeded());
    for (int t = 0; t < 96; ++t) CHECK(ran.out[static_cast<std::size_t>(t)] == t % 32 * 28 + 16);
  }
}

TEST_CASE("special registers of threads in blocks of three dimensions") {
  stage::Stage stage("exec_output");
  stage.grid = {2, 3, 2};
  stage.block = {5, 4, 3};
  for (const RunConfig& config : stage::run_configs()) {
    const Ran ran = stage.run("places", 0, config);
    REQUIRE(ran.succeeded());
    for (int i = 0; i < 12 * 60; ++i)
      REQUIRE(ran.out[static_cast<std::size_t>(i)] == i / 60 * 10000 + i % 60);
  }
}

TEST_CASE("static and dynamic shared memory lie side by side") {
  stage::Stage stage("exec_output");
  stage.block = {64, 1, 1};
  stage.dynamic_shared = 256;
  const Ran ran = stage.run("shared_sizes", 0, {}, 65);
  REQUIRE(ran.succeeded());
  CHECK(ran.result.findings.empty());
  for (int t = 0; t < 64; ++t) CHECK(ran.out[static_cast<std::size_t>(t)] == 63 - t + 100);
  CHECK(ran.out[64] == 256);
}

TEST_CASE("printf keeps one mebibyte of a launch, in whole lines") {
  stage::Stage stage("exec_output");
  stage.grid = {40, 1, 1};
  std::string first;
  for (const RunConfig& config : stage::run_configs()) {
    if (config.scalar) continue;  // another order of threads
    const Ran ran = stage.run("floods", 100, config);
    REQUIRE(ran.succeeded());
    CHECK(ran.result.output.size() < (1u << 20) + 200);
    CHECK(ran.result.output.size() > (1u << 20) - 100);
    CHECK(ran.result.output.find("the rest is lost") != std::string::npos);
    if (first.empty()) first = ran.result.output;
    CHECK(ran.result.output == first);
  }
}
