// Memory that is shared with the host and that a launch may access, found before it runs.
#pragma once

#include "machine/launch.hpp"

namespace warpgrade::emulator {

// Whole allocations that an argument, or a pointer in a structure that is one, points into. Memory that is
// only reached through pointers in memory is left out. Throws ptx::ParseError.
TouchedMemory find_reachable(const LaunchRequest& request, const DeviceMemory& memory,
                             const LaunchOptions& options);

}  // namespace warpgrade::emulator
