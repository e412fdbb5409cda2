// Whether the result of a kernel may depend on the order in which its blocks run.
#pragma once

#include "analysis/flow/control_flow.hpp"
#include "machine/kernel_code.hpp"

namespace warpgrade::emulator {

// True if blocks can observe each other: an atomic on global memory whose result is used, a floating-point
// atomic (rounding makes the order visible), a strong load, or the device heap. Such kernels run on one
// worker thread, so that results are the same on each run and each machine. Integer reductions commute and do
// not count. Data races do not count either: they are reported.
bool depends_on_block_order(const Code& code);

// The access is to shared, local or parameter memory by its state space. A generic address may be global.
bool stays_in_block(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
