#include "checks/global_race/ordered_check.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/emulator/support/kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

// The findings as a program would read them, for each number of workers.
template <class Launch>
std::vector<std::string> by_workers(const Launch& launch) {
  std::vector<std::string> seen;
  for (const int workers : {1, 2, 5}) {
    KernelRun run("observe_shards");
    run.options.threads = workers;
    launch(run);
    std::string all;
    for (const Finding& finding : run.result.findings) all += to_json(finding, "label", 1, "kernel") + "\n";
    seen.push_back(all);
  }
  return seen;
}

}  // namespace

TEST_CASE("each overlap of blocks is found once, in whatever shard and by however many workers") {
  const auto seen = by_workers([](KernelRun& run) {
    const std::uint64_t data = run.buffer(std::vector<float>(300 * 256));
    run.launch("neighbours_overlap", {300}, {256}, data);
    REQUIRE(run.result.findings.size() == 1);
    const Finding& finding = run.result.findings[0];
    CHECK(finding.kind == FindingKind::global_race);
    CHECK(finding.times == 299);
    CHECK(finding.site.block.x == 1);
    CHECK(finding.site.thread.x == 0);
    CHECK(finding.other.block.x == 0);
    CHECK(finding.other.thread.x == 255);
    CHECK(finding.site.line == line_of("observe_shards", "neighbours_overlap"));
  });
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] == seen[2]);
}

TEST_CASE("a kernel whose blocks may hand something over is checked in one shard, with the same findings") {
  const auto seen = by_workers([](KernelRun& run) {
    const std::uint64_t data = run.buffer(std::vector<float>(300 * 256)),
                        flag = run.buffer(std::vector<int>(300));
    run.launch("overlap_beside_a_flag", {300}, {256}, data, flag);
    REQUIRE(run.result.findings.size() == 1);
    CHECK(run.result.findings[0].times == 299);
    CHECK(run.result.findings[0].site.block.x == 1);
  });
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] == seen[2]);
}

TEST_CASE("a warp's lanes may be in several shards") {
  const auto seen = by_workers([](KernelRun& run) {
    const std::uint64_t data = run.buffer(std::vector<float>(64 * 4096));
    run.launch("pairs_far_apart", {80}, {64}, data);
    REQUIRE(run.result.findings.size() == 1);
    CHECK(run.result.findings[0].times == 40 * 64);
    CHECK(run.result.findings[0].site.block.x == 1);
    CHECK(run.result.findings[0].site.thread.x == 0);
  });
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] == seen[2]);
}

TEST_CASE("barriers order a block's accesses in every shard, and launches are ordered") {
  const auto seen = by_workers([](KernelRun& run) {
    const int n = 200 * 256;
    const std::uint64_t data = run.buffer(std::vector<float>(n + 256, 1.0f));
    for (int i = 0; i < 3; ++i) {
      run.launch("in_turns", {200}, {256}, data, n);
      CHECK(run.result.findings.empty());
    }
    CHECK(run.read<float>(data, n)[n - 1] == 2.0f);
  });
}
