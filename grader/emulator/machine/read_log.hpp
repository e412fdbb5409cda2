// Reads of a block's shared memory that wait to be looked at.
//
// What nobody has written since the last barrier of the block cannot race when it is read. Such reads are
// kept as they come: a write of the same memory before the next barrier has them looked at first, and the
// barrier forgets them, which is what happens to nearly all.
#pragma once

#include <cstdint>

#include "machine/observers.hpp"
#include "machine/shared_units.hpp"

namespace warpgrade::emulator {
struct SharedArrayBounds;
}

namespace warpgrade::emulator {

// Plain data: the handlers of shaped loads fill it in, which call nothing inline that others call.
struct ReadLog {
  struct Read {
    const Warp* warp;
    std::uint32_t instruction, mask;
    std::uint32_t time;      // when that was, where the history is kept
    std::uint32_t first[2];  // of lanes 0 to 15 and of 16 to 31; kListed: first[0] is which of the offsets
    std::uint8_t stride[2];  // from lane to lane within each half, or kListed
    std::uint8_t bytes;
  };
  static_assert(sizeof(Read) == 32);  // two of them a line: there is one for each of nearly all reads
  static constexpr std::uint32_t kMost = 4096, kMostScattered = 512;
  static constexpr std::uint8_t kListed = 0xff;

  std::uint32_t count = 0, scattered_count = 0;
  std::uint32_t now = 0;
  // Which array each access must stay in, by Instruction::index; see analysis/shared_array_bounds.hpp.
  std::uint32_t room_count = 0;
  const SharedArrayBounds* rooms = nullptr;
  SharedUnits written;  // since the last barrier, or may be: none of these
  // What the first `entered` of these reads read. Most are forgotten before anybody asks what they read.
  SharedUnits waiting;
  std::uint32_t entered = 0;
  Read reads[kMost];
  std::uint32_t offsets[kMostScattered][kWarpSize];
};

}  // namespace warpgrade::emulator
