#include "profile/coalescing.hpp"

#include <algorithm>
#include <bit>

#include "profile/lanes/bank_conflicts.hpp"

namespace warpgrade::emulator {
namespace {

// A set of numbers: a small hash table without removal.
class Seen {
 public:
  // True if the number was not in the set.
  bool add(std::uint64_t number) {
    std::uint64_t at = number * 0x9e3779b97f4a7c15u >> 56;
    while (taken_[at / 64] >> at % 64 & 1) {
      if (table_[at] == number) return false;
      at = (at + 1) % 256;
    }
    taken_[at / 64] |= std::uint64_t{1} << at % 64;
    table_[at] = number;
    return true;
  }

 private:
  std::uint64_t taken_[4] = {};
  std::uint64_t table_[256];  // valid where taken_ has a bit
};

// Sectors and lines of addresses in any order.
Blocks scattered(const std::uint64_t* address, std::uint32_t mask) {
  Seen sectors, lines;
  Blocks count;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t sector = address[std::countr_zero(left)] / kSectorBytes;
    if (!sectors.add(sector)) continue;
    ++count.sectors;
    count.lines += lines.add(sector / kSectorsOfLine);
  }
  return count;
}

// conflicts() of addresses that are far apart.
unsigned conflicts_far_apart(const std::uint64_t* address, unsigned shift, std::uint32_t mask) {
  const std::uint64_t banks = kBankRowBytes >> shift;
  std::uint8_t count[kBanks] = {};
  std::uint64_t unit[kBanks][kWarpSize];
  unsigned most = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t mine = address[std::countr_zero(left)] >> shift;
    const std::uint64_t bank = mine & (banks - 1);
    unsigned i = 0;
    while (i < count[bank] && unit[bank][i] != mine) ++i;
    if (i < count[bank]) continue;
    unit[bank][i] = mine;
    count[bank] = static_cast<std::uint8_t>(i + 1);
    most = i + 1 > most ? i + 1 : most;
  }
  return most;
}

// Bank conflicts, as documented at Conflicts.
unsigned conflicts(const std::uint64_t* address, unsigned shift, std::uint32_t mask) {
  static const Conflicts of_lanes = conflicts_of_lanes();
  if (mask == 0) return 0;
  const unsigned close = of_lanes(address, shift, mask);
  return close != 0 ? close : conflicts_far_apart(address, shift, mask);
}

bool partners_agree(const std::uint64_t* address, std::uint32_t mask, unsigned distance) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned other = lane ^ distance;
    if ((mask >> other & 1u) != 0 && address[other] != address[lane]) return false;
  }
  return true;
}

// Lanes of `mask` in two phases, or in one where the hardware merges them.
unsigned two_phases(const std::uint64_t* address, unsigned shift, std::uint32_t first, std::uint32_t second) {
  const std::uint32_t both = first | second;
  if (partners_agree(address, both, 1) || partners_agree(address, both, 2))
    return conflicts(address, shift, both);
  return conflicts(address, shift, first) + conflicts(address, shift, second);
}

// For each bank, the lanes of `mask` that access it.
struct Banks {
  std::uint32_t lanes[kBanks] = {};
  Banks(const std::uint64_t* address, unsigned bytes, std::uint32_t mask) : words_(bytes / 4) {
    for (std::uint32_t left = mask; left != 0; left &= left - 1)
      for (unsigned i = 0; i < words_; ++i) lanes[bank(address[std::countr_zero(left)], i)] |= left & -left;
  }
  // Lanes at the banks of an access to `address`.
  std::uint32_t beside(std::uint64_t address) const {
    std::uint32_t found = 0;
    for (unsigned i = 0; i < words_; ++i) found |= lanes[bank(address, i)];
    return found;
  }

 private:
  static unsigned bank(std::uint64_t address, unsigned word) {
    return static_cast<unsigned>(address / kBankBytes + word) % kBanks;
  }
  unsigned words_;
};

}  // namespace

Blocks blocks(const std::uint64_t* address, std::uint32_t mask) {
  Blocks count;
  std::uint64_t previous = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t sector = address[std::countr_zero(left)] / kSectorBytes;
    if (count.sectors != 0 && sector == previous) continue;
    if (count.sectors != 0 && sector < previous) return scattered(address, mask);
    count.lines += count.sectors == 0 || sector / kSectorsOfLine != previous / kSectorsOfLine;
    previous = sector;
    ++count.sectors;
  }
  return count;
}

unsigned wavefronts(const std::uint64_t* address, unsigned bytes, std::uint32_t mask) {
  if (bytes <= 4) return conflicts(address, 2, mask);
  if (bytes == 8) return two_phases(address, 3, mask & 0x0000ffffu, mask & 0xffff0000u);
  return two_phases(address, 4, mask & 0x000000ffu, mask & 0x0000ff00u) +
         two_phases(address, 4, mask & 0x00ff0000u, mask & 0xff000000u);
}

unsigned copy_wavefronts(const std::uint64_t* source, const std::uint64_t* target, unsigned bytes,
                         std::uint32_t mask, std::uint32_t zeroed) {
  const unsigned lanes = kBankRowBytes / bytes;  // lanes of one phase
  unsigned passes = 0;
  for (unsigned first = 0; first < kWarpSize; first += lanes) {
    const std::uint32_t phase = mask & static_cast<std::uint32_t>(((std::uint64_t{1} << lanes) - 1) << first);
    const Banks from(source, bytes, phase & ~zeroed), to(target, bytes, phase);
    int most = 0;
    for (std::uint32_t left = phase; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const bool reads = (zeroed >> lane & 1u) == 0;
      const std::uint32_t beside = to.beside(target[lane]) | (reads ? from.beside(source[lane]) : 0);
      most = std::max(most, std::popcount(beside));
    }
    passes += static_cast<unsigned>(most);
  }
  return passes;
}

}  // namespace warpgrade::emulator
