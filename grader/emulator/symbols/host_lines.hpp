// Source lines of the host program's calls, from the line table of a program that was built with -g or -g1.
#pragma once

#include <cstdint>
#include <string>

namespace warpgrade::emulator {

struct HostLine {
  std::string file;  // a path, as the compiler wrote it; empty: not known
  int line = 0;
};

// The line of the call that returns to this address. Of a call inside an inline function of the toolkit's
// headers (cudaMalloc<float>) the line that uses that function. Cached.
HostLine host_line(const void* return_address);

// The same of an address in a file; `base`: where the file is loaded.
HostLine host_line(const char* file, std::uint64_t base, std::uint64_t return_address);

}  // namespace warpgrade::emulator
