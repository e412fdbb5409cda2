// How a function uses the values that its loads and atomics return. The race checks distinguish flags from
// data, locks from counters, and the first load of a compare-and-swap loop from other loads.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

enum class LoadUse : std::uint8_t {
  none = 0,
  // A branch, a guard, an address or another thread of the block may depend on the value. Otherwise the value
  // is data: it is used in arithmetic, and stored to global memory if at all. For floating-point loads only
  // uses in this function count: partial sums are exchanged between threads, flags never are.
  control_relevant = 1,
  // The value becomes the expected value of a compare-and-swap of the same word, which detects a stale value.
  validated = 2,
  // A compare-and-swap of one constant for another without acquire semantics, or an exchange for a constant
  // whose old value decides something.
  takes_lock = 4,
};
constexpr bool has(std::uint8_t uses, LoadUse use) { return (uses & static_cast<std::uint8_t>(use)) != 0; }

// Indexed by instruction: flags of LoadUse. Empty if the function has no volatile load and no atomic.
std::vector<std::uint8_t> find_load_uses(const ptx::Function& function);

}  // namespace warpgrade::emulator
