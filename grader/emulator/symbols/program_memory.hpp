// Bytes of the program's own memory, which it may have unmapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgrade::emulator {

// Empty if they cannot be read.
std::vector<std::uint8_t> program_bytes(std::uint64_t address, std::size_t count);

}  // namespace warpgrade::emulator
