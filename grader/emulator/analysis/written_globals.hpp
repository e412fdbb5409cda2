// Which memory a kernel writes, as far as its code tells: nothing that is only read can be in a race.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct Code;

// What the addresses of all writes to global memory are made of. An index may be anything that is no pointer:
// a write lands in the array that its pointer is of, or beyond the end of that.
struct WrittenMemory {
  bool anywhere = false;               // a pointer was loaded, or came in another way that code does not tell
  std::set<std::uint32_t> parameters;  // offsets of the words of 8 bytes that such a pointer may be
  std::set<std::string> variables;     // of the module, the kernel's own shared and local ones among them
};

// Of the kernel and all functions that it may call.
WrittenMemory find_written_memory(const Code& code);

}  // namespace warpgrade::emulator
