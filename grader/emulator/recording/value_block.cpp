#include "recording/value_block.hpp"

#include <bit>
#include <cstring>

namespace warpgrade::emulator {
namespace {

enum Pattern : std::uint8_t { kUniform = 0, kSteps = 1, kEach = 2, kOwnMask = 4 };

void put(std::string& to, std::uint64_t value, unsigned width) {
  to.append(reinterpret_cast<const char*>(&value), width);
}

// The pattern of `count` adjacent values of type T.
template <class T>
Pattern pattern_of(const std::byte* values, unsigned count) {
  T each[kWarpSize] = {};
  std::memcpy(each, values, count * sizeof(T));
  const T step = count > 1 ? static_cast<T>(each[1] - each[0]) : T{0};
  for (unsigned i = 2; i < count; ++i)
    if (static_cast<T>(each[i] - each[i - 1]) != step) return kEach;
  return step == 0 ? kUniform : kSteps;
}

}  // namespace

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void put_word(std::string& to, std::uint32_t value) { put(to, value, 4); }

void put_lanes(std::string& to, std::uint32_t mask, std::uint32_t of_step, unsigned width,
               const std::byte* values) {
  const auto count = static_cast<unsigned>(std::popcount(mask));
  const Pattern pattern = width == 8   ? pattern_of<std::uint64_t>(values, count)
                          : width == 4 ? pattern_of<std::uint32_t>(values, count)
                          : width == 2 ? pattern_of<std::uint16_t>(values, count)
                          : width == 1 ? pattern_of<std::uint8_t>(values, count)
                                       : kEach;
  to += static_cast<char>(pattern | (mask == of_step ? 0 : kOwnMask));
  if (mask != of_step) put_word(to, mask);
  const auto* bytes = reinterpret_cast<const char*>(values);
  if (pattern == kEach) {
    to.append(bytes, std::size_t{count} * width);
    return;
  }
  std::uint64_t first = 0, second = 0;
  if (count > 0) std::memcpy(&first, bytes, width);
  if (count > 1) std::memcpy(&second, bytes + width, width);
  put(to, first, width);
  if (pattern == kSteps) put(to, second - first, width);
}

}  // namespace warpgrade::emulator
