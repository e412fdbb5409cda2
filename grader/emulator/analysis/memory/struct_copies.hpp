// Struct copies by 4-byte words in unoptimised code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// The adjacent word of the same struct copy.
struct AdjacentWord {
  std::int32_t reg = -1;      // the register that is stored there
  std::int64_t distance = 0;  // bytes: 4 or -4
};

// Without optimisation nvcc copies a struct of doubles or pointers by words, including words of padding, with
// all loads before the stores. Finds the store of such a copy at this distance (4 or -4 bytes) from the given
// store.
std::optional<AdjacentWord> find_adjacent_word(const ptx::Function& function, std::size_t store,
                                               std::int64_t distance);

}  // namespace warpgrade::emulator
