// Loads of a kernel that wait for a flag in global memory, and loads of the words that such a flag announces.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace warpgrade::emulator {

// A strong load or atomic that reads several words at once, of 4 bytes each.
struct WideLoad {
  std::uint8_t tested = 0;         // bit per word: a condition depends on it
  bool is_tested_at_once = false;  // a comparison with a constant depends on several words
};

// Found from PTX by analysis/memory/. Values of DecodedInstruction::index.
struct FlagLoads {
  std::unordered_set<std::uint32_t> polls;     // repeated at one address until the value is another one
  std::unordered_set<std::uint32_t> arrivals;  // atomics that count, and compare the count with the last one
  std::unordered_set<std::uint32_t> untested;  // strong, and no condition depends on the word itself
  std::unordered_set<std::uint32_t>
      early;  // of `untested`: all uses of the value come after a polling load that is executed later
  std::unordered_map<std::uint32_t, WideLoad> wide;
  int widest_load = 0;        // bytes, of `wide`
  int narrowest_store = 256;  // bytes, of strong stores and exchanges

  bool hand_over_words() const { return !untested.empty() && !(polls.empty() && arrivals.empty()); }
  bool may_be_torn() const { return widest_load > narrowest_store; }
};

}  // namespace warpgrade::emulator
