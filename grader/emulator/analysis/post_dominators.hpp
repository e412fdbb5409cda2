// Where paths that part come together for good.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/control_flow.hpp"

namespace warpgrade::emulator {

// By block: the first block that every path from it to the end of the function goes through;
// kNoPostDominator where only the end itself is common, or the end cannot be reached.
// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the graph turned round.
constexpr std::uint32_t kNoPostDominator = 0xffffffffu;
std::vector<std::uint32_t> find_post_dominators(const ControlFlow& flow);

}  // namespace warpgrade::emulator
