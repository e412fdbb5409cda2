// Names of the host program's functions, including those that it does not export.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpgrade::emulator {

struct HostSymbol {
  std::string name;     // as in the source; empty: none is known
  std::string mangled;  // as in the file
  std::uint64_t begin = 0;
};

// A C++ name as in the source; other names as they are.
std::string demangled(const char* name);

// The function that holds an address, by the ELF file's symbol table, which dladdr(3) does not read and
// strip(1) removes. `base`: where the file is loaded.
HostSymbol find_host_symbol(const char* file, std::uint64_t base, std::uint64_t address);

// Whether an ELF file calls a function of a shared library by this name.
bool imports(const char* file, std::string_view function);

}  // namespace warpgrade::emulator
