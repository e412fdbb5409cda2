// The last writer of each word of a block's shared memory, and the time of each warp's last read since: the
// common cases, vectorised over words. See checks/shared_race/epochs.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/lanes/each_variant.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// Plain data: code in lanes/ calls nothing inline that others call.
struct EpochView {
  // By word: when it was written, by which thread, by which instruction.
  std::uint32_t *written = nullptr, *writer = nullptr, *written_by = nullptr;
  // By warp (rows of `stride` elements) and by word: time of the warp's last read; mask of the lanes that
  // read at that time; instruction | lane << kLaneShift of the first and of the last of these reads.
  std::uint32_t *read = nullptr, *readers = nullptr, *read_by = nullptr, *read_last_by = nullptr;
  std::size_t stride = 0;
  const std::uint32_t* last_read = nullptr;  // by warp: of any word
  // Vector clock of the accessing warp: accesses of warp w before clock[w] are ordered before this one.
  const std::uint32_t* clock = nullptr;
  std::uint32_t warps = 0, warp = 0, instruction = 0;
  std::uint32_t floor = 0;  // of the block's last barrier
  std::uint32_t now = 0;    // of the warp
};
constexpr unsigned kLaneShift = 20;

// Of a plain access of whole words whose halves are packed or uniform. True if it has been recorded and is
// ordered after everything that it could race with. False if the words must be checked one by one; some
// may have been recorded.
using EpochsFast = bool (*)(const Access& access, const EpochView& view);

WARPGRADE_DECLARE_LANES(bool epochs_fast(const Access& access, const EpochView& view);)

EpochsFast epochs_fast();  // of this machine

}  // namespace warpgrade::emulator
