// The common cases of the global race check, vectorised over words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/each_variant.hpp"

namespace warpgrade::emulator {

// Adjacent units that consecutive lanes read or write: `count` units, 1 << `shift` for each lane.
struct GlobalRun {
  std::uint64_t* last = nullptr;   // GlobalShadowWord of each unit
  std::uint64_t* since = nullptr;  // shadow words of the readers since the last write; null: there are none
  unsigned count = 0, shift = 0;
  bool write = false;
  bool uniform = false;  // all lanes read the same words
  bool alone = true;     // the block has acquired nothing from other blocks
  // First segment of this launch, of this block, and of this block since its last barrier. The last two are
  // equal if segments between them may belong to other blocks.
  std::uint32_t base = 0, first_segment = 0, floor = 0;
  std::uint64_t record = 0;             // the new record of the first lane, without hash and mark
  const std::uint16_t* hash = nullptr;  // writes: indexed by lane
  std::uint32_t silent = 0;             // writes: a bit for each lane
};

// True if the access has been recorded and conflicts with none. False if the general rules must check
// it; nothing has changed then.
using GlobalFast = bool (*)(const GlobalRun& run);

// For 32 threads that write `words` words each (1, 2 or 4): stores a 10-bit hash of each thread's value, and
// returns a mask of the threads whose value is in memory already. `there`: the old bytes at the addresses of
// lanes 0 and 16.
using GlobalValues = std::uint32_t (*)(const void* values, const std::byte* const* there, unsigned words,
                                       std::uint16_t* hashes);

WARPGRADE_DECLARE_LANES(bool global_fast(const GlobalRun& run);
                        std::uint32_t global_values(const void* values, const std::byte* const* there,
                                                    unsigned words, std::uint16_t* hashes);)

GlobalFast global_fast();  // chosen for this machine's vector width
GlobalValues global_values();

}  // namespace warpgrade::emulator
