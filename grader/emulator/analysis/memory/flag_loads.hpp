// The loads that wait for a flag, and those of words that a flag announces.
#pragma once

#include <cstdint>

#include "machine/kernel_facts/flag_loads.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Adds the function's loads of both roles. `first`: DecodedInstruction::index of its first instruction.
//
// An atomic that adds or increments asks whether it is the last one if its value is compared for equality. A
// load polls if some path around its loop leaves its address unchanged and a branch on its value leaves that
// path: a walk along a list or a tree does not wait. A word is tested if its value, or bits of it, reach a
// comparison, a vote, a branch or another function. Adding another register to it is no test: a word that
// announces itself is compared with constants. A load is early if every path from it to a use of its value
// passes a polling load.
void add_flag_loads(const ptx::Function& function, std::uint32_t first, FlagLoads& to);

}  // namespace warpgrade::emulator
