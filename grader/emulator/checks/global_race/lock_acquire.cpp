// Locks that are taken without a fence. A compare-and-swap or an exchange acquires nothing by itself:
// only a fence after it orders the last holder's accesses. The first holder has no conflict, so its accesses
// without a fence are kept and compared with those of the next holder. If a barrier stands in place of the
// fence, a conflict with an earlier write is a warning.
#include <algorithm>
#include <bit>
#include <utility>

#include "checks/global_race/detector.hpp"

namespace warpgrade::emulator {
namespace {

constexpr std::size_t kMostSeen = 64;        // words of one warp while it holds one lock
constexpr std::size_t kMostUnfenced = 4096;  // words of a launch that were accessed without a fence

// Accesses while a lock is held are meant to be protected by it.
bool is_guarded(const GlobalAccess& a) {
  if (a.kind == Access::Kind::atomic || a.is_strong) return false;
  return !a.is_volatile || a.is_data || a.kind == Access::Kind::write;
}

}  // namespace

bool GlobalRaceDetector::is_under_lock(const Lane& at) const {
  if (at.block.locks.empty()) return false;
  const HeldLock& held = at.block.locks[at.access.warp];
  return held.word != 0 && (!held.fenced || !unfenced_.empty()) && is_guarded(at.access);
}

// Called for failed attempts too; the next attempt replaces the entry.
void GlobalRaceDetector::take_lock(const Lane& at, std::uint64_t word) {
  if (at.block.locks.empty()) at.block.locks.resize(at.block.known.size());
  HeldLock& held = at.block.locks[at.access.warp];
  held.word = word;
  held.fenced = held.fenced_within = held.met = false;
  held.seen.clear();
  held.done.clear();
}

void GlobalRaceDetector::give_back_lock(const Lane& at, std::uint64_t word) {
  if (at.block.locks.empty() || at.block.locks[at.access.warp].word != word) return;
  HeldLock& held = at.block.locks[at.access.warp];
  for (std::size_t i = 0; i < held.seen.size() && unfenced_.size() < kMostUnfenced; ++i) {
    Unfenced& known = unfenced_[held.seen[i]];
    if (known.lock != word || known.record.is_read()) known = held.done[i];
  }
  if (const auto found = released_.find(word); found != released_.end()) found->second.by_holder = true;
  held.word = 0;
}

// `warp_masks`: of the warps that pass; null: all of them do.
void GlobalRaceDetector::pass_barriers(GlobalBlock& block, const std::uint32_t* warp_masks) {
  if (block.locks.empty()) return;
  for (std::uint32_t warp = 0; warp < block.known.size(); ++warp)
    if (warp_masks == nullptr || warp_masks[warp] != 0) pass_barrier(block, warp);
}

// A barrier in place of the fence: what the last holder released is seen, not acquired.
void GlobalRaceDetector::pass_barrier(GlobalBlock& block, std::uint32_t warp) {
  if (block.locks.empty()) return;
  HeldLock& held = block.locks[warp];
  held.met = true;
  if (held.unacquired) block.any_known = true;
  block.seen[warp] = join(block.seen[warp], held.unacquired);
  held.unacquired = nullptr;
}

// The warp acquires what it has seen. Accesses that it made under the lock before this fence stay recorded in
// HeldLock::done.
void GlobalRaceDetector::pass_fence(GlobalBlock& block, std::uint32_t warp, bool of_block) {
  if (WarpClock& seen = block.seen_within[warp]; !seen.empty())
    block.order.learn(warp, std::exchange(seen, {}));
  HappensBefore::Pointer& to = of_block ? block.near[warp] : block.known[warp];
  to = join(to, std::exchange(block.seen[warp], nullptr));
  if (!of_block) to = join(to, std::exchange(block.near[warp], nullptr));
  if (block.locks.empty()) return;
  HeldLock& held = block.locks[warp];
  (of_block ? held.fenced_within : held.fenced) = true;
  if (held.unacquired) block.any_known = true;
  block.known[warp] = join(block.known[warp], held.unacquired);
  held.unacquired = nullptr;
}

bool GlobalRaceDetector::knows_after_fence(const Lane& at, GlobalShadowWord with) const {
  if (at.block.locks.empty()) return false;
  const HappensBefore::Pointer& unacquired = at.block.locks[at.access.warp].unacquired;
  return unacquired &&
         knows(unacquired, at.block.linear, block_of(with), with.first() / kWarpSize, time_of(with));
}

void GlobalRaceDetector::check_under_lock(const Lane& at) {
  const GlobalAccess& a = at.access;
  HeldLock& held = at.block.locks[a.warp];
  if (!renew_segment(at.block)) return;
  const bool writes = a.kind != Access::Kind::read;
  for (std::uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint32_t thread = a.warp * 32 + lane;
    for (std::uint64_t word = a.of(lane) & ~std::uint64_t{3}; word < a.of(lane) + a.bytes; word += 4) {
      const auto found = unfenced_.find(word);
      if (found != unfenced_.end() && found->second.lock == held.word) {
        const GlobalShadowWord with = found->second.record;
        const bool met = found->second.met;
        const bool own = block_of(with) == at.block.linear &&
                         (found->second.within || met || with.first() / kWarpSize == a.warp);
        GlobalConflict conflict{.with = with, .thread = with.first(), .writes = !with.is_read()};
        (met ? conflict.is_seen : conflict.lacks_fence) = true;
        if (!own && (conflict.writes || (writes && !met))) report(at, lane, word, conflict);
      }
      const bool known = std::find(held.seen.begin(), held.seen.end(), word) != held.seen.end();
      if (held.fenced || held.seen.size() == kMostSeen || (known && !writes)) continue;
      held.seen.push_back(word);
      held.done.push_back({held.word, held.fenced_within, held.met,
                           GlobalShadowWord::of(at.block.segment, writes ? Holding::written : Holding::read,
                                                thread, 0, at.site, false)});
    }
  }
}

}  // namespace warpgrade::emulator
