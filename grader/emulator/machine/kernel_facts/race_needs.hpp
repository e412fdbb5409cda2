// Which methods of the race checks a kernel needs.
#pragma once

namespace warpgrade::emulator {

// Found from PTX by analysis/synchronization/synchronization_used.hpp; the checks leave out what a kernel
// does not need.
struct RaceNeeds {
  bool history = false;   // not only barriers of whole blocks and whole warps order threads
  bool split = false;     // some words need a shadow of their own: sub-word or atomic accesses
  bool handover = false;  // one block may signal another through a word in memory
  bool proxies = false;   // bulk copies read shared memory
};

}  // namespace warpgrade::emulator
