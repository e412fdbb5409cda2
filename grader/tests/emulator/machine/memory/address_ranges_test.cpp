#include "machine/memory/address_ranges.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

TEST_CASE("neighbouring ranges become one, and empty ones are left out") {
  AddressRanges ranges;
  ranges.append({10, 20});
  ranges.append({20, 25});
  ranges.append({22, 24});
  ranges.append({30, 30});
  ranges.append({40, 41});
  REQUIRE(ranges.items().size() == 2);
  CHECK(ranges.items()[0].end == 25);
  CHECK(ranges.hull().begin == 10);
  CHECK(ranges.hull().end == 41);
  CHECK(ranges.contains(24));
  CHECK_FALSE(ranges.contains(25));
}

TEST_CASE("two sets of bytes overlap where both have a byte") {
  AddressRanges even, odd, late;
  for (std::uint64_t at = 0; at < 100; at += 8) {
    even.append({at, at + 4});
    odd.append({at + 4, at + 8});
  }
  late.append({63, 70});
  CHECK_FALSE(even.overlap(odd));
  REQUIRE(even.overlap(late));
  CHECK(even.overlap(late)->begin == 64);
  CHECK(even.overlap(late)->end == 68);
  CHECK(late.overlap(odd)->begin == 63);
  CHECK_FALSE(even.overlap(AddressRanges()));
}
