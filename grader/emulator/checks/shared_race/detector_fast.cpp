// Picks the build of lanes/race.cpp for this machine.
#include <string_view>

#include "checks/shared_race/lanes/detector.hpp"
#include "isa/variant.hpp"

namespace warpgrade::emulator {

SharedRaceFastPath shared_race_fast_path() {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::shared_race_fast_path;
  if (variant == "v3") return lanes_v3::shared_race_fast_path;
#endif
  return lanes_v1::shared_race_fast_path;
}

}  // namespace warpgrade::emulator
