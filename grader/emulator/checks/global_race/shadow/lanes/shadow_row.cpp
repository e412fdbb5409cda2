// Built once for each vector width, so it must not call inline functions that other code calls.
#include "checks/global_race/shadow/lanes/shadow_row.hpp"

#include <cstring>

#include "checks/global_race/shadow/shadow_word.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {
namespace {

// Segments leave the sign bit free, because signed comparisons are cheaper.
using Record = std::int64_t;

constexpr unsigned kHoldingShift = GlobalShadowWord::kHoldingShift;
constexpr Record kHolding = Record{15} << kHoldingShift;
constexpr Record kRead = static_cast<Record>(Holding::read) << kHoldingShift;
constexpr Record kByWarp = static_cast<Record>(Holding::read_by_warp) << kHoldingShift;
constexpr Record kByBlock = static_cast<Record>(Holding::read_by_block) << kHoldingShift;
constexpr Record kMany = static_cast<Record>(Holding::read_by_many) << kHoldingShift;
constexpr Record kWritten = static_cast<Record>(Holding::written) << kHoldingShift;
constexpr Record kFirst = Record{1023} << GlobalShadowWord::kFirstShift;
constexpr Record kWarp = Record{0x3e0} << GlobalShadowWord::kFirstShift;
constexpr Record kSecond = Record{1023} << GlobalShadowWord::kSecondShift;
constexpr Record kOneThread = Record{1} << GlobalShadowWord::kFirstShift;
constexpr Record kSegment = ~((Record{1} << GlobalShadowWord::kSegmentShift) - 1);

struct Words {
  Record* last;
  unsigned count, shift;
  Record base, own, floor;  // GlobalRun's base, first_segment and floor, shifted to a record's bits
};

// Whether many blocks have read every word in this launch and none has written one.
inline bool all_many(const Words& w) {
  Record bad = 0;
  for (unsigned i = 0; i < w.count; ++i)
    bad |= ((w.last[i] & kHolding) ^ kMany) | (w.last[i] < w.base ? Record{1} : Record{0});
  return bad == 0;
}

// Whether no word was accessed in this launch, except by this block before its last barrier.
inline bool all_over(const Words& w) {
  Record bad = 0;
  for (unsigned i = 0; i < w.count; ++i)
    bad |= w.last[i] >= w.base && (w.last[i] < w.own || w.last[i] >= w.floor) ? Record{1} : Record{0};
  return bad == 0;
}

// all_over(), and the last access to each word was a write.
inline bool all_written_before(const Words& w) {
  Record bad = 0;
  for (unsigned i = 0; i < w.count; ++i)
    bad |= ((w.last[i] & kHolding) ^ kWritten) |
           (w.last[i] < w.own || w.last[i] >= w.floor ? Record{1} : Record{0});
  return bad == 0;
}

// Whether only this block has read the words, before its last barrier: a new reader replaces the record.
inline bool is_read_before(const Words& w, Record known) {
  const Record holding = known & kHolding;
  return known >= w.own && known < w.floor && holding >= kRead && holding <= kByBlock;
}

// Whether the same thread made the last access to each word, a plain one in its present segment.
inline bool all_own(const Words& w, Record record) {
  const Record first = record & (kSegment | kFirst);
  Record bad = 0;
  for (unsigned i = 0; i < w.count; ++i) {
    const Record holding = w.last[i] & kHolding;
    bad |= (w.last[i] & (kSegment | kFirst)) ^ (first + static_cast<Record>(i >> w.shift) * kOneThread);
    bad |= holding != kWritten && holding != kRead ? Record{1} : Record{0};
  }
  return bad == 0;
}

// Every word accepts another reader: it was not accessed in this launch, or only read. The readers are many
// blocks, one other block, or this block, before its last barrier or in its current segment (in which no
// thread is ordered before another).
inline bool all_join(const Words& w, Record segment, bool alone) {
  Record bad = 0;
  for (unsigned i = 0; i < w.count; ++i) {
    const Record known = w.last[i], holding = known & kHolding;
    const bool joins = holding == kMany || (known & kSegment) == segment || (alone && known < w.own);
    const bool reads = holding >= kRead && holding <= kMany && joins;
    bad |= known < w.base || reads || is_read_before(w, known) ? Record{0} : Record{1};
  }
  return bad == 0;
}

// The shadow word after one more reader, by the rules of GlobalRaceDetector::with_one_more.
inline Record joined(Record known, Record thread, Record own) {
  const Record holding = known & kHolding, differs = known ^ thread;
  const Record second = thread >> (GlobalShadowWord::kFirstShift - GlobalShadowWord::kSecondShift);
  const Record bare = known & ~(kHolding | kSecond);
  const bool first = (differs & kFirst) == 0, of_warp = (differs & kWarp) == 0;
  const Record in_warp = holding == kByWarp ? known : bare | kByWarp | second;
  const Record in_block = bare | kByBlock | (first ? known & kSecond : second);
  Record all = of_warp && holding <= kByWarp ? in_warp : in_block;
  all = holding == kByBlock || (holding == kRead && first) ? known : all;
  all = known < own ? (known & ~kHolding) | kMany : all;
  return holding == kMany ? known : all;
}

inline void join(const Words& w, Record record) {
  for (unsigned i = 0; i < w.count; ++i) {
    const Record mine = record + static_cast<Record>(i >> w.shift) * kOneThread;
    const Record known = w.last[i];
    w.last[i] = known < w.base || is_read_before(w, known) ? mine : joined(known, mine & kFirst, w.own);
  }
}

// All lanes read these words: two readers represent all.
inline void join_two(const Words& w, Record record) {
  const Record thread = record & kFirst;
  for (unsigned i = 0; i < w.count; ++i) {
    const Record known = w.last[i];
    const bool alone = known < w.base || is_read_before(w, known);
    w.last[i] = joined(alone ? record : joined(known, thread, w.own), thread + kOneThread, w.own);
  }
}

inline void enter_write(const Words& w, const GlobalRun& run) {
  const auto record = static_cast<Record>(run.record);
  for (unsigned i = 0; i < w.count; ++i) {
    const unsigned lane = i >> w.shift;
    w.last[i] = record + static_cast<Record>(lane) * kOneThread +
                (static_cast<Record>(run.hash[lane]) << GlobalShadowWord::kSecondShift) +
                static_cast<Record>((run.silent >> lane & 1u) * GlobalShadowWord::kMarked);
  }
}

constexpr unsigned kHalf = 16;

template <unsigned Words>
inline std::uint32_t hash_values(const void* values, const std::byte* const* there, std::uint16_t* hashes) {
  std::uint32_t value[2 * kHalf * Words], old[2 * kHalf * Words], same[2 * kHalf], silent = 0;
  std::memcpy(value, values, sizeof value);
  for (unsigned half = 0; half < 2; ++half)
    std::memcpy(old + kHalf * Words * half, there[half], sizeof old / 2);
  // The next warp most likely writes to the memory after this.
  for (unsigned at = 0; at < sizeof old; at += 64) __builtin_prefetch(there[1] + sizeof old / 2 + at, 1);
  for (unsigned i = 0; i < 2 * kHalf; ++i) {
    std::uint32_t sum = 0, differs = 0;
    for (unsigned j = 0; j < Words; ++j) {
      sum = (sum + value[Words * i + j]) * 0x9e3779b1u;
      differs |= value[Words * i + j] ^ old[Words * i + j];
    }
    hashes[i] = static_cast<std::uint16_t>(sum >> 22);
    same[i] = differs == 0 ? 1u : 0u;
  }
  for (unsigned i = 0; i < 2 * kHalf; ++i) silent |= same[i] << i;
  return silent;
}

}  // namespace

