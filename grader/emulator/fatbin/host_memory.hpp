// May these bytes of the process be read at all? For pointers that a program hands over.
#pragma once

#include <cstddef>

namespace warpgrade {

// Looks at one byte of each page. Says yes where the system will not tell.
bool readable(const void* at, std::size_t bytes);

// Looks at the first and the last byte only: for memory of any size, often.
bool ends_readable(const void* at, std::size_t bytes);

}  // namespace warpgrade
