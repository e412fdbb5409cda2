// A module's accesses to shared memory in the machine code that ptxas made of it.
//
// ptxas merges neighbouring accesses: four 32-bit loads in PTX may be one 128-bit instruction of the machine.
// A cubin made with -lineinfo maps each machine instruction to a line of the PTX text (.nv_debug_line_sass, a
// DWARF 2 line table) and contains that text (.nv_debug_ptx_txt).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::fatbin {

struct MachineAccess {
  bool is_store = false;
  unsigned bytes = 0;  // bytes of one lane
  int ptx_line = 0;    // counted from 1; 0 if the table does not say
};

struct MachineFunction {
  std::string name;
  std::vector<MachineAccess> accesses;  // to shared memory, in the order of the code
};

struct Cubin {
  std::vector<std::string> ptx;  // lines of the PTX text; empty without -lineinfo
  std::vector<MachineFunction> functions;
};

// `image` is an ELF file of machine code for sm_70 or newer. Throws FormatError if it is cut off or not a
// cubin; checks each offset and size against `image` first.
Cubin read_cubin(std::string_view image);

}  // namespace warpgrade::fatbin
