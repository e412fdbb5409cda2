// Happens-before by the barriers of one block: the block's clock, and a vector clock for each warp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "checks/clocks/lane_clock.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

// Indexed by warp: that warp's accesses before this time are ordered. Empty: only the block's barriers order.
using WarpClock = std::vector<std::uint32_t>;
void raise(WarpClock& to, const WarpClock& by);  // to the maximum of both, entry by entry

class BlockClock {
 public:
  void begin(std::uint32_t warps);
  std::uint32_t now() const { return now_; }
  std::uint32_t floor() const { return floor_; }  // time of the block's last barrier
  std::uint32_t warps() const { return static_cast<std::uint32_t>(warp_floor_.size()); }

  void block_barrier();
  void warp_barrier(std::uint32_t warp,
                    std::uint32_t mask);  // a full mask if all lanes that have not exited take part
  // The warp arrives at barrier `id`: its accesses are ordered before those of the warps that the barrier
  // releases.
  void arrival(std::uint32_t warp, std::uint32_t id);
  // Barrier `id` releases these warps; one mask for each warp. Order between warps is kept for whole warps: a
  // warp of which only some lanes take part counts as a whole, which can hide a race but never invents one.
  void partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks);
  // Accesses after a fence have a later time than those before it.
  void fence() { ++now_; }

  // Whether the access of thread `earlier` at `time` is ordered before a present access of `thread`.
  bool ordered(std::uint32_t time, std::uint32_t earlier, std::uint32_t thread) const {
    return earlier == thread || time < ordered_until(earlier, thread);
  }
  // Accesses of another thread `earlier` before this time are ordered before a present access of `thread`.
  std::uint32_t ordered_until(std::uint32_t earlier, std::uint32_t thread) const;
  // Sets `out` to the warp's vector clock; its entry for the warp itself is `own`.
  void before(std::uint32_t warp, std::uint32_t own, WarpClock& out) const;
  // `warp` acquires a flag: `released` holds the times that other warps and its own lanes released.
  void learn(std::uint32_t warp, const WarpClock& released);

 private:
  std::uint32_t now_ = 1, floor_ = 1;
  std::vector<std::uint32_t>
      warp_floor_;  // time of the last barrier of the whole warp, or of its own release
  std::vector<std::unique_ptr<LaneClock>> lanes_;  // indexed by warp, null until parts of it synchronise
  bool any_lanes_ = false, any_before_ = false;
  std::vector<WarpClock> before_;  // indexed by warp, empty until some warps synchronise
  std::map<std::uint32_t, WarpClock>
      arrived_;  // indexed by barrier: clocks of warps that arrived without waiting
};

}  // namespace warpgrade::emulator
