// May these bytes of the process be read at all? For pointers that a program hands over.
#pragma once

#include <cstddef>

namespace warpgrade {

// Probes one byte of each page. True also where the system does not answer.
bool readable(const void* at, std::size_t bytes);

// Probes the first and the last byte only: for memory of any size, called often.
bool ends_readable(const void* at, std::size_t bytes);

}  // namespace warpgrade
