// Events that order accesses to global memory: barriers, fences, flags.
#include <bit>
#include <utility>

#include "checks/global_race/detector.hpp"

namespace warpgrade::emulator {

// Joins the fences of two warps.
static void add(Fenced& to, const Fenced& other) {
  raise(to.wide, other.wide);
  raise(to.within, other.within);
  to.known = join(to.known, other.known);
  to.known_within = join(to.known_within, other.known_within);
}

// Adds a warp's last fence to a flag that it writes afterwards.
static void add(BlockFlag& to, const Fenced& fenced) {
  raise(to.clock, fenced.wide);
  raise(to.clock, fenced.within);
  to.known = join(join(to.known, fenced.known), fenced.known_within);
}

void GlobalRaceDetector::block_barrier(GlobalBlock& block) {
  block.order.block_barrier();
  block.floor = base_ + static_cast<std::uint32_t>(segments_.size());
  pass_barriers(block, nullptr);
  share_all(block, nullptr, {});
}

void GlobalRaceDetector::warp_barrier(GlobalBlock& block, std::uint32_t warp, std::uint32_t mask) {
  block.order.warp_barrier(warp, mask);
  pass_barrier(block, warp);
}

void GlobalRaceDetector::arrival(GlobalBlock& block, std::uint32_t warp, std::uint32_t id) {
  block.order.arrival(warp, id);
  pass_barrier(block, warp);
  if (!block.new_fences && !block.any_known && !block.any_known_reads) return;
  Arrived& to = block.arrived[id];
  to.known = join(to.known, block.known[warp]);
  to.seen = join(to.seen, block.seen[warp]);
  to.near = join(to.near, block.near[warp]);
  to.reads = join(to.reads, block.known_reads[warp]);
  add(to.fenced, block.fenced[warp]);
}

void GlobalRaceDetector::partial_barrier(GlobalBlock& block, std::uint32_t id,
                                         const std::uint32_t* warp_masks) {
  block.order.partial_barrier(id, warp_masks);
  pass_barriers(block, warp_masks);
  const auto arrived = block.arrived.extract(id);
  share_all(block, warp_masks, arrived ? arrived.mapped() : Arrived{});
}

// After a barrier each warp has acquired what any warp had acquired, and may release what another warp has
// fenced. Programs rely on that: each thread executes a fence, all synchronise, and one of them sets a flag.
void GlobalRaceDetector::share_all(GlobalBlock& block, const std::uint32_t* warp_masks,
                                   const Arrived& arrived) {
  if (block.new_fences) share_fences(block, warp_masks, arrived.fenced);
  if (!block.any_known && !block.any_known_reads) return;
  HappensBefore::Pointer known = arrived.known, seen = arrived.seen, near = arrived.near,
                         reads = arrived.reads;
  const auto takes_part = [&](std::size_t warp) { return warp_masks == nullptr || warp_masks[warp] != 0; };
  for (std::size_t warp = 0; warp < block.known.size(); ++warp) {
    if (!takes_part(warp)) continue;
    known = join(known, block.known[warp]);
    seen = join(seen, block.seen[warp]);
    near = join(near, block.near[warp]);
    reads = join(reads, block.known_reads[warp]);
  }
  for (std::size_t warp = 0; warp < block.known.size(); ++warp) {
    if (!takes_part(warp)) continue;
    block.known[warp] = known;
    block.seen[warp] = seen;
    block.near[warp] = near;
    block.known_reads[warp] = reads;
  }
}

void GlobalRaceDetector::share_fences(GlobalBlock& block, const std::uint32_t* warp_masks,
                                      const Fenced& arrived) {
  Fenced all = arrived;
  const auto takes_part = [&](std::size_t warp) { return warp_masks == nullptr || warp_masks[warp] != 0; };
  for (std::size_t warp = 0; warp < block.fenced.size(); ++warp)
    if (takes_part(warp)) add(all, block.fenced[warp]);
  for (std::size_t warp = 0; warp < block.fenced.size(); ++warp)
    if (takes_part(warp)) block.fenced[warp] = all;
  if (warp_masks == nullptr) block.new_fences = false;
}

void GlobalRaceDetector::fence(GlobalBlock& block, std::uint32_t warp, bool of_block) {
  block.order.fence();
  pass_fence(block, warp, of_block);
  Fenced& to = block.fenced[warp];
  if (!of_block) to.wide.clear();
  to.within.clear();
  block.order.before(warp, block.order.now(), of_block ? to.within : to.wide);
  (of_block ? to.known_within : to.known) = join(block.known[warp], block.near[warp]);
  if (!of_block) to.known_within = nullptr;
  to.all = nullptr;
  block.new_fences = true;
  if (!block.early.empty()) settle_early(block, warp);
}

// The happens-before set that another block acquires from a flag that was written after this fence.
static const HappensBefore::Pointer& for_others(Fenced& fenced, std::uint64_t block) {
  if (fenced.all == nullptr) {
    fenced.all = fenced.known;
    if (!fenced.wide.empty()) fenced.all = extend(fenced.all, block, fenced.wide, false);
    if (!fenced.within.empty()) fenced.all = extend(fenced.all, block, fenced.within, true);
  }
  return fenced.all;
}

// A flag in shared memory may order accesses of its block to global memory.
void GlobalRaceDetector::order_by_shared(const Lane& at) {
  std::uint64_t last = ~std::uint64_t{0};
  for (std::uint32_t left = at.access.mask; left != 0; left &= left - 1) {
    const std::uint64_t offset = at.access.of(static_cast<unsigned>(std::countr_zero(left)));
    if (offset == std::exchange(last, offset)) continue;  // happens-before sets are kept by warp
    if (at.access.kind != Access::Kind::write && !at.access.is_data) acquire_shared(at, offset);
    if (at.access.kind != Access::Kind::read) release_shared(at, offset);
  }
}

void GlobalRaceDetector::acquire_shared(const Lane& at, std::uint64_t offset) {
  GlobalBlock& block = at.block;
  if (block.flags.empty()) return;
  for (std::uint64_t word = offset & ~std::uint64_t{3}; word < offset + at.access.bytes; word += 4) {
    const auto found = block.flags.find(word);
    if (found == block.flags.end()) continue;
    block.order.learn(at.access.warp, found->second.clock);
    if (!found->second.known) continue;
    HappensBefore::Pointer& known = block.known[at.access.warp];
    known = join(known, found->second.known);
    block.any_known = true;
  }
}

void GlobalRaceDetector::release_shared(const Lane& at, std::uint64_t offset) {
  if (at.access.releases) fence(at.block, at.access.warp, at.access.of_block);
  const Fenced& fenced = at.block.fenced[at.access.warp];
  if (!fenced.any()) return;
  for (std::uint64_t word = offset & ~std::uint64_t{3}; word < offset + at.access.bytes; word += 4)
    add(at.block.flags[word], fenced);
}

void GlobalRaceDetector::phase_completed(GlobalBlock& block, std::uint32_t offset) {
  const auto found = block.flags.find(offset);
  if (found == block.flags.end()) return;
  const BlockFlag arrived = found->second;
  BlockFlag& completed = block.flags[offset + 4];
  raise(completed.clock, arrived.clock);
  completed.known = join(completed.known, arrived.known);
}

// Reads before the block's last barrier are complete: a flag that the block stores after the barrier releases
// them without a fence. Decoupled look-back compacts in place like this (CUB's DeviceSelect).
void GlobalRaceDetector::note_reads(const Lane& at, std::uint64_t address) {
  constexpr std::size_t kMost = std::size_t{1}
                                << 16;  // words; a kernel with more volatile words uses them as data
  GlobalBlock& block = at.block;
  if (block.order.floor() != block.own_reads_time) {
    block.own_reads_time = block.order.floor();
    block.own_reads =
        extend(nullptr, block.linear, WarpClock(block.order.warps(), block.order.floor()), false);
  }
  const HappensBefore::Pointer all = join(block.known_reads[at.access.warp], block.own_reads);
  for (std::uint64_t word = address & ~std::uint64_t{3}; word < address + at.access.bytes; word += 4) {
    if (reads_before_.size() >= kMost && !reads_before_.contains(word)) continue;
    HappensBefore::Pointer& before = reads_before_[word];
    before = join(before, all);
  }
}

void GlobalRaceDetector::note_poll(const Lane& at, std::uint64_t address, std::uint32_t thread) {
  hand_overs_.poll(address, at.block.linear, {.store = {}, .thread = thread, .time = at.block.order.now()},
                   at.block.polled);
  settle_early(at.block, at.access.warp);
}

// Records a volatile read of data, unless that would replace another reader: any other reader races with
// everything that this one races with.
void GlobalRaceDetector::note_volatile_read(const Lane& at, const GlobalWordAccess& piece) const {
  const GlobalShadowWord alone =
      GlobalShadowWord::of(at.block.segment, Holding::read, piece.thread, 0, at.site, false);
  const auto note = [&](std::uint64_t& to) {
    const GlobalShadowWord known{to};
    if (is_fresh(known) && known.is_read() && conflict_with(at, piece, known)) return;
    to = alone.bits;
  };
  const GlobalShadowWord last{*piece.last};
  if (!is_fresh(last) || last.is_read()) return note(*piece.last);
  if (piece.shadow->keep_readers(*piece.page)) note(piece.page->since[piece.last - piece.page->last.get()]);
}

void GlobalRaceDetector::note_early(const Lane& at, const GlobalWordAccess& piece) const {
  constexpr std::size_t kMost = 64;
  const GlobalShadowWord last{*piece.last};
  std::vector<EarlyRead>& early = at.block.early;
  std::erase_if(early, [&](const EarlyRead& each) {
    return each.thread == piece.thread && each.instruction == at.access.instruction;
  });
  if (!is_fresh(last) || last.holding() != Holding::stored_strongly || block_of(last) == at.block.linear ||
      ordered(at, piece.thread, last, last.first()) || early.size() == kMost)
    return;
  early.push_back(
      {piece.address, at.access.instruction, piece.thread, at.access.event, at.access.bytes, last});
}

// Reports a warp's early reads once it has acquired the stores that they may have missed.
void GlobalRaceDetector::settle_early(GlobalBlock& block, std::uint32_t warp) {
  std::erase_if(block.early, [&](const EarlyRead& each) {
    if (each.thread / kWarpSize != warp) return false;
    GlobalAccess access;
    access.instruction = each.instruction;
    access.warp = warp;
    access.event = each.event;
    access.bytes = each.bytes;
    const Lane at{access, block, site_of(access)};
    if (!ordered(at, each.thread, each.store, each.store.first())) return false;
    report(at, each.thread % kWarpSize, each.address,
           {.with = each.store, .thread = each.store.first(), .writes = true, .is_early = true});
    return true;
  });
}

void GlobalRaceDetector::note_store(const Lane& at, std::uint64_t address, std::uint32_t thread) {
  const Fenced& fenced = at.block.fenced[at.access.warp];
  StrongStore store{.block = at.block.linear,
                    .thread = thread,
                    .time = at.block.order.now(),
                    .floor = at.block.order.floor(),
                    .fenced = fenced.wide};
  if (places_[at.site].counts)
    hand_overs_.count(address, std::move(store));
  else
    hand_overs_.store(address, at.access.bytes, std::move(store));
}

// A store by another block that the access may see without that block's store to another of its words.
std::optional<GlobalRaceDetector::GlobalConflict> GlobalRaceDetector::find_torn_store(
    const Lane& at, const GlobalWordAccess& piece) const {
  const WideLoad* const wide = places_[at.site].wide;
  const GlobalShadowWord last{*piece.last};
  if (wide == nullptr || !is_fresh(last) || last.is_read() || last.holding() == Holding::written) return {};
  if (block_of(last) == at.block.linear || ordered(at, piece.thread, last, last.first())) return {};
  const StrongStore* const store = hand_overs_.torn(piece.address, piece.whole, at.access.bytes, *wide);
  if (store == nullptr || store->block != block_of(last) || store->thread != last.first()) return {};
  return GlobalConflict{.with = last, .thread = last.first(), .writes = true, .is_torn = true};
}

void GlobalRaceDetector::acquire(const Lane& at, std::uint64_t address) {
  for (std::uint64_t word = address & ~std::uint64_t{3};
       !reads_before_.empty() && word < address + at.access.bytes; word += 4) {
    const auto found = reads_before_.find(word);
    if (found == reads_before_.end()) continue;
    HappensBefore::Pointer& known = at.block.known_reads[at.access.warp];
    known = join(known, found->second);
    at.block.any_known_reads = true;
  }
  if (released_.empty()) return;
  for (std::uint64_t word = address & ~std::uint64_t{3}; word < address + at.access.bytes; word += 4) {
    const auto found = released_.find(word);
    if (found == released_.end()) continue;
    const bool waits = at.access.takes_lock && found->second.by_holder;
    HappensBefore::Pointer& known = waits                        ? at.block.locks[at.access.warp].unacquired
                                    : places_[at.site].only_sees ? at.block.seen[at.access.warp]
                                    : at.access.of_block         ? at.block.near[at.access.warp]
                                                                 : at.block.known[at.access.warp];
    known = join(known, found->second.known);
    const auto within = found->second.within.find(at.block.linear);
    if (within != found->second.within.end()) {
      known = join(known, within->second.known);
      if (waits || places_[at.site].only_sees)
        raise(at.block.seen_within[at.access.warp], within->second.clock);
      else
        at.block.order.learn(at.access.warp, within->second.clock);
    }
    found->second.seen[at.block.linear] = found->second.writes;
    at.block.any_known = true;
  }
}

bool GlobalRaceDetector::has_seen(const Lane& at, std::uint64_t address) const {
  const auto found = released_.find(address & ~std::uint64_t{3});
  if (found == released_.end()) return false;
  const auto seen = found->second.seen.find(at.block.linear);
  return seen != found->second.seen.end() && seen->second == found->second.writes;
}

void GlobalRaceDetector::release(const Lane& at, std::uint64_t address) {
  if (at.access.releases) fence(at.block, at.access.warp, at.access.of_block);
  if (at.access.kind == Access::Kind::write && !at.access.of_block) note_reads(at, address);
  Fenced& fenced = at.block.fenced[at.access.warp];
  for (std::uint64_t word = address & ~std::uint64_t{3}; word < address + at.access.bytes; word += 4) {
    const auto found = released_.find(word);
    if (!fenced.any() && found == released_.end()) continue;
    Released& released = found != released_.end() ? found->second : released_[word];
    const HappensBefore::Pointer& all = for_others(fenced, at.block.linear);
    if (at.access.of_block || !fenced.within.empty()) {
      BlockFlag& within = released.within[at.block.linear];
      add(within, fenced);
      within.known = join(within.known, all);
    }
    if (!at.access.of_block) released.known = join(released.known, all);
    ++released.writes;
    // An atomic reads the word before it writes it, so its block has seen the earlier writes.
    if (at.access.kind == Access::Kind::atomic) released.seen[at.block.linear] = released.writes;
  }
}

}  // namespace warpgrade::emulator
