// The common cases of the check of global memory, word by word side by side.
#pragma once

#include <cstdint>

namespace warpgrade::observe {

// What half a warp reads or writes: `count` words, `words` a lane, of threads from `thread` on.
struct GlobalRun {
  std::uint64_t* last = nullptr;  // GlobalRecord of each word
  unsigned count = 0, words = 1;
  std::uint32_t thread = 0;
  std::uint32_t base = 0, first_segment = 0, segment = 0;  // of the launch, of the block, of its present
  std::uint32_t site = 0;
  bool alone = true;                    // nothing of what other blocks did is known to come before
  const std::uint16_t* hash = nullptr;  // writes: by lane
  std::uint32_t silent = 0;
};

// True where the access has been entered and meets nobody; false where the general rules must look at it,
// with nothing changed.
bool read_run(const GlobalRun& run);
bool write_run(const GlobalRun& run);
bool read_word(const GlobalRun& run);  // all lanes read the same words

}  // namespace warpgrade::observe
