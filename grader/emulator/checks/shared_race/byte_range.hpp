// A range of bytes of shared memory: the first, and one past the last.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "machine/observers.hpp"

namespace warpgrade::emulator {

struct ByteRange {
  std::uint32_t begin = ~0u, end = 0;
};

// The range from the lowest to the highest byte that an access to shared memory touches.
inline ByteRange range_of(const Access& access) {
  ByteRange range;
  const auto include = [&](std::uint64_t first, unsigned bytes) {
    range.begin = std::min(range.begin, static_cast<std::uint32_t>(first));
    range.end = std::max(range.end, static_cast<std::uint32_t>(first + bytes));
  };
  if (access.known()) {
    for (int half = 0; half < 2; ++half)
      include(access.first[half],
              access.half[half] == Access::LanePattern::packed ? 16u * access.bytes : access.bytes);
  } else {
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
      include(access.of(static_cast<unsigned>(std::countr_zero(left))), access.bytes);
  }
  return range;
}

}  // namespace warpgrade::emulator
