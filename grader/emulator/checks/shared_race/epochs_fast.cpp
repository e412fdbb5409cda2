// Picks the build of lanes/access_epochs.cpp for this machine.
#include <string_view>

#include "checks/shared_race/lanes/epochs.hpp"
#include "isa/variant.hpp"

namespace warpgrade::emulator {

EpochsFast epochs_fast() {
#ifndef WARPGRADE_ONLY_V1
  const std::string_view variant = isa::chosen_variant().name;
  if (variant == "v4") return lanes_v4::epochs_fast;
  if (variant == "v3") return lanes_v3::epochs_fast;
#endif
  return lanes_v1::epochs_fast;
}

}  // namespace warpgrade::emulator
