// What the code behind a finding adds to it: the pointer, the update, the way past a store.
#pragma once

#include "machine/finding.hpp"
#include "machine/launch.hpp"
#include "machine/memory/device_memory.hpp"

namespace warpgrade::emulator {

void add_origins(Finding& finding, const LaunchRequest& request, const DeviceMemory& memory);

}  // namespace warpgrade::emulator
