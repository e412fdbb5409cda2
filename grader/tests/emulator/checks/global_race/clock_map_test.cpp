#include "checks/global_race/clock_map.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace warpgrade::emulator;

namespace {

// Reference: the same interface on a std::map.
struct Plain {
  std::map<std::uint64_t, WarpClock> clocks;
  void raise_by(std::uint64_t block, const WarpClock& clock) { raise(clocks[block], clock); }
  bool is_before(std::uint64_t block, std::uint32_t warp, std::uint32_t time) const {
    const auto found = clocks.find(block);
    return found != clocks.end() && warp < found->second.size() && time < found->second[warp];
  }
};

}  // namespace

TEST_CASE("a clock is known up to its time, of its warp and block") {
  const ClockMap map = ClockMap().raised(1'000'000'007, {5, 7});
  CHECK(map.is_before(1'000'000'007, 1, 6));
  CHECK_FALSE(map.is_before(1'000'000'007, 1, 7));
  CHECK_FALSE(map.is_before(1'000'000'007, 2, 0));
  CHECK_FALSE(map.is_before(1'000'000'006, 1, 0));
  CHECK_FALSE(map.is_before(~std::uint64_t{0}, 0, 0));
  CHECK_FALSE(ClockMap().is_before(0, 0, 0));
}

TEST_CASE("the maximum of two maps orders what either orders, and leaves both unchanged") {
  constexpr std::uint64_t kBlocks[] = {0, 1, 7, 8, 9, 127, 128, 2048, 2049, 1 << 20};
  std::mt19937 random(11);
  const auto any = [&](unsigned below) { return static_cast<std::uint32_t>(random() % below); };
  std::vector<std::pair<ClockMap, Plain>> maps(6);
  for (int turn = 0; turn < 3000; ++turn) {
    auto& [map, plain] = maps[any(6)];
    const auto& [other, plain_other] = maps[any(6)];
    if (any(3) != 0) {
      const std::uint64_t block = kBlocks[any(10)];
      WarpClock clock(1 + any(3));
      for (std::uint32_t& time : clock) time = any(8);
      map = map.raised(block, clock);
      plain.raise_by(block, clock);
    } else {
      map = later(map, other);
      const Plain copy = plain_other;
      for (const auto& [block, clock] : copy.clocks) plain.raise_by(block, clock);
    }
    if (turn % 100 == 0) maps[any(6)] = {};
    for (const auto& [each, expected] : maps) {
      const std::uint64_t block = kBlocks[any(10)];
      const std::uint32_t warp = any(4), time = any(9);
      REQUIRE(each.is_before(block, warp, time) == expected.is_before(block, warp, time));
    }
  }
}
