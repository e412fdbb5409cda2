// The common cases of AccessEpochs (checks/shared_race/epochs.hpp), vectorised over words: the last write of
// each word of a block's shared memory, and each warp's last read of the word since then.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/each_variant.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// Plain data: code in lanes/ calls nothing inline that others call.
struct EpochView {
  // Last write, indexed by word: its time, its thread, its instruction.
  std::uint32_t *written = nullptr, *writer = nullptr, *written_by = nullptr;
  // Last read, indexed by warp · stride + word: its time; mask of the lanes that read at that time;
  // instruction | lane << kLaneShift of the first and of the last of these reads.
  std::uint32_t *read = nullptr, *readers = nullptr, *read_by = nullptr, *read_last_by = nullptr;
  std::size_t stride = 0;
  const std::uint32_t* last_read = nullptr;  // indexed by warp: time of its last read of any word
  // Vector clock of the accessing warp: an access of warp w at a time before clock[w] is ordered before this
  // one.
  const std::uint32_t* clock = nullptr;
  std::uint32_t warps = 0, warp = 0, instruction = 0;
  std::uint32_t floor = 0;  // time of the block's last barrier: all earlier accesses are ordered
  std::uint32_t now = 0;    // current time of the accessing warp
};
constexpr unsigned kLaneShift = 20;

// Records a plain access of whole words whose halves are packed or uniform. Returns true if it is ordered
// after every access that it could race with. Returns false if the words must be checked one by one; some may
// have been recorded.
using EpochsFast = bool (*)(const Access& access, const EpochView& view);

WARPGRADE_DECLARE_LANES(bool epochs_fast(const Access& access, const EpochView& view);)

EpochsFast epochs_fast();  // chosen for this machine's vector width

}  // namespace warpgrade::emulator
