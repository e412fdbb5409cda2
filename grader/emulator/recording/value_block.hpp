// Values of a warp's lanes in few bytes: one for all, even steps, or each. docs/player.md describes the
// bytes.
#pragma once

#include <cstdint>
#include <string>

#include "machine/warp.hpp"

namespace warpgrade::emulator {

void put_varint(std::string& to, std::uint64_t value);
void put_word(std::string& to, std::uint32_t value);  // 4 bytes, lowest first

// Values of the lanes in `mask`, `width` (1 to 8) bytes of each. `of_step`: the step's mask, which need not
// be written again.
void put_lanes(std::string& to, std::uint32_t mask, std::uint32_t of_step, unsigned width,
               const std::uint64_t (&values)[kWarpSize]);

}  // namespace warpgrade::emulator
