#include "observe/lane_clock.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::observe {

void LaneClock::meet(std::uint32_t lanes, std::uint32_t now) {
  const auto for_each = [&](auto use) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      use(static_cast<std::uint32_t>(std::countr_zero(left)));
  };
  if (lanes == 0) return;
  const std::uint8_t first = group_of_[std::countr_zero(lanes)];
  bool again = groups_[first].lanes == lanes;
  for_each([&](std::uint32_t lane) { again &= group_of_[lane] == first; });
  if (again) {
    groups_[first].met = now;
    return;
  }
  Group made{.lanes = lanes, .met = now};
  for_each([&](std::uint32_t lane) {
    for (std::uint32_t other = 0; other < exec::kWarpSize; ++other)
      made.others[other] = std::max(made.others[other], before(lane, other));
  });
  // There are as many groups as lanes: with these away from theirs, one is free.
  std::uint32_t taken = 0;
  for (std::uint32_t lane = 0; lane < exec::kWarpSize; ++lane)
    if ((lanes >> lane & 1u) == 0) taken |= 1u << group_of_[lane];
  const auto free = static_cast<std::uint8_t>(std::countr_one(taken));
  for_each([&](std::uint32_t lane) { group_of_[lane] = free; });
  groups_[free] = made;
}

}  // namespace warpgrade::observe
