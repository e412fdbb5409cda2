// Built once for each vector width.
#include "checks/shared_race/lanes/epochs.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {
namespace {

using Word = std::uint32_t;
using LanePattern = Access::LanePattern;

// The contiguous words that half a warp accesses: 1 << shift words for each lane.
struct Half {
  std::size_t first = 0;  // index of the first word
  unsigned lane = 0;
};

// Whether each word's last write is ordered before the access or was made by the accessing thread.
template <unsigned Words, unsigned Shift>
inline bool is_behind_writes(const EpochView& v, const Half& half) {
  const Word *const written = v.written + half.first, *const writer = v.writer + half.first;
  const Word thread = v.warp * kWarpSize + half.lane;
  // Usually one warp has written all words.
  const Word one = writer[0] >> 5, ordered = v.clock[one];
  Word bad = 0;
  for (unsigned i = 0; i < Words; ++i)
    bad |= (written[i] >= ordered ? 1u : 0u) | (writer[i] >> 5 != one ? 1u : 0u);
  if (bad == 0) return true;
  bad = 0;
  for (unsigned i = 0; i < Words; ++i) {
    const Word before = v.clock[writer[i] >> 5];
    bad |= (written[i] >= before ? 1u : 0u) & (writer[i] != thread + (i >> Shift) ? 1u : 0u);
  }
  return bad == 0;
}

// Whether each read of the words by warp `reader` is ordered before the access or was made by the accessing
// thread.
template <unsigned Words, unsigned Shift>
inline bool is_behind_reads(const EpochView& v, const Half& half, unsigned reader) {
  const std::size_t row = reader * v.stride + half.first;
  const Word *const read = v.read + row, *const readers = v.readers + row;
  const Word before = v.clock[reader], own = reader == v.warp ? 1u << half.lane : 0u;
  Word bad = 0;
  for (unsigned i = 0; i < Words; ++i)
    bad |= (read[i] >= before ? 1u : 0u) & ((readers[i] & ~(own << (i >> Shift))) != 0 ? 1u : 0u);
  return bad == 0;
}

template <unsigned Words, unsigned Shift>
inline bool write(const EpochView& v, const Half& half) {
  if (!is_behind_writes<Words, Shift>(v, half)) return false;
  for (unsigned reader = 0; reader < v.warps; ++reader)
    if (v.last_read[reader] >= v.floor && !is_behind_reads<Words, Shift>(v, half, reader)) return false;
  for (unsigned reader = 0; reader < v.warps; ++reader) {
    if (v.last_read[reader] < v.floor) continue;
    Word* const read = v.read + reader * v.stride + half.first;
    for (unsigned i = 0; i < Words; ++i) read[i] = 0;
  }
  const Word thread = v.warp * kWarpSize + half.lane;
  Word *const written = v.written + half.first, *const writer = v.writer + half.first,
              *const written_by = v.written_by + half.first;
  for (unsigned i = 0; i < Words; ++i) written[i] = v.now;
  for (unsigned i = 0; i < Words; ++i) writer[i] = thread + (i >> Shift);
  for (unsigned i = 0; i < Words; ++i) written_by[i] = v.instruction;
  return true;
}

// Reads at the same time share one record. A later read replaces earlier ones that are ordered before it or
// were made by the same lane.
template <unsigned Words, unsigned Shift>
inline bool read(const EpochView& v, const Half& half) {
  if (!is_behind_writes<Words, Shift>(v, half)) return false;
  const std::size_t row = v.warp * v.stride + half.first;
  Word *const read = v.read + row, *const readers = v.readers + row, *const read_by = v.read_by + row,
              *const read_last_by = v.read_last_by + row;
  const Word before = v.clock[v.warp], own = 1u << half.lane;
  Word bad = 0;
  for (unsigned i = 0; i < Words; ++i)
    bad |= (read[i] >= before ? 1u : 0u) & (read[i] != v.now ? 1u : 0u) &
           ((readers[i] & ~(own << (i >> Shift))) != 0 ? 1u : 0u);
  if (bad != 0) return false;
  for (unsigned i = 0; i < Words; ++i) {
    const Word me = own << (i >> Shift), by = v.instruction | (half.lane + (i >> Shift)) << kLaneShift;
    const bool joins = read[i] == v.now;
    read_by[i] = joins ? read_by[i] : by;
    read_last_by[i] = by;
    readers[i] = joins ? readers[i] | me : me;
    read[i] = v.now;
  }
  return true;
}

template <unsigned Shift>
inline bool packed(const EpochView& v, const Half& half, bool is_write) {
  constexpr unsigned kWords = 16u << Shift;
  return is_write ? write<kWords, Shift>(v, half) : read<kWords, Shift>(v, half);
}

// `lanes` read the same words.
inline bool uniform(const EpochView& v, const Half& half, unsigned words, Word lanes) {
  const std::size_t row = v.warp * v.stride + half.first;
  for (unsigned i = 0; i < words; ++i) {
    if (v.written[half.first + i] >= v.clock[v.writer[half.first + i] >> 5]) return false;
    Word &read = v.read[row + i], &readers = v.readers[row + i];
    v.read_last_by[row + i] = v.instruction | half.lane << kLaneShift;
    if (read == v.now) {
      readers |= lanes;
      continue;
    }
    if (read >= v.clock[v.warp] && (readers & ~lanes) != 0) return false;
    read = v.now;
    readers = lanes;
    v.read_by[row + i] = v.instruction | half.lane << kLaneShift;
  }
  return true;
}

}  // namespace

bool epochs_fast(const Access& a, const EpochView& view) {
  const bool is_write = a.kind == Access::Kind::write;
  const unsigned words = a.bytes / 4u;
  for (unsigned i = 0; i < 2; ++i) {
    const Half half{.first = static_cast<std::size_t>(a.first[i] / 4), .lane = 16 * i};
    if (a.half[i] == LanePattern::uniform) {
      const bool both = a.half[1] == LanePattern::uniform && a.first[0] == a.first[1];
      if (is_write || !uniform(view, half, words, both ? ~0u : 0xffffu << 16 * i)) return false;
      if (both) return true;
    } else if (!(words == 1   ? packed<0>(view, half, is_write)
                 : words == 2 ? packed<1>(view, half, is_write)
                              : packed<2>(view, half, is_write))) {
      return false;
    }
  }
  return true;
}

}  // namespace warpgrade::emulator::WARPGRADE_LANES
