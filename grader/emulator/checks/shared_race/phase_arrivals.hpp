// Arrivals at an mbarrier that nothing orders behind those of its last phase.
//
// An mbarrier counts: its phase is over once so many threads have arrived, whoever they are. A thread that
// arrives in the next phase without having waited for that one could have come first, in the place of another
// thread. Which arrivals a phase waits for is then left to chance, most often as the count is too small.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "checks/shared_race/vector_clocks.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

class PhaseArrivals {
 public:
  // Reports the first lane that nothing orders behind the last phase. `order`: with these arrivals entered.
  void arrived(const MbarrierArrival& arrival, const VectorClockHistory& order);
  // Orders all earlier arrivals before all later ones.
  void block_barrier() { barriers_.clear(); }

 private:
  struct ArrivedLanes {
    std::uint32_t warp = 0, lanes = 0, instruction = 0;
    std::uint32_t time = 0;  // of the latest of these lanes
  };
  struct Phases {
    std::uint32_t phase = 0;  // the current one
    std::vector<ArrivedLanes> last, current;
  };
  // Lanes of the record that nothing orders before `lane` of `warp`.
  static std::uint32_t unordered(const ArrivedLanes& earlier, std::uint32_t warp, std::uint32_t lane,
                                 const VectorClockHistory& order);
  // The first lane that arrives without an order to the record; kWarpSize: none.
  static std::uint32_t first_unordered(const ArrivedLanes& earlier, const MbarrierArrival& arrival,
                                       const VectorClockHistory& order);

  std::map<std::uint32_t, Phases> barriers_;  // by their offset in shared memory
};

}  // namespace warpgrade::emulator
