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

// A finding if the host, or a host function of a stream, accesses bytes that the unfinished operation writes,
// or writes bytes that it reads. Otherwise empty.
std::optional<Finding> early_access(const StreamOperation& operation, const HostAccess& access,
                                    const DeviceMemory& memory);

// The host's side of a finding: the line of the call, and the access.
Site host_site(const void* call, const std::string& access);

}  // namespace warpgrade::emulator
