// Adds to a finding what the kernel's code shows: the pointer, the read-modify-write, the branch that
// bypasses a store.
#pragma once

#include "machine/finding.hpp"
#include "machine/launch.hpp"
#include "machine/memory/device_memory.hpp"

namespace warpgrade::emulator {

void add_origins(Finding& finding, const LaunchRequest& request, const DeviceMemory& memory);

}  // namespace warpgrade::emulator
