// Device memory that the program touches on the host: it ends by SIGSEGV, as with a card, but is told why.
#pragma once

#include <cstdint>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {

// Handles SIGSEGV from now on: tells of addresses in device memory, then does what was to be done before,
// which is to end the process or whatever the program has asked for. Once a process.
void watch_host_accesses();

// What is told: `at` is the instruction of the host that did it, null where unknown.
emulator::Finding host_access(const emulator::DeviceMemory& memory, std::uint64_t address, bool write,
                              const void* at);

}  // namespace warpgrade::cudart
