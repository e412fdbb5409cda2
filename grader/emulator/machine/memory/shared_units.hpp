// A set of 16-byte units of a block's shared memory; ranges of bytes are added and queried. Tiles begin at a
// multiple of 16 bytes, so the two halves of a double buffer have separate units.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpgrade::emulator {

// Plain data and static functions: code in lanes/ calls nothing inline that others call.
struct SharedUnits {
  static constexpr unsigned kUnitShift = 4;
  static constexpr std::uint32_t kWords = 256;  // 256 KiB: beyond, units share a bit

  // Range of bytes: the first, and one past the last. If there is none, end is 0.
  std::uint32_t begin = ~0u, end = 0;
  std::uint64_t bits[kWords] = {};
};

// Bits of word `word` that stand for the units `first` to `last`.
static inline std::uint64_t unit_bits(std::uint32_t word, std::uint32_t first, std::uint32_t last) {
  const std::uint64_t from = first / 64 == word ? ~std::uint64_t{0} << first % 64 : ~std::uint64_t{0};
  return last / 64 == word ? from & ~std::uint64_t{0} >> (63 - last % 64) : from;
}

static inline bool overlaps(const SharedUnits& set, std::uint32_t begin, std::uint32_t end) {
  if (begin >= set.end || end <= set.begin) return false;
  const std::uint32_t first = begin >> SharedUnits::kUnitShift, last = (end - 1) >> SharedUnits::kUnitShift;
  for (std::uint32_t word = first / 64; word <= last / 64; ++word)
    if ((set.bits[word % SharedUnits::kWords] & unit_bits(word, first, last)) != 0) return true;
  return false;
}

static inline void add(SharedUnits& set, std::uint32_t begin, std::uint32_t end) {
  if (begin >= end) return;
  set.begin = begin < set.begin ? begin : set.begin;
  set.end = end > set.end ? end : set.end;
  const std::uint32_t first = begin >> SharedUnits::kUnitShift, last = (end - 1) >> SharedUnits::kUnitShift;
  for (std::uint32_t word = first / 64; word <= last / 64; ++word)
    set.bits[word % SharedUnits::kWords] |= unit_bits(word, first, last);
}

static inline void clear(SharedUnits& set) {
  constexpr std::uint32_t kBytes = 64u << SharedUnits::kUnitShift;  // units of one word
  if (set.end > SharedUnits::kWords * kBytes)
    std::memset(set.bits, 0, sizeof set.bits);
  else
    for (std::uint32_t word = set.begin / kBytes; word * kBytes < set.end; ++word) set.bits[word] = 0;
  set.begin = ~0u;
  set.end = 0;
}

}  // namespace warpgrade::emulator
