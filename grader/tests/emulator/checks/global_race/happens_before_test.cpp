#include "checks/global_race/happens_before.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

TEST_CASE("knowledge is passed on by later releases") {
  const auto first = extend(nullptr, 1, {5, 7}, false);
  const auto second = extend(first, 2, {3}, false);
  CHECK(join(first, nullptr) == first);
  CHECK(join(second, first) == second);
  CHECK(knows(second, 9, 1, 1, 6));
  CHECK_FALSE(knows(second, 9, 1, 1, 7));
  CHECK_FALSE(knows(second, 9, 1, 2, 0));  // no such warp
  CHECK(knows(second, 9, 2, 0, 2));
  CHECK_FALSE(knows(first, 9, 2, 0, 2));
  CHECK_FALSE(knows(nullptr, 9, 1, 0, 0));
  CHECK(knows(join(first, extend(nullptr, 3, {4}, false)), 9, 3, 0, 3));
}

TEST_CASE("a fence of block scope orders within the block only") {
  const auto own = extend(nullptr, 1, {5}, true);
  CHECK(knows(own, 1, 1, 0, 4));
  CHECK_FALSE(knows(own, 2, 1, 0, 4));
  HappensBefore::Pointer known = own;
  for (std::uint32_t time = 1; time < 20; ++time) known = extend(known, 3, {time}, false);
  CHECK(knows(known, 1, 1, 0, 4));  // also in the merged clock
  CHECK_FALSE(knows(known, 2, 1, 0, 4));
  CHECK(known->size == 1);
}

TEST_CASE("long chains stay short, and lose nothing") {
  HappensBefore::Pointer known;
  for (std::uint32_t time = 1; time <= 100'000; ++time) known = extend(known, time % 50, {time}, false);
  CHECK(known->size < 5000);
  for (std::uint64_t block = 0; block < 50; ++block) CHECK(knows(known, 99, block, 0, 99'940));
  CHECK_FALSE(knows(known, 99, 3, 0, 100'000));
}

TEST_CASE("polling two words alternately adds no entries") {
  const auto low = extend(nullptr, 1, {5}, false), high = extend(nullptr, 2, {6}, false);
  const auto once = join(join(extend(nullptr, 3, {7}, false), low), high);
  CHECK(join(join(once, low), high) == once);
  CHECK(join(low, once) == once);
  CHECK(knows(once, 99, 1, 0, 4));
  CHECK(knows(once, 99, 2, 0, 5));
}
