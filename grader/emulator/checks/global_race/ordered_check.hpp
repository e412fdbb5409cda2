// The race check of global memory for many workers. Results must not depend on which worker runs first, so
// the accesses of a block are checked in block order: until all earlier blocks have been checked, they are
// logged.
//
// In a single order, only one worker could check at a time. If no block of the kernel can signal another one
// (RaceNeeds::handover), memory is divided into shards, each with its own detector, turn and log. Shards are
// independent: a shard's findings depend on its own accesses and on barriers only.
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

// The check of one running block.
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
  void phase_completed(std::uint32_t offset);

 private:
  friend class OrderedCheck;
  // What the block keeps for each shard.
  struct ShardState {
    GlobalBlock block;     // state of the block, from its turn on
    BlockLog log;          // events before its turn
    bool direct = false;   // its turn has come: events are checked at once
    bool lost = false;     // its log became too long: later accesses are not checked
    bool barrier = false;  // the block has passed a barrier since the last event
  };

  bool now(unsigned shard);  // whether it is this block's turn; if so, its log has been checked
  void deal(const Access& access, const GlobalAccess& to);
  void give(unsigned shard, const GlobalAccess& access);
  void pass_barrier(unsigned shard);
  template <class Now, class Later>
  void report(const Now& now, const Later& later);

  OrderedCheck& all_;
  std::uint64_t linear_ = 0;
  bool may_wait_ = true;
  std::uint32_t events_ = 0;
  std::vector<ShardState> states_;
};

// The check of one launch, shared by its workers.
class OrderedCheck {
 public:
  static constexpr unsigned kMostShards = 4;  // the number of shards does not change the findings

  // `hands_over`: see RaceNeeds. With one worker, blocks may wait for one another: every access is
  // checked when it happens. `lowest_failed`: later blocks are abandoned, and no block waits for their turn.
  OrderedCheck(const LaunchRequest& request, DeviceMemory& memory, bool hands_over, int workers,
               const std::atomic<std::uint64_t>& lowest_failed, WritableAllocations written = {},
               const FlagLoads* flags = nullptr);
  ~OrderedCheck();

  std::unique_ptr<OrderedBlockCheck> begin(std::uint64_t linear, bool may_wait);
  void end(std::unique_ptr<OrderedBlockCheck> block);
  // Whether the access can be in a race. Reads of an allocation that the kernel does not write cannot.
  bool matters(const Access& access) {
    if (access.kind == Access::Kind::read) return written_.may_be(access.allocation);
    if (!foreseen(access)) wrote_elsewhere_.store(true, std::memory_order_relaxed);
    return true;
  }
  // Whether an access wrote an allocation that the kernel's code does not show to be written.
  bool wrote_elsewhere() const { return wrote_elsewhere_.load(std::memory_order_relaxed); }
  std::vector<Observers::BlockFindings> take_findings();  // sorted by block, then by access

 private:
  friend class OrderedBlockCheck;
  struct alignas(64) Shard {
    Shard(const LaunchRequest& request, DeviceMemory& memory, std::uint32_t base, const FlagLoads* flags)
        : race(request, memory, base, flags) {}
    GlobalRaceDetector race;  // used by the block whose turn it is
    std::atomic<std::uint64_t> turn{0};
    bool drained = false;  // a worker is checking logs now
  };
  struct Ended {
    std::unique_ptr<OrderedBlockCheck> block;
    unsigned left = 0;  // shards in which the block's turn is not over
  };
  bool foreseen(const Access& access) const;
  bool is_turn(unsigned shard, std::uint64_t linear) const {
    return alone_ || shards_[shard]->turn.load(std::memory_order_acquire) == linear;
  }
  void wait_for_turn(unsigned shard, std::uint64_t linear);
  void drain(unsigned shard);
  // Lets the checks catch up: a long backlog falls out of the caches, and costs more to read back than to
  // check.
  void wait_for_backlog();
  // Checks the logs of adjacent ended blocks, the first of which has the turn. Returns the bytes of the logs.
  std::size_t check(unsigned shard, OrderedBlockCheck* const* blocks, std::size_t count);

  DeviceMemory& memory_;
  std::vector<std::unique_ptr<Shard>> shards_;
  const bool alone_;
  const std::size_t most_ended_;  // blocks that end before a worker waits for their checks; 0: no bound
  const WritableAllocations written_;
  std::atomic<bool> wrote_elsewhere_{false};
  const std::atomic<std::uint64_t>& lowest_failed_;
  SpinLock lock_;  // guards the members below; a spin lock, as many blocks take only microseconds
  std::condition_variable_any turned_, caught_up_;
  unsigned waiting_ = 0;  // blocks that wait for their turn
  unsigned behind_ = 0;   // workers that wait for the backlog
  std::map<std::uint64_t, Ended> ended_;
  std::vector<std::unique_ptr<OrderedBlockCheck>> spare_;
  std::size_t kept_ = 0;  // bytes of the logs of blocks that have ended
};

}  // namespace warpgrade::emulator
