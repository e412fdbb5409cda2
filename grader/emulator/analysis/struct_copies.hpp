// Structures that are copied word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/module.hpp"

namespace warpgrade::emulator {

// The word beside a stored one, of the same copy.
struct AdjacentWord {
  std::int32_t reg = -1;      // what is stored there
  std::int64_t distance = 0;  // bytes: 4 or -4
};

// Without optimisation nvcc copies a structure of doubles or pointers by words, loads before stores, and a
// word of padding with them. Of a store that may be of such a copy, what lies beside it; one distance or the
// other.
std::optional<AdjacentWord> find_adjacent_word(const ptx::Function& function, std::size_t store,
                                               std::int64_t distance);

}  // namespace warpgrade::emulator
