// The check of global memory for many workers at once: which runs first must change nothing, so what a block
// does is looked at when all blocks before it have been. Until it is a block's turn, its events are kept.
//
// Turns alone would leave the check to one worker at a time. Where a kernel has nothing by which blocks hand
// over what they have done (RaceNeeds::handover), memory is dealt out to several shards, each with a check, a
// turn and a log of its own: what is found in one hangs on no access of another's, only on barriers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "checks/global_race/block_log.hpp"
#include "checks/global_race/detector.hpp"
#include "checks/global_race/spin_lock.hpp"
#include "checks/global_race/writable_allocations.hpp"

namespace warpgrade::emulator {

class OrderedCheck;

// One running block's part of it.
class OrderedBlockCheck {
 public:
  explicit OrderedBlockCheck(OrderedCheck& all);

  void begin(std::uint64_t linear, bool may_wait);
  void access(const Access& access);
  void block_barrier();
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  void arrival(std::uint32_t warp, std::uint32_t id);
  void partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks);
  void fence(std::uint32_t warp, bool of_block);

 private:
  friend class OrderedCheck;
  // Of one shard.
  struct Part {
    GlobalBlock block;  // from the block's turn on
    BlockLog log;       // before it
    bool direct = false, lost = false;
    bool barrier = false;  // of the block, passed since the last event
  };

  bool now(unsigned shard);  // is it this block's turn? What was kept is looked at then
  void deal(const Access& access, const GlobalAccess& to);
  void give(unsigned shard, const GlobalAccess& access);
  void pass_barrier(unsigned shard);
  template <class Now, class Later>
  void tell(const Now& now, const Later& later);

  OrderedCheck& all_;
  std::uint64_t linear_ = 0;
  bool may_wait_ = true;
  std::uint32_t events_ = 0;
  std::vector<Part> parts_;
};

// Of one launch, shared by its workers.
class OrderedCheck {
 public:
  static constexpr unsigned kMostShards = 4;  // how many there are changes nothing that is found

  // `hands_over`: see RaceNeeds. Where there is one worker, blocks may wait for one another: all is then
  // looked at when it happens. `lowest_failed`: blocks behind that one are given up, and nobody waits for
  // their turn.
  OrderedCheck(const LaunchRequest& request, DeviceMemory& memory, bool hands_over, int workers,
               const std::atomic<std::uint64_t>& lowest_failed, WritableAllocations written = {});
  ~OrderedCheck();

  std::unique_ptr<OrderedBlockCheck> begin(std::uint64_t linear, bool may_wait);
  void end(std::unique_ptr<OrderedBlockCheck> block);
  // May it be in a race? Of an allocation that nothing writes, reads need not be told.
  bool matters(const Access& access) const {
    return access.kind != Access::Kind::read || written_.may_be(access.allocation);
  }
  std::vector<Observers::BlockFindings> take_findings();  // in the order of blocks, and of their accesses

 private:
  friend class OrderedBlockCheck;
  struct alignas(64) Shard {
    Shard(const LaunchRequest& request, DeviceMemory& memory, std::uint32_t base)
        : race(request, memory, base) {}
    GlobalRaceDetector race;  // of whoever has the turn
    std::atomic<std::uint64_t> turn{0};
    bool drained = false;  // by somebody, now
  };
  struct Ended {
    std::unique_ptr<OrderedBlockCheck> block;
    unsigned left = 0;  // shards where its turn is not over
  };
  bool is_turn(unsigned shard, std::uint64_t linear) const {
    return alone_ || shards_[shard]->turn.load(std::memory_order_acquire) == linear;
  }
  void wait_for_turn(unsigned shard, std::uint64_t linear);
  void drain(unsigned shard);

  DeviceMemory& memory_;
  std::vector<std::unique_ptr<Shard>> shards_;
  const bool alone_;
  const WritableAllocations written_;
  const std::atomic<std::uint64_t>& lowest_failed_;
  SpinLock lock_;  // of what follows: many blocks are over in a few microseconds
  std::condition_variable_any turned_;
  unsigned waiting_ = 0;  // for their turn
  std::map<std::uint64_t, Ended> ended_;
  std::vector<std::unique_ptr<OrderedBlockCheck>> spare_;
  std::size_t kept_ = 0;  // bytes of the events of those that have ended
};

}  // namespace warpgrade::emulator
