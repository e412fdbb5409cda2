// Fast path of the global race check: accesses whose outcome does not depend on the words' history. The rules
// are those of detector.cpp.
#include <algorithm>
#include <bit>

#include "checks/global_race/detector.hpp"
#include "checks/global_race/shadow/shadow_row.hpp"

namespace warpgrade::emulator {
namespace {

using LanePattern = Access::LanePattern;

}  // namespace

// The segments from first_segment up to this one are those of this block before its last barrier. There are
// none if segments of other blocks may lie among them.
std::uint32_t GlobalRaceDetector::floor_of(const GlobalBlock& block) const {
  const bool only_own = runs_.size() == block.first_run ||
                        (runs_.size() == block.first_run + 1 && runs_.back() == block.linear);
  return only_own ? block.floor : block.first_segment;
}

// Whether this block made the access before its last barrier. Exact, but slower than the test by floor_of().
bool GlobalRaceDetector::is_past(const GlobalBlock& block, GlobalShadowWord record) const {
  return is_fresh(record) && block_of(record) == block.linear && time_of(record) < block.order.floor();
}

// A bit per row: is_past(), though the row's segment is not below `floor`.
inline std::uint32_t GlobalRaceDetector::past_rows(const GlobalBlock& block, const std::uint64_t* rows,
                                                   unsigned count) const {
  std::uint32_t past = 0;
  for (unsigned i = 0; i < count; ++i) past |= static_cast<std::uint32_t>(is_past(block, {rows[i]})) << i;
  return past;
}

bool GlobalRaceDetector::rows_are_plain(const Lane& at, unsigned half, unsigned halves,
                                        std::uint64_t offset) {
  const GlobalAccess& a = at.access;
  const bool write = a.kind == Access::Kind::write;
  const unsigned words = a.bytes / 4u, count = halves * words;
  ShadowPages& shadow = *a.allocation->race.get();
  std::uint64_t* const rows = shadow.rows(offset);
  // The next warp's shadow words are most likely the following ones.
  __builtin_prefetch(rows + count, 1);
  bool settled = !write;
  for (unsigned i = 0; settled && i < count; ++i) settled = is_read_by_many(rows[i], base_);
  if (settled) return true;
  const std::uint32_t segment = present_segment(at.block), floor = floor_of(at.block);
  if (segment > GlobalShadowWord::kMostSegment) return false;
  std::uint64_t newest = 0;
  for (unsigned i = 0; i < count; ++i) newest = std::max(newest, rows[i]);
  const bool untouched = !is_fresh({newest});
  const bool may_be_past = !untouched && floor == at.block.first_segment;
  const ShadowRowOutcome outcome =
      enter_shadow_rows({.row = rows,
                         .values = write ? shadow.values(offset) : nullptr,
                         .count = count,
                         .shift = static_cast<unsigned>(std::countr_zero(words)),
                         .write = write,
                         .untouched = untouched,
                         .alone = !at.block.any_known,
                         .base = base_,
                         .first_segment = at.block.first_segment,
                         .floor = floor,
                         .past = may_be_past ? past_rows(at.block, rows, count) : 0,
                         .record = GlobalShadowWord::of(segment, write ? Holding::written : Holding::read,
                                                        a.warp * kWarpSize + 16 * half, 0, at.site, false)
                                       .bits,
                         .hash = write ? a.hash + 16 * half : nullptr,
                         .silent = a.silent >> 16 * half});
  // Only a segment that a shadow word names needs an entry in segments_; most are never named.
  if (outcome == ShadowRowOutcome::entered) renew_segment(at.block);
  return outcome != ShadowRowOutcome::general;
}

// rows_are_plain() unit by unit, for runs within one page that start in the middle of a row or access one
// word.
bool GlobalRaceDetector::run_is_plain(const Lane& at, const Run& run) {
  const GlobalAccess& a = at.access;
  const bool write = a.kind == Access::Kind::write;
  ShadowPages& shadow = *a.allocation->race.get();
  const unsigned bytes = run.packed ? run.lanes * a.bytes : a.bytes;
  const std::uint64_t first = run.offset & ~(ShadowPages::kRowBytes - 1), end = run.offset + bytes;
  bool settled = !write;
  for (std::uint64_t row = first; row < end; row += ShadowPages::kRowBytes)
    settled &= is_read_by_many(*shadow.rows(row), base_);
  if (settled) return true;
  if ((write && !run.packed) || !renew_segment(at.block)) return false;
  ShadowPages::Page& page = shadow.page(run.offset);
  if (!shadow.keep_units(page, a.bytes < 4 ? 0 : 2)) return false;
  for (std::uint64_t row = first; row < end; row += ShadowPages::kRowBytes)
    take_apart(shadow, row, base_, at.block.segment);
  const std::size_t unit = (run.offset & (ShadowPages::kPage - 1)) >> page.shift;
  return fast_({.last = &page.last[unit],
                .since = page.since != nullptr ? &page.since[unit] : nullptr,
                .count = bytes >> page.shift,
                .shift = static_cast<unsigned>(std::countr_zero(unsigned{a.bytes})) - page.shift,
                .write = write,
                .uniform = !run.packed,
                .alone = !at.block.any_known,
                .base = base_,
                .first_segment = at.block.first_segment,
                .floor = floor_of(at.block),
                .record = GlobalShadowWord::of(at.block.segment, write ? Holding::written : Holding::read,
                                               a.warp * kWarpSize + run.lane, 0, at.site, false)
                              .bits,
                .hash = write ? a.hash + run.lane : nullptr,
                .silent = a.silent >> run.lane});
}

// Whether the lanes of this access may be checked as vectors.
bool GlobalRaceDetector::may_run(const Lane& at) const {
  const GlobalAccess& a = at.access;
  if (a.allocation == nullptr || !a.is_plain() || places_[at.site].used != ~std::uint64_t{0}) return false;
  if (places_[at.site].is_non_coherent || (a.kind == Access::Kind::write && a.hash == nullptr)) return false;
  a.allocation->race.of(a.allocation->bytes);
  return true;
}

// Checks both halves together; they must cover whole rows of one page.
bool GlobalRaceDetector::whole_is_plain(const Lane& at) {
  const GlobalAccess& a = at.access;
  if (!a.in_row || a.bytes < 4 || a.bytes > 16 || !may_run(at)) return false;
  const std::uint64_t offset = a.first[0] - a.allocation->base;
  if ((offset & (ShadowPages::kRowBytes - 1)) != 0 ||
      (offset >> ShadowPages::kPageShift) != ((offset + 32u * a.bytes - 1) >> ShadowPages::kPageShift))
    return false;
  return rows_are_plain(at, 0, 2, offset);
}

// A half within one page takes the fast path; most do.
bool GlobalRaceDetector::half_is_plain(const Lane& at, unsigned half) {
  const GlobalAccess& a = at.access;
  if (a.half[half] == LanePattern::scattered || !may_run(at)) return false;
  const std::uint64_t offset = a.first[half] - a.allocation->base;
  const bool packed = a.half[half] == LanePattern::packed;
  const unsigned bytes = packed ? 16u * a.bytes : a.bytes;
  if ((offset >> ShadowPages::kPageShift) != ((offset + bytes - 1) >> ShadowPages::kPageShift)) return false;
  if (packed && a.bytes >= 4 && (offset & (ShadowPages::kRowBytes - 1)) == 0 &&
      rows_are_plain(at, half, 1, offset))
    return true;
  return run_is_plain(at, {16 * half, 16, offset, packed});
}

// The first lane of `left`, and the following lanes at adjacent words or at the same word, within its page.
GlobalRaceDetector::Run GlobalRaceDetector::run_from(const GlobalAccess& a, const std::uint64_t* address,
                                                     std::uint32_t left) {
  const auto first = static_cast<unsigned>(std::countr_zero(left));
  const auto behind = static_cast<unsigned>(std::countr_one(left >> first));
  Run run{first, 1, address[first] - a.allocation->base, true};
  if (behind == 1) return run;
  const std::uint64_t step = address[first + 1] - address[first];
  if (step != 0 && step != a.bytes) return run;
  run.packed = step != 0;
  while (run.lanes < behind && address[first + run.lanes] == address[first] + run.lanes * step) ++run.lanes;
  const std::uint64_t in_page = ShadowPages::kPage - (run.offset & (ShadowPages::kPage - 1));
  if (run.lanes * step > in_page) run.lanes = static_cast<unsigned>(in_page / step);
  return run;
}

// Returns those of `lanes` that the general rules must check. Runs of lanes at adjacent words are checked
// side by side.
std::uint32_t GlobalRaceDetector::without_runs(const Lane& at, std::uint32_t lanes) {
  const GlobalAccess& a = at.access;
  std::uint64_t own[kWarpSize];
  if (a.address == nullptr)
    for (unsigned lane = 0; lane < kWarpSize; ++lane) own[lane] = a.of(lane);
  const std::uint64_t* const address = a.address != nullptr ? a.address : own;
  std::uint32_t others = 0, single = 0;
  Run before;
  unsigned again = 0;  // runs of the same words
  while (lanes != 0) {
    const Run run = run_from(a, address, lanes);
    const auto run_lanes = static_cast<std::uint32_t>(((std::uint64_t{1} << run.lanes) - 1) << run.lane);
    lanes &= ~run_lanes;
    const bool same = run.offset == before.offset && run.lanes == before.lanes && run.packed == before.packed;
    again = same ? again + 1 : 0;
    before = run;
    if (run.lanes == 1 && a.bytes >= 4) {
      single |= run_lanes;
    } else if (again < 2 || a.kind != Access::Kind::read) {  // two readers represent all lanes of their warp
      if (run_is_plain(at, run)) continue;
      others |= run_lanes;
      before = {};
    }
  }
  return single == 0 ? others : others | without_plain(at, single);
}

// Whether this access is an atomic that may leave shadow words unchanged: see without_updates().
bool GlobalRaceDetector::updates_may_be_plain(const Lane& at) const {
  const GlobalAccess& a = at.access;
  return a.kind == Access::Kind::atomic && a.allocation != nullptr && a.allocation->race.get() != nullptr &&
         (a.bytes & 3) == 0 && places_[at.site].used == ~std::uint64_t{0} && released_.empty() &&
         !a.releases && !a.of_block && !at.block.fenced[a.warp].any() && !places_[at.site].counts;
}

// `record`: in and out, the shadow word. `since`: the shadow word of later readers, if the page has those.
inline bool GlobalRaceDetector::word_is_plain(const Lane& at, unsigned lane, std::uint32_t floor,
                                              std::uint64_t& record, const std::uint64_t* since) const {
  const GlobalAccess& a = at.access;
  const GlobalShadowWord known{record};
  const std::uint32_t thread = a.warp * kWarpSize + lane;
  if (a.kind == Access::Kind::atomic)
    return is_fresh(known) && known.holding() == Holding::atomic_by_many && !known.marked() &&
           since == nullptr;
  const auto is_over = [&](GlobalShadowWord one) {  // accessed by this block, before its last barrier
    return !is_fresh(one) || (one.segment() >= at.block.first_segment && one.segment() < floor);
  };
  const bool write = a.kind == Access::Kind::write, fresh = is_fresh(known);
  if (fresh && !write && known.holding() == Holding::read_by_many) return true;
  const bool own = known.segment() == at.block.segment && known.first() == thread &&
                   (known.holding() == Holding::read || known.holding() == Holding::written);
  if (own && !write) return true;
  if (!own && (!is_over(known) || (fresh && !write && !known.is_read()))) return false;
  if (write && since != nullptr && !is_over({*since})) return false;
  record = write ? GlobalShadowWord::of(at.block.segment, Holding::written, thread, a.hash[lane], at.site,
                                        (a.silent >> lane & 1u) != 0)
                       .bits
                 : GlobalShadowWord::of(at.block.segment, Holding::read, thread, 0, at.site, false).bits;
  return true;
}

// The lanes that the general rules must check; each of `lanes` executes an atomic on one word. One more
// atomic leaves the shadow word of a word unchanged that only atomics of many blocks have updated.
std::uint32_t GlobalRaceDetector::without_updates(const Lane& at, std::uint32_t lanes) {
  constexpr std::uint64_t kHolding = std::uint64_t{15} << GlobalShadowWord::kHoldingShift;
  constexpr std::uint64_t kUpdated = static_cast<std::uint64_t>(Holding::atomic_by_many)
                                     << GlobalShadowWord::kHoldingShift;
  const GlobalAccess& a = at.access;
  ShadowPages& shadow = *a.allocation->race.get();
  std::uint32_t others = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t offset = a.address[lane] - a.allocation->base;
    const ShadowPages::Page& page = shadow.page(offset);
    const GlobalShadowWord row{*shadow.rows(offset)};
    const bool has_words =
        is_fresh(row) && row.holding() == Holding::apart && page.shift == 2 && page.since == nullptr;
    const GlobalShadowWord word{has_words ? page.last[(offset & (ShadowPages::kPage - 1)) >> 2] : 0};
    const bool updated = is_fresh(word) && (word.bits & (kHolding | GlobalShadowWord::kMarked)) == kUpdated;
    others |= updated ? 0u : 1u << lane;
  }
  return others;
}

