// Loops that do nothing but look at memory until it says something else.
#pragma once

#include "analysis/control_flow.hpp"

namespace warpgrade::emulator {

// Fills Loop::idle and Loop::polls. In an idle loop nothing is written but registers, and whether it ends
// depends on nothing but memory and what was there before the loop: no counter, no clock, no value of an
// earlier turn. So as long as memory stays as it is, one turn that does not end it shows that none will.
// A loop that polls writes nothing but registers either, may count its turns or look at the clock, and asks
// an mbarrier or a load that others' writes are meant to be seen by: before it asks again, others had better
// run.
void find_spin_loops(const ptx::Function& function, ControlFlow& flow);

}  // namespace warpgrade::emulator
