// May the result of a kernel depend on the order in which its blocks run?
#pragma once

#include "analysis/control_flow.hpp"
#include "machine/kernel_code.hpp"

namespace warpgrade::emulator {

// True where blocks can see what others did: an atomic on global memory whose result is used, a
// floating-point one (addition rounds, so its order shows), a volatile or acquiring load, the device heap.
// Such kernels run on one worker, so that results are the same on each run and each machine. Integer
// reductions commute and do not count. Data races do not count either: they are reported.
bool depends_on_block_order(const Code& code);

// Is the access to memory that no other block sees? As its PTX says: a generic address may lead anywhere.
bool stays_in_block(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