// Prefetches the shadow words of these lanes and stores their pages: scattered lanes have no locality.
inline void GlobalRaceDetector::prefetch(const GlobalAccess& a, std::uint32_t lanes, ShadowPages& shadow,
                                         ShadowPages::Page** pages) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t offset = a.of(lane) - a.allocation->base;
    ShadowPages::Page& page = *(pages[lane] = &shadow.page(offset));
    __builtin_prefetch(shadow.rows(offset));
    if (page.last != nullptr)
      __builtin_prefetch(&page.last[(offset & (ShadowPages::kPage - 1)) >> page.shift]);
  }
}

// Whether one lane's access may skip the general rules. Precondition: its page has shadow words for single
// words, and the access lies in one row.
[[gnu::always_inline]] inline bool GlobalRaceDetector::words_are_plain(const Lane& at, unsigned lane,
                                                                       std::uint32_t floor,
                                                                       ShadowPages::Page& page,
                                                                       std::size_t word) {
  const GlobalAccess& a = at.access;
  const bool write = a.kind == Access::Kind::write;
  const unsigned words = a.bytes / 4u;
  std::uint64_t* const last = &page.last[word];
  std::uint64_t* const since = page.since != nullptr ? &page.since[word] : nullptr;
  // The decision of word_is_plain() for untouched words. It is repeated here because most scattered stores
  // are to such words.
  if (words == 1 && since == nullptr && !is_fresh({*last})) {
    const Holding holding = write ? Holding::written : Holding::read;
    *last = GlobalShadowWord::of(at.block.segment, holding, a.warp * kWarpSize + lane,
                                 write ? a.hash[lane] : 0u, at.site, write && (a.silent >> lane & 1u) != 0)
                .bits;
    return true;
  }
  std::uint64_t next[8];
  bool plain = true;
  for (unsigned i = 0; i < words; ++i) {
    next[i] = last[i];
    plain &= word_is_plain(at, lane, floor, next[i], since != nullptr ? since + i : nullptr);
  }
  for (unsigned i = 0; plain && i < words; ++i) last[i] = next[i];
  for (unsigned i = 0; plain && write && since != nullptr && i < words; ++i) since[i] = 0;
  return plain;
}

