// The check of global memory for many workers at once: which runs first must change nothing, so what a block
// does is looked at when all blocks before it have been. Until it is a block's turn, its events are kept.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "observe/global_race.hpp"

namespace warpgrade::observe {

// Events of one block, in order.
class GlobalLog {
 public:
  void access(const GlobalAccess& access);
  void block_barrier();
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  void arrival(std::uint32_t warp, std::uint32_t id);
  void partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks, std::uint32_t warps);
  void fence(std::uint32_t warp, bool of_block);

  std::size_t bytes() const { return used_; }
  void drop() { words_.reset(), used_ = room_ = 0; }
  void replay(GlobalRace& race, GlobalBlock& block);  // and empties it

 private:
  enum class Event : std::uint8_t { access, block_barrier, warp_barrier, arrival, partial_barrier, fence };
  template <class T>
  void put(const T* values, std::size_t count);
  template <class T>
  const T* get(std::size_t& at, std::size_t count) const;
  void grow(std::size_t bytes);

  std::unique_ptr<std::uint64_t[]> words_;
  std::size_t used_ = 0, room_ = 0;  // bytes
};

class GlobalWatch;

// One running block's part of it.
class GlobalBlockWatch {
 public:
  GlobalBlockWatch(GlobalWatch& all, std::uint64_t linear, bool may_wait);

  void access(const Access& access);
  void block_barrier();
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  void arrival(std::uint32_t warp, std::uint32_t id);
  void partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks);
  void fence(std::uint32_t warp, bool of_block);

 private:
  friend class GlobalWatch;
  bool now();  // is it this block's turn? What was kept is looked at then

  GlobalWatch& all_;
  bool direct_ = false, may_wait_ = true, lost_ = false;
  std::uint32_t warps_ = 0;
  GlobalBlock block_;
  GlobalLog log_;
};

// Of one launch, shared by its workers.
class GlobalWatch {
 public:
  // `alone`: there is one worker, and blocks may wait for one another; then all is looked at when it happens.
  // `lowest_failed`: blocks behind that one are given up, and nobody waits for their turn.
  GlobalWatch(const exec::LaunchRequest& request, exec::DeviceMemory& memory, bool alone,
              const std::atomic<std::uint64_t>& lowest_failed);

  std::unique_ptr<GlobalBlockWatch> begin(std::uint64_t linear, bool may_wait);
  void end(std::unique_ptr<GlobalBlockWatch> block);
  std::vector<Observers::BlockFindings> take_findings() { return race_.take_findings(); }

 private:
  friend class GlobalBlockWatch;
  bool is_turn(std::uint64_t linear) const {
    return alone_ || turn_.load(std::memory_order_acquire) == linear;
  }
  void wait_for_turn(std::uint64_t linear);
  void pass_on(std::uint64_t next);

  GlobalRace race_;  // of whoever has the turn
  const bool alone_;
  const std::uint32_t warps_;
  const std::atomic<std::uint64_t>& lowest_failed_;
  std::atomic<std::uint64_t> turn_{0};
  std::mutex mutex_;
  std::condition_variable turned_;
  std::map<std::uint64_t, std::unique_ptr<GlobalBlockWatch>> ended_;  // before their turn
  std::size_t kept_ = 0;                                              // bytes of their events
};

}  // namespace warpgrade::observe
