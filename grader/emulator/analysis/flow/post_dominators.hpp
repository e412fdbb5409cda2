// Immediate post-dominators: where diverging paths meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow/control_flow.hpp"

namespace warpgrade::emulator {

// Indexed by block: its immediate post-dominator, the first block on every path to the end of the function;
// kNoPostDominator where that is the end itself, or the end cannot be reached. Cooper, Harvey and Kennedy, "A
// Simple, Fast Dominance Algorithm", on the reversed graph.
constexpr std::uint32_t kNoPostDominator = 0xffffffffu;
std::vector<std::uint32_t> find_post_dominators(const ControlFlow& flow);

}  // namespace warpgrade::emulator
