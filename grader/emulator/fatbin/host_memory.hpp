// Whether bytes of this process can be read, for pointers that a program passes.
#pragma once

#include <cstddef>

namespace warpgrade {

// Probes one byte of each page. True if the system does not support the probe.
bool readable(const void* at, std::size_t bytes);

// Probes the first and the last byte only: for memory of any size, called often.
bool ends_readable(const void* at, std::size_t bytes);

}  // namespace warpgrade
