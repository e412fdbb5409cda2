// Which method of the race check a kernel's PTX asks for: see race.hpp.
#pragma once

#include "ptx/module.hpp"

namespace warpgrade::observe {

struct RaceNeeds {
  bool history = false;  // threads are ordered by more than barriers of whole blocks and whole warps
  bool split = false;    // single words may need it: accesses of less than a word, or atomic ones

  void add(const ptx::Function& function);  // one that the kernel may run
};

}  // namespace warpgrade::observe
