#include "checks/shared_race/detector.hpp"

#include <random>

#include "tests/emulator/support/race_stage.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("a tile that is loaded, waited for, read and waited for has no race") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(64, needs);
    for (int phase = 0; phase < 3; ++phase) {
      for (std::uint32_t warp = 0; warp < 2; ++warp) stage(stage.linear(kWrite, warp, 0, 1, 1));
      stage.barrier();
      for (std::uint32_t k = 0; k < 8; ++k)
        for (std::uint32_t warp = 0; warp < 2; ++warp) {
          stage(stage.linear(kRead, warp, k, 0, 2));
          stage({.kind = kRead,
                 .warp = warp,
                 .address = [=](std::uint32_t i) { return 4ull * (8 * k + i % 16); },
                 .instruction = 3});
        }
      stage.barrier();
    }
    CHECK(stage.count() == 0);
  }
}

TEST_CASE("without the first barrier, a read races with another thread's write") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(64, needs);
    for (std::uint32_t warp = 0; warp < 2; ++warp) stage(stage.linear(kWrite, warp, 0, 1, 1));
    stage(stage.linear(kRead, 1, 5, 0, 2));
    const Finding& race = stage.only();
    CHECK(race.kind == FindingKind::race_read_write);
    CHECK(race.site.instruction == 2);
    CHECK(race.site.thread.x == 32);
    CHECK(race.site.access == "read");
    CHECK(race.other.instruction == 1);
    CHECK(race.other.thread.x == 5);
    CHECK(race.other.access == "write");
    CHECK(race.memory.address == 20);
    CHECK(race.lanes == 32);
  }
}

TEST_CASE(
    "who has read a word first and writes it races with the second, by the instruction that read it then") {
  for (const RaceNeeds needs : kMethods)
    for (const bool swapped : {false, true}) {
      RaceStage stage(64, needs);
      stage(stage.linear(kRead, 0, 0, 1, 2));
      stage({.kind = kRead,
             .address = [=](std::uint32_t i) { return 4ull * (swapped ? i ^ 1u : i + 1); },
             .instruction = 3});
      stage({.kind = kWrite,
             .address = [](std::uint32_t) { return 20ull; },
             .mask = 1u << 5,
             .instruction = 4});
      CHECK(stage.only().site.instruction == 4);
      CHECK(stage.only().other.instruction == 3);
      CHECK(stage.only().other.thread.x == 4);
    }
}

TEST_CASE("without the second barrier, a write races with other threads' reads") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(64, needs);
    for (std::uint32_t warp = 0; warp < 2; ++warp) stage(stage.linear(kWrite, warp, 0, 1, 1));
    stage.barrier();
    for (std::uint32_t warp = 0; warp < 2; ++warp) stage(stage.linear(kRead, warp, 3, 0, 2));
    stage(stage.linear(kWrite, 0, 0, 1, 1));
    const Finding& race = stage.only();
    CHECK(race.kind == FindingKind::race_read_write);
    CHECK(race.site.instruction == 1);
    CHECK(race.site.thread.x == 3);
    CHECK(race.other.instruction == 2);
    CHECK(race.other.thread.x != 3);
    CHECK(race.other.access == "read");
    CHECK(race.lanes == 1);
  }
}

TEST_CASE("a double buffer: one half is read while the other is written, and each in its turn") {
  for (const RaceNeeds needs : kMethods)
    for (const bool barrier : {true, false}) {
      RaceStage stage(64, needs);
      for (std::uint32_t warp = 0; warp < 2; ++warp) stage(stage.linear(kWrite, warp, 0, 1, 1));
      stage.barrier();
      for (std::uint32_t half = 1; half < 4; ++half) {
        for (std::uint32_t warp = 0; warp < 2; ++warp) {  // the second reads behind the first one's writes
          stage(stage.linear(kRead, warp, 64 * (1 - half % 2) + 5, 0, 2));
          stage(stage.linear(kWrite, warp, 64 * (half % 2), 1, 3));
          stage(stage.linear(kWrite, warp, 512 + 64 * (half % 2), 1, 4));
        }
        if (barrier) stage.barrier();
      }
      if (barrier)
        CHECK(stage.count() == 0);
      else
        CHECK(stage.count() != 0);
    }
}

