// Feeds a race check with a block's accesses to shared memory and its barriers, without running a kernel.
#pragma once

#include <doctest/doctest.h>

#include "checks/shared_race/detector.hpp"
#include "observer_stage.hpp"

namespace warpgrade::emulator {

using Event = Stage::Event;
constexpr auto kRead = Access::Kind::read;
constexpr auto kWrite = Access::Kind::write;
constexpr auto kAtomic = Access::Kind::atomic;

struct RaceStage : Stage {
  explicit RaceStage(std::uint32_t threads, RaceNeeds needs = {}) : Stage(threads), check(needs) {
    check.block_begin(block);
  }
  void operator()(const Event& event) {
    perform(event, [this](const Access& access) { check.access(access); });
  }
  // Word `first + step·(thread in block)` of every lane.
  Event linear(Access::Kind kind, std::uint32_t warp, std::uint64_t first, std::uint64_t step,
               std::uint32_t instruction) {
    return {.kind = kind,
            .warp = warp,
            .address = [=](std::uint32_t lane) { return 4 * (first + step * (32 * warp + lane)); },
            .instruction = instruction};
  }
  void barrier() { check.block_barrier(); }
  void warp_barrier(std::uint32_t warp, std::uint32_t mask = kFullMask) { check.warp_barrier(warp, mask); }
  std::size_t count() const { return checks.findings.size(); }
  const Finding& only() const {
    REQUIRE(checks.findings.size() == 1);
    return checks.findings[0];
  }
  SharedRaceDetector check;
};

// Both methods must agree wherever both apply.
inline const RaceNeeds kMethods[] = {{false, false}, {false, true}, {true, false}};
// Atomics need one of these methods.
inline const RaceNeeds kAtomicMethods[] = {{false, true}, {true, false}};

}  // namespace warpgrade::emulator
