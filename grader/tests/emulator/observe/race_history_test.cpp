// What comes before what where not whole blocks wait: partial and named barriers, flags, any program.
#include "observe/race_history.hpp"

#include <random>
#include <set>

#include "race_stage.hpp"

using namespace warpgrade;
using namespace warpgrade::observe;

TEST_CASE("barriers over parts of a warp order those lanes") {
  const RaceNeeds needs{true, false};
  const auto neighbour = [](std::uint32_t i) { return 4ull * (i ^ 1u); };
  RaceStage stage(32, needs);
  stage(stage.linear(kWrite, 0, 0, 1, 1));
  stage.warp_barrier(0, 0x0000ffffu);
  stage({.kind = kRead, .address = neighbour, .mask = 0x0000ffffu, .instruction = 2});
  CHECK(stage.count() == 0);
  stage({.kind = kRead, .address = neighbour, .mask = 0xffff0000u, .instruction = 3});
  CHECK(stage.only().site.instruction == 3);
}

TEST_CASE("order through a third lane counts") {
  RaceStage stage(32, {true, false});
  stage({.kind = kWrite, .address = [](std::uint32_t) { return 0ull; }, .mask = 1, .instruction = 1});
  stage.warp_barrier(0, 0b011);
  stage.warp_barrier(0, 0b110);
  stage({.kind = kWrite, .address = [](std::uint32_t) { return 0ull; }, .mask = 0b100, .instruction = 2});
  CHECK(stage.count() == 0);
  stage({.kind = kWrite, .address = [](std::uint32_t) { return 0ull; }, .mask = 0b1000, .instruction = 3});
  CHECK(stage.count() == 1);
}

TEST_CASE("named barriers order the warps that take part") {
  RaceStage stage(96, {true, false});
  stage(stage.linear(kWrite, 0, 0, 1, 1));
  const std::uint32_t two[] = {exec::kFullMask, exec::kFullMask, 0};
  stage.check.partial_barrier(two);
  stage({.kind = kRead, .warp = 1, .address = [](std::uint32_t i) { return 4ull * i; }, .instruction = 2});
  CHECK(stage.count() == 0);
  stage({.kind = kRead, .warp = 2, .address = [](std::uint32_t i) { return 4ull * i; }, .instruction = 3});
  CHECK(stage.only().site.instruction == 3);
}

TEST_CASE("a flag behind a fence hands data over") {
  const auto flag = [](std::uint32_t) { return 400ull; };
  RaceStage stage(64, {true, false});
  stage(stage.linear(kWrite, 0, 0, 1, 1));
  stage.warp_barrier(0);
  stage.check.fence(stage.warps[0]);
  stage({.kind = kRead,
         .warp = 1,
         .address = flag,
         .mask = 1,
         .instruction = 9,
         .is_volatile = true});  // polls
  stage({.kind = kWrite, .warp = 0, .address = flag, .mask = 1, .instruction = 2, .is_volatile = true});
  stage({.kind = kRead, .warp = 1, .address = flag, .mask = 1, .instruction = 9, .is_volatile = true});
  stage.check.fence(stage.warps[1]);
  stage({.kind = kRead, .warp = 1, .address = [](std::uint32_t i) { return 4ull * i; }, .instruction = 3});
  CHECK(stage.count() == 0);
}

TEST_CASE("who releases has read before, whatever lies between the flag and what was read") {
  for (const std::uint64_t flag : {0, 2048}) {
    RaceStage stage(64, {true, false});
    const auto meet = [&](Access::Kind kind, std::uint32_t warp) {
      stage({.kind = kind,
             .warp = warp,
             .address = [=](std::uint32_t) { return flag; },
             .mask = 1,
             .instruction = 9,
             .is_strong = true,
             .releases = kind == kAtomic});
    };
    stage(stage.linear(kWrite, 0, 64, 1, 1));
    stage.barrier();
    stage(stage.linear(kRead, 1, 32, 1, 2));
    meet(kAtomic, 1);
    meet(kRead, 0);
    stage(stage.linear(kWrite, 0, 64, 1, 3));
    CHECK(stage.count() == 0);
    stage(stage.linear(kRead, 1, 32, 1, 4));  // nothing orders this behind the write
    CHECK(stage.only().site.instruction == 4);
  }
}

TEST_CASE("a flag without a fence hands nothing over") {
  const auto flag = [](std::uint32_t) { return 400ull; };
  RaceStage stage(64, {true, false});
  stage(stage.linear(kWrite, 0, 0, 1, 1));
  stage({.kind = kWrite, .warp = 0, .address = flag, .mask = 1, .instruction = 2, .is_volatile = true});
  stage({.kind = kRead, .warp = 1, .address = flag, .mask = 1, .instruction = 3, .is_volatile = true});
  CHECK(stage.count() == 1);
}

// Reference: all accesses since the last block barrier, compared pairwise.
TEST_CASE("random programs race exactly where a pairwise comparison says so") {
  struct Past {
    std::uint32_t thread, word, epoch;
    bool write;
  };
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
    const RaceNeeds needs = kMethods[seed % 3];
    RaceStage stage(96, needs);
    std::vector<Past> past;
    std::vector<std::uint32_t> epoch(3, 0);
    std::set<std::uint32_t> expected, got;
    const unsigned span = 1u << pick(8);
    for (std::uint32_t step = 1; step < 60; ++step) {
      if (pick(8) == 0) stage.barrier(), past.clear();
      const std::uint32_t warp = pick(3);
      if (pick(3) == 0) stage.warp_barrier(warp), ++epoch[warp];
      const std::uint64_t first = pick(span), stride = pick(4) == 0 ? 0 : pick(3), half = pick(2) * 16;
      Event event;
      event.kind = pick(3) == 0 ? kWrite : kRead;
      event.warp = warp;
      event.bytes = 4u << pick(3);
      event.mask = pick(3) == 0 ? random() : exec::kFullMask;
      event.instruction = step;
      const std::uint64_t bytes = event.bytes;
      event.address = [=](std::uint32_t i) {
        return (first * 4 / bytes + stride * (half != 0 ? i % 16 : i)) * bytes;
      };
      const std::size_t before = past.size();
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((event.mask >> lane & 1) == 0) continue;
        for (std::uint32_t i = 0; i < bytes / 4; ++i) {
          const Past now{32 * warp + lane, static_cast<std::uint32_t>(event.address(lane) / 4) + i,
                         epoch[warp], event.kind == kWrite};
          for (const Past& other : past) {
            const bool ordered =
                other.thread == now.thread || (other.thread / 32 == warp && other.epoch != now.epoch);
            if (other.word == now.word && !ordered && (other.write || now.write)) expected.insert(step);
          }
          past.push_back(now);
        }
      }
      (void)before;
      stage(event);
      // After the first race the histories may differ: a racing write hides what was before it.
      if (!expected.empty()) break;
    }
    for (const Finding& finding : stage.watch.findings) got.insert(finding.site.instruction);
    CAPTURE(seed);
    CHECK(got == expected);
  }
}
