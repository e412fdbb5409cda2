// The global memory that a kernel may write, found in its code. Memory that is only read cannot race.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace warpgrade::emulator {

// Base pointers of all writes to global memory. An index never changes the array that a pointer belongs to:
// a write lands in the array of its pointer, or beyond the end of that.
struct WrittenGlobals {
  bool anywhere = false;  // a written pointer was loaded from memory, or its origin is unknown
  std::set<std::uint32_t>
      parameters;  // offsets of the 8-byte parameters that a written pointer may come from
  std::set<std::string>
      variables;      // names of the module's variables; the kernel's own shared and local ones too
  bool heap = false;  // it may allocate memory (malloc), which a later launch finds as it was left
};

}  // namespace warpgrade::emulator
