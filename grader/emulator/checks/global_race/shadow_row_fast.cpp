// Picks the build of lanes/global_run.cpp for this machine.
#include <string_view>

#include "checks/global_race/lanes/shadow_row.hpp"
#include "isa/variant.hpp"

namespace warpgrade::emulator {

GlobalFast global_fast() {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::global_fast;
  if (variant == "v3") return lanes_v3::global_fast;
#endif
  return lanes_v1::global_fast;
}

GlobalValues global_values() {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::global_values;
  if (variant == "v3") return lanes_v3::global_values;
#endif
  return lanes_v1::global_values;
}

}  // namespace warpgrade::emulator
