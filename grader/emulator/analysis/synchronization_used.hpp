// Which method of the race check a kernel's PTX asks for: see race.hpp.
#pragma once

#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct RaceNeeds {
  bool history = false;   // threads are ordered by more than barriers of whole blocks and whole warps
  bool split = false;     // single words may need it: accesses of less than a word, or atomic ones
  bool handover = false;  // one block may let another know, by a word in memory, what it has done

  void add(const ptx::Function& function);  // one that the kernel may run
};

}  // namespace warpgrade::emulator
