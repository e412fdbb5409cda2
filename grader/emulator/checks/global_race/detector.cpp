#include "checks/global_race/detector.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "checks/global_race/shadow/shadow_row.hpp"
#include "machine/program.hpp"

namespace warpgrade::emulator {
namespace {

using LanePattern = Access::LanePattern;

}  // namespace

GlobalRaceDetector::GlobalRaceDetector(const LaunchRequest& request, DeviceMemory& memory, std::uint32_t base,
                                       const FlagLoads* flags)
    : request_(request),
      memory_(memory),
      warps_(static_cast<std::uint32_t>((request.block.count() + kWarpSize - 1) / kWarpSize)),
      base_(base),
      flags_(flags != nullptr && (flags->hand_over_words() || flags->may_be_torn()) ? flags : nullptr),
      fast_(global_fast()) {
  places_.emplace_back();
}

void GlobalRaceDetector::begin(GlobalBlock& block, std::uint64_t linear) {
  block.linear = linear;
  block.order.begin(warps_);
  block.known.assign(warps_, nullptr);
  block.seen.assign(warps_, nullptr);
  block.near.assign(warps_, nullptr);
  block.seen_within.assign(warps_, {});
  block.fenced.assign(warps_, {});
  block.flags.clear();
  block.any_known = block.any_known_reads = block.new_fences = false;
  block.known_reads.assign(warps_, nullptr);
  block.own_reads_time = 0;
  block.early.clear();
  block.polled.clear();
  block.locks.clear();
  block.arrived.clear();
  block.first_segment = block.floor = base_ + static_cast<std::uint32_t>(segments_.size());
  block.first_run = static_cast<std::uint32_t>(runs_.size());
  block.segment_time = 0;
}

// Numbers the kernel's accesses to global memory: a shadow word has 14 bits for an access site.
std::uint32_t GlobalRaceDetector::site_of(const GlobalAccess& access) {
  const std::uint32_t instruction = access.instruction;
  if (instruction >= sites_.size()) sites_.resize(instruction + 64);
  if (sites_[instruction] == 0) {
    if (places_.size() > GlobalShadowWord::kMostSite) return GlobalShadowWord::kMostSite;
    sites_[instruction] = static_cast<std::uint16_t>(places_.size());
    const Program* program = request_.kernel->program;
    const ptx::Instruction* ptx = program == nullptr ? nullptr : program->origin(instruction).ptx;
    const bool all = ptx == nullptr || ptx->used_bytes_mask == 0;
    places_.push_back({instruction, all ? ~std::uint64_t{0} : ptx->used_bytes_mask, access.is_volatile,
                       access.is_data, ptx != nullptr && ptx->has(ptx::Modifier::nc),
                       ptx != nullptr && ptx->opcode == ptx::Opcode::ld &&
                           ptx->has_any({ptx::Modifier::volatile_, ptx::Modifier::relaxed})});
    if (flags_ != nullptr) {
      AccessSite& site = places_.back();
      const bool waits = flags_->polls.contains(instruction);
      site.polls = waits || flags_->arrivals.contains(instruction);
      site.is_untested = flags_->untested.contains(instruction);
      site.is_early = flags_->early.contains(instruction);
      const bool swaps = ptx != nullptr && ptx->has_any({ptx::Modifier::exch, ptx::Modifier::cas});
      site.may_set_flag =
          access.kind == Access::Kind::write || (ptx != nullptr && ptx->has(ptx::Modifier::exch) && !waits);
      site.counts = access.kind == Access::Kind::atomic && !swaps && !waits;
      const auto wide = flags_->wide.find(instruction);
      if (flags_->may_be_torn() && wide != flags_->wide.end()) site.wide = &wide->second;
    }
  }
  return sites_[instruction];
}

const GlobalRaceDetector::AccessSite& GlobalRaceDetector::place_of(GlobalShadowWord record) const {
  return places_[record.site() < places_.size() ? record.site() : 0];
}

// The number of the block's current segment, or the one that renew_segment() would give it.
std::uint32_t GlobalRaceDetector::present_segment(const GlobalBlock& block) const {
  return block.segment_time == block.order.now() ? block.segment
                                                 : base_ + static_cast<std::uint32_t>(segments_.size());
}

// Gives the block's current segment a number, unless it has one. False if no numbers are left.
bool GlobalRaceDetector::renew_segment(GlobalBlock& block) {
  if (block.segment_time == block.order.now()) return !worn_out_;
  const std::uint32_t next = present_segment(block);
  worn_out_ = worn_out_ || next > GlobalShadowWord::kMostSegment;
  if (worn_out_) return false;
  if (runs_.empty() || runs_.back() != block.linear) runs_.push_back(block.linear);
  segments_.push_back({static_cast<std::uint32_t>(runs_.size() - 1), block.order.now()});
  block.segment = next;
  block.segment_time = block.order.now();
  return true;
}

bool GlobalRaceDetector::ordered(const Lane& at, std::uint32_t thread, GlobalShadowWord with,
                                 std::uint32_t earlier) const {
  const std::uint64_t block = block_of(with);
  const std::uint32_t time = time_of(with);
  if (block == at.block.linear && at.block.order.ordered(time, earlier, thread)) return true;
  const HappensBefore::Pointer &known = at.block.known[thread / kWarpSize],
                               &reads = at.block.known_reads[thread / kWarpSize];
  if (reads && with.is_read() && knows(reads, at.block.linear, block, earlier / kWarpSize, time)) return true;
  const auto in = [&](const HappensBefore::Pointer& all) {
    return all && knows(all, at.block.linear, block, earlier / kWarpSize, time);
  };
  return in(known) || in(at.block.seen[thread / kWarpSize]) || in(at.block.near[thread / kWarpSize]);
}

// Whether the read is ordered after the write `with` only by a flag that the warp has read without acquiring
// it, or has acquired with a scope that does not contain the writer.
bool GlobalRaceDetector::is_only_seen(const Lane& at, const GlobalWordAccess& piece,
                                      GlobalShadowWord with) const {
  HappensBefore::Pointer &seen = at.block.seen[piece.thread / kWarpSize],
                         &near = at.block.near[piece.thread / kWarpSize];
  if ((!seen && !near) || with.holding() != Holding::written) return false;
  const bool own = block_of(with) == at.block.linear;
  const HappensBefore::Pointer seen_apart = std::exchange(seen, nullptr),
                               near_apart = std::exchange(near, own ? near : nullptr);
  const bool without = ordered(at, piece.thread, with, with.first());
  seen = seen_apart;
  near = near_apart;
  return !without;
}

// Whether the access would be ordered after another block's write if that block's fence had device scope.
bool GlobalRaceDetector::fence_was_too_small(const Lane& at, const GlobalWordAccess& piece,
                                             GlobalShadowWord with) const {
  const std::uint64_t writer = block_of(with);
  if (writer == at.block.linear || ordered(at, piece.thread, with, with.first())) return false;
  const HappensBefore::Pointer& known = at.block.known[piece.thread / kWarpSize];
  return known && knows(known, writer, writer, with.first() / kWarpSize, time_of(with));
}

// A thread of the shadow word `with` that the access is not ordered after, if any.
std::optional<GlobalRaceDetector::GlobalConflict> GlobalRaceDetector::conflict_with(
    const Lane& at, const GlobalWordAccess& piece, GlobalShadowWord with) const {
  const auto meeting = [&](std::uint32_t thread) {
    GlobalConflict met{with, thread, !with.is_read(), false, with.is_atomic()};
    const bool writes = at.access.kind == Access::Kind::write;
    if (writes && met.writes && !met.atomic) met.same_value = with.second() == piece.hash;
    if (writes && !met.writes) met.same_value = piece.silent;
    if (at.access.kind == Access::Kind::read) met.same_value = met.writes && !met.atomic && with.marked();
    return met;
  };
  const bool of_block = with.is_atomic() && (at.access.of_block || with.marked());
  const bool strong = with.is_atomic() || with.holding() == Holding::stored_strongly;
  if (strong && !of_block && block_of(with) != at.block.linear && has_seen(at, piece.address)) return {};
  if (!ordered(at, piece.thread, with, with.first())) return meeting(with.first());
  if (with.has_second() && !ordered(at, piece.thread, with, with.second())) return meeting(with.second());
  return {};
}

GlobalShadowWord GlobalRaceDetector::readers_since(const GlobalWordAccess& piece) const {
  if (piece.page->since == nullptr) return {};
  const GlobalShadowWord found{piece.page->since[piece.last - piece.page->last.get()]};
  return is_fresh(found) ? found : GlobalShadowWord{};
}

void GlobalRaceDetector::forget_readers(const GlobalWordAccess& piece) const {
  if (piece.page->since != nullptr) piece.page->since[piece.last - piece.page->last.get()] = 0;
}

std::optional<GlobalRaceDetector::GlobalConflict> GlobalRaceDetector::conflict_with_readers(
    const Lane& at, const GlobalWordAccess& piece) const {
  const GlobalShadowWord readers = readers_since(piece);
  if (readers.bits == 0) return {};
  return conflict_with(at, piece, readers);
}

// The shadow word after one more thread has made the same kind of access.
GlobalShadowWord GlobalRaceDetector::with_one_more(const Lane& at, const GlobalWordAccess& piece,
                                                   GlobalShadowWord known, bool atomic) const {
  const auto as = [&](Holding reads, Holding updates) { return atomic ? updates : reads; };
  const GlobalShadowWord alone = GlobalShadowWord::of(at.block.segment, as(Holding::read, Holding::atomic),
                                                      piece.thread, 0, at.site, atomic && at.access.of_block);
  if (!is_fresh(known) || known.bits == 0) return alone;
  if (!atomic && place_of(known).is_volatile) return alone;  // a plain read races with more accesses
  const bool many = known.holding() == as(Holding::read_by_many, Holding::atomic_by_many);
  if (many) return known;
  const bool same_block = block_of(known) == at.block.linear;
  // Other blocks race with an atomic of block scope, so its record replaces one of wider scope.
  if (atomic && same_block && at.access.of_block && !known.marked()) return alone;
  const bool own = same_block && known.first() == piece.thread && !known.has_second();
  if (own && known.segment() == at.block.segment) return known;
  if (own || !conflict_with(at, piece, known)) return alone;
  const auto with = [&](Holding holding, std::uint32_t second) {
    return GlobalShadowWord::of(known.segment(), holding, known.first(), second, known.site(),
                                known.marked());
  };
  if (!same_block) return with(as(Holding::read_by_many, Holding::atomic_by_many), 0);
  const bool of_warp =
      known.first() / kWarpSize == piece.thread / kWarpSize && known.holding() <= Holding::read_by_warp;
  if (of_warp && !atomic)
    return with(Holding::read_by_warp, known.has_second() ? known.second() : piece.thread);
  const bool has_both = known.holding() == as(Holding::read_by_block, Holding::atomic_by_block);
  // The second thread is of another warp if there is one; in any case it is not the first thread.
  const std::uint32_t second = has_both || piece.thread == known.first() ? known.second() : piece.thread;
  return with(as(Holding::read_by_block, Holding::atomic_by_block), second);
}

std::optional<GlobalRaceDetector::GlobalConflict> GlobalRaceDetector::enter_read(
    const Lane& at, const GlobalWordAccess& piece) {
  const GlobalShadowWord last{*piece.last};
  if (!is_fresh(last) || last.is_read()) {
    *piece.last = with_one_more(at, piece, last, false).bits;
    return {};
  }
  const bool own = last.first() == piece.thread && last.segment() == at.block.segment && !last.is_atomic();
  std::optional<GlobalConflict> met;
  if (!own) met = conflict_with(at, piece, last);
  // The writer does not matter: "ld.global.nc" of the PTX ISA requires memory that is read-only for the whole
  // kernel.
  if (!met && places_[at.site].is_non_coherent)
    met = GlobalConflict{.with = last, .thread = last.first(), .writes = true, .is_stale = true};
  if (own || (met && met->is_stale)) return met;
  if (!met && piece.shadow->keep_readers(*piece.page)) {
    std::uint64_t& since = piece.page->since[piece.last - piece.page->last.get()];
    since = with_one_more(at, piece, {since}, false).bits;
  }
  if (!met && is_only_seen(at, piece, last))
    met = GlobalConflict{.with = last, .thread = last.first(), .writes = true, .is_seen = true};
  return met;
}

std::optional<GlobalRaceDetector::GlobalConflict> GlobalRaceDetector::enter_plain_write(
    const Lane& at, const GlobalWordAccess& piece) {
  const GlobalShadowWord last{*piece.last};
  std::optional<GlobalConflict> met;
  if (is_fresh(last)) {
    met = conflict_with(at, piece, last);
    if (!met && !last.is_read()) met = conflict_with_readers(at, piece);
  }
  forget_readers(piece);
  *piece.last = GlobalShadowWord::of(at.block.segment, Holding::written, piece.thread, piece.hash, at.site,
                                     piece.silent)
                    .bits;
  return met;
}

// Does an atomic, volatile, .relaxed or similar access race with `last`? Such accesses do not race with each
// other, except
// - accesses whose scope does not contain both threads;
// - volatile accesses that are not used as a flag: two writes of different values (the last one wins), or a
//   write and a read or atomic whose value is not used;
// - a hand-over with a fence of block scope only.
std::optional<GlobalRaceDetector::GlobalConflict> GlobalRaceDetector::find_strong_conflict(
    const Lane& at, const GlobalWordAccess& piece, GlobalShadowWord last) const {
  const GlobalAccess& a = at.access;
  if (!is_fresh(last)) return {};
  const bool reads = a.kind == Access::Kind::read, their_volatile = place_of(last).is_volatile;
  const bool other_block = block_of(last) != at.block.linear;
  switch (last.holding()) {
    case Holding::written:
      return conflict_with(at, piece, last);
    case Holding::stored_strongly: {
      const bool data = their_volatile && (a.is_volatile ? reads : !reads) && a.is_data;
      const bool two_stores = a.is_volatile && a.kind == Access::Kind::write && last.second() != piece.hash;
      const bool small_fence = a.is_volatile && fence_was_too_small(at, piece, last);
      if (data || two_stores || small_fence) return conflict_with(at, piece, last);
      return {};
    }
    case Holding::atomic:
    case Holding::atomic_by_block:
    case Holding::atomic_by_many:
      if (other_block && (a.of_block || last.marked())) return conflict_with(at, piece, last);
      if (a.is_volatile && a.kind == Access::Kind::write && place_of(last).is_data)
        return conflict_with(at, piece, last);
      return {};
    default:
      if (reads || (their_volatile && !a.is_volatile)) return {};
      return conflict_with(at, piece, last);
  }
}

std::optional<GlobalRaceDetector::GlobalConflict> GlobalRaceDetector::enter_strong(
    const Lane& at, const GlobalWordAccess& piece) {
  const GlobalAccess& a = at.access;
  const GlobalShadowWord last{*piece.last};
  std::optional<GlobalConflict> met = find_strong_conflict(at, piece, last);
  if (!met) met = find_torn_store(at, piece);
  const bool fresh = is_fresh(last);
  if (a.kind == Access::Kind::read) {
    if (a.is_volatile && a.is_data && !met) note_volatile_read(at, piece);
    if (!met && places_[at.site].is_untested && fresh && last.holding() == Holding::stored_strongly &&
        hand_overs_.lacks_fence(piece.address, piece.thread, at.block.order, at.block.polled) &&
        !ordered(at, piece.thread, last, last.first()))
      met = GlobalConflict{.with = last, .thread = last.first(), .writes = true};
    if (!met && places_[at.site].is_early) note_early(at, piece);
    return met;
  }
  if (!met && fresh && !last.is_read()) {
    const GlobalShadowWord readers = readers_since(piece);
    if (readers.bits != 0) met = find_strong_conflict(at, piece, readers);
  }
  forget_readers(piece);
  *piece.last =
      a.kind == Access::Kind::atomic
          ? with_one_more(at, piece, fresh && last.is_atomic() ? last : GlobalShadowWord{}, true).bits
          : GlobalShadowWord::of(at.block.segment, Holding::stored_strongly, piece.thread, piece.hash,
                                 at.site, false)
                .bits;
  return met;
}

std::optional<GlobalRaceDetector::GlobalConflict> GlobalRaceDetector::enter(const Lane& at,
                                                                            const GlobalWordAccess& piece) {
  if (!at.access.is_plain()) return enter_strong(at, piece);
  return at.access.kind == Access::Kind::read ? enter_read(at, piece) : enter_plain_write(at, piece);
}

// What the access acquires, and notes of it that the checks of its words use.
[[gnu::always_inline]] inline void GlobalRaceDetector::before_lane(const Lane& at, std::uint64_t address,
                                                                   std::uint32_t thread) {
  const GlobalAccess& a = at.access;
  if (a.takes_lock) take_lock(at, address);
  if (!a.is_plain() && a.kind != Access::Kind::write && !a.is_data) acquire(at, address);
  if (places_[at.site].polls) note_poll(at, address, thread);
}

// What the access releases once its words are checked.
[[gnu::always_inline]] inline void GlobalRaceDetector::after_lane(const Lane& at, std::uint64_t address,
                                                                  std::uint32_t thread) {
  const GlobalAccess& a = at.access;
  const bool releases = !a.is_plain() && a.kind != Access::Kind::read;
  if (releases) release(at, address);
  if (places_[at.site].may_set_flag || places_[at.site].counts) note_store(at, address, thread);
  if (releases && !a.takes_lock) give_back_lock(at, address);
}

void GlobalRaceDetector::lane(const Lane& at, unsigned lane) {
  const GlobalAccess& a = at.access;
  const std::uint64_t address = a.of(lane), used = places_[at.site].used;
  Allocation* allocation = a.allocation != nullptr ? a.allocation : memory_.find(address);
  if (allocation == nullptr || allocation->freed) return;
  GlobalWordAccess piece{.shadow = &allocation->race.of(allocation->bytes),
                         .whole = address,
                         .thread = a.warp * kWarpSize + lane,
                         .hash = a.hash != nullptr ? a.hash[lane] : 0u,
                         .silent = (a.silent >> lane & 1u) != 0};
  const unsigned shift = a.bytes < 4 || (address & 3) != 0 ? 0 : 2;
  before_lane(at, address, piece.thread);
  std::optional<GlobalConflict> worst;
  std::uint64_t where = address;
  for (unsigned i = 0; i < a.bytes;) {
    const std::uint64_t offset = address + i - allocation->base;
    if (a.kind == Access::Kind::read && is_read_by_many(*piece.shadow->rows(offset), base_)) {
      i += static_cast<unsigned>(ShadowPages::kRowBytes - (offset & (ShadowPages::kRowBytes - 1)));
      continue;
    }
    piece.page = &piece.shadow->page(offset);
    if (!piece.shadow->keep_units(*piece.page, shift)) return;
    take_apart(*piece.shadow, offset, base_, at.block.segment);
    piece.last = &piece.page->last[(offset & (ShadowPages::kPage - 1)) >> piece.page->shift];
    const unsigned step = 1u << piece.page->shift;
    piece.address = address + i;
    const std::uint64_t bits = ((std::uint64_t{1} << step) - 1) << i;
    if ((used & bits) != 0)
      if (const std::optional<GlobalConflict> met = enter(at, piece); met && (!worst || worst->same_value)) {
        worst = met;
        where = address + i;
      }
    i += step;
  }
  after_lane(at, address, piece.thread);
  if (worst) report(at, lane, where, *worst);
}

void GlobalRaceDetector::access(GlobalBlock& block, const GlobalAccess& access) {
  if (access.in_shared) return order_by_shared({access, block, 0});
  if (worn_out_) return;
  const Lane at{access, block, site_of(access)};
  if (is_under_lock(at)) check_under_lock(at);
  if (access.known() && whole_is_plain(at)) return;
  for (unsigned half = 0; half < 2; ++half) {
    if (access.known() && half_is_plain(at, half)) continue;
    if (!renew_segment(block)) return;
    std::uint32_t left = access.mask & 0xffffu << 16 * half;
    // Sixteen lanes that read the same word: two of them represent all.
    if (access.known() && access.half[half] == LanePattern::uniform && access.kind == Access::Kind::read &&
        access.is_plain())
      left &= 0x00030003u;
    if (may_run(at))
      left = without_runs(at, left);
    else if (updates_may_be_plain(at))
      left = without_plain(at, left);
    for (; left != 0; left &= left - 1) lane(at, static_cast<unsigned>(std::countr_zero(left)));
  }
}

}  // namespace warpgrade::emulator
