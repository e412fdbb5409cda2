// What most accesses of global memory are, decided at a glance: who has read or written these words, if
// anybody, makes no difference to them. The rules are those of global_race.cpp.
#include <algorithm>
#include <bit>

#include "observe/global_race.hpp"
#include "observe/global_strip.hpp"

namespace warpgrade::observe {
namespace {

using Pattern = Access::Pattern;

}  // namespace

// Segments from here on are of the block's present, as far as its own are concerned.
std::uint32_t GlobalRace::floor_of(const GlobalBlock& block) const {
  const bool only_own = runs_.size() == block.first_run ||
                        (runs_.size() == block.first_run + 1 && runs_.back() == block.linear);
  return only_own ? block.floor : block.first_segment;
}

bool GlobalRace::strips_are_plain(const Lane& at, unsigned half, RaceShadow::Page& page,
                                  std::uint64_t offset) {
  const GlobalAccess& a = at.access;
  const bool write = a.kind == Access::Kind::write;
  const unsigned words = a.bytes / 4u, strip = RaceShadow::strip_of(offset);
  const std::uint32_t segment = present_segment(at.block);
  if (segment > GlobalRecord::kMostSegment) return false;
  const StripOutcome outcome =
      enter_strips({.strip = &page.strips[strip],
                    .values = write ? RaceShadow::values(page) + RaceShadow::kStripWords * strip : nullptr,
                    .count = words,
                    .shift = static_cast<unsigned>(std::countr_zero(words)),
                    .write = write,
                    .alone = !at.block.any_known,
                    .base = base_,
                    .first_segment = at.block.first_segment,
                    .floor = floor_of(at.block),
                    .record = GlobalRecord::of(segment, write ? Holding::written : Holding::read,
                                               a.warp * 32 + 16 * half, 0, at.site, false)
                                  .bits,
                    .hash = write ? a.hash + 16 * half : nullptr,
                    .silent = a.silent >> 16 * half});
  // A segment that no record names need not be told apart from others: most are never given away.
  if (outcome == StripOutcome::entered) renew_segment(at.block);
  return outcome != StripOutcome::general;
}

// The same word by word, for runs that begin anywhere or are one word.
bool GlobalRace::words_are_plain(const Lane& at, unsigned half, RaceShadow::Page& page,
                                 std::uint64_t offset) {
  const GlobalAccess& a = at.access;
  const bool write = a.kind == Access::Kind::write, packed = a.half[half] == Pattern::packed;
  const unsigned words = a.bytes / 4u, count = packed ? 16 * words : words;
  const unsigned first = RaceShadow::strip_of(offset), last = RaceShadow::strip_of(offset + 4ull * count - 1);
  bool settled = !write;
  for (unsigned strip = first; strip <= last; ++strip) settled &= is_read_by_many(page.strips[strip], base_);
  if (settled) return true;
  if ((write && (!packed || page.since != nullptr)) || page.shift != 2 || !renew_segment(at.block))
    return false;
  if (!a.allocation->race->keep_units(page, 2)) return false;
  for (unsigned strip = first; strip <= last; ++strip) take_apart(page, strip, base_, at.block.segment);
  return fast_({.last = &page.last[(offset & (RaceShadow::kPage - 1)) >> 2],
                .count = count,
                .shift = static_cast<unsigned>(std::countr_zero(words)),
                .write = write,
                .uniform = !packed,
                .alone = !at.block.any_known,
                .base = base_,
                .first_segment = at.block.first_segment,
                .record = GlobalRecord::of(at.block.segment, write ? Holding::written : Holding::read,
                                           a.warp * 32 + 16 * half, 0, at.site, false)
                              .bits,
                .hash = write ? a.hash + 16 * half : nullptr,
                .silent = a.silent >> 16 * half});
}

// A half that lies in one page goes the fast way, which most do.
bool GlobalRace::half_is_plain(const Lane& at, unsigned half) {
  const GlobalAccess& a = at.access;
  if (a.allocation == nullptr || a.half[half] == Pattern::scattered || (a.bytes & 3) != 0 || !a.is_plain() ||
      places_[at.site].used != ~std::uint64_t{0})
    return false;
  const std::uint64_t offset = a.first[half] - a.allocation->base;
  const bool packed = a.half[half] == Pattern::packed;
  const unsigned bytes = packed ? 16u * a.bytes : a.bytes;
  if ((offset >> RaceShadow::kPageShift) != ((offset + bytes - 1) >> RaceShadow::kPageShift)) return false;
  if ((offset & 3) != 0 || (a.kind == Access::Kind::write && a.hash == nullptr)) return false;
  if (!a.allocation->race) a.allocation->race = std::make_shared<RaceShadow>(a.allocation->bytes);
  RaceShadow::Page& page = a.allocation->race->strips(offset);
  if (packed && (offset & (RaceShadow::kStrip - 1)) == 0 && strips_are_plain(at, half, page, offset))
    return true;
  return words_are_plain(at, half, page, offset);
}

bool GlobalRace::lanes_may_be_plain(const Lane& at) const {
  const GlobalAccess& a = at.access;
  if (a.allocation == nullptr || !a.allocation->race || (a.bytes & 3) != 0 ||
      places_[at.site].used != ~std::uint64_t{0})
    return false;
  if (a.kind == Access::Kind::atomic)
    return released_.empty() && !a.releases && !a.of_block && !at.block.fenced[a.warp].any();
  return a.is_plain() && (a.kind == Access::Kind::read || a.hash != nullptr);
}

// `record`: of the word; in the end what it is to be.
inline bool GlobalRace::word_is_plain(const Lane& at, unsigned lane, std::uint64_t& record,
                                      bool has_readers) const {
  const GlobalAccess& a = at.access;
  const GlobalRecord known{record};
  const std::uint32_t thread = a.warp * 32 + lane;
  if (a.kind == Access::Kind::atomic)
    return is_fresh(known) && known.holding() == Holding::atomic_by_many && !known.marked() && !has_readers;
  const bool write = a.kind == Access::Kind::write, fresh = is_fresh(known);
  if (fresh && !write && known.holding() == Holding::read_by_many) return true;
  const bool own = known.segment() == at.block.segment && known.first() == thread &&
                   (known.holding() == Holding::read || known.holding() == Holding::written);
  if (fresh && !own) return false;
  if (fresh && !write) return true;
  if (fresh && has_readers) return false;
  record = write ? GlobalRecord::of(at.block.segment, Holding::written, thread, a.hash[lane], at.site,
                                    (a.silent >> lane & 1u) != 0)
                       .bits
                 : GlobalRecord::of(at.block.segment, Holding::read, thread, 0, at.site, false).bits;
  return true;
}

// Of these lanes with an atomic of one word, those that the general rules must look at: where many blocks
// have updated it, and nobody else, one more changes nothing.
std::uint32_t GlobalRace::without_updates(const Lane& at, std::uint32_t lanes) {
  constexpr std::uint64_t kHolding = std::uint64_t{15} << GlobalRecord::kHoldingShift;
  constexpr std::uint64_t kUpdated = static_cast<std::uint64_t>(Holding::atomic_by_many)
                                     << GlobalRecord::kHoldingShift;
  const GlobalAccess& a = at.access;
  RaceShadow& shadow = *a.allocation->race;
  std::uint32_t others = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t offset = a.address[lane] - a.allocation->base;
    const RaceShadow::Page& page = shadow.strips(offset);
    const GlobalRecord strip{page.strips[RaceShadow::strip_of(offset)]};
    const bool has_words =
        is_fresh(strip) && strip.holding() == Holding::apart && page.shift == 2 && page.since == nullptr;
    const GlobalRecord word{has_words ? page.last[(offset & (RaceShadow::kPage - 1)) >> 2] : 0};
    const bool updated = is_fresh(word) && (word.bits & (kHolding | GlobalRecord::kMarked)) == kUpdated;
    others |= updated ? 0u : 1u << lane;
  }
  return others;
}