// The lanes that the general rules must check. Precondition: the row of each lane has shadow words for its
// single words, or many blocks have read it.
std::uint32_t GlobalRaceDetector::without_plain(const Lane& at, std::uint32_t lanes) {
  const GlobalAccess& a = at.access;
  ShadowPages& shadow = *a.allocation->race.get();
  if (a.kind == Access::Kind::atomic && a.bytes == 4 && !a.known()) return without_updates(at, lanes);
  const bool read = a.kind == Access::Kind::read;
  const std::uint32_t floor = floor_of(at.block);
  ShadowPages::Page* pages[kWarpSize];
  prefetch(a, lanes, shadow, pages);
  std::uint32_t others = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t offset = a.of(lane) - a.allocation->base;
    ShadowPages::Page& page = *pages[lane];
    const std::uint64_t& row = *shadow.rows(offset);
    if (read && is_read_by_many(row, base_)) continue;
    if (!is_fresh({row}) && shadow.keep_units(page, 2)) take_apart(shadow, offset, base_, at.block.segment);
    const bool has_words = is_fresh({row}) && GlobalShadowWord{row}.holding() == Holding::apart &&
                           page.shift == 2 && (offset & 3) == 0 &&
                           offset % ShadowPages::kRowBytes + a.bytes <= ShadowPages::kRowBytes;
    const std::size_t word = (offset & (ShadowPages::kPage - 1)) >> 2;
    if (!has_words || !words_are_plain(at, lane, floor, page, word)) others |= 1u << lane;
  }
  return others;
}

}  // namespace warpgrade::emulator