std::uint32_t global_values(const void* values, const std::byte* const* there, unsigned words,
                            std::uint16_t* hashes) {
  if (words == 1) return hash_values<1>(values, there, hashes);
  return words == 2 ? hash_values<2>(values, there, hashes) : hash_values<4>(values, there, hashes);
}

namespace {

// The first word decides which case applies.
inline bool read(const Words& w, const GlobalRun& run) {
  const auto record = static_cast<Record>(run.record);
  const Record first = w.last[0];
  if (first >= w.base && (first & kHolding) == kMany && all_many(w)) return true;
  if (!run.uniform && first >= w.own && all_own(w, record)) return true;
  if (!all_join(w, record & kSegment, run.alone)) return false;
  run.uniform ? join_two(w, record) : join(w, record);
  return true;
}

inline bool write(const Words& w, const Words& since, const GlobalRun& run) {
  if (since.last != nullptr && !all_over(since)) return false;
  if (!all_over(w) && !all_own(w, static_cast<Record>(run.record))) return false;
  enter_write(w, run);
  for (unsigned i = 0; since.last != nullptr && i < w.count; ++i) since.last[i] = 0;
  return true;
}

}  // namespace

bool global_fast(const GlobalRun& run) {
  const Words w{reinterpret_cast<Record*>(run.last),
                run.count,
                run.shift,
                static_cast<Record>(run.base) << GlobalShadowWord::kSegmentShift,
                static_cast<Record>(run.first_segment) << GlobalShadowWord::kSegmentShift,
                static_cast<Record>(run.floor) << GlobalShadowWord::kSegmentShift};
  Words since = w;
  since.last = reinterpret_cast<Record*>(run.since);
  if (run.write) return write(w, since, run);
  if (w.last[0] < w.own || (w.last[0] & kHolding) != kWritten || !all_written_before(w)) return read(w, run);
  return since.last != nullptr && read(since, run);
}

}  // namespace warpgrade::emulator::WARPGRADE_LANES
