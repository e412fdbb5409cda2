#include "profile/touched_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using warpgrade::emulator::TouchedLines;

TEST_CASE("sectors are new to all once, and once to each party") {
  TouchedLines table;
  const auto first = table.touch(7, 0b0011, 1u << 0);
  CHECK(first.to_all == 2);
  CHECK(first.to_party == 2);
  const auto again = table.touch(7, 0b0111, 1u << 0);
  CHECK(again.to_all == 1);
  CHECK(again.to_party == 1);
  const auto other = table.touch(7, 0b1011, 1u << 5);
  CHECK(other.to_all == 1);
  CHECK(other.to_party == 3);
  CHECK(table.count() == 1);
}

TEST_CASE("many lines, a power of two apart, are kept as the table grows") {
  TouchedLines table;
  constexpr std::uint64_t kLines = 5000;
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t i = 0; i < kLines; ++i)
      REQUIRE(table.touch(i << 12, 1, 1).to_all == (round == 0 ? 1u : 0u));
  std::vector<std::uint64_t> seen;
  table.for_each([&](const TouchedLines::Line& line) { seen.push_back(line.number >> 12); });
  std::sort(seen.begin(), seen.end());
  REQUIRE(seen.size() == kLines);
  CHECK(table.count() == kLines);
  for (std::uint64_t i = 0; i < kLines; ++i) REQUIRE(seen[i] == i);
}
