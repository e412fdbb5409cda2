// Picks the build of lanes/race.cpp for this machine.
#include <string_view>

#include "checks/shared_race/lanes/detector.hpp"
#include "isa/variant.hpp"

namespace warpgrade::emulator {

RaceFast race_fast() {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::race_fast;
  if (variant == "v3") return lanes_v3::race_fast;
#endif
  return lanes_v1::race_fast;
}

}  // namespace warpgrade::emulator
