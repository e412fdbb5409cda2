// Picks the build of lanes/shadow_row.cpp for this machine.
#include "checks/global_race/shadow/lanes/shadow_row.hpp"
#include "isa/variant.hpp"

namespace warpgrade::emulator {

GlobalFast global_fast() { return WARPGRADE_CHOOSE_LANES(global_fast); }

GlobalValues global_values() { return WARPGRADE_CHOOSE_LANES(global_values); }

}  // namespace warpgrade::emulator
