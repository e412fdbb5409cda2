#include "recording/value_block.hpp"

#include <bit>
#include <cstring>

namespace warpgrade::emulator {
namespace {

enum Pattern : std::uint8_t { kUniform = 0, kSteps = 1, kEach = 2, kOwnMask = 4 };

void put(std::string& to, std::uint64_t value, unsigned width) {
  to.append(reinterpret_cast<const char*>(&value), width);
}

}  // namespace

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void put_word(std::string& to, std::uint32_t value) { put(to, value, 4); }

void put_lanes(std::string& to, std::uint32_t mask, std::uint32_t of_step, unsigned width,
               const std::uint64_t (&values)[kWarpSize]) {
  const std::uint64_t ones = width == 8 ? ~0ull : (1ull << 8 * width) - 1;
  std::uint64_t packed[kWarpSize];  // values of the mask's lanes
  unsigned count = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    packed[count++] = values[std::countr_zero(left)] & ones;
  const std::uint64_t first = count > 0 ? packed[0] : 0, step = count > 1 ? (packed[1] - first) & ones : 0;
  bool even = true;
  for (unsigned i = 2; i < count && even; ++i) even = ((packed[i] - packed[i - 1]) & ones) == step;
  const Pattern pattern = !even ? kEach : step == 0 ? kUniform : kSteps;
  to += static_cast<char>(pattern | (mask == of_step ? 0 : kOwnMask));
  if (mask != of_step) put_word(to, mask);
  if (pattern != kEach) {
    put(to, first, width);
    if (pattern == kSteps) put(to, step, width);
    return;
  }
  char bytes[8 * kWarpSize];
  for (unsigned i = 0; i < count; ++i) std::memcpy(bytes + i * width, &packed[i], width);
  to.append(bytes, std::size_t{count} * width);
}

}  // namespace warpgrade::emulator
