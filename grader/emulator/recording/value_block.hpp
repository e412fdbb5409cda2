// Values of a warp's lanes in few bytes: one for all, even steps, or each. docs/player.md describes the
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "machine/warp.hpp"

namespace warpgrade::emulator {

void put_varint(std::string& to, std::uint64_t value);
void put_word(std::string& to, std::uint32_t value);  // 4 bytes, lowest first

constexpr unsigned kWidest = 8;  // bytes that put_lanes() takes of a lane

// `values`: of the lanes in `mask`, side by side, `width` bytes of each. `of_step`: the step's mask, which
// need not be written again.
void put_lanes(std::string& to, std::uint32_t mask, std::uint32_t of_step, unsigned width,
               const std::byte* values);

}  // namespace warpgrade::emulator
