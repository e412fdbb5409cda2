// Built once for each vector width. The loops have no branches, so that GCC makes vector code of them.
#include "observe/lanes/race.hpp"

namespace warpgrade::observe::WARPGRADE_LANES {
namespace {

using Record = std::uint64_t;
using Pattern = Access::Pattern;
constexpr Record kHolders = Record{3} << RaceRecord::kHoldersShift;
constexpr Record kFirst = Record{1023} << RaceRecord::kFirstShift;

// Every record says "read in many warps since the last barrier, and not written".
inline bool all_settled(const Record* readers, unsigned words, Record floor) {
  Record bad = 0;
  for (unsigned i = 0; i < words; ++i) {
    bad |= (readers[i] & kHolders) ^ kHolders;
    bad |= readers[i] < floor ? Record{1} : Record{0};
  }
  return bad == 0;
}

// Every record is older than the last barrier, or of the one thread that now accesses the word.
inline bool all_old_or_own(const Record* records, unsigned words, Record floor, Record first,
                           unsigned shift) {
  Record bad = 0;
  for (unsigned i = 0; i < words; ++i) {
    const Record own = first + (Record{i >> shift} << RaceRecord::kFirstShift);
    const Record foreign = (records[i] & (kHolders | kFirst)) ^ own;
    bad |= records[i] < floor ? Record{0} : foreign;
  }
  return bad == 0;
}

inline void enter(Record* records, unsigned words, Record record, unsigned shift) {
  for (unsigned i = 0; i < words; ++i) records[i] = record + (Record{i >> shift} << RaceRecord::kFirstShift);
}

struct Half {
  Record* readers;
  Record* writers;
  Record floor, warp_floor, now, thread;  // in their places of a record
  std::uint32_t instruction;
  unsigned shift;  // log2 of words a lane
  bool write;
};

// Readers joined by one more each, by the rules of RaceCheck::join.
inline void join_readers(const Half& h, unsigned words) {
  constexpr Record kWarp = Record{0x3e0} << RaceRecord::kFirstShift, kOne = Record{1};
  constexpr Record kSecond = Record{1023} << RaceRecord::kSecondShift;
  for (unsigned i = 0; i < words; ++i) {
    const Record known = h.readers[i];
    const Record me = h.thread + (Record{i >> h.shift} << RaceRecord::kFirstShift);
    const Record first = h.now | me | h.instruction;
    const bool of_warp = ((known ^ me) & kWarp) == 0;
    const bool several = (known & kHolders) != 0;
    const bool own = ((known ^ me) & (kHolders | kFirst)) == 0;
    const bool ordered = (of_warp && known < h.warp_floor) || own;
    const Record with_me = (known & ~(kHolders | kSecond)) | me << 10;
    const Record in_warp = several ? known : with_me | kOne << RaceRecord::kHoldersShift;
    const Record joined = of_warp ? in_warp : with_me | kHolders;
    const bool replace =
        known < h.floor || ((known & kHolders) < (kOne << (RaceRecord::kHoldersShift + 1)) && ordered);
    const bool done = (known & kHolders) == kHolders;
    h.readers[i] = replace ? first : done ? known : joined;
  }
}

inline bool all_old(const Record* records, unsigned words, Record floor) {
  Record bad = 0;
  for (unsigned i = 0; i < words; ++i) bad |= records[i] < floor ? Record{0} : Record{1};
  return bad == 0;
}

// Lane i has words i << Shift … of a contiguous run. The size is a constant so that the loops unroll.
template <unsigned Shift>
inline bool packed(const Half& h) {
  constexpr unsigned words = 16u << Shift;
  if (!h.write && all_settled(h.readers, words, h.floor)) return true;
  if (!all_old_or_own(h.writers, words, h.floor, h.thread, Shift)) return false;
  if (!all_old_or_own(h.readers, words, h.floor, h.thread, Shift)) {
    if (h.write || !all_old(h.writers, words, h.floor)) return false;
    join_readers(h, words);
    return true;
  }
  enter(h.write ? h.writers : h.readers, words, h.now | h.thread | h.instruction, Shift);
  return true;
}

// All 16 lanes read the same words: nobody has touched them yet, or only lanes of this warp have read them.
inline bool uniform(const Half& h, const RaceView& view) {
  if (h.write) return false;
  const unsigned words = 1u << h.shift;
  const Record two = Record{static_cast<std::uint64_t>(Holders::one_warp)} << RaceRecord::kHoldersShift |
                     (h.thread + (Record{1} << RaceRecord::kFirstShift)) << 10;
  for (unsigned i = 0; i < words; ++i) {
    const Record known = h.readers[i];
    if (known >= h.floor && (known & kHolders) == kHolders) continue;
    if (h.writers[i] >= h.floor) return false;
    const bool of_warp = (known & kHolders) == (Record{1} << RaceRecord::kHoldersShift) &&
                         known >= h.warp_floor &&
                         (known >> RaceRecord::kFirstShift & 1023u) / 32 == view.first_thread / 32;
    if (known >= h.floor && of_warp) continue;
    if (known >= h.floor) return false;
    h.readers[i] = h.now | two | h.thread | h.instruction;
  }
  return true;
}

inline bool packed(const Half& h) {
  return h.shift == 0 ? packed<0>(h) : h.shift == 1 ? packed<1>(h) : packed<2>(h);
}

inline bool scattered(const Access& a, const RaceView& view, Record floor) {
  if (a.kind != Access::Kind::read) return false;
  const unsigned words = a.bytes / 4u;
  for (std::uint32_t left = a.mask; left != 0; left &= left - 1)
    if (!all_settled(view.readers + a.address[__builtin_ctz(left)] / 4, words, floor)) return false;
  return true;
}

}  // namespace

bool race_fast(const Access& a, const RaceView& view) {
  const Record floor = Record{view.floor} << RaceRecord::kTimeShift;
  if (a.half[0] == Pattern::scattered || a.half[1] == Pattern::scattered) return scattered(a, view, floor);
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint64_t word = a.first[i] / 4;
    const Half half{.readers = view.readers + word,
                    .writers = view.writers + word,
                    .floor = floor,
                    .warp_floor = Record{view.warp_floor} << RaceRecord::kTimeShift,
                    .now = Record{view.now} << RaceRecord::kTimeShift,
                    .thread = Record{view.first_thread + 16 * i} << RaceRecord::kFirstShift,
                    .instruction = view.instruction,
                    .shift = static_cast<unsigned>(__builtin_ctz(a.bytes / 4u)),
                    .write = a.kind == Access::Kind::write};
    if (!(a.half[i] == Pattern::packed ? packed(half) : uniform(half, view))) return false;
  }
  return true;
}

}  // namespace warpgrade::observe::WARPGRADE_LANES
