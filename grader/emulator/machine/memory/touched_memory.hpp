// The bytes of global memory that a launch, a copy or a fill accessed.
#pragma once

#include <cstdint>

#include "machine/memory/address_ranges.hpp"

namespace warpgrade::emulator {

// Which allocations are recorded.
enum class Recording : std::uint8_t {
  none,
  shared_with_host,  // managed and pinned memory
  all,
};

struct TouchedMemory {
  AddressRanges read, written;
  // By atomics and by volatile or relaxed accesses, which do not race with one another.
  AddressRanges read_strongly, written_strongly;
  AddressRanges flags;  // those of these reads whose value decides what the kernel does next

  bool empty() const {
    return read.empty() && written.empty() && read_strongly.empty() && written_strongly.empty();
  }
};

}  // namespace warpgrade::emulator
