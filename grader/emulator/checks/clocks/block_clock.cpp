#include "checks/clocks/block_clock.hpp"

#include <algorithm>

namespace warpgrade::emulator {

void raise(WarpClock& to, const WarpClock& by) {
  if (to.size() < by.size()) to.resize(by.size());
  for (std::size_t i = 0; i < by.size(); ++i) to[i] = std::max(to[i], by[i]);
}

void BlockClock::begin(std::uint32_t warps) {
  warp_floor_.resize(warps);
  lanes_.resize(warps);
  before_.resize(warps);
  arrived_.clear();
  block_barrier();
}

// Orders all earlier accesses before all later ones.
void BlockClock::block_barrier() {
  floor_ = ++now_;
  std::fill(warp_floor_.begin(), warp_floor_.end(), floor_);
  if (any_lanes_)
    for (auto& clock : lanes_) clock.reset();
  if (any_before_)
    for (WarpClock& clock : before_) clock.clear();
  any_lanes_ = any_before_ = false;
}

void BlockClock::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  ++now_;
  if (mask == kFullMask) {
    lanes_[warp].reset();
    warp_floor_[warp] = now_;
    return;
  }
  if (!lanes_[warp]) lanes_[warp] = std::make_unique<LaneClock>(warp_floor_[warp]);
  any_lanes_ = true;
  lanes_[warp]->meet(mask, now_);
}

void BlockClock::arrival(std::uint32_t warp, std::uint32_t id) {
  WarpClock own;
  before(warp, ++now_, own);
  raise(arrived_[id], own);
}

void BlockClock::partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks) {
  const auto arrived = arrived_.extract(id);
  WarpClock all = arrived ? arrived.mapped() : WarpClock();
  all.resize(warps(), floor_);
  for (std::uint32_t warp = 0; warp < warps(); ++warp)
    if (warp_masks[warp] != 0) raise(all, before_[warp]);
  ++now_;
  for (std::uint32_t warp = 0; warp < warps(); ++warp) {
    if (warp_masks[warp] == 0) continue;
    all[warp] = now_;
    warp_barrier(warp, warp_masks[warp]);
  }
  for (std::uint32_t warp = 0; warp < warps(); ++warp)
    if (warp_masks[warp] != 0) before_[warp] = all;
  any_before_ = true;
}

std::uint32_t BlockClock::ordered_until(std::uint32_t earlier, std::uint32_t thread) const {
  const std::uint32_t from = earlier / kWarpSize, warp = thread / kWarpSize;
  if (from != warp) return before_[warp].empty() ? floor_ : std::max(floor_, before_[warp][from]);
  const std::uint32_t until = std::max(floor_, warp_floor_[warp]);
  return lanes_[warp] ? std::max(until, lanes_[warp]->before(thread % kWarpSize, earlier % kWarpSize))
                      : until;
}

void BlockClock::before(std::uint32_t warp, std::uint32_t own, WarpClock& out) const {
  out = before_[warp];
  out.resize(warps(), floor_);
  out[warp] = own;
}

void BlockClock::learn(std::uint32_t warp, const WarpClock& released) {
  WarpClock& to = before_[warp];
  to.resize(warps(), floor_);
  raise(to, released);
  if (warp < released.size()) warp_floor_[warp] = std::max(warp_floor_[warp], released[warp]);
  any_before_ = true;
}

}  // namespace warpgrade::emulator
