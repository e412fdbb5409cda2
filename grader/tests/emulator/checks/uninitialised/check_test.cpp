#include "checks/uninitialised/check.hpp"

#include <doctest/doctest.h>

#include "tests/emulator/support/observer_stage.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

struct InitStage : Stage {
  InitStage() : Stage(64) { init.block_begin(block); }
  void operator()(const Event& event) {
    perform(event, [this](const Access& access) { init.access(access); });
  }
  Event words(Access::Kind kind, std::uint64_t first, std::uint32_t mask = kFullMask) {
    return {.kind = kind,
            .address = [=](std::uint32_t lane) { return 4 * (first + lane); },
            .mask = mask,
            .instruction = 3};
  }
  SharedDefinedness init;
};

}  // namespace

TEST_CASE("shared memory: reads of written bytes are no finding") {
  InitStage stage;
  stage(stage.words(Access::Kind::write, 0));
  stage(stage.words(Access::Kind::read, 0));
  stage.checks.pending.block_barrier();
  CHECK(stage.checks.findings.empty());
  stage(stage.words(Access::Kind::read, 16));
  stage.checks.pending.block_barrier();
  REQUIRE(stage.checks.findings.size() == 1);
  const Finding& finding = stage.checks.findings[0];
  CHECK(finding.kind == FindingKind::uninitialised_read);
  CHECK(finding.site.thread.x == 16);
  CHECK(finding.lanes == 16);
  CHECK(finding.memory.address == 128);
}

TEST_CASE("shared memory: half a word is not a word") {
  InitStage stage;
  stage({.kind = Access::Kind::write, .address = [](std::uint32_t) { return 0ull; }, .bytes = 2, .mask = 1});
  stage({.kind = Access::Kind::read, .address = [](std::uint32_t) { return 0ull; }, .bytes = 2, .mask = 1});
  stage.checks.pending.block_barrier();
  CHECK(stage.checks.findings.empty());
  stage({.kind = Access::Kind::read, .address = [](std::uint32_t) { return 0ull; }, .mask = 1});
  stage.checks.pending.block_barrier();
  CHECK(stage.checks.findings.size() == 1);
}

TEST_CASE("shared memory: an atomic on unwritten bytes reads them, and writes") {
  InitStage stage;
  for (int i = 0; i < 2; ++i) {
    stage({.kind = Access::Kind::atomic, .address = [](std::uint32_t) { return 0ull; }, .mask = 1});
    stage.checks.pending.block_barrier();
    CHECK(stage.checks.findings.size() == 1);
  }
}

TEST_CASE("shared memory: where the words raced until the barrier, only the race is reported") {
  InitStage stage;
  stage(stage.words(Access::Kind::read, 0));
  for (std::uint32_t word = 0; word < 32; ++word) stage.checks.raced(word);
  stage.checks.pending.block_barrier();
  CHECK(stage.checks.findings.empty());
  stage.checks.raced_words.clear();
  stage(stage.words(Access::Kind::read, 0));
  stage.checks.raced(0);
  stage.checks.pending.block_barrier();
  REQUIRE(stage.checks.findings.size() == 1);
  CHECK(stage.checks.findings[0].site.thread.x == 1);
  CHECK(stage.checks.findings[0].lanes == 31);
}

TEST_CASE("shared memory: the next block starts unwritten") {
  InitStage stage;
  stage(stage.words(Access::Kind::write, 0));
  stage.init.block_begin(stage.block);
  stage(stage.words(Access::Kind::read, 0));
  stage.checks.pending.block_barrier();
  CHECK(stage.checks.findings.size() == 1);
}

TEST_CASE("global memory, in one allocation and in several") {
  Stage stage(32);
  Allocation* one = stage.memory.allocate(256, Allocation::Kind::device, "one");
  Allocation* two = stage.memory.allocate(256, Allocation::Kind::device, "two");
  one->written.assign(32, 0);
  two->written.assign(32, 0);
  const auto perform = [&](Access::Kind kind, bool both, std::uint32_t mask) {
    stage.perform({.kind = kind,
                   .address = [=](std::uint32_t i) { return (both && i % 2 == 1 ? two : one)->base + 4 * i; },
                   .mask = mask,
                   .instruction = 5,
                   .space = ptx::Space::global,
                   .allocation = both ? nullptr : one},
                  check_global_init);
  };
  perform(Access::Kind::write, true, kFullMask);
  perform(Access::Kind::read, true, kFullMask);
  CHECK(stage.checks.findings.empty());
  perform(Access::Kind::read, false, 0xf0);
  REQUIRE(stage.checks.findings.size() == 1);
  CHECK(stage.checks.findings[0].site.thread.x == 5);
  CHECK(stage.checks.findings[0].lanes == 2);
  CHECK(stage.checks.findings[0].memory.allocation == "one");
}
