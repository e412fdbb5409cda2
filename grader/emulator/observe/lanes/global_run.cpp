// Built once for each vector width; calls nothing inline that others call.
#include "observe/lanes/global_run.hpp"

#include "observe/global_record.hpp"

namespace warpgrade::observe::WARPGRADE_LANES {
namespace {

// Segments leave the sign bit free: signed comparisons are the cheap ones.
using Record = std::int64_t;

constexpr unsigned kHoldingShift = GlobalRecord::kHoldingShift;
constexpr Record kHolding = Record{15} << kHoldingShift;
constexpr Record kRead = static_cast<Record>(Holding::read) << kHoldingShift;
constexpr Record kMany = static_cast<Record>(Holding::read_by_many) << kHoldingShift;
constexpr Record kWritten = static_cast<Record>(Holding::written) << kHoldingShift;
constexpr Record kFirst = Record{1023} << GlobalRecord::kFirstShift;
constexpr Record kOneThread = Record{1} << GlobalRecord::kFirstShift;
constexpr Record kSegment = ~((Record{1} << GlobalRecord::kSegmentShift) - 1);

struct Words {
  Record* last;
  unsigned count, shift;
  Record base, own;  // first segments of the launch and of the block, in their place
};

// Read by many blocks in this launch, and not written.
inline bool all_many(const Words& w) {
  Record bad = 0;
  for (unsigned i = 0; i < w.count; ++i)
    bad |= ((w.last[i] & kHolding) ^ kMany) | (w.last[i] < w.base ? Record{1} : Record{0});
  return bad == 0;
}

// Not accessed in this launch.
inline bool all_untouched(const Words& w) {
  Record bad = 0;
  for (unsigned i = 0; i < w.count; ++i) bad |= w.last[i] >= w.base ? Record{1} : Record{0};
  return bad == 0;
}

// Read or written, plainly and last, by the thread that does so now, in its present segment.
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

// Read, and not written, by another block or several.
inline bool all_read_elsewhere(const Words& w) {
  Record bad = 0;
  for (unsigned i = 0; i < w.count; ++i) {
    const Record holding = w.last[i] & kHolding;
    const bool elsewhere =
        w.last[i] >= w.base && ((w.last[i] < w.own && holding <= kMany) || holding == kMany);
    bad |= elsewhere ? Record{0} : Record{1};
  }
  return bad == 0;
}

inline void enter(const Words& w, const GlobalRun& run) {
  const auto record = static_cast<Record>(run.record);
  if (!run.write) {
    for (unsigned i = 0; i < w.count; ++i)
      w.last[i] = record + static_cast<Record>(i >> w.shift) * kOneThread;
    return;
  }
  for (unsigned i = 0; i < w.count; ++i) {
    const unsigned lane = i >> w.shift;
    w.last[i] = record + static_cast<Record>(lane) * kOneThread +
                (static_cast<Record>(run.hash[lane]) << GlobalRecord::kSecondShift) +
                static_cast<Record>((run.silent >> lane & 1u) * GlobalRecord::kMarked);
  }
}

inline void make_many(const Words& w) {
  for (unsigned i = 0; i < w.count; ++i) w.last[i] = (w.last[i] & ~kHolding) | kMany;
}

}  // namespace

bool global_fast(const GlobalRun& run) {
  const Words w{reinterpret_cast<Record*>(run.last), run.count, run.shift,
                static_cast<Record>(run.base) << GlobalRecord::kSegmentShift,
                static_cast<Record>(run.first_segment) << GlobalRecord::kSegmentShift};
  // The first word tells which case it may be.
  const Record first = w.last[0];
  if (first < w.base) {
    if (run.uniform || !all_untouched(w)) return false;
    enter(w, run);
    return true;
  }
  if (!run.write && (first & kHolding) == kMany) {
    if (all_many(w)) return true;
  } else if (!run.uniform && first >= w.own && all_own(w, static_cast<Record>(run.record))) {
    if (run.write) enter(w, run);
    return true;
  }
  if (run.write || !run.alone || !all_read_elsewhere(w)) return false;
  make_many(w);
  return true;
}

}  // namespace warpgrade::observe::WARPGRADE_LANES
