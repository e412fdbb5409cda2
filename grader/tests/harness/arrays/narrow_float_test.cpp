#include "arrays/narrow_float.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

using namespace warpgrade::harness;

TEST_CASE("every 16-bit number comes back as it was") {
  for (unsigned bits = 0; bits < 1u << 16; ++bits) {
    Float16 half;
    half.bits = static_cast<std::uint16_t>(bits);
    if (!std::isnan(half.value())) CHECK(Float16(half.value()).bits == bits);
    Bfloat16 brain;
    brain.bits = static_cast<std::uint16_t>(bits);
    if (std::isnan(brain.value())) continue;
    CHECK(Bfloat16(brain.value()).bits == bits);
    CHECK(brain.value() == static_cast<double>(std::bit_cast<float>(bits << 16)));
  }
}

TEST_CASE("known numbers, ties to even, overflow and what is too small") {
  CHECK(Float16(1.0).bits == 0x3c00);
  CHECK(Float16(65504.0).bits == 0x7bff);
  CHECK(Float16(65520.0).bits == 0x7c00);
  CHECK(Float16(1e9).bits == 0x7c00);
  CHECK(Float16(0x1p-24).bits == 1);
  CHECK(Float16(0x1p-25).bits == 0);
  CHECK(Float16(0x1.8p-24).bits == 2);
  CHECK(Float16(2049.0).value() == 2048);
  CHECK(Float16(2051.0).value() == 2052);
  CHECK(Bfloat16(1.0).bits == 0x3f80);
  CHECK(std::isnan(Float16(std::nan("")).value()));
}
