// What a warp's atomic in shared memory costs: lanes that meet in a bank take turns.
#pragma once

#include "machine/observers.hpp"

namespace warpgrade::emulator {

struct AtomicTurns {
  unsigned passes = 1;  // through the data pipe, with those of the loads of a loop but for one each
  unsigned tries = 1;   // of a loop that loads, adds and swaps
};

AtomicTurns turns_of_atomic(const Access& access, const ptx::Instruction& from);

}  // namespace warpgrade::emulator
