// Finds which methods of the race checks a kernel's PTX needs.
#pragma once

#include "machine/kernel_facts/race_needs.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Adds the needs of a function that the kernel may run.
void add_race_needs(const ptx::Function& function, RaceNeeds& needs);

}  // namespace warpgrade::emulator
