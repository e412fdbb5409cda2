// The roles of a kernel's loads where a word in global memory says that another one is there.
#pragma once

#include <cstdint>
#include <unordered_set>

namespace warpgrade::emulator {

// Found from PTX by analysis/memory/flag_loads.hpp. Values of DecodedInstruction::index.
struct FlagLoads {
  std::unordered_set<std::uint32_t> polls;     // repeated at one address until the value is another one
  std::unordered_set<std::uint32_t> untested;  // strong, and no condition depends on the word itself
};

}  // namespace warpgrade::emulator
