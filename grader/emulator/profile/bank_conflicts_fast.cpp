// Picks the build of lanes/conflicts.cpp for this machine.
#include <string_view>

#include "isa/variant.hpp"
#include "profile/lanes/bank_conflicts.hpp"

namespace warpgrade::emulator {

Conflicts conflicts_of_lanes() {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::conflicts;
  if (variant == "v3") return lanes_v3::conflicts;
#endif
  return lanes_v1::conflicts;
}

}  // namespace warpgrade::emulator