TEST_CASE("words that several read, as they lie, are written by another") {
  for (const RaceNeeds needs : kMethods)
    for (const std::uint32_t writer : {0u, 1u}) {
      RaceStage stage(64, needs);
      const auto apart = [](std::uint32_t lane) { return 4ull * (lane * 5 % 32); };
      for (std::uint32_t warp = 0; warp < 2; ++warp) {
        stage({.kind = kRead, .warp = warp, .address = apart, .instruction = 1});
        stage({.kind = kRead, .warp = warp, .address = apart, .instruction = 2, .is_volatile = true});
      }
      stage({.kind = kWrite, .warp = writer, .address = apart, .mask = 8, .instruction = 3});
      CHECK(stage.only().kind == FindingKind::race_read_write);
      CHECK(stage.only().site.thread.x == 32 * writer + 3);
      CHECK(stage.only().other.thread.x == 32 * (1 - writer) + 3);
    }
}

TEST_CASE("the earlier side is never the same thread") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(32, needs);
    stage(stage.linear(kRead, 0, 0, 0, 1));
    // The first of all readers, lane 0, is also the writer.
    stage({.kind = kWrite,
           .warp = 0,
           .address = [](std::uint32_t) { return 0ull; },
           .mask = 1,
           .instruction = 2});
    CHECK(stage.only().site.thread.x == 0);
    CHECK(stage.only().other.thread.x != 0);
  }
}

TEST_CASE("two lanes of one instruction write one word") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage different(32, needs);
    different(different.linear(kWrite, 0, 9, 0, 1));
    CHECK(different.only().kind == FindingKind::race_write_write);
    RaceStage same(32, needs);
    Event event = same.linear(kWrite, 0, 9, 0, 1);
    event.value = [](std::uint32_t) { return 42u; };
    same(event);
    CHECK(same.only().kind == FindingKind::race_same_value);
    CHECK(std::string(severity(same.only().kind)) == "warning");
  }
}

TEST_CASE("two warps write the same value one after the other") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(64, needs);
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
      Event event = stage.linear(kWrite, warp, 0, 0, 1);
      event.mask = 1;
      event.value = [](std::uint32_t) { return 7u; };
      stage(event);
    }
    CHECK(stage.only().kind == FindingKind::race_same_value);
  }
}

TEST_CASE("a real race beside one of the same value is the one that is reported") {
  RaceStage stage(32);
  Event event = stage.linear(kWrite, 0, 0, 0, 1);
  event.value = [](std::uint32_t lane) { return lane < 30 ? 1u : lane; };
  stage(event);
  CHECK(stage.only().kind == FindingKind::race_write_write);
}

TEST_CASE("full-warp barriers order the lanes of their warp only") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(64, needs);
    // A reduction within warp 0: lanes read what others wrote, a barrier between the steps.
    stage(stage.linear(kWrite, 0, 0, 1, 1));
    for (std::uint64_t step = 16; step > 0; step /= 2) {
      stage.warp_barrier(0);
      stage({.kind = kRead,
             .warp = 0,
             .address = [=](std::uint32_t i) { return 4 * ((i + step) % 32); },
             .instruction = 2});
      stage.warp_barrier(0);
      stage(stage.linear(kWrite, 0, 0, 1, 3));
    }
    CHECK(stage.count() == 0);
    stage({.kind = kRead,
           .warp = 1,
           .address = [](std::uint32_t) { return 0ull; },
           .mask = 1,
           .instruction = 4});
    CHECK(stage.only().kind == FindingKind::race_read_write);
    CHECK(stage.only().other.instruction == 3);
  }
}

TEST_CASE("a reduction without its warp barrier races") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(32, needs);
    stage(stage.linear(kWrite, 0, 0, 1, 1));
    stage({.kind = kRead,
           .warp = 0,
           .address = [](std::uint32_t i) { return 4ull * ((i + 16) % 32); },
           .instruction = 2});
    CHECK(stage.only().site.instruction == 2);
  }
}

TEST_CASE("volatile does not excuse a race between barriers") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(32, needs);
    Event write = stage.linear(kWrite, 0, 0, 1, 1);
    write.is_volatile = true;
    stage(write);
    Event read{
        .kind = kRead, .address = [](std::uint32_t i) { return 4ull * ((i + 1) % 32); }, .instruction = 2};
    read.is_volatile = true;
    stage(read);
    CHECK(stage.count() == 1);
  }
}

TEST_CASE("atomics do not race with each other, but with plain accesses") {
  for (const RaceNeeds needs : kAtomicMethods) {
    RaceStage stage(64, needs);
    for (std::uint32_t warp = 0; warp < 2; ++warp) stage(stage.linear(kAtomic, warp, 0, 0, 1));
    CHECK(stage.count() == 0);
    // The last thread that updated the word is not the only one: its own plain read races with the others.
    stage({.kind = kRead,
           .warp = 1,
           .address = [](std::uint32_t) { return 0ull; },
           .mask = 0x80000000u,
           .instruction = 2});
    CHECK(stage.only().kind == FindingKind::race_read_write);
    CHECK(stage.only().other.thread.x != 63);
  }
}

