// An allocation's RaceShadow: none until the race check first meets the allocation. Blocks that run at once
// may do so at the same time.
#pragma once

#include <atomic>
#include <cstddef>

namespace warpgrade::emulator {

class RaceShadow;

class RaceSlot {
 public:
  RaceSlot() = default;
  ~RaceSlot();
  RaceSlot(const RaceSlot&) = delete;

  RaceShadow* get() const { return shadow_.load(std::memory_order_acquire); }
  RaceShadow& of(std::size_t bytes) {  // of an allocation of so many
    RaceShadow* const known = get();
    return known != nullptr ? *known : make(bytes);
  }
  void reset();  // while no kernel runs

 private:
  RaceShadow& make(std::size_t bytes);

  std::atomic<RaceShadow*> shadow_{nullptr};
};

}  // namespace warpgrade::emulator
