// DWARF 2 to 5: calls that the compiler inlined.
#pragma once

#include <cstdint>
#include <vector>

#include "symbols/dwarf_bytes.hpp"

namespace warpgrade::emulator {

struct InlinedCall {
  std::uint64_t file = 0;  // number in the unit's line table
  int line = 0;            // of the call
};

// Places of the inlined calls whose code holds the address, the outermost first.
std::vector<InlinedCall> inlined_calls(const DwarfSections& sections, std::uint64_t address);

}  // namespace warpgrade::emulator
