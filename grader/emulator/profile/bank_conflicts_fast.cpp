// Picks the build of lanes/bank_conflicts.cpp for this machine.
#include "isa/variant.hpp"
#include "profile/lanes/bank_conflicts.hpp"

namespace warpgrade::emulator {

Conflicts conflicts_of_lanes() { return WARPGRADE_CHOOSE_LANES(conflicts); }

}  // namespace warpgrade::emulator
