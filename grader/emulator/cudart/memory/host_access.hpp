// Host accesses to device memory: the program ends by SIGSEGV, as with a GPU, after a message that says why.
#pragma once

#include <cstdint>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {

// Installs a SIGSEGV handler: reports addresses in device memory, then calls the previous handler, which ends
// the process or does what the program has asked for. Once a process.
void watch_host_accesses();

// Whether the handler is in place: false once the program has installed one of its own.
bool watches_host_accesses();

// The message. `at` is the host instruction that accessed the memory, null if unknown.
emulator::Finding host_access(const emulator::DeviceMemory& memory, std::uint64_t address, bool write,
                              const void* at);

}  // namespace warpgrade::cudart
