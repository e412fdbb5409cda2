#include "checks/uninitialised/defined_bits.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using warpgrade::emulator::DefinedBits;

TEST_CASE_TEMPLATE("ranges of bits against a plain array of flags", Bits, DefinedBits<false>,
                   DefinedBits<true>) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint8_t> flags(41);
    std::vector<bool> plain(41 * 8);
    Bits bits(flags.data());
    for (int step = 0; step < 60; ++step) {
      const unsigned count = 1 + random() % 64, first = random() % (plain.size() - count);
      unsigned missing = 0;
      for (unsigned i = 0; i < count; ++i) missing += !plain[first + i];
      CHECK(bits.all(first, count) == (missing == 0));
      if (random() % 2 == 0) continue;
      CHECK(bits.set(first, count) == missing);
      for (unsigned i = 0; i < count; ++i) plain[first + i] = true;
    }
    for (unsigned i = 0; i < plain.size(); ++i) CHECK(((flags[i / 8] >> i % 8 & 1) != 0) == plain[i]);
  }
}
