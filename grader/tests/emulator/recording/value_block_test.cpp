#include "recording/value_block.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace warpgrade::emulator;

namespace {

std::string block(std::uint32_t mask, std::uint32_t of_step, unsigned width, std::uint64_t first,
                  std::uint64_t step) {
  std::vector<std::byte> values;  // of the mask's lanes, side by side
  for (std::uint64_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t value = first + lane * step;
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    if ((mask >> lane & 1) != 0) values.insert(values.end(), bytes, bytes + width);
  }
  std::string to;
  put_lanes(to, mask, of_step, width, values.data());
  return to;
}

}  // namespace

TEST_CASE("value blocks: one value, even steps, each lane") {
  CHECK(block(kFullMask, kFullMask, 4, 7, 0) == std::string("\0\7\0\0\0", 5));
  CHECK(block(kFullMask, kFullMask, 4, 7, 2) == std::string("\1\7\0\0\0\2\0\0\0", 9));
  CHECK(block(0b101, 0b101, 1, 7, 2) == std::string("\1\7\4", 3));
  CHECK(block(0b1011, 0b1011, 1, 7, 2) == std::string("\2\7\11\15", 4));
  CHECK(block(0b11, 0b11, 3, 7, 2) == std::string("\2\7\0\0\11\0\0", 7));
}

TEST_CASE("value blocks: a mask of their own, and steps that wrap around") {
  CHECK(block(0b100, 0b101, 2, 1, 1) == std::string("\4\4\0\0\0\3\0", 7));
  CHECK(block(kFullMask, kFullMask, 8, 0, ~0ull).size() == 17);
}

TEST_CASE("numbers: seven bits a byte") {
  std::string to;
  put_varint(to, 300);
  put_varint(to, 5);
  CHECK(to == std::string("\254\2\5", 3));
}
