// Log of a block's reads of shared memory whose check is deferred.
//
// A read of bytes that no thread has written since the last barrier of the block cannot race yet. Such reads
// are logged. A write of the same bytes before the next barrier checks them first; the barrier drops the
// rest, which are nearly all.
#pragma once

#include <cstdint>

#include "machine/memory/shared_units.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {
struct SharedArrayBounds;
}

namespace warpgrade::emulator {

// Plain data, because code in lanes/ fills it: that code must not call inline functions that other code
// calls.
struct ReadLog {
  struct Read {
    const Warp* warp;
    std::uint32_t instruction, mask;
    std::uint32_t time;  // time of the read, if the race check keeps the history
    std::uint32_t
        first[2];  // offsets of lanes 0 and 16; kListed: first[0] is the index of the listed offsets
    std::uint8_t stride[2];  // from lane to lane within each half, or kListed
    std::uint8_t bytes;
  };
  static_assert(sizeof(Read) == 32);  // two per cache line: nearly every read of shared memory is logged
  static constexpr std::uint32_t kMost = 4096, kMostScattered = 512;
  static constexpr std::uint8_t kListed = 0xff;

  std::uint32_t count = 0, scattered_count = 0;
  std::uint32_t now = 0;
  // Which array each access must stay in, by DecodedInstruction::index; see
  // analysis/memory/shared_array_bounds.hpp.
  std::uint32_t bounds_count = 0;
  const SharedArrayBounds* bounds = nullptr;
  SharedUnits written;  // bytes that may have been written since the last barrier
  // Bytes that the first `entered` reads cover. Computed on demand: most reads are dropped before.
  SharedUnits waiting;
  std::uint32_t entered = 0;
  Read reads[kMost];
  std::uint32_t offsets[kMostScattered][kWarpSize];
};

}  // namespace warpgrade::emulator
