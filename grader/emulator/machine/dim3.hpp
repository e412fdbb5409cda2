// Sizes of grids and blocks, and the indices of the blocks and threads in them.
#pragma once

#include <cstdint>
#include <string>

namespace warpgrade::emulator {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

// The index of the block or thread with this linear number; x varies fastest.
constexpr Dim3 index_in(const Dim3& size, std::uint64_t linear) {
  return {static_cast<std::uint32_t>(linear % size.x), static_cast<std::uint32_t>(linear / size.x % size.y),
          static_cast<std::uint32_t>(linear / size.x / size.y)};
}

// An index as every sentence writes it: "(0,2,0)".
inline std::string to_text(const Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

}  // namespace warpgrade::emulator
