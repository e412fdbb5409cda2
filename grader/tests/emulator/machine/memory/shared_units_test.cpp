#include "machine/memory/shared_units.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace warpgrade::emulator;

TEST_CASE("a set of units contains exactly the entered units, and can be cleared") {
  constexpr std::uint32_t kBytes = 8192, kUnit = 1u << SharedUnits::kUnitShift;
  SharedUnits set;
  CHECK_FALSE(overlaps(set, 0, kBytes));
  std::mt19937 random(1);
  for (int turn = 0; turn < 50; ++turn) {
    std::vector<bool> expected(kBytes / kUnit);
    for (int range = 0; range < 4; ++range) {
      const auto begin = static_cast<std::uint32_t>(random() % (kBytes - 2048));
      const std::uint32_t end = begin + 1 + static_cast<std::uint32_t>(random() % (range == 0 ? 2048 : 64));
      add(set, begin, end);
      for (std::uint32_t at = begin / kUnit; at <= (end - 1) / kUnit; ++at) expected[at] = true;
    }
    for (std::uint32_t at = 0; at < expected.size(); ++at)
      CHECK(overlaps(set, at * kUnit, (at + 1) * kUnit) == expected[at]);
    clear(set);
    CHECK_FALSE(overlaps(set, 0, kBytes));
  }
}

TEST_CASE("empty ranges touch nothing") {
  SharedUnits set;
  add(set, ~0u, 0);
  CHECK_FALSE(overlaps(set, 0, 64));
  add(set, 0, 64);
  CHECK_FALSE(overlaps(set, ~0u, 0));
}

TEST_CASE("beyond the last unit nothing that was entered is missed") {
  constexpr std::uint32_t kAll = SharedUnits::kWords * 64 << SharedUnits::kUnitShift;
  SharedUnits set;
  add(set, kAll + 32, kAll + 48);
  CHECK(overlaps(set, kAll + 40, kAll + 44));
  CHECK_FALSE(overlaps(set, kAll + 48, kAll + 64));
  clear(set);
  add(set, 0, kAll);
  CHECK_FALSE(overlaps(set, kAll, kAll + 64));
  CHECK(overlaps(set, kAll - 4, kAll));
}
