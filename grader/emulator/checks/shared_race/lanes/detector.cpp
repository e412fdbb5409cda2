// Built once for each vector width.
#include "checks/shared_race/lanes/detector.hpp"

#include <immintrin.h>

#include <cstring>

namespace warpgrade::emulator::WARPGRADE_LANES {
namespace {

using Record = std::int64_t;  // the sign bit is free, because signed comparisons are cheaper
using LanePattern = Access::LanePattern;
constexpr Record kHolders = Record{3} << SharedShadowWord::kHoldersShift;
constexpr Record kOneHolder = Record{1} << SharedShadowWord::kHoldersShift;
constexpr Record kFirst = Record{1023} << SharedShadowWord::kFirstShift;
constexpr Record kWarp = Record{0x3e0} << SharedShadowWord::kFirstShift;
constexpr Record kOneThread = Record{1} << SharedShadowWord::kFirstShift;
constexpr Record kAtomic = static_cast<Record>(SharedShadowWord::kAtomic);

// Eight records side by side. Vectors stay local to a function: passing them would depend on the processor.
constexpr unsigned kSide = 8;
typedef Record Vector __attribute__((vector_size(kSide * sizeof(Record))));

inline void load(Vector& to, const Record* from) { std::memcpy(&to, from, sizeof to); }
inline void store(Record* to, const Vector& from) { std::memcpy(to, &from, sizeof from); }
inline bool is_zero(const Vector& all) {
#ifdef __AVX512F__
  return _mm512_test_epi64_mask(reinterpret_cast<const __m512i&>(all),
                                reinterpret_cast<const __m512i&>(all)) == 0;
#else
  Record part[2] = {all[0] | all[2] | all[4] | all[6], all[1] | all[3] | all[5] | all[7]};
  return (part[0] | part[1]) == 0;
#endif
}

// Half a warp's access to contiguous words, or to one word.
struct Half {
  Record* readers;
  Record* writers;
  std::uint32_t* second_by;
  Record floor, warp_floor, now, thread;  // shifted to their bits of a record
  std::uint32_t instruction;
  unsigned shift;  // log2 of the words of one lane
  bool write;
};

// The threads that access word `i` and the next seven, shifted to their bits of a record.
template <unsigned Shift>
inline void threads(const Half& h, unsigned i, Vector& to) {
  constexpr Vector kWord = {0, 1, 2, 3, 4, 5, 6, 7};
  to = (((kWord + Record{i}) >> Shift) << SharedShadowWord::kFirstShift) + h.thread;
}

// Every record says "read in many warps since the last barrier, and not written".
template <unsigned Words>
inline bool all_settled(const Record* readers, Record floor) {
  Vector bad = {};
  for (unsigned i = 0; i < Words; i += kSide) {
    Vector known;
    load(known, readers + i);
    bad |= ((known & kHolders) ^ kHolders) | (known < floor);
  }
  return is_zero(bad);
}

// Every record is older than the last barrier, or (unless Shift is kNobody) of the one thread that now
// accesses the word, or of its warp before the warp's last barrier.
constexpr unsigned kNobody = 99;
template <unsigned Words, unsigned Shift>
inline bool all_old_or_own(const Record* records, const Half& h) {
  Vector bad = {};
  for (unsigned i = 0; i < Words; i += kSide) {
    Vector known, foreign = ~Vector{};
    load(known, records + i);
    if constexpr (Shift != kNobody) {
      threads<Shift>(h, i, foreign);
      const Vector of_warp = ((known ^ foreign) & kWarp) == 0;
      foreign ^= known & (kHolders | kFirst);
      foreign &=
          ~(of_warp & (known < h.warp_floor) & ((known & kHolders) <= kOneHolder) & ((known & kAtomic) == 0));
    }
    bad |= (known >= h.floor) & foreign;
  }
  return is_zero(bad);
}

template <unsigned Words, unsigned Shift>
inline void enter(Record* records, const Half& h) {
  for (unsigned i = 0; i < Words; i += kSide) {
    Vector me;
    threads<Shift>(h, i, me);
    me |= h.now | h.instruction;
    store(records + i, me);
  }
}

// An access that races with these readers races with the write too.
template <unsigned Words>
inline void forget(Record* readers) {
  constexpr Vector kNone = {};
  for (unsigned i = 0; i < Words; i += kSide) store(readers + i, kNone);
}

// Adds one reader to each record, by the rules of SharedRaceDetector::join.
template <unsigned Words, unsigned Shift>
inline void join_readers(const Half& h) {
  constexpr Record kSecond = Record{1023} << SharedShadowWord::kSecondShift;
  for (unsigned i = 0; i < Words; i += kSide) {
    Vector known, me;
    load(known, h.readers + i);
    threads<Shift>(h, i, me);
    const Vector holders = known & kHolders, differs = known ^ me;
    const Vector of_warp = (differs & kWarp) == 0;
    const Vector own = (differs & (kHolders | kFirst)) == 0;
    const Vector ordered = (of_warp & (known < h.warp_floor) & (holders <= kOneHolder)) | own;
    const Vector with_me = (known & ~(kHolders | kSecond)) | me << 10;
    const Vector in_warp = holders != 0 ? known : with_me | kOneHolder;
    Vector joined = of_warp ? in_warp : with_me | kHolders;
    joined = holders == kHolders ? known : joined;
    joined = (known < h.floor) | ordered ? me | (h.now | h.instruction) : joined;
    store(h.readers + i, joined);
    const Vector second = (joined != known) & ((joined & kHolders) != 0);
    for (unsigned j = 0; j < kSide; ++j)
      h.second_by[i + j] = second[j] != 0 ? h.instruction : h.second_by[i + j];
  }
}

// Lane i has words i << Shift … of a contiguous run.
template <unsigned Shift>
inline bool packed(const Half& h) {
  constexpr unsigned kWords = 16u << Shift;
  if (!all_old_or_own<kWords, Shift>(h.writers, h)) return false;
  if (all_old_or_own<kWords, Shift>(h.readers, h)) {
    enter<kWords, Shift>(h.write ? h.writers : h.readers, h);
    if (h.write) forget<kWords>(h.readers);
    return true;
  }
  if (h.write || !all_old_or_own<kWords, kNobody>(h.writers, h)) return false;
  join_readers<kWords, Shift>(h);
  return true;
}

// All 16 lanes read the same words: ordered ones, or words that only lanes of this warp have read.
inline bool uniform(const Half& h) {
  if (h.write) return false;
  const Record two = kOneHolder | (h.thread + kOneThread) << 10;
  for (unsigned i = 0; i < 1u << h.shift; ++i) {
    const Record known = h.readers[i];
    if (known >= h.floor && (known & kHolders) == kHolders) continue;
    if (h.writers[i] >= h.floor) return false;
    const bool of_warp = (((known ^ h.thread) >> SharedShadowWord::kFirstShift & 1023) >> 5) == 0;
    const bool covered = of_warp && (known & kHolders) == kOneHolder && known >= h.warp_floor;
    if (known >= h.floor && !covered) return false;
    if (known >= h.floor) continue;
    h.readers[i] = h.now | two | h.thread | h.instruction;
    h.second_by[i] = h.instruction;
  }
  return true;
}

inline bool is_settled(const Half& h) {
  return h.shift == 0   ? all_settled<16>(h.readers, h.floor)
         : h.shift == 1 ? all_settled<32>(h.readers, h.floor)
                        : all_settled<64>(h.readers, h.floor);
}

inline bool one_half(const Half& h, LanePattern pattern) {
  if (pattern == LanePattern::uniform) return uniform(h);
  if (!h.write && is_settled(h)) return true;
  return h.shift == 0 ? packed<0>(h) : h.shift == 1 ? packed<1>(h) : packed<2>(h);
}

// Both halves access the same words, so the result for the first half holds for the second. The same is true
// when all lanes read one word: after the first half its readers are one warp.
inline bool both_at_once(const Access& a, const Half& first) {
  if (a.first[0] != a.first[1] || a.half[0] != a.half[1] || first.write) return false;
  return a.half[0] == LanePattern::uniform ? uniform(first) : is_settled(first);
}

// Adds one reader to a word without a writer, as join_readers() does for many.
inline Record joined(Record known, Record me, Record warp_floor) {
  constexpr Record kSecond = Record{1023} << SharedShadowWord::kSecondShift;
  const Record holders = known & kHolders, differs = known ^ me;
  const bool of_warp = (differs & kWarp) == 0;
  if ((differs & (kHolders | kFirst)) == 0) return me;
  if (of_warp && known < warp_floor && holders <= kOneHolder) return me;
  const Record with_me = (known & ~(kHolders | kSecond)) | (me & kFirst) << 10;
  if (!of_warp) return with_me | kHolders;
  return holders != 0 ? known : with_me | kOneHolder;
}

// Word by word, for scattered addresses. True if since the last barrier only this thread, or only ordered
// lanes of its warp, accessed the word, or, for a read, none wrote it. Of two lanes at one word the second
// finds the record of the first.
inline bool scattered(const Access& a, const SharedShadowView& view) {
  const bool write = a.kind == Access::Kind::write;
  const unsigned words = a.bytes / 4u;
  auto* readers = reinterpret_cast<Record*>(view.readers);
  auto* writers = reinterpret_cast<Record*>(view.writers);
  const Record floor = Record{view.floor} << SharedShadowWord::kTimeShift;
  const Record warp_floor = Record{view.warp_floor} << SharedShadowWord::kTimeShift;
  const Record now = Record{view.now} << SharedShadowWord::kTimeShift | view.instruction;
  for (std::uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const Record thread = Record{view.first_thread + lane} << SharedShadowWord::kFirstShift;
    const std::uint64_t first = a.address[lane] / 4;
    const auto free = [&](Record known) {
      const bool before = known < warp_floor && (known & kHolders) <= kOneHolder &&
                          ((known ^ thread) & (kWarp | kAtomic)) == 0;
      return known < floor || (known & (kHolders | kFirst | kAtomic)) == thread || before;
    };
    for (std::uint64_t word = first; word < first + words; ++word) {
      const Record read = readers[word];
      if (!write && read >= floor && (read & kHolders) == kHolders) continue;
      if (free(writers[word]) && free(read)) {
        (write ? writers : readers)[word] = now | thread;
        if (write) readers[word] = 0;
        continue;
      }
      if (write || writers[word] >= floor || (read & kAtomic) != 0) return false;
      readers[word] = joined(read, now | thread, warp_floor);
      if (readers[word] != read && (readers[word] & kHolders) != 0) view.second_by[word] = view.instruction;
    }
  }
  return true;
}

}  // namespace

bool shared_race_fast_path(const Access& a, const SharedShadowView& view) {
  if (a.half[0] == LanePattern::scattered || a.half[1] == LanePattern::scattered) return scattered(a, view);
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint64_t word = a.first[i] / 4;
    const Half half{.readers = reinterpret_cast<Record*>(view.readers) + word,
                    .writers = reinterpret_cast<Record*>(view.writers) + word,
                    .second_by = view.second_by + word,
                    .floor = Record{view.floor} << SharedShadowWord::kTimeShift,
                    .warp_floor = Record{view.warp_floor} << SharedShadowWord::kTimeShift,
                    .now = Record{view.now} << SharedShadowWord::kTimeShift,
                    .thread = Record{view.first_thread + 16 * i} << SharedShadowWord::kFirstShift,
                    .instruction = view.instruction,
                    .shift = static_cast<unsigned>(__builtin_ctz(a.bytes / 4u)),
                    .write = a.kind == Access::Kind::write};
    if (i == 0 && both_at_once(a, half)) return true;
    if (!one_half(half, a.half[i])) return false;
  }
  return true;
}

}  // namespace warpgrade::emulator::WARPGRADE_LANES
