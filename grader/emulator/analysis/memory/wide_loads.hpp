// Strong loads and atomics that read several words at once, and which of the words a condition depends on.
#pragma once

#include <cstdint>

#include "machine/kernel_facts/flag_loads.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Adds those of the function. `first`: DecodedInstruction::index of its first instruction. Leaves out
// compare-and-swaps, and loads whose value is the expected value of a compare-and-swap of the same address:
// that one fails if the words come from different stores.
void add_wide_loads(const ptx::Function& function, std::uint32_t first, FlagLoads& to);

}  // namespace warpgrade::emulator
