// Shadow row: one record in place of the 16 shadow words of adjacent words of global memory, if consecutive
// threads access them.
//
// It is the first word's GlobalShadowWord with two differences. The bits of the second thread hold log2 of
// the number of words that each thread accesses. Hashes and marks of written values are in
// ShadowPages::values().
#pragma once

#include <cstdint>

#include "checks/global_race/shadow/shadow_pages.hpp"
#include "checks/global_race/shadow/shadow_word.hpp"

namespace warpgrade::emulator {

// An access of a warp or of half a warp that covers whole rows. Thread i >> shift accesses word i.
struct ShadowRowRun {
  std::uint64_t* row = nullptr;
  std::uint16_t* values = nullptr;  // writes
  unsigned count = 0, shift = 0;    // at most eight rows
  bool write = false;
  bool untouched = false;  // no row was accessed in this launch
  bool alone = true;       // the block has acquired nothing from other blocks
  // First segment of this launch, of this block, and of this block since its last barrier. The last two are
  // equal if segments between them may belong to other blocks.
  std::uint32_t base = 0, first_segment = 0, floor = 0;
  std::uint32_t past = 0;               // bit per row: is_past(), though its segment is not below `floor`
  std::uint64_t record = 0;             // the new record of the first lane, without hash and mark
  const std::uint16_t* hash = nullptr;  // writes: indexed by lane
  std::uint32_t silent = 0;             // writes: a bit for each lane
};

enum class ShadowRowOutcome : std::uint8_t {
  general,  // the general rules must check it; nothing has changed
  same,     // no conflict, and nothing changed
  entered,  // no conflict, and the access has been recorded
};
ShadowRowOutcome enter_shadow_rows(const ShadowRowRun& run);

// Read by many blocks in this launch, and not written: one read more changes nothing.
inline bool is_read_by_many(std::uint64_t row, std::uint32_t base) {
  const GlobalShadowWord known{row};
  return known.segment() >= base && known.holding() == Holding::read_by_many;
}

// Gives each unit of the row at that byte its own record. The page must keep units.
void take_apart(ShadowPages& shadow, std::uint64_t offset, std::uint32_t base, std::uint32_t segment);

}  // namespace warpgrade::emulator
