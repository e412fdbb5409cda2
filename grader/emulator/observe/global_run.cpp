#include "observe/global_run.hpp"

#include <bit>

#include "observe/global_record.hpp"

namespace warpgrade::observe {
namespace {

constexpr std::uint64_t kHolding = std::uint64_t{15} << GlobalRecord::kHoldingShift;
constexpr std::uint64_t kMany = static_cast<std::uint64_t>(Holding::read_by_many)
                                << GlobalRecord::kHoldingShift;
constexpr std::uint64_t kFirst = std::uint64_t{1023} << GlobalRecord::kFirstShift;
constexpr std::uint64_t kOwner = ~((std::uint64_t{1} << GlobalRecord::kSegmentShift) - 1) | kFirst;

std::uint64_t segment_bits(std::uint32_t segment) {
  return std::uint64_t{segment} << GlobalRecord::kSegmentShift;
}

bool all_many(const GlobalRun& run) {
  const std::uint64_t base = segment_bits(run.base);
  std::uint64_t bad = 0;
  for (unsigned i = 0; i < run.count; ++i)
    bad |= ((run.last[i] & kHolding) ^ kMany) | static_cast<std::uint64_t>(run.last[i] < base);
  return bad == 0;
}

bool all_untouched(const GlobalRun& run) {
  const std::uint64_t base = segment_bits(run.base);
  bool good = true;
  for (unsigned i = 0; i < run.count; ++i) good &= run.last[i] < base;
  return good;
}

// Read or written, plainly and last, by the thread that does so now, in its present segment.
bool all_own(const GlobalRun& run, bool read) {
  const unsigned shift = static_cast<unsigned>(std::countr_zero(run.words));
  bool good = true;
  for (unsigned i = 0; i < run.count; ++i) {
    const std::uint64_t own = segment_bits(run.segment) | std::uint64_t{run.thread + (i >> shift)}
                                                              << GlobalRecord::kFirstShift;
    const auto holding = static_cast<Holding>(run.last[i] >> GlobalRecord::kHoldingShift & 15u);
    good &=
        (run.last[i] & kOwner) == own && (holding == Holding::written || (read && holding == Holding::read));
  }
  return good;
}

// Read, and not written, by another block or several.
bool all_read_elsewhere(const GlobalRun& run) {
  const std::uint64_t base = segment_bits(run.base), own = segment_bits(run.first_segment);
  bool good = true;
  for (unsigned i = 0; i < run.count; ++i) {
    const std::uint64_t holding = run.last[i] & kHolding;
    good &= run.last[i] >= base && ((run.last[i] < own && holding <= kMany) || holding == kMany);
  }
  return good;
}

void enter(const GlobalRun& run, Holding holding) {
  const unsigned shift = static_cast<unsigned>(std::countr_zero(run.words));
  for (unsigned i = 0; i < run.count; ++i) {
    const unsigned lane = i >> shift;
    run.last[i] =
        GlobalRecord::of(run.segment, holding, run.thread + lane, run.hash != nullptr ? run.hash[lane] : 0u,
                         run.site, (run.silent >> lane & 1u) != 0)
            .bits;
  }
}

void make_many(const GlobalRun& run) {
  for (unsigned i = 0; i < run.count; ++i) run.last[i] = (run.last[i] & ~kHolding) | kMany;
}

}  // namespace

bool read_run(const GlobalRun& run) {
  if (all_many(run)) return true;
  if (all_untouched(run)) return enter(run, Holding::read), true;
  if (all_own(run, true)) return true;
  if (run.alone && all_read_elsewhere(run)) return make_many(run), true;
  return false;
}

bool write_run(const GlobalRun& run) {
  if (!all_untouched(run) && !all_own(run, true)) return false;
  enter(run, Holding::written);
  return true;
}

bool read_word(const GlobalRun& run) {
  if (all_many(run)) return true;
  return run.alone && all_read_elsewhere(run) && (make_many(run), true);
}

}  // namespace warpgrade::observe
