// Conflicts of operations as findings.
#pragma once

#include <optional>
#include <string>

#include "machine/finding.hpp"
#include "machine/memory/device_memory.hpp"
#include "order/conflict.hpp"

namespace warpgrade::emulator {

Finding finding_of(const StreamConflict& conflict, const DeviceMemory& memory);

// "bytes 0 to 399 of allocation 1".
std::string words_of(AddressRange bytes, const DeviceMemory& memory);

// Nothing unless the host, or a host function of a stream, accesses bytes that the unfinished operation
// writes, or writes some that it reads.
std::optional<Finding> early_access(const StreamOperation& operation, const HostAccess& access,
                                    const DeviceMemory& memory);

// A side of a finding that the host's code is: the call's line, and what it does.
Site host_site(const void* call, const std::string& access);

}  // namespace warpgrade::emulator
