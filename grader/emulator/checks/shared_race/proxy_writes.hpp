// Words of shared memory that threads have written and that a bulk copy may not see yet.
//
// cp.async.bulk reads through the async proxy. Even a copy that a barrier orders after the writes may read
// the old values, unless a proxy fence (fence.proxy.async) lies on the path from each write to the copy (PTX
// ISA 8, proxy-preserved base causality order). The writing thread may execute the fence, or a thread that is
// ordered after the write and before the copy.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "checks/clocks/block_clock.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// As for BlockClock, what a warp knows is kept for the whole warp, which can hide a fault and never invents
// one.
class ProxyWrites {
 public:
  void block_begin(const Block& block);
  void access(const Access& access);  // to shared memory, or to what may be a flag in global memory
  void block_barrier();
  void warp_barrier(std::uint32_t warp, std::uint32_t mask) { order_.warp_barrier(warp, mask); }
  void arrival(std::uint32_t warp, std::uint32_t id);
  void partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks);
  void fence(const Warp& warp);
  void phase_completed(std::uint32_t offset);
  // Reports the first word of its source that no fence has made visible.
  void copy_issued(const BulkIssue& copy) const;

 private:
  using ThreadClock = std::vector<std::uint32_t>;  // indexed by thread: its writes before this time
  struct LastWrite {
    std::uint32_t time = 0;  // before begin_: none, or by a bulk copy
    std::uint32_t thread = 0, instruction = 0;
  };
  // Clocks of the warps that wrote a flag, and the writes that are visible to their copies.
  struct Flag {
    WarpClock clock;
    ThreadClock visible;
  };
  void hand_over(const Access& access);
  void acquire(std::uint32_t warp, std::uint64_t word);
  Flag& flag_at(std::uint64_t word);
  void share_visible(const std::uint32_t* warp_masks, ThreadClock all);
  bool lacks_fence(const LastWrite& write, std::uint32_t copier) const;

  std::vector<LastWrite> words_;
  BlockClock order_;
  std::uint32_t begin_ = 0;                       // time at which the block began
  std::vector<ThreadClock> visible_;              // indexed by warp: writes that its copies see
  bool any_fence_ = false;                        // since the block's last barrier, in some warp
  std::map<std::uint32_t, ThreadClock> arrived_;  // indexed by barrier: of warps that arrived without waiting
  // Indexed by the flag's address. Flags beyond kMostFlags share one entry, which can hide a fault.
  std::unordered_map<std::uint64_t, Flag> flags_;
};

}  // namespace warpgrade::emulator
