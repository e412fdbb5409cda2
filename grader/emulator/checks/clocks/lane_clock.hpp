// Happens-before between the lanes of one warp whose parts synchronise separately.
//
// Lanes whose last barrier is the same have equal vector clocks and form a group. A group that
// synchronises again (a tile, iteration after iteration) only updates its time.
#pragma once

#include <cstdint>

#include "machine/warp.hpp"

namespace warpgrade::emulator {

class LaneClock {
 public:
  // All lanes synchronised at time `floor`.
  explicit LaneClock(std::uint32_t floor) {
    groups_[0] = {.lanes = kFullMask, .members = kFullMask, .met = floor};
  }

  void meet(std::uint32_t lanes, std::uint32_t now);
  // Accesses of lane `earlier` before this time are ordered before the current access of `lane`.
  std::uint32_t before(std::uint32_t lane, std::uint32_t earlier) const {
    const MeetingGroup& group = groups_[group_of_[lane]];
    return (group.lanes >> earlier & 1u) != 0 ? group.met : group.others[earlier];
  }

 private:
  struct MeetingGroup {
    std::uint32_t lanes = 0;               // mask of the group's last barrier
    std::uint32_t members = 0;             // lanes whose last barrier this is
    std::uint32_t met = 0;                 // time of that barrier
    std::uint32_t others[kWarpSize] = {};  // the members' clock, by lane outside `lanes`
  };
  MeetingGroup groups_[kWarpSize];
  std::uint8_t group_of_[kWarpSize] = {};  // indexed by lane
};

}  // namespace warpgrade::emulator
