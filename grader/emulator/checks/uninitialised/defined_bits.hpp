// One bit for each byte of memory: set if the byte has been written.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpgrade::emulator {

// Bit i % 8 of byte i/8 is the flag of byte i of the memory. Ranges are at most 512 bytes long.
// With Atomic, other threads may set bits at the same time.
template <bool Atomic>
class DefinedBits {
 public:
  explicit DefinedBits(std::uint8_t* flags) : flags_(flags) {}

  bool all(std::uint64_t first, unsigned count) const {
    bool yes = true;
    each(first, count, [&](std::size_t at, std::uint8_t mask) { yes &= (load(at) & mask) == mask; });
    return yes;
  }
  // Sets the bits of the range; returns how many were not set before.
  unsigned set(std::uint64_t first, unsigned count) {
    unsigned fresh = 0;
    each(first, count, [&](std::size_t at, std::uint8_t mask) {
      const auto missing = static_cast<std::uint8_t>(mask & ~load(at));
      if (missing == 0) return;
      fresh += static_cast<unsigned>(std::popcount(missing));
      if constexpr (Atomic)
        __atomic_fetch_or(flags_ + at, missing, __ATOMIC_RELAXED);
      else
        flags_[at] = static_cast<std::uint8_t>(flags_[at] | missing);
    });
    return fresh;
  }

 private:
  std::uint8_t load(std::size_t at) const {
    if constexpr (Atomic)
      return __atomic_load_n(flags_ + at, __ATOMIC_RELAXED);
    else
      return flags_[at];
  }
  // Calls use(index, mask) for each byte of flags that the range touches.
  template <class Use>
  void each(std::uint64_t first, unsigned count, Use use) const {
    std::size_t at = first / 8;
    const unsigned skip = first % 8;
    if (skip + count <= 8) {
      use(at, static_cast<std::uint8_t>(((1u << count) - 1) << skip));
      return;
    }
    use(at++, static_cast<std::uint8_t>(0xffu << skip));
    unsigned left = count - (8 - skip);
    for (; left >= 8; left -= 8) use(at++, 0xff);
    if (left != 0) use(at, static_cast<std::uint8_t>((1u << left) - 1));
  }

  std::uint8_t* flags_;
};

}  // namespace warpgrade::emulator
