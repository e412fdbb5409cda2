// Conflicts of operations as findings.
#pragma once

#include "machine/device_memory.hpp"
#include "machine/finding.hpp"
#include "order/conflict.hpp"

namespace warpgrade::emulator {

Finding finding_of(const StreamConflict& conflict, const DeviceMemory& memory);

// "bytes 0 to 399 of allocation 1".
std::string words_of(AddressRange bytes, const DeviceMemory& memory);

// An access of the host to a byte that an unfinished operation uses. `at`: the instruction.
struct EarlyAccess {
  std::uint64_t address = 0;
  bool write = false;  // the host writes
  bool operation_writes = false;
  const void* at = nullptr;
};
Finding early_access(const StreamOperation& operation, const EarlyAccess& access, const DeviceMemory& memory);

// A side of a finding that the host's code is: the call's line, and what it does.
Site host_site(const void* call, const std::string& access);

}  // namespace warpgrade::emulator
