// The blocks of a launch that a worker runs at once, and the order in which they begin.
#pragma once

#include <cstddef>

#include "machine/kernel_code.hpp"
#include "machine/launch.hpp"

namespace warpgrade::emulator {

struct StartOrder {
  std::size_t together = 1;  // blocks that begin before any has run
  std::size_t most = 1;      // at once, if all of these wait for others
  bool last_first = false;
};

// Usually one block after another, more only where blocks wait. With blocks in turns, many start together; if
// they poll memory, the last blocks start first, and one of them must end before the first block begins: CUDA
// allows that, and a kernel that assigns work by blockIdx does not expect it. The exception is a kernel whose
// first blocks were seen to need later ones, as at a barrier of the whole grid.
StartOrder start_order(const LaunchRequest& request, const Code& code, const DeviceLimits& limits,
                       bool in_turns);

}  // namespace warpgrade::emulator
