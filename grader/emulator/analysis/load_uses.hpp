// What a function does with the values that its loads and atomics bring. It tells flags from data, locks from
// counters, and the first load of a compare-and-swap loop from any other.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::emulator {

enum class LoadUse : std::uint8_t {
  none = 0,
  // A branch, a guard, an address or another thread of the block may depend on the value. Without it the
  // value is data: computed with, and stored to global memory if anywhere. Of a floating number only what the
  // function does itself counts: sums go from thread to thread, flags do not.
  control_relevant = 1,
  // A compare-and-swap of the same word takes the loaded value for the old one: a stale one is noticed.
  validated = 2,
  // A compare-and-swap of one constant for another, which acquires nothing by itself.
  takes_lock = 4,
};
constexpr bool has(std::uint8_t uses, LoadUse use) { return (uses & static_cast<std::uint8_t>(use)) != 0; }

// By instruction, flags of LoadUse; empty where no load is volatile and nothing is atomic.
std::vector<std::uint8_t> find_load_uses(const ptx::Function& function);

}  // namespace warpgrade::emulator
