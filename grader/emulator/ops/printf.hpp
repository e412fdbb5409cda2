// Device printf: a format string and a packed argument buffer → text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace warpgrade::emulator {

// `read(offset, bytes, to)` copies bytes of the argument buffer. It returns false at the buffer's end; the
// text then has "<?>". `string(address)` reads a %s. Arguments lie in order, each aligned to its size: int
// and pointers of 4 or 8 bytes, floating-point as double. CUDA C++ Programming Guide, "Formatted Output".
std::string format(const std::string& pattern,
                   const std::function<bool(std::size_t offset, std::size_t bytes, void* to)>& read,
                   const std::function<std::string(std::uint64_t address)>& string);

}  // namespace warpgrade::emulator
