// Picks the build of lanes/detector.cpp for this machine.
#include "checks/shared_race/lanes/detector.hpp"
#include "isa/variant.hpp"

namespace warpgrade::emulator {

SharedRaceFastPath shared_race_fast_path() { return WARPGRADE_CHOOSE_LANES(shared_race_fast_path); }

}  // namespace warpgrade::emulator
