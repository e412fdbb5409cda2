// Memory that the arguments of a launch point into, found before it runs.
#pragma once

#include <cstdint>

#include "machine/launch.hpp"

namespace warpgrade::emulator {

// Whole allocations, shared with the host, that an argument, or a pointer in a structure that is one, points
// into. Memory that is only reached through pointers in memory is left out. Throws ptx::ParseError.
TouchedMemory find_reachable(const LaunchRequest& request, const DeviceMemory& memory,
                             const LaunchOptions& options);

// Total size of the allocations that arguments point into, each counted once.
std::uint64_t argument_bytes(const LaunchRequest& request, const DeviceMemory& memory);

}  // namespace warpgrade::emulator
