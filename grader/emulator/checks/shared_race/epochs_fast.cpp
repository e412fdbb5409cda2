// Picks the build of lanes/epochs.cpp for this machine.
#include "checks/shared_race/lanes/epochs.hpp"
#include "isa/variant.hpp"

namespace warpgrade::emulator {

EpochsFast epochs_fast() { return WARPGRADE_CHOOSE_LANES(epochs_fast); }

}  // namespace warpgrade::emulator