TEST_CASE(
    "a counter that is set without a barrier races with the atomics that follow, also of its own warp") {
  for (const RaceNeeds needs : kAtomicMethods) {
    RaceStage stage(32, needs);
    stage({.kind = kWrite, .address = [](std::uint32_t) { return 0ull; }, .mask = 1, .instruction = 1});
    stage(stage.linear(kAtomic, 0, 0, 0, 2));
    CHECK(stage.only().other.instruction == 1);
    CHECK(stage.only().site.thread.x == 1);
  }
}

TEST_CASE("an atomic after a plain write, with a barrier of the warp between them") {
  for (const RaceNeeds needs : kAtomicMethods) {
    const auto counter = [](std::uint32_t) { return 0ull; };
    RaceStage stage(64, needs);
    stage({.kind = kWrite, .address = counter, .mask = 1, .instruction = 1});
    stage.warp_barrier(0);
    stage({.kind = kAtomic, .address = counter, .instruction = 2});
    CHECK(stage.count() == 0);
    stage({.kind = kAtomic, .warp = 1, .address = counter, .mask = 1, .instruction = 3});
    CHECK(stage.only().other.instruction == 1);
  }
}

TEST_CASE("words that are accessed plainly and atomically race by either method, or by none") {
  unsigned races = 0, long_ones = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
    RaceStage records(64, kAtomicMethods[0]), history(64, kAtomicMethods[1]);
    std::uint32_t step = 1;
    for (; step < 60 && records.count() + history.count() == 0; ++step) {
      const std::uint32_t warp = pick(4) == 0 ? 1 : 0;
      if (pick(12) == 0) records.barrier(), history.barrier();
      if (pick(3) != 0) records.warp_barrier(warp), history.warp_barrier(warp);
      const Access::Kind kinds[] = {kRead, kRead, kWrite, kAtomic, kAtomic, kAtomic};
      // Each warp accesses a few words of its own, and sometimes words that both warps read or update.
      const std::uint64_t first = pick(8) == 0 ? 64 : 32 * warp, apart = pick(2) == 0 ? 1 : 7;
      Event event;
      event.kind = kinds[pick(6)];
      event.warp = warp;
      event.instruction = step;
      event.address = [=](std::uint32_t i) { return 4 * (first + i * apart % 32); };
      event.mask = pick(3) == 0 ? kFullMask : 1u << pick(32);
      records(event), history(event);
    }
    CAPTURE(seed);
    REQUIRE((records.count() != 0) == (history.count() != 0));
    races += history.count() != 0;
    long_ones += step > 20;
  }
  CHECK(races > 100);
  CHECK(long_ones > 100);
}

TEST_CASE("threads that share a word but no byte do not race") {
  for (const RaceNeeds needs : {RaceNeeds{false, true}, RaceNeeds{true, false}}) {
    RaceStage stage(32, needs);
    stage({.kind = kWrite,
           .address = [](std::uint32_t i) { return std::uint64_t{i}; },
           .bytes = 1,
           .instruction = 1});
    CHECK(stage.count() == 0);
    stage(
        {.kind = kWrite, .address = [](std::uint32_t i) { return i / 2ull; }, .bytes = 1, .instruction = 2});
    CHECK(stage.count() == 1);
  }
}

TEST_CASE("a word goes over to bytes with all that is known of it") {
  const RaceNeeds needs{false, true};
  RaceStage stage(64, needs);
  stage(stage.linear(kWrite, 0, 0, 1, 1));
  stage.warp_barrier(0);
  stage({.kind = kRead,
         .warp = 0,
         .address = [](std::uint32_t i) { return 100ull - i; },
         .bytes = 1,
         .instruction = 2});
  CHECK(stage.count() == 0);  // ordered by the warp's barrier
  stage({.kind = kWrite,
         .warp = 1,
         .address = [](std::uint32_t) { return 8ull; },
         .bytes = 1,
         .mask = 1,
         .instruction = 3});
  CHECK(stage.only().other.instruction == 1);
}

TEST_CASE("the next block starts afresh") {
  for (const RaceNeeds needs : kMethods) {
    RaceStage stage(64, needs);
    stage(stage.linear(kWrite, 0, 0, 1, 1));
    stage.check.block_begin(stage.block);
    stage({.kind = kRead, .warp = 1, .address = [](std::uint32_t i) { return 4ull * i; }, .instruction = 2});
    CHECK(stage.count() == 0);
  }
}