// Of these lanes, those that the general rules must look at. A lane is anywhere, in a strip whose words are
// apart or which many blocks have read.
std::uint32_t GlobalRace::without_plain(const Lane& at, std::uint32_t lanes) {
  const GlobalAccess& a = at.access;
  RaceShadow& shadow = *a.allocation->race;
  if (a.kind == Access::Kind::atomic && a.bytes == 4 && !a.known()) return without_updates(at, lanes);
  const bool read = a.kind == Access::Kind::read;
  const unsigned words = a.bytes / 4u;
  std::uint32_t others = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t offset = a.of(lane) - a.allocation->base;
    RaceShadow::Page& page = shadow.strips(offset);
    const GlobalRecord strip{page.strips[RaceShadow::strip_of(offset)]};
    if (read && is_read_by_many(strip.bits, base_)) continue;
    bool plain = is_fresh(strip) && strip.holding() == Holding::apart && page.shift == 2 &&
                 (offset & 3) == 0 && offset % RaceShadow::kStrip + a.bytes <= RaceShadow::kStrip;
    if (plain) {
      std::uint64_t* last = &page.last[(offset & (RaceShadow::kPage - 1)) >> 2];
      std::uint64_t next[8];
      for (unsigned i = 0; i < words; ++i) {
        next[i] = last[i];
        plain &= word_is_plain(at, lane, next[i], page.since != nullptr);
      }
      for (unsigned i = 0; plain && i < words; ++i) last[i] = next[i];
    }
    others |= plain ? 0u : 1u << lane;
  }
  return others;
}

}  // namespace warpgrade::observe
