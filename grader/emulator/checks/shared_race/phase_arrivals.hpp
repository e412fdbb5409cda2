// Arrivals at an mbarrier that are not ordered after its previous phase.
//
// An mbarrier completes a phase when the expected number of threads has arrived, whichever threads these are.
// A thread that arrives in the next phase without having waited for the previous one could as well have been
// counted in that one, in place of another thread. Then chance decides which arrivals complete a phase. The
// usual cause is an expected count that is too small.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "checks/shared_race/vector_clocks.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

class PhaseArrivals {
 public:
  // Reports the first lane that is not ordered after the previous phase. `order`: already includes these
  // arrivals.
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
  // Lanes of the record that are not ordered before `lane` of `warp`.
  static std::uint32_t unordered(const ArrivedLanes& earlier, std::uint32_t warp, std::uint32_t lane,
                                 const VectorClockHistory& order);
  // The first lane that is not ordered after all lanes of the record; kWarpSize: none.
  static std::uint32_t first_unordered(const ArrivedLanes& earlier, const MbarrierArrival& arrival,
                                       const VectorClockHistory& order);

  std::map<std::uint32_t, Phases> barriers_;  // by their offset in shared memory
};

}  // namespace warpgrade::emulator
