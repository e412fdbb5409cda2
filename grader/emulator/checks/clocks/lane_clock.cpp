#include "checks/clocks/lane_clock.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::emulator {

void LaneClock::meet(std::uint32_t lanes, std::uint32_t now) {
  const auto for_each = [&](auto use) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      use(static_cast<std::uint32_t>(std::countr_zero(left)));
  };
  if (lanes == 0) return;
  MeetingGroup& known = groups_[group_of_[std::countr_zero(lanes)]];
  if (known.lanes == lanes && known.members == lanes) {
    known.met = now;
    return;
  }
  MeetingGroup made{.lanes = lanes, .members = lanes, .met = now};
  std::uint32_t groups = 0;  // mask of the groups that contain these lanes
  for_each([&](std::uint32_t lane) {
    if ((groups >> group_of_[lane] & 1u) != 0) return;
    groups |= 1u << group_of_[lane];
    for (std::uint32_t other = 0; other < kWarpSize; ++other)
      made.others[other] = std::max(made.others[other], before(lane, other));
  });
  for_each([&](std::uint32_t lane) { groups_[group_of_[lane]].members &= ~(1u << lane); });
  // There are as many groups as lanes. These lanes have left their groups, so at least one group has no
  // members.
  std::uint8_t free = 0;
  while (groups_[free].members != 0) ++free;
  for_each([&](std::uint32_t lane) { group_of_[lane] = free; });
  groups_[free] = made;
}

}  // namespace warpgrade::emulator
