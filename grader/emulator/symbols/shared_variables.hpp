// The shared array that contains an offset, for messages.
#pragma once

#include <cstdint>
#include <string>

#include "machine/block.hpp"

namespace warpgrade::emulator {

struct SharedRange {
  std::string name;                  // "shared array As"; "shared memory" where no variable is near
  std::uint64_t begin = 0, end = 0;  // offsets in the block's shared memory
};

// A variable's name in the source: "tile" for "smooth::_ZZ6smoothE4tile".
std::string short_name(const std::string& name);

// The variable that holds the offset, or the closest one below it.
SharedRange shared_variable_at(const Block& block, std::uint64_t offset);

}  // namespace warpgrade::emulator
