// The blocks of a launch that a worker runs at once, and the order in which they begin.
#pragma once

#include <cstddef>

#include "machine/kernel_code.hpp"
#include "machine/launch.hpp"

namespace warpgrade::emulator {

struct StartOrder {
  std::size_t together = 1;  // blocks that begin before any has run
  std::size_t most = 1;      // at once, where all of these wait for others
  bool last_first = false;
};

// One block after another, as far as they do not wait. Where they take turns, many together; and if they poll
// memory, the last ones first, of which one has to end before the first block begins: CUDA allows that, and a
// kernel that takes its part from blockIdx does not expect it. A kernel whose first blocks were seen to need
// further ones, as at a barrier of the whole grid, is spared.
StartOrder start_order(const LaunchRequest& request, const Code& code, const DeviceLimits& limits,
                       bool in_turns);

}  // namespace warpgrade::emulator
