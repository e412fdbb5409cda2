// Counters of one instruction's memory accesses: requests, wavefronts, sectors, lines.
#pragma once

#include <cstdint>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {
struct AddressPattern;
}

namespace warpgrade::emulator {

// Cost of one access by a full warp to shared memory; packed() puts it into one word.
struct SharedCost {
  std::uint8_t bytes = 0;  // bytes of one lane that the machine moves at once
  std::uint8_t wavefronts = 0, ideal = 0;
  constexpr std::uint32_t packed() const {
    return static_cast<std::uint32_t>(bytes | wavefronts << 8 | ideal << 16);
  }
  static constexpr SharedCost unpacked(std::uint32_t word) {
    return {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
            static_cast<std::uint8_t>(word >> 16)};
  }
  // Cost without bank conflicts: each half of the warp accesses adjacent words, or all its lanes one word.
  static constexpr SharedCost usual(unsigned bytes) {
    const auto passes = static_cast<std::uint8_t>(bytes == 16 ? 2 : 1);
    return {static_cast<std::uint8_t>(bytes), passes, passes};
  }
};

struct alignas(64) AccessRow {
  std::uint64_t usual = 0;                 // accesses by all 32 lanes at SharedCost::usual
  std::uint64_t full = 0;                  // accesses by all 32 lanes that are not in `usual`
  std::uint64_t part = 0, part_lanes = 0;  // accesses by fewer lanes; the sum of their lanes
  // Wavefronts (shared memory), words (constant memory), values (match) or sectors; not of `usual`.
  std::uint64_t units = 0;
  std::uint64_t ideal_units = 0;  // the minimum for the same bytes
  std::uint64_t lines = 0;        // 128-byte lines (global memory)
  std::uint8_t tag = 0;           // space and kind; 0: no access yet, or `usual` ones only
  std::uint8_t bytes = 0;         // bytes of one lane, as in the tag
};
static_assert(sizeof(AccessRow) == 64);

// AccessRow::tag. `kind` is Access::Kind.
constexpr std::uint8_t tag_of(ptx::Space space, int kind) {
  return static_cast<std::uint8_t>(1 + static_cast<int>(space) * 4 + kind);
}

// Sets AddressPattern::cost for an access by a full warp to shared memory at these addresses. Each lane
// accesses `bytes` in PTX; the machine code moves `moved` of them with one instruction.
void find_shared_cost(AddressPattern& pattern, unsigned bytes, unsigned moved, const std::uint64_t* address);

// Counts an access of that cost (SharedCost, packed).
void count_affine(AccessRow& row, std::uint32_t cost, bool is_store);

// Counts an access by a full warp to global memory, `bytes` per lane. Lanes 0 to 15 start at `first`, lanes
// 16 to 31 at `second`. `packed` has a bit for each half: set if its lanes access adjacent elements, clear if
// they access one. Returns false if the row counts accesses of another kind.
bool count_global(AccessRow& row, bool is_store, unsigned bytes, unsigned packed, std::uint64_t first,
                  std::uint64_t second);

}  // namespace warpgrade::emulator
