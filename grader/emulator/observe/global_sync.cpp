// What orders the accesses of global memory.
#include "observe/global_race.hpp"

namespace warpgrade::observe {

void GlobalRace::block_barrier(GlobalBlock& block) {
  block.order.block_barrier();
  block.floor = base_ + static_cast<std::uint32_t>(segments_.size());
  for (std::uint32_t warp = 0; warp < block.locks.size(); ++warp) pass_fence(block, warp);
  if (block.any_known || block.any_known_reads) share_all(block, nullptr);
}

void GlobalRace::warp_barrier(GlobalBlock& block, std::uint32_t warp, std::uint32_t mask) {
  block.order.warp_barrier(warp, mask);
  pass_fence(block, warp);
}

void GlobalRace::partial_barrier(GlobalBlock& block, const std::uint32_t* warp_masks) {
  block.order.partial_barrier(warp_masks);
  for (std::uint32_t warp = 0; warp < block.locks.size(); ++warp)
    if (warp_masks[warp] != 0) pass_fence(block, warp);
  if (block.any_known || block.any_known_reads) share_all(block, warp_masks);
}

// What one warp knows, all know who have met it; and what one has fenced, any may release: threads that fence
// each for itself, meet, and let one of them set a flag.
void GlobalRace::share_all(GlobalBlock& block, const std::uint32_t* warp_masks) const {
  Knowledge::Pointer known, fenced, reads;
  const auto meets = [&](std::size_t warp) { return warp_masks == nullptr || warp_masks[warp] != 0; };
  for (std::size_t warp = 0; warp < block.known.size(); ++warp) {
    if (!meets(warp)) continue;
    known = join(known, block.known[warp]);
    fenced = join(fenced, block.fenced[warp]);
    reads = join(reads, block.known_reads[warp]);
  }
  for (std::size_t warp = 0; warp < block.known.size(); ++warp) {
    if (!meets(warp)) continue;
    block.known[warp] = known;
    block.fenced[warp] = fenced;
    block.known_reads[warp] = reads;
  }
}

void GlobalRace::fence(GlobalBlock& block, std::uint32_t warp, bool of_block) {
  block.order.fence();
  pass_fence(block, warp);
  block.fenced[warp] =
      extend(block.known[warp], block.linear, block.order.before(warp, block.order.now()), of_block);
  block.any_known = true;
}

// Reads before the block's last barrier have got their values: a flag that the block stores behind it says so
// without a fence. Decoupled look-back compacts in place like this (CUB's DeviceSelect).
void GlobalRace::note_reads(const Lane& at, std::uint64_t address) {
  constexpr std::size_t kMost = std::size_t{1} << 16;  // words: data that is volatile is no flag
  GlobalBlock& block = at.block;
  if (block.order.floor() != block.own_reads_time) {
    block.own_reads_time = block.order.floor();
    block.own_reads =
        extend(nullptr, block.linear, WarpClock(block.order.warps(), block.order.floor()), false);
  }
  const Knowledge::Pointer all = join(block.known_reads[at.access.warp], block.own_reads);
  for (std::uint64_t word = address & ~std::uint64_t{3}; word < address + at.access.bytes; word += 4) {
    if (reads_before_.size() >= kMost && !reads_before_.contains(word)) continue;
    Knowledge::Pointer& before = reads_before_[word];
    before = join(before, all);
  }
}

void GlobalRace::acquire(const Lane& at, std::uint64_t address) {
  for (std::uint64_t word = address & ~std::uint64_t{3};
       !reads_before_.empty() && word < address + at.access.bytes; word += 4) {
    const auto found = reads_before_.find(word);
    if (found == reads_before_.end()) continue;
    Knowledge::Pointer& known = at.block.known_reads[at.access.warp];
    known = join(known, found->second);
    at.block.any_known_reads = true;
  }
  if (released_.empty()) return;
  for (std::uint64_t word = address & ~std::uint64_t{3}; word < address + at.access.bytes; word += 4) {
    const auto found = released_.find(word);
    if (found == released_.end()) continue;
    const bool waits = at.access.takes_lock && found->second.by_holder;
    Knowledge::Pointer& known =
        waits ? at.block.locks[at.access.warp].behind : at.block.known[at.access.warp];
    known = join(known, found->second.known);
    const auto within = found->second.within.find(at.block.linear);
    if (within != found->second.within.end()) known = join(known, within->second);
    found->second.seen[at.block.linear] = found->second.writes;
    at.block.any_known = true;
  }
}

bool GlobalRace::has_seen(const Lane& at, std::uint64_t address) const {
  const auto found = released_.find(address & ~std::uint64_t{3});
  if (found == released_.end()) return false;
  const auto seen = found->second.seen.find(at.block.linear);
  return seen != found->second.seen.end() && seen->second == found->second.writes;
}

void GlobalRace::release(const Lane& at, std::uint64_t address) {
  if (at.access.releases) fence(at.block, at.access.warp, at.access.of_block);
  if (at.access.kind == Access::Kind::write && !at.access.in_shared && !at.access.of_block)
    note_reads(at, address);
  const Knowledge::Pointer& fenced = at.block.fenced[at.access.warp];
  for (std::uint64_t word = address & ~std::uint64_t{3}; word < address + at.access.bytes; word += 4) {
    const auto found = released_.find(word);
    if (!fenced && found == released_.end()) continue;
    Released& released = found != released_.end() ? found->second : released_[word];
    Knowledge::Pointer& to =
        at.access.of_block && !at.access.in_shared ? released.within[at.block.linear] : released.known;
    to = join(to, fenced);
    ++released.writes;
    // An atomic has seen what was there before its own.
    if (at.access.kind == Access::Kind::atomic) released.seen[at.block.linear] = released.writes;
  }
}

}  // namespace warpgrade::observe
