// Which loads wait for a flag, and which rely on one.
#pragma once

#include <cstdint>

#include "machine/kernel_facts/flag_loads.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Adds the function's loads of both roles. `first`: DecodedInstruction::index of its first instruction.
//
// An atomic that adds or increments asks whether it is the last one if a comparison for equality gets its
// value. A load polls if some way round its loop leaves its address as it is, and a branch on its value leads
// away from there: a walk along a list or a tree is no wait. A word is tested if its value, or bits of it,
// reach a comparison, a vote, a branch or another function. A sum of it and another register is no test: a
// word that says itself whether it is there is compared with constants. A load is early if no way leads from
// it to a use of its value but through a load that polls.
void add_flag_loads(const ptx::Function& function, std::uint32_t first, FlagLoads& to);

}  // namespace warpgrade::emulator
