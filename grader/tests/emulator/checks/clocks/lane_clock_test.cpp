#include "checks/clocks/lane_clock.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("lanes that synchronised are ordered, also after lanes that one of them had synchronised with") {
  LaneClock clock(10);
  clock.meet(0b0011, 20);
  clock.meet(0b0110, 30);
  CHECK(clock.before(0, 1) == 20);
  CHECK(clock.before(1, 0) == 20);
  CHECK(clock.before(2, 0) == 20);  // through lane 1
  CHECK(clock.before(1, 2) == 30);
  CHECK(clock.before(3, 0) == 10);
  clock.meet(0b0110, 40);
  CHECK(clock.before(2, 1) == 40);
  CHECK(clock.before(2, 0) == 20);
}

// Reference: what each lane knows of each other one.
TEST_CASE("random parts of a warp synchronise repeatedly") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    LaneClock clock(1);
    std::uint32_t known[32][32];
    for (auto& row : known) std::fill(row, row + 32, 1);
    std::uint32_t masks[3] = {static_cast<std::uint32_t>(random()), 0x00ff0000u, 1u << seed % 32};
    for (std::uint32_t now = 2; now < 60; ++now) {
      if (random() % 8 == 0) masks[0] = static_cast<std::uint32_t>(random() & random());
      const std::uint32_t mask = masks[random() % 3];
      clock.meet(mask, now);
      std::uint32_t latest[32] = {};
      const auto in = [&](int lane) { return (mask >> lane & 1u) != 0; };
      for (int lane = 0; lane < 32; ++lane)
        for (int other = 0; in(lane) && other < 32; ++other)
          latest[other] = in(other) ? now : std::max(latest[other], known[lane][other]);
      for (int lane = 0; lane < 32; ++lane)
        if (in(lane)) std::copy(latest, latest + 32, known[lane]);
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        for (std::uint32_t other = 0; other < 32; ++other)
          REQUIRE(clock.before(lane, other) == known[lane][other]);
    }
  }
}
