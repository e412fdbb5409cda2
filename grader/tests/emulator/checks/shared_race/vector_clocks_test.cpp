// Order by partial and named barriers and by flags, one rule at a time.
#include "checks/shared_race/vector_clocks.hpp"

#include "tests/emulator/support/race_stage.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

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
  const std::uint32_t two[] = {kFullMask, kFullMask, 0};
  stage.check.partial_barrier(1, two);
  stage({.kind = kRead, .warp = 1, .address = [](std::uint32_t i) { return 4ull * i; }, .instruction = 2});
  CHECK(stage.count() == 0);
  stage({.kind = kRead, .warp = 2, .address = [](std::uint32_t i) { return 4ull * i; }, .instruction = 3});
  CHECK(stage.only().site.instruction == 3);
}

TEST_CASE("who only arrives at a barrier hands over what it did before, and learns nothing") {
  RaceStage stage(64, {true, false});
  const std::uint32_t second[] = {0, kFullMask};
  stage(stage.linear(kWrite, 0, 0, 1, 1));
  stage.check.arrival(0, 1);
  stage(stage.linear(kWrite, 0, 64, 1, 2));
  const auto read = [&](std::uint32_t warp, std::uint64_t first, std::uint32_t instruction) {
    stage({.kind = kRead,
           .warp = warp,
           .address = [=](std::uint32_t i) { return 4 * (first + i); },
           .instruction = instruction});
  };
  stage.check.partial_barrier(1, second);
  read(1, 0, 3);
  CHECK(stage.count() == 0);
  SUBCASE("what the arriver did since") {
    read(1, 64, 4);
    CHECK(stage.only().site.instruction == 4);
  }
  SUBCASE("what the others do") {
    stage(stage.linear(kWrite, 1, 128, 1, 5));
    read(0, 160, 6);
    CHECK(stage.only().site.instruction == 6);
  }
}

TEST_CASE("a flag after a fence orders the data") {
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

TEST_CASE("a read is remembered until all warps come after it, however many follow") {
  for (const bool handed_over : {false, true}) {
    RaceStage stage(64, {true, false});
    const auto meet = [&](Access::Kind kind, std::uint32_t warp) {
      stage({.kind = kind,
             .warp = warp,
             .address = [=](std::uint32_t) { return 2048ull; },
             .mask = 1,
             .instruction = 9,
             .is_strong = true,
             .releases = kind == kWrite});
    };
    const auto read_apart = [&](std::uint64_t first, std::uint32_t instruction) {
      stage({.kind = kRead,
             .warp = 1,
             .address = [=](std::uint32_t lane) { return 4 * (first + lane * 3 % 32); },
             .instruction = instruction});
    };
    read_apart(200, 4);
    stage.warp_barrier(1);
    meet(kWrite, 1), meet(kRead, 0);  // that one is settled
    read_apart(100, 1);
    for (std::uint32_t i = 0; i < 10000; ++i) {
      stage.warp_barrier(1);
      if (i % 16 != 0)
        stage(stage.linear(kRead, 1, i % 50, 0, 2));
      else
        read_apart(0, 5);
    }
    if (handed_over) meet(kWrite, 1), meet(kRead, 0);
    stage({.kind = kWrite,
           .warp = 0,
           .address = [](std::uint32_t) { return 400ull; },
           .mask = 1,
           .instruction = 3});
    CHECK(stage.count() == (handed_over ? 0 : 1));
    if (!handed_over) CHECK(stage.only().other.instruction == 1);
  }
}

TEST_CASE("of two who write neighbouring words, only one hands his over") {
  for (const std::uint32_t word : {0u, 1u}) {
    RaceStage stage(96, {true, false});
    const auto touch = [&](Access::Kind kind, std::uint32_t warp, std::uint64_t at,
                           std::uint32_t instruction) {
      stage({.kind = kind,
             .warp = warp,
             .address = [=](std::uint32_t) { return at; },
             .mask = 1,
             .instruction = instruction,
             .is_strong = instruction == 9,
             .releases = instruction == 9 && kind == kWrite});
    };
    touch(kWrite, 0, 0, 1);
    touch(kWrite, 1, 4, 2);
    touch(kWrite, 1, 2048, 9);
    touch(kRead, 2, 2048, 9);
    touch(kRead, 2, 4 * word, 3);
    CHECK(stage.count() == 1 - word);
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
